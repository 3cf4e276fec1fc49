"""The index of terms as a search reads it: which passages contain a term, and which document each passage belongs to. Pure.

A store numbers its passages; those of one document are neighbours. A search reads posting lists of these numbers through a
`SearchView`, which a store makes for the documents that are searched.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import NamedTuple

from .records import Pointers

LINE_END, PAGE_START = "\n", "\f"
"""Marks in the token text of a body: ends each line, and stands before the first line of each page."""
SEGMENT_CAPACITY = 1 << 16
"""Passages that one segment of posting lists can number: offsets from its first passage are 16-bit."""
MAX_GAPS = 4
"""Up to so many passage numbers ever given for each passage present, a table maps every number to its document; above, the
document is found by bisection."""
MIN_GARBAGE = 1000
"""So many removed documents, or unused passage numbers, are tolerated whatever their share."""


def idf(frequency: int, total: int) -> float:
    """Inverse document frequency of BM25 (Robertson and Spärck Jones), with the 1+ that keeps it positive.

    Args:
        frequency: Number of passages (or documents, or pages) that contain a term.
        total: Number of all of them.
    """
    return math.log(1.0 + (total - frequency + 0.5) / (frequency + 0.5))


class PassageRuns:
    """A set of passage numbers, as runs of consecutive ones.

    Args:
        ranges: First and last passage of each range, inclusive, in ascending order.
    """

    __slots__ = ("firsts", "lasts", "total")

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self.firsts: list[int] = []
        self.lasts: list[int] = []
        self.total = 0
        for first, last in ranges:
            self.total += last - first + 1
            if self.lasts and self.lasts[-1] + 1 == first:
                self.lasts[-1] = last
            else:
                self.firsts.append(first)
                self.lasts.append(last)

    def slices(self, offsets: array[int], first: int) -> Iterator[tuple[int, int]]:
        """Start and end indexes of the slices of `offsets` whose passages are in the set.

        Args:
            offsets: Passages in ascending order, counted from passage `first`.
        """
        low, high = first + offsets[0], first + offsets[-1]
        for run in range(bisect_left(self.lasts, low), bisect_right(self.firsts, high)):
            begin = bisect_left(offsets, self.firsts[run] - first)
            end = bisect_right(offsets, self.lasts[run] - first, begin)
            if begin < end:
                yield begin, end


class Postings:
    """The passages that contain a term, in ascending order.

    Args:
        pieces: Pairs of a first passage number and ascending 16-bit offsets from it.
    """

    __slots__ = ("_firsts", "_length", "_pieces")

    def __init__(self, pieces: Iterable[tuple[int, array[int]]]) -> None:
        self._pieces = list(pieces)
        self._firsts = [first for first, _ in self._pieces]
        self._length = sum(len(offsets) for _, offsets in self._pieces)

    def __len__(self) -> int:
        return self._length

    def rows(self, runs: PassageRuns) -> list[int]:
        """Returns the passages that are in `runs`."""
        found: list[int] = []
        for first, offsets in self._pieces:
            for begin, end in runs.slices(offsets, first):
                found.extend(map(first.__add__, offsets[begin:end]))
        return found

    def count(self, runs: PassageRuns) -> int:
        """Returns the number of passages that are in `runs`."""
        return sum(end - begin for first, offsets in self._pieces for begin, end in runs.slices(offsets, first))

    def between(self, low: int, high: int) -> list[int]:
        """Returns the passages numbered `low` to `high`, inclusive."""
        found: list[int] = []
        for at in range(max(0, bisect_right(self._firsts, low) - 1), bisect_right(self._firsts, high)):
            first, offsets = self._pieces[at]
            begin = bisect_left(offsets, low - first)
            found.extend(map(first.__add__, offsets[begin : bisect_right(offsets, high - first, begin)]))
        return found

    def marked(self, marks: bytearray) -> list[int]:
        """Returns the passages whose byte in `marks`, at the passage's number, is not zero."""
        found: list[int] = []
        for first, offsets in self._pieces:
            part = marks[first : first + SEGMENT_CAPACITY]
            inside = offsets[: bisect_left(offsets, len(part))]
            found.extend(map(first.__add__, compress(inside, map(part.__getitem__, inside))))
        return found


@dataclass(frozen=True, slots=True)
class DocumentPassages:
    """The passages of one document: numbers `first` to `last`, inclusive.

    `version` is different for each revision of a document, also where a number is used again.
    """

    doc_id: str
    first: int
    last: int
    version: int = 0

    def __len__(self) -> int:
        return self.last - self.first + 1


