"""The index of terms in its file: segments of neighbouring passages, small ones merged into larger ones as documents come.

Each document begins as a segment of its own. As soon as there are `FAN` neighbours of one size, they become one of the next
size, up to the most passages that a segment can number: so adding costs the same in a small library and in a large one, and a
search reads few blocks for each term. Passages that are gone stay in the lists until their segment is written anew: whoever
reads a list knows which passages there are.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

from .postings import CAPACITY, Lists, collect, find, pack, unpack

FAN = 16
"""Neighbouring segments of one size that are merged: each posting is written about four times in the end."""
FULL = 9
"""Size of a segment that is merged no more."""
POSTINGS_KEPT = 4_000_000
"""What is kept in memory of lists that were read, two bytes each."""

_LAST = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Segment:
    """Passages `first` to `last`, inclusive; `dead` of them are gone. `size` counts the merges that led to it."""

    first: int
    last: int
    size: int
    dead: int


class Scope:
    """The passages that are searched, as runs of neighbours."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        """`ranges` are first and last passages, inclusive, in ascending order."""
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

    def cuts(self, offsets: array[int], first: int) -> Iterator[tuple[int, int]]:
        """Where those of some ascending passages that are searched begin and end among them; `offsets` are from `first`."""
        low, high = first + offsets[0], first + offsets[-1]
        for at in range(bisect_left(self.lasts, low), bisect_right(self.firsts, high)):
            begin = bisect_left(offsets, self.firsts[at] - first)
            end = bisect_right(offsets, self.lasts[at] - first, begin)
            if begin < end:
                yield begin, end


class Postings:
    """The passages that hold a term, in ascending order: by segments, as offsets from the first passage of each."""

    __slots__ = ("_firsts", "_length", "_pieces")

    def __init__(self, pieces: Iterable[tuple[int, array[int]]]) -> None:
        self._pieces = list(pieces)
        self._firsts = [first for first, _ in self._pieces]
        self._length = sum(len(offsets) for _, offsets in self._pieces)

    def __len__(self) -> int:
        return self._length

    def rows(self, scope: Scope) -> list[int]:
        """Those within a scope."""
        found: list[int] = []
        for first, offsets in self._pieces:
            for begin, end in scope.cuts(offsets, first):
                found.extend(map(first.__add__, offsets[begin:end]))
        return found

    def count(self, scope: Scope) -> int:
        """How many lie within a scope."""
        return sum(end - begin for first, offsets in self._pieces for begin, end in scope.cuts(offsets, first))

    def within(self, low: int, high: int) -> list[int]:
        """Those of some neighbours, both bounds included."""
        found: list[int] = []
        for at in range(max(0, bisect_right(self._firsts, low) - 1), bisect_right(self._firsts, high)):
            first, offsets = self._pieces[at]
            begin = bisect_left(offsets, low - first)
            found.extend(map(first.__add__, offsets[begin : bisect_right(offsets, high - first, begin)]))
        return found

    def marked(self, marks: bytearray) -> list[int]:
        """Those that are marked, each at its number."""
        found: list[int] = []
        for first, offsets in self._pieces:
            part = marks[first : first + CAPACITY]
            inside = offsets[: bisect_left(offsets, len(part))]
            found.extend(map(first.__add__, compress(inside, map(part.__getitem__, inside))))
        return found


class ListReader:
    """Reads the lists of one state of the library. The latest are kept: a question asks for each of its terms several
    times, and the next question often for some of them again."""

    def __init__(self) -> None:
        self._kept: dict[str, Postings] = {}
        self._size = 0

    def read(self, connection: sqlite3.Connection, term: str, scope: Scope) -> Postings:
        """The list of a term, at least of the segments that hold passages of the scope."""
        kept = self._kept.get(term)
        if kept is not None:
            return kept
        if not scope.firsts:
            return Postings(())
        low, high = scope.firsts[0], scope.lasts[-1]
        if high - low <= CAPACITY:
            # One document, or a few neighbours: hardly more than one segment of many.
            return Postings(_blocks(connection, term, low, high))
        read = Postings(_blocks(connection, term, 0, _LAST))
        if self._size + len(read) > POSTINGS_KEPT:
            self._kept, self._size = {}, 0
        self._kept[term] = read
        self._size += len(read)
        return read


def _blocks(connection: sqlite3.Connection, term: str, low: int, high: int) -> Iterator[tuple[int, array[int]]]:
    query = """
        SELECT s.first, (
            SELECT block FROM postings AS p WHERE p.segment = s.first AND p.term <= ?1 ORDER BY p.term DESC LIMIT 1
        ) FROM segments AS s WHERE s.first <= ?3 AND s.last >= ?2 ORDER BY s.first
    """
    for first, block in connection.execute(query, (term, low, high)):
        offsets = find(block, term) if block is not None else None
        if offsets:
            yield first, offsets


def next_passage(connection: sqlite3.Connection) -> int:
    """The number of the next passage: behind all that any list may still name."""
    query = "SELECT max(coalesce((SELECT max(id) FROM passages), 0), coalesce((SELECT max(last) FROM segments), 0)) + 1"
    (number,) = connection.execute(query).fetchone()
    return int(number)


def append(connection: sqlite3.Connection, first: int, passages: Sequence[Sequence[str]]) -> None:
    """Index the token texts of new passages, which are numbered from `first` on, behind all others."""
    for start in range(0, len(passages), CAPACITY):
        part = passages[start : start + CAPACITY]
        last = first + start + len(part) - 1
        _write(connection, Segment(first + start, last, 0, 0), collect(part))
        _merge(connection)


def forget(connection: sqlite3.Connection, first: int, last: int) -> None:
    """Count passages as gone."""
    connection.execute(
        "UPDATE segments SET dead = dead + min(last, ?2) - max(first, ?1) + 1 WHERE first <= ?2 AND last >= ?1",
        (first, last),
    )


def tidy(connection: sqlite3.Connection) -> None:
    """Write those segments anew that are more than half gone."""
    query = "SELECT first, last, size, dead FROM segments WHERE 2 * dead > last - first + 1"
    for row in connection.execute(query).fetchall():
        segment = Segment(*row)
        _join(connection, [segment], segment.size)


def rebuild(connection: sqlite3.Connection) -> None:
    """Index all passages by their token texts."""
    connection.execute("DELETE FROM postings")
    connection.execute("DELETE FROM segments")
    numbers: list[int] = []
    texts: list[tuple[str, str, str]] = []

    def write() -> None:
        lists = {term: array("H", (numbers[at] - numbers[0] for at in rows)) for term, rows in collect(texts).items()}
        gone = numbers[-1] - numbers[0] + 1 - len(numbers)
        _write(connection, Segment(numbers[0], numbers[-1], FULL, gone), lists)
        numbers.clear()
        texts.clear()

    for number, *fields in connection.execute("SELECT id, title, path, body FROM passage_tokens ORDER BY id"):
        if numbers and number - numbers[0] >= CAPACITY // 2:
            write()
        numbers.append(number)
        texts.append((fields[0], fields[1], fields[2]))
    if numbers:
        write()


def _write(connection: sqlite3.Connection, segment: Segment, lists: Lists) -> None:
    connection.execute(
        "INSERT INTO segments (first, last, size, dead) VALUES (?, ?, ?, ?)",
        (segment.first, segment.last, segment.size, segment.dead),
    )
    connection.executemany(
        "INSERT INTO postings (segment, term, block) VALUES (?, ?, ?)",
        ((segment.first, term, block) for term, block in pack(lists)),
    )


def _merge(connection: sqlite3.Connection) -> None:
    """Merge the latest segments as long as there are enough of one size."""
    query = "SELECT first, last, size, dead FROM segments ORDER BY first DESC LIMIT ?"
    while True:
        latest = [Segment(*row) for row in connection.execute(query, (FAN,))]
        size = latest[0].size
        others = (at for at, one in enumerate(latest) if one.size != size)
        run = latest[: next(others, len(latest))][::-1]
        fitting = [one for one in run if one.last - run[0].first < CAPACITY]
        if size == FULL or (len(run) < FAN and len(fitting) == len(run)):
            return
        # Where the newest are too many for one segment, the oldest of them have grown to their end.
        _join(connection, fitting, size + 1 if len(fitting) == len(run) else FULL)


def _join(connection: sqlite3.Connection, segments: Sequence[Segment], size: int) -> None:
    """Make one segment of neighbours, without the passages that are gone; of one alone, only where some are."""
    first, last = min(one.first for one in segments), max(one.last for one in segments)
    if len(segments) == 1 and not segments[0].dead:
        connection.execute("UPDATE segments SET size = ? WHERE first = ?", (size, first))
        return
    live = _live(connection, first, last) if any(one.dead for one in segments) else None
    merged: Lists = {}
    for segment in sorted(segments, key=lambda one: one.first):
        shift = segment.first - first
        blocks = connection.execute("SELECT block FROM postings WHERE segment = ? ORDER BY term", (segment.first,))
        for (block,) in blocks:
            for term, offsets in unpack(block):
                cuts = ((0, len(offsets)),) if live is None else live.cuts(offsets, segment.first)
                for begin, end in cuts:
                    moved = array("H", map(shift.__add__, offsets[begin:end])) if shift else offsets[begin:end]
                    if term in merged:
                        merged[term].extend(moved)
                    else:
                        merged[term] = moved
        connection.execute("DELETE FROM postings WHERE segment = ?", (segment.first,))
        connection.execute("DELETE FROM segments WHERE first = ?", (segment.first,))
    if live is None:
        _write(connection, Segment(first, last, size, 0), merged)
    elif live.total:
        # Numbers keep their places, so what is gone between others still takes room.
        begin, end = max(first, live.firsts[0]), min(last, live.lasts[-1])
        lists = {term: array("H", (row - (begin - first) for row in rows)) for term, rows in merged.items()}
        _write(connection, Segment(begin, end, size, 0), lists)


def _live(connection: sqlite3.Connection, first: int, last: int) -> Scope:
    query = """
        SELECT first_passage, last_passage FROM documents
        WHERE first_passage <= ? AND last_passage >= ? AND last_passage >= first_passage ORDER BY first_passage
    """
    return Scope(connection.execute(query, (last, first)))
