"""Requests of navigators that read the documents: each is a value that answers itself from the store."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from ..evidence import Evidence
from ..pages import LineRange
from ..search.documents import rank_documents
from ..search.sections import SectionSearch, score_passages, search_sections
from ..search.surroundings import Include
from ..search.vectors import Embedding, Vectors
from ..store import DocumentInfo, Passage, Store
from ..text.tokens import TokenCounter, estimate_tokens
from ..tree.model import Tree
from .opened import OpenedDocument, Target


@dataclass(frozen=True, slots=True)
class SearchableDocuments:
    """The documents of a scope and what reads them.

    Args:
        documents: Lists the documents of the scope; called inside the snapshot in which they are searched.
        tree_of: Gives a document's tree.
        vectors_of: Gives the vectors made by an embedding so far.
    """

    store: Store
    documents: Callable[[], Sequence[DocumentInfo]]
    tree_of: Callable[[DocumentInfo], Tree]
    vectors_of: Callable[[Embedding], Vectors]


@dataclass(frozen=True, slots=True)
class SearchSections:
    """Looks up the sections that fit a question best; see `search.sections.search_sections`."""

    question: str
    k: int
    max_tokens: int | None = None
    count_tokens: TokenCounter = estimate_tokens
    include: Collection[Include] = ()
    embedding: Embedding | None = None

    def look_up(self, documents: SearchableDocuments) -> SectionSearch:
        """Ranks documents, then their sections."""
        return search_sections(
            documents.store,
            self.question,
            documents.documents(),
            k=self.k,
            max_tokens=self.max_tokens,
            count=self.count_tokens,
            include=self.include,
            vectors=None if self.embedding is None else documents.vectors_of(self.embedding),
            tree_of=documents.tree_of,
        )


@dataclass(frozen=True, slots=True)
class OpenedDocuments:
    """The documents that fit a question best, best first, out of `considered`, and the seconds that choosing them took."""

    documents: tuple[OpenedDocument, ...]
    considered: int
    seconds: float


@dataclass(frozen=True, slots=True)
class OpenDocuments:
    """Looks up the documents that fit a question best, with their trees; `limit` at most."""

    question: str
    limit: int

    def look_up(self, documents: SearchableDocuments) -> OpenedDocuments:
        """Ranks the documents of the scope and opens the best."""
        started = time.perf_counter()
        scope = documents.documents()
        ranked = rank_documents(documents.store, self.question, scope, keep=self.limit) if scope else []
        # A question in another language than the documents shares no word with them; their outlines may still help.
        infos = [selected.info for selected in ranked] or scope[: self.limit]
        seconds = time.perf_counter() - started
        opened = tuple(OpenedDocument(info, documents.tree_of(info)) for info in infos)
        return OpenedDocuments(opened, len(scope), seconds)


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """Looks up the `k` sections of one document that fit some words best."""

    info: DocumentInfo
    query: str
    k: int

    def look_up(self, documents: SearchableDocuments) -> tuple[Evidence, ...]:
        """Ranks the sections of the document."""
        return search_sections(documents.store, self.query, [self.info], k=self.k).chosen


@dataclass(frozen=True, slots=True)
class ScorePassages:
    """Looks up how well the passages of one document fit a question by their words, by passage id.

    A passage without any of the words has no score.
    """

    info: DocumentInfo
    question: str

    def look_up(self, documents: SearchableDocuments) -> Mapping[str, float]:
        """Ranks the passages of the document."""
        return score_passages(documents.store, self.question, self.info)


@dataclass(frozen=True, slots=True)
class ReadPassages:
    """Looks up the passages of a target in reading order: those of its sections with all that is under them."""

    document: OpenedDocument
    target: Target

    def look_up(self, documents: SearchableDocuments) -> tuple[Passage, ...]:
        """Loads the passages."""
        doc_id = self.document.info.doc_id
        if self.target.passages:
            found = documents.store.load(doc_id, self.target.passages)
            return tuple(found[node_id].passage for node_id in self.target.passages if node_id in found)
        span = self.document.span(self.target)
        if span is None:
            return ()
        # Of a passage that begins before the section only its own lines would count.
        stored = documents.store.passages(doc_id, lines=span)
        return tuple(row.passage for row in stored if row.passage.lines.first in span)


@dataclass(frozen=True, slots=True)
class ReadLines:
    """Looks up the passages that hold any of these lines of a document."""

    info: DocumentInfo
    lines: LineRange

    def look_up(self, documents: SearchableDocuments) -> tuple[Passage, ...]:
        """Loads the passages."""
        return tuple(row.passage for row in documents.store.passages(self.info.doc_id, lines=self.lines))
