"""Which passages belong to which document, and the documents that one search looks at."""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from .segments import ListReader, Postings, Scope

FRONT_PASSAGES = 3
"""A document says in its first passages what it is."""
_DENSE = 4
"""Numbers of passages ever given, for each passage that there is, up to which each number has its entry."""
_FEW = 1000
"""Documents and numbers of passages so few that it does not matter how many of them are gone."""


@dataclass(frozen=True, slots=True)
class Range:
    """The passages of one document, inclusive; those of a document are neighbours. `state` tells its states apart."""

    doc_id: str
    first: int
    last: int
    state: int = 0

    def __len__(self) -> int:
        return self.last - self.first + 1


class Layout:
    """The documents that have passages. It never changes: a later one is made from it.

    Documents have numbers in the order of their passages. What is gone keeps its number, so that the others do, as long as
    it is not the greater part. There are columns, and no object for each document: of thousands all are in memory.

    Args:
        ids: Of the documents, by their numbers.
        firsts: The first passage of each.
        sizes: How many passages each has.
        places: The number of each document that is present.
        at: The number of the document that holds a passage.
    """

    __slots__ = ("_owners", "_states", "at", "firsts", "ids", "places", "sizes")

    def __init__(self, before: Layout | None = None, new: Iterable[Range] = (), gone: Collection[str] = ()) -> None:
        """The layout before, without the documents that are gone, and with new ones, whose passages come last."""
        parts = sorted(new, key=lambda part: part.first)
        if before is not None:
            left = [number for doc_id, number in before.places.items() if doc_id not in gone]
            if len(before.ids) > 2 * len(left) + _FEW:
                parts = [*map(before.range, sorted(left)), *parts]
                before = None
        self.ids: list[str] = list(before.ids) if before else []
        self.sizes: array[int] = before.sizes[:] if before else array("I")
        self.places: dict[str, int] = dict(before.places) if before else {}
        self.firsts: array[int] = before.firsts[:] if before else array("Q")
        self._states: array[int] = before._states[:] if before else array("q")
        for doc_id in gone:
            self.places.pop(doc_id, None)
        for part in parts:
            self.places[part.doc_id] = len(self.ids)
            self.ids.append(part.doc_id)
            self.sizes.append(len(part))
            self.firsts.append(part.first)
            self._states.append(part.state)
        self._owners: array[int] | None = self._own(None if before is None else before._owners)
        # The method itself, since it is called for hundreds of thousands of passages.
        self.at: Callable[[int], int] = self._find if self._owners is None else self._owners.__getitem__

    def range(self, number: int) -> Range:
        """The document with a number."""
        first = self.firsts[number]
        return Range(self.ids[number], first, first + self.sizes[number] - 1, self._states[number])

    def _own(self, known: array[int] | None) -> array[int] | None:
        """For each passage the number of its document, where most of the numbers of passages are in use."""
        behind = self.firsts[-1] + self.sizes[-1] if self.ids else 0
        present = sum(map(self.sizes.__getitem__, self.places.values()))
        if behind > _DENSE * present + _FEW:
            return None
        owners = array("I") if known is None else known[:]
        # Where known ones are given up all are written anew, and else those behind them.
        for number in range(bisect_right(self.firsts, len(owners) - 1), len(self.ids)):
            owners.extend(array("I", (0,)) * (self.firsts[number] - len(owners)))
            owners.extend(array("I", (number,)) * self.sizes[number])
        return owners

    def _find(self, row: int) -> int:
        return bisect_right(self.firsts, row) - 1


class Searched:
    """Some documents of a layout; `numbers` are theirs, `scope` are their passages, and `at` is that of the layout."""

    __slots__ = ("_fronts", "_lists", "at", "layout", "numbers", "scope")

    def __init__(self, layout: Layout, lists: ListReader, numbers: Iterable[int]) -> None:
        self._lists = lists
        self.layout = layout
        self.at = layout.at
        self.numbers: Sequence[int] = array("I", sorted(numbers))
        firsts, sizes = layout.firsts, layout.sizes
        self.scope = Scope((firsts[at], firsts[at] + sizes[at] - 1) for at in self.numbers)
        self._fronts: bytes | None = None

    def read(self, connection: sqlite3.Connection, term: str) -> Postings:
        """The list of a term, which may name passages of other documents too."""
        return self._lists.read(connection, term, self.scope)

    @property
    def fronts(self) -> bytes:
        """For each passage, whether it is one of the first of one of these documents: 1 or 0."""
        if self._fronts is None:
            marks = bytearray(self.scope.lasts[-1] + 1 if self.scope.lasts else 0)
            firsts, sizes = self.layout.firsts, self.layout.sizes
            for number in self.numbers:
                first, size = firsts[number], min(FRONT_PASSAGES, sizes[number])
                marks[first : first + size] = b"\1" * size
            self._fronts = bytes(marks)
        return self._fronts

    def document(self, row: int) -> Range:
        """The document that holds a passage."""
        return self.layout.range(self.at(row))
