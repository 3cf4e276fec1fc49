"""Where documents, their passages and the index live: the protocol, and its SQLite form in `sqlite.py`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from ..pages import LineRange, Metadata
from ..scope import Condition
from ..tree.model import Tree
from .records import DocumentInfo, Passage, Pointers, Prepared, PreviousRevision, SourceKey

__all__ = [
    "Candidate",
    "Candidates",
    "DocumentInfo",
    "Part",
    "Passage",
    "Prepared",
    "Signs",
    "Store",
    "StoredPassage",
    "Survey",
    "Surveyed",
]


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage of one document as the store returns it; `number` rises in reading order within a document."""

    number: int
    doc_id: str
    passage: Passage


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The text of a passage that stands on one page; all of it where there are no pages.

    Args:
        page: Physical page; None without pages.
        lines: How many lines of text it has.
        tokens: In the order of the text.
        counts: How often each token occurs.
        numbers: How many tokens are numbers.
        rows: How many rows of tables it has: lines with figures behind a label.
        labels: The words of those labels.
        heads: The words of its first lines, where they are the first of their page.
        listing: Share of its lines that are entries of a list of contents or an index, where it is one; else 0.
    """

    page: int | None
    lines: int
    tokens: tuple[str, ...]
    counts: Mapping[str, int]
    numbers: int
    rows: int
    labels: frozenset[str]
    heads: tuple[frozenset[str], ...]
    listing: float


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A passage that holds at least one of the terms, with its tokens by field, for ranking.

    `position` is where it stands among the passages of its document, from 0 to 1. Candidates are shared between searches.
    """

    number: int
    doc_id: str
    node_id: str
    section: str
    position: float
    title: frozenset[str]
    path: frozenset[str]
    parts: tuple[Part, ...]
    pointers: Pointers


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates in one language, and the figures of the searched documents that ranking needs.

    Args:
        holding: How many of their passages hold each term.
        total: How many passages they have.
        among: Where they were chosen among more documents, how many passages of all of those hold each term: what is left
            of thousands of documents all holds the words of the question, and says nothing of how rare they are.
    """

    found: tuple[Candidate, ...]
    holding: Mapping[str, int]
    total: int
    among: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Signs:
    """What each sign that a document is meant is worth.

    Args:
        best: Each of its three best passages holds all terms.
        throughout: All of its passages hold all terms.
        front: Its first three passages hold all terms.
        some: Share of its passages that must hold a term for half of `throughout`.
        top: Its best passage holds all terms; counts for the order only, not for the score.
    """

    best: float
    throughout: float
    front: float
    some: float
    top: float = 0.0


@dataclass(frozen=True, slots=True)
class Surveyed:
    """A document that holds some of the terms, how well by all signs together, and the share of the terms, by weight and
    rarity, that its best passage holds."""

    doc_id: str
    score: float
    top: float


@dataclass(frozen=True, slots=True)
class Survey:
    """Documents that hold some of the terms.

    Args:
        near: The best ones, best first.
        far: The others, each with a bound that its score does not exceed, in the order of the bounds.
    """

    near: list[Surveyed]
    far: list[tuple[float, str]]


class Store(Protocol):
    """Keeps documents. Every method is safe to call from any thread; a `put` is seen whole or not at all."""

    @property
    def path(self) -> str | None:
        """The library's file; None in memory."""
        ...

    def snapshot(self) -> AbstractContextManager[object]:
        """While open, all that this thread reads comes from one state of the library."""
        ...

    def put(self, document: Prepared) -> DocumentInfo | None:
        """Keep a document, or a new revision of the one with the same source key; the same bytes change nothing.

        None if it replaces a revision that is not the latest any more.
        """
        ...

    def move(self, doc_id: str, *, name: str, source: str, source_key: SourceKey) -> DocumentInfo | None:
        """Let a document come from another place; None if it is gone or the place taken."""
        ...

    def add_metadata(self, doc_id: str, metadata: Metadata) -> DocumentInfo | None:
        """Set some of a document's metadata and leave the others; None if it is not there."""
        ...

    def set_summaries(self, doc_id: str, summaries: Mapping[str, str]) -> bool:
        """Keep what sections are about, by section id; whether the document is there."""
        ...

    def find(self, *, sha256: str) -> tuple[DocumentInfo, SourceKey] | None:
        """The document made from these bytes, and its source key."""
        ...

    def previous_revision(self, source_key: SourceKey) -> PreviousRevision | None:
        """The revision that a document with this source key would replace."""
        ...

    def sources(self) -> dict[str, SourceKey]:
        """Source key of every document, by its id."""
        ...

    def nearest(self, doc_id: str, node_id: str) -> str | None:
        """The section nearest to one that earlier revisions had and this one has not."""
        ...

    def documents(self, *, where: Condition | None = None) -> list[DocumentInfo]:
        """Documents for which the condition holds, in the order of their first adding; None for all."""
        ...

    def remove(self, doc_id: str) -> bool:
        """Forget a document; whether it was there."""
        ...

    def tree(self, doc_id: str) -> Tree | None: ...

    def passages(self, doc_id: str, *, lines: LineRange | None = None) -> list[StoredPassage]:
        """The passages of a document, or those that hold any of these lines, in reading order."""
        ...

    def candidates(
        self, terms: Sequence[str], documents: Sequence[str], *, limit: int, among: Sequence[str] = ()
    ) -> Candidates:
        """Up to `limit` passages of these documents that hold any of the terms, the rarest terms first.

        `among` are the documents that they were chosen from.
        """
        ...

    def survey(
        self,
        weights: Mapping[str, float],
        documents: Sequence[str],
        *,
        signs: Signs,
        liked: Mapping[str, float],
        closely: int,
        far: bool,
    ) -> Survey:
        """How well each of these documents holds the terms; those that hold none are left out.

        Args:
            weights: What each term is worth.
            liked: What some documents have to begin with.
            closely: How many have to be near.
            far: Whether the others are wanted.
        """
        ...

    def count_passages(self, terms: Collection[str], documents: Sequence[str]) -> dict[str, dict[str, int]]:
        """How many passages of each of these documents hold each of the terms; documents without any are left out."""
        ...

    def naming(self, terms: Collection[str], documents: Sequence[str]) -> dict[str, set[str]]:
        """Which of these terms the name and metadata of each document hold; documents without any are left out."""
        ...

    def holding_all(self, text: str, documents: Sequence[DocumentInfo]) -> list[DocumentInfo]:
        """Those of the documents that can hold a mention of these words."""
        ...

    def load(self, doc_id: str, node_ids: Sequence[str]) -> dict[str, StoredPassage]:
        """Some passages of one document by their ids; unknown ids are left out."""
        ...

    def close(self) -> None: ...
