"""Persistence of documents, their passages and the index: the protocol `Store`. `store.sqlite` implements it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from ..pages import LineRange, Metadata
from ..scope import Condition
from ..tree.model import Tree
from .index import IndexedPassage, PassageKey, PassageSelection, SearchView
from .records import DocumentInfo, Passage, Prepared, PreviousRevision, SourceKey

__all__ = [
    "DocumentInfo",
    "IndexedPassage",
    "Passage",
    "PassageKey",
    "PassageSelection",
    "Prepared",
    "SearchView",
    "Store",
    "StoredPassage",
]


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage of a document in a store.

    Args:
        number: Number of the passage in the store; ascends in reading order within a document.
    """

    number: int
    doc_id: str
    passage: Passage


class Store(Protocol):
    """Stores documents. Every method may be called from any thread; readers see a `put` whole or not at all.

    Methods that take ids leave out unknown ones, or return None or False where one is unknown. What a store cannot read or
    write raises `LibraryError`.
    """

    @property
    def path(self) -> str | None:
        """The library's file; None in memory."""
        ...

    def snapshot(self) -> AbstractContextManager[object]:
        """Returns a block in which all that this thread reads comes from one state of the library."""
        ...

    # Writing

    def put(self, document: Prepared) -> DocumentInfo | None:
        """Stores a document, or a new revision of the one with the same source key; the same bytes change nothing.

        Returns:
            The document as stored; None if it replaces a revision that is no longer the latest: prepare it again.
        """
        ...

    def move(self, doc_id: str, *, name: str, source: str, source_key: SourceKey) -> DocumentInfo | None:
        """Moves a document to a new source; None if it does not exist, or another document has that source."""
        ...

    def add_metadata(self, doc_id: str, metadata: Metadata) -> DocumentInfo | None:
        """Sets some of a document's metadata and leaves the rest; None if the document does not exist."""
        ...

    def set_summaries(self, doc_id: str, summaries: Mapping[str, str]) -> bool:
        """Stores summaries of sections by section id; an empty one removes what is stored.

        Returns:
            Whether the document exists.
        """
        ...

    def remove(self, doc_id: str) -> bool:
        """Removes a document and all that belongs to it; returns whether it existed."""
        ...

    # Documents

    def find(self, *, sha256: str, tenant: str = "") -> tuple[DocumentInfo, SourceKey] | None:
        """Returns the document of a tenant whose present revision was made from these bytes, and its source key."""
        ...

    def previous_revision(self, source_key: SourceKey) -> PreviousRevision | None:
        """Returns the revision that a document with this source key would replace."""
        ...

    def sources(self) -> dict[str, SourceKey]:
        """Returns the source key of every document, by document id."""
        ...

    def nearest(self, doc_id: str, node_id: str) -> str | None:
        """Returns the id of the section nearest to one that earlier revisions had and this one has not."""
        ...

    def documents(self, *, where: Condition | None = None) -> list[DocumentInfo]:
        """Returns the documents for which the condition holds, all for None, in the order of their first adding."""
        ...

    # Text

    def tree(self, doc_id: str) -> Tree | None:
        """Returns a document's tree with its text, and with the summaries that were stored since; None if it does not exist."""
        ...

    def passages(self, doc_id: str, *, lines: LineRange | None = None) -> list[StoredPassage]:
        """Returns the passages of a document, or those that contain any of these lines, in reading order."""
        ...

    def load(self, doc_id: str, node_ids: Sequence[str]) -> dict[str, StoredPassage]:
        """Returns passages of one document by their ids; unknown ids are left out."""
        ...

    # Searching

    def search_view(self, documents: Sequence[str]) -> AbstractContextManager[SearchView]:
        """Opens the index of some documents; it is valid inside the `with` block, in one state of the library."""
        ...

    def select_passages(
        self, terms: Sequence[str], documents: Sequence[str], *, limit: int, scope: Sequence[str] = ()
    ) -> PassageSelection:
        """Selects up to `limit` passages of these documents that contain any of the terms, those with the rarest terms first.

        Args:
            scope: The documents that `documents` were chosen from, whose frequencies are returned too.
        """
        ...

    def indexed(self, numbers: Sequence[int]) -> list[IndexedPassage]:
        """Returns passages by their numbers, in ascending order; unknown numbers are left out."""
        ...

    def terms_in_names(self, terms: Collection[str], documents: Sequence[str]) -> dict[str, set[str]]:
        """Returns by document id which of these terms a document's name and metadata contain; empty sets are left out.

        A name may run its words together: `AMERICANEXPRESS_2022` contains `american`.
        """
        ...

    def may_mention(self, text: str, documents: Sequence[DocumentInfo]) -> list[DocumentInfo]:
        """Returns the documents among these that can contain a mention of the words: none that does is left out."""
        ...

    def close(self) -> None:
        """Closes all connections; the store cannot be used afterwards."""
        ...