class PassageMap:
    """Maps passages to documents. Immutable: a later map is made from an earlier one.

    Documents are numbered in the order of their passages. A removed document keeps its number, so that the others keep
    theirs, until removed ones are the majority. The columns below hold no object per document, since a library of thousands
    is in memory as a whole.

    Args:
        ids: Id of each document, by number.
        firsts: First passage of each document, by number.
        sizes: Number of passages of each document, by number.
        numbers: Number of each document that is present, by id.
        document_of: Returns the number of the document that a passage belongs to.
    """

    __slots__ = ("_owners", "_versions", "document_of", "firsts", "ids", "numbers", "sizes")

    def __init__(
        self,
        previous: PassageMap | None = None,
        added: Iterable[DocumentPassages] = (),
        removed: Collection[str] = (),
    ) -> None:
        """Copies the previous map without the removed documents and appends the added ones, whose passages come last."""
        new = sorted(added, key=lambda document: document.first)
        if previous is not None:
            remaining = [number for doc_id, number in previous.numbers.items() if doc_id not in removed]
            if len(previous.ids) > 2 * len(remaining) + MIN_GARBAGE:
                new = [*map(previous.passages_of, sorted(remaining)), *new]
                previous = None
        self.ids: list[str] = list(previous.ids) if previous else []
        self.sizes: array[int] = previous.sizes[:] if previous else array("I")
        self.numbers: dict[str, int] = dict(previous.numbers) if previous else {}
        self.firsts: array[int] = previous.firsts[:] if previous else array("Q")
        self._versions: array[int] = previous._versions[:] if previous else array("q")
        for doc_id in removed:
            self.numbers.pop(doc_id, None)
        for document in new:
            self.numbers[document.doc_id] = len(self.ids)
            self.ids.append(document.doc_id)
            self.sizes.append(len(document))
            self.firsts.append(document.first)
            self._versions.append(document.version)
        self._owners: array[int] | None = self._own(None if previous is None else previous._owners)
        # A bound method rather than a method of this class, since it is called for hundreds of thousands of passages.
        self.document_of: Callable[[int], int] = self._find if self._owners is None else self._owners.__getitem__

    def passages_of(self, number: int) -> DocumentPassages:
        """Returns the passages of the document with a number."""
        first = self.firsts[number]
        return DocumentPassages(self.ids[number], first, first + self.sizes[number] - 1, self._versions[number])

    def version_of(self, row: int) -> int:
        """Returns the version of the document that a passage belongs to."""
        return self._versions[self.document_of(row)]

    def _own(self, known: array[int] | None) -> array[int] | None:
        """Returns the document number of each passage number; None where most passage numbers are not in use."""
        behind = self.firsts[-1] + self.sizes[-1] if self.ids else 0
        present = sum(map(self.sizes.__getitem__, self.numbers.values()))
        if behind > MAX_GAPS * present + MIN_GARBAGE:
            return None
        owners = array("I") if known is None else known[:]
        # Without a known table all entries are written, with one only those behind it.
        for number in range(bisect_right(self.firsts, len(owners) - 1), len(self.ids)):
            owners.extend(array("I", (0,)) * (self.firsts[number] - len(owners)))
            owners.extend(array("I", (number,)) * self.sizes[number])
        return owners

    def _find(self, row: int) -> int:
        return bisect_right(self.firsts, row) - 1


class SearchedDocuments:
    """The documents of a passage map that are searched. Immutable, and kept by a store for the next search.

    Args:
        passages: The map of all passages.
        numbers: Numbers of the searched documents in the map, ascending.
        runs: Passages of the searched documents.
    """

    __slots__ = ("_openings", "numbers", "passages", "runs")

    def __init__(self, passages: PassageMap, numbers: Iterable[int]) -> None:
        self.passages = passages
        self.numbers: Sequence[int] = array("I", sorted(numbers))
        firsts, sizes = passages.firsts, passages.sizes
        self.runs = PassageRuns((firsts[number], firsts[number] + sizes[number] - 1) for number in self.numbers)
        self._openings: dict[int, bytes] = {}

    def openings(self, length: int) -> bytes:
        """Returns one byte per passage number: 1 for the first `length` passages of each searched document, else 0."""
        known = self._openings.get(length)
        if known is None:
            marks = bytearray(self.runs.lasts[-1] + 1 if self.runs.lasts else 0)
            firsts, sizes = self.passages.firsts, self.passages.sizes
            for number in self.numbers:
                first, size = firsts[number], min(length, sizes[number])
                marks[first : first + size] = b"\1" * size
            known = self._openings[length] = bytes(marks)
        return known


@dataclass(frozen=True, slots=True)
class SearchView:
    """The index of the searched documents in one state of the library.

    Args:
        documents: The searched documents.
        postings: Returns the posting list of a term. It may contain passages of other documents too.
    """

    documents: SearchedDocuments
    postings: Callable[[str], Postings]

    def rows(self, term: str) -> list[int]:
        """Returns the passages of the searched documents that contain a term."""
        return self.postings(term).rows(self.documents.runs)

    def count(self, term: str) -> int:
        """Returns the number of passages of the searched documents that contain a term."""
        return self.postings(term).count(self.documents.runs)


class PassageKey(NamedTuple):
    """Names a passage of one revision of a document: its number in the store, and the document's version there."""

    number: int
    version: int


@dataclass(frozen=True, slots=True)
class PassageSelection:
    """Passages selected by the terms that they contain.

    Args:
        keys: In ascending order of their numbers.
        frequencies: Number of passages of the searched documents that contain each term.
        scope_frequencies: The same among the documents that these were chosen from; empty where they were not chosen.
    """

    keys: tuple[PassageKey, ...]
    frequencies: Mapping[str, int]
    scope_frequencies: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """A passage as it is indexed: token texts, in which tokens stand between spaces.

    Args:
        position: Place among the passages of its document, from 0 (first) to 1 (last).
        first_page: Physical page of its first line; None without pages.
        title: Token text of the section's title.
        path: Token text of the titles above it and of running heads.
        body: Token text of the passage, with `LINE_END` and `PAGE_START`.
        pointers: As in `Passage`.
    """

    number: int
    doc_id: str
    node_id: str
    section: str
    position: float
    first_page: int | None
    language: str
    title: str
    path: str
    body: str
    pointers: Pointers
