"""What a navigator with a model works on: some documents with their trees, and a search in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..evidence import Evidence
from ..pages import LineRange
from ..store import DocumentInfo, Passage, Store
from ..store.terms import content_terms, tokenize
from ..tree.model import Node, Tree
from ..tree.references import resolve
from . import lexical
from .actions import Choose
from .lexical import CANDIDATES, to_evidence
from .question import read_question
from .ranking import rank


@dataclass(frozen=True, slots=True)
class Target:
    """Something that a prompt prints under a number: sibling sections of one document (mostly one), or some passages.

    Several siblings are a stretch of an outline that is too long to be printed. Without both it is the whole document.
    """

    doc_id: str
    nodes: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Book:
    """A document on the desk."""

    info: DocumentInfo
    tree: Tree


class Desk:
    """Looks things up for a navigator; reads the store, so async code calls it in a thread."""

    def __init__(self, store: Store, infos: Sequence[DocumentInfo], tree_of: Callable[[DocumentInfo], Tree]) -> None:
        self._store = store
        self.books = tuple(Book(info, tree_of(info)) for info in infos)

    @cached_property
    def _by_id(self) -> dict[str, Book]:
        return {book.info.doc_id: book for book in self.books}

    def book(self, doc_id: str) -> Book:
        """The document with that id."""
        return self._by_id[doc_id]

    def nodes(self, target: Target) -> tuple[Node, ...]:
        """The sections of a target; the top sections for a whole document."""
        tree = self.book(target.doc_id).tree
        return tuple(tree.node(one) for one in target.nodes) if target.nodes else tree.children()

    def passages(self, target: Target) -> list[Passage]:
        """The passages of a target in reading order: those of its sections with all that is under them."""
        if target.passages:
            found = self._store.load(target.doc_id, target.passages)
            return [found[one].passage for one in target.passages if one in found]
        nodes = self.nodes(target)
        if not nodes:
            return []
        span = LineRange(nodes[0].span.first, max(node.span.last for node in nodes))
        # Of a passage that begins before the section only its own lines would count.
        stored = self._store.passages(target.doc_id, lines=span)
        return [one.passage for one in stored if one.passage.lines.first in span]

    def scores(self, question: str, doc_id: str) -> dict[str, float]:
        """How well passages of a document fit a question by their words; without any of them a passage is left out."""
        info = self.book(doc_id).info
        query = read_question(question, info.language, info.name)
        found = rank(query, self._store.candidates(query.terms, [doc_id], limit=CANDIDATES))
        return {one.candidate.node_id: one.score for one in found}

    def search(self, query: str, *, k: int) -> list[Evidence]:
        """The sections that fit some words best."""
        infos = [book.info for book in self.books]
        actions = lexical.navigate(self._store, query, infos, k=k)
        return [action.evidence for action in actions if isinstance(action, Choose)]

    def evidence(self, doc_id: str, passage: Passage, *, score: float, why: str) -> Evidence:
        """A passage as the caller gets it."""
        return to_evidence(passage, self.book(doc_id).info, score, why)

    def follow(self, doc_id: str, reference: str, source: Node | None) -> Target | None:
        """Where a reference of a document leads; None if to nothing in it."""
        tree = self.book(doc_id).tree
        found = resolve(tree, reference, source)
        if found is None:
            return None
        if found.page is not None:
            lines = tree.page(found.page).lines
            stored = self._store.passages(doc_id, lines=lines) if lines else []
            if stored:
                return Target(doc_id, passages=tuple(one.passage.node_id for one in stored))
        return Target(doc_id, (found.target,)) if found.target else None

    def telling_line(self, evidence: Evidence, question: str) -> str:
        """The line of a passage that shares most words with a question."""
        language = self.book(evidence.doc_id).info.language
        terms = set(content_terms(question, language))
        lines = [line for line in evidence.text.splitlines() if line.strip()]
        return max(lines, key=lambda line: len(terms & set(tokenize(line, language))), default="").strip()
