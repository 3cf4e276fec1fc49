"""Where documents, their passages and the index live: the protocol, and its SQLite form in `sqlite.py`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from ..pages import LineRange, Metadata
from ..tree.model import Tree
from .records import Before, DocumentInfo, Passage, Pointers, Prepared

__all__ = [
    "All",
    "Candidate",
    "Candidates",
    "DocumentInfo",
    "DocumentMatch",
    "Filters",
    "Part",
    "Passage",
    "Prepared",
    "Store",
    "StoredPassage",
]

Filters = Mapping[str, object]
"""Equality on a document's metadata; a list or tuple means any of its values, `{"min": …, "max": …}` a range of numbers or
texts, both bounds included, and `All` what passes each of several conditions; an unknown key matches nothing."""


@dataclass(frozen=True, slots=True)
class All:
    """Several conditions on one key of the metadata, all of which must hold."""

    conditions: tuple[object, ...]


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
        tokens: In the order of the text.
        counts: How often each token occurs.
        numbers: How many tokens are numbers.
        rows: The words of the labels of its table rows: of lines with figures, what stands before the first one.
        heads: The words of its first lines, where they are the first of their page.
        listing: Share of its lines that are entries of a list of contents or an index, where it is one; else 0.
    """

    page: int | None
    tokens: tuple[str, ...]
    counts: Mapping[str, int]
    numbers: int
    rows: tuple[frozenset[str], ...]
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
    """Candidates in one language, and the figures of the searched scope that ranking needs.

    `holding` counts the passages of the scope that hold each term; `total` counts its passages.
    """

    found: tuple[Candidate, ...]
    holding: Mapping[str, int]
    total: int


@dataclass(frozen=True, slots=True)
class DocumentMatch:
    """How a document holds some terms.

    Args:
        passages: How many it has.
        holding: How many of them hold each term; terms that none holds are left out.
        best: Share of the terms, by weight and rarity, in each of its three best passages; the mean.
        front: Share of the terms in its first passages.
    """

    doc_id: str
    passages: int
    holding: Mapping[str, int]
    best: float
    front: float


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

    def move(self, doc_id: str, *, name: str, source: str, source_key: str) -> DocumentInfo | None:
        """Let a document come from another place; None if it is gone or the place taken."""
        ...

    def add_metadata(self, doc_id: str, metadata: Metadata) -> DocumentInfo | None:
        """Set some of a document's metadata and leave the others; None if it is not there."""
        ...

    def set_summaries(self, doc_id: str, summaries: Mapping[str, str]) -> bool:
        """Keep what sections are about, by section id; whether the document is there."""
        ...

    def find(self, *, sha256: str) -> tuple[DocumentInfo, str] | None:
        """The document made from these bytes, and its source key."""
        ...

    def before(self, source_key: str) -> Before | None:
        """The revision that a document with this source key would replace."""
        ...

    def sources(self) -> dict[str, str]:
        """Source key of every document, by its id."""
        ...

    def nearest(self, doc_id: str, node_id: str) -> str | None:
        """The section nearest to one that earlier revisions had and this one has not."""
        ...

    def documents(self, *, filters: Filters | None = None) -> list[DocumentInfo]:
        """All documents that pass the filters, oldest first."""
        ...

    def remove(self, doc_id: str) -> bool:
        """Forget a document; whether it was there."""
        ...

    def tree(self, doc_id: str) -> Tree | None: ...

    def passages(self, doc_id: str, *, lines: LineRange | None = None) -> list[StoredPassage]:
        """The passages of a document, or those that hold any of these lines, in reading order."""
        ...

    def candidates(self, terms: Sequence[str], documents: Sequence[str], *, limit: int) -> Candidates:
        """Up to `limit` passages of these documents that hold any of the terms, the rarest terms first."""
        ...

    def document_weights(self, terms: Sequence[str], documents: Sequence[str]) -> dict[str, float]:
        """How well the best passages of each document cover the terms; documents without any are left out."""
        ...

    def document_matches(self, weights: Mapping[str, float], documents: Sequence[str]) -> list[DocumentMatch]:
        """How each of these few documents that holds any of the terms holds them; `weights` says what each is worth."""
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
