"""An opened document: its tree, and the sections and passages that a prompt prints under numbers. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..evidence import Evidence, PassageId
from ..pages import LineRange
from ..search.evidence import to_evidence
from ..store import DocumentInfo, Passage
from ..text.terms import content_terms, tokenize
from ..tree.model import Node, Tree
from ..tree.references import resolve


@dataclass(frozen=True, slots=True)
class Target:
    """The object of a number in a prompt: sibling sections of a document (mostly a single one), or some passages.

    Several siblings are a stretch of an outline that is too long to be printed. Without both it is the whole document.

    Args:
        nodes: Ids of sections.
        passages: Ids of passages; `title` is that of their section.
    """

    nodes: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class OpenedDocument:
    """A document with its tree, as navigators see it."""

    info: DocumentInfo
    tree: Tree

    def nodes(self, target: Target) -> tuple[Node, ...]:
        """The sections of a target; the top sections for a whole document."""
        return tuple(self.tree.node(node_id) for node_id in target.nodes) if target.nodes else self.tree.children()

    def span(self, target: Target) -> LineRange | None:
        """The lines of a target's sections with all that is under them; None for a document without sections."""
        nodes = self.nodes(target)
        return LineRange(nodes[0].span.first, max(node.span.last for node in nodes)) if nodes else None

    def evidence(self, passage: Passage, *, score: float, why: str) -> Evidence:
        """A passage as evidence."""
        return to_evidence(passage, self.info, score, why)

    def section_of(self, evidence: Evidence) -> Target:
        """The section of a passage, which may be only a part of it."""
        return Target((PassageId.parse(evidence.node_id, sections=self.tree).section,))

    def destination(self, reference: str, source: Node | None) -> Target | LineRange | None:
        """The destination of a reference: a section, the lines of a page, or None if the document has none."""
        found = resolve(self.tree, reference, source)
        if found is None:
            return None
        if found.page is not None and (lines := self.tree.page(found.page).lines) is not None:
            return lines
        return Target((found.target,)) if found.target else None

    def telling_line(self, evidence: Evidence, question: str) -> str:
        """The line of a passage that shares most words with a question."""
        language = self.info.language
        terms = set(content_terms(question, language))
        lines = [line for line in evidence.text.splitlines() if line.strip()]
        return max(lines, key=lambda line: len(terms & set(tokenize(line, language))), default="").strip()


def target_of_passages(passages: Sequence[Passage]) -> Target:
    """A target of some passages of one section."""
    return Target(passages=tuple(passage.node_id for passage in passages), title=passages[0].title)
