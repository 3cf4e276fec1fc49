"""Where documents, their passages and the index live: the protocol, and its SQLite form in `sqlite.py`."""

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
    """A passage of one document as the store returns it; `number` rises in reading order within a document."""

    number: int
    doc_id: str
    passage: Passage


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

    def load(self, doc_id: str, node_ids: Sequence[str]) -> dict[str, StoredPassage]:
        """Some passages of one document by their ids; unknown ids are left out."""
        ...

    def close(self) -> None: ...
