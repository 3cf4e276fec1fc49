"""What a navigator with a model works on: a document with its tree, and a search in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..evidence import Evidence
from ..pages import LineRange
from ..search.evidence import to_evidence
from ..search.query import read_question
from ..search.ranking import rank
from ..search.sections import CANDIDATES, search_sections
from ..store import DocumentInfo, Passage, Store
from ..text.terms import content_terms, tokenize
from ..tree.model import Node, Tree
from ..tree.references import resolve


@dataclass(frozen=True, slots=True)
class Target:
    """Something that a prompt prints under a number: sibling sections of a document (mostly one), or some passages.

    Several siblings are a stretch of an outline that is too long to be printed. Without both it is the whole document.
    """

    nodes: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()


class Desk:
    """Looks things up in one document for a navigator; reads the store, so async code calls it in a thread."""

    def __init__(self, store: Store, info: DocumentInfo, tree_of: Callable[[DocumentInfo], Tree]) -> None:
        self._store = store
        self.info = info
        self.tree = tree_of(info)

    def nodes(self, target: Target) -> tuple[Node, ...]:
        """The sections of a target; the top sections for a whole document."""
        return tuple(self.tree.node(one) for one in target.nodes) if target.nodes else self.tree.children()

    def passages(self, target: Target) -> list[Passage]:
        """The passages of a target in reading order: those of its sections with all that is under them."""
        if target.passages:
            found = self._store.load(self.info.doc_id, target.passages)
            return [found[one].passage for one in target.passages if one in found]
        nodes = self.nodes(target)
        if not nodes:
            return []
        span = LineRange(nodes[0].span.first, max(node.span.last for node in nodes))
        # Of a passage that begins before the section only its own lines would count.
        stored = self._store.passages(self.info.doc_id, lines=span)
        return [one.passage for one in stored if one.passage.lines.first in span]

    def scores(self, question: str) -> dict[str, float]:
        """How well passages fit a question by their words; without any of them a passage is left out."""
        query = read_question(question, self.info.language, self.info.name)
        found = rank(query, self._store.candidates(query.terms, [self.info.doc_id], limit=CANDIDATES))
        return {one.candidate.node_id: one.score for one in found}

    def search(self, query: str, *, k: int) -> list[Evidence]:
        """The sections that fit some words best."""
        return list(search_sections(self._store, query, [self.info], k=k).chosen)

    def evidence(self, passage: Passage, *, score: float, why: str) -> Evidence:
        """A passage as the caller gets it."""
        return to_evidence(passage, self.info, score, why)

    def follow(self, reference: str, source: Node | None) -> Target | None:
        """Where a reference leads; None if to nothing in the document."""
        found = resolve(self.tree, reference, source)
        if found is None:
            return None
        if found.page is not None:
            lines = self.tree.page(found.page).lines
            stored = self._store.passages(self.info.doc_id, lines=lines) if lines else []
            if stored:
                return Target(passages=tuple(one.passage.node_id for one in stored))
        return Target((found.target,)) if found.target else None

    def telling_line(self, evidence: Evidence, question: str) -> str:
        """The line of a passage that shares most words with a question."""
        language = self.info.language
        terms = set(content_terms(question, language))
        lines = [line for line in evidence.text.splitlines() if line.strip()]
        return max(lines, key=lambda line: len(terms & set(tokenize(line, language))), default="").strip()
