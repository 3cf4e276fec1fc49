"""Which passages belong to which document, and the documents that one search looks at."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from .segments import ListReader, Postings, Scope

FRONT_PASSAGES = 3
"""A document says in its first passages what it is."""


@dataclass(frozen=True, slots=True)
class Range:
    """The passages of one document, inclusive; those of a document are neighbours. `revision` tells its states apart."""

    doc_id: str
    first: int
    last: int
    revision: str = ""

    def __len__(self) -> int:
        return self.last - self.first + 1


class Layout:
    """The documents that have passages. It never changes: `after` makes another one.

    `documents` stand in the order of their passages, earlier revisions among them, so that numbers stay; `places` has the
    number of each present one, `sizes` how many passages each has. For each passage, `owners` holds the number of its document.
    """

    __slots__ = ("documents", "owners", "places", "sizes")

    def __init__(self, before: Layout | None = None, new: Iterable[Range] = (), gone: Collection[str] = ()) -> None:
        """The layout before, without the documents that are gone, and with new ones, whose passages come last."""
        self.documents: list[Range] = list(before.documents) if before else []
        self.places: dict[str, int] = dict(before.places) if before else {}
        self.sizes: list[int] = list(before.sizes) if before else []
        self.owners: array[int] = before.owners[:] if before else array("I")
        for doc_id in gone:
            self.places.pop(doc_id, None)
        for part in sorted(new, key=lambda part: part.first):
            number = self.places[part.doc_id] = len(self.documents)
            self.documents.append(part)
            self.sizes.append(len(part))
            between = part.first - len(self.owners)
            self.owners.extend(array("I", (0,)) * between)
            self.owners.extend(array("I", (number,)) * len(part))


class Searched:
    """Some documents of a layout; `numbers` are theirs, and `scope` are their passages."""

    __slots__ = ("_fronts", "_lists", "at", "documents", "numbers", "scope", "sizes")

    def __init__(self, layout: Layout, lists: ListReader, numbers: Iterable[int]) -> None:
        self._lists = lists
        self.documents: Sequence[Range] = layout.documents
        self.sizes: Sequence[int] = layout.sizes
        self.numbers: Sequence[int] = sorted(numbers)
        self.scope = Scope((layout.documents[at].first, layout.documents[at].last) for at in self.numbers)
        # The method itself, since it is called for hundreds of thousands of passages.
        self.at: Callable[[int], int] = layout.owners.__getitem__
        """Number of the document that holds a passage."""
        self._fronts: frozenset[int] | None = None

    def read(self, connection: sqlite3.Connection, term: str) -> Postings:
        """The list of a term, which may name passages of other documents too."""
        return self._lists.read(connection, term, self.scope)

    @property
    def fronts(self) -> frozenset[int]:
        """The first passages of these documents."""
        if self._fronts is None:
            parts = (self.documents[at] for at in self.numbers)
            firsts = (range(part.first, min(part.last + 1, part.first + FRONT_PASSAGES)) for part in parts)
            self._fronts = frozenset(chain.from_iterable(firsts))
        return self._fronts

    def document(self, row: int) -> Range:
        """The document that holds a passage."""
        return self.documents[self.at(row)]
