"""Posting lists in the library's file: segments of consecutive passages, small ones merged into larger ones.

Each document begins as a segment of its own. As soon as there are `MERGED_SEGMENTS` neighbours of one level, they become one
segment of the next level, up to the most passages that a segment can number: so adding costs the same in a small library and
in a large one, and a search reads few blocks for each term. Removed passages stay in the lists until their segment is
rewritten: a reader of a list has to know which passages are present.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..index import SEGMENT_CAPACITY, PassageRuns, Postings
from .postings import Lists, collect, find, pack, unpack

MERGED_SEGMENTS = 16
"""Neighbouring segments of one level that are merged: each posting is written about four times in the end."""
LAST_LEVEL = 9
"""Level of a segment that is not merged any more."""
CACHED_POSTINGS = 4_000_000
"""Postings of lists that a reader keeps in memory, two bytes each."""

_LAST = (1 << 63) - 1
"""Largest integer of SQLite."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Passages `first` to `last`, inclusive, of which `dead` were removed. `level` counts the merges that led to it; the
    column for it is called `size`."""

    first: int
    last: int
    level: int
    dead: int


class PostingsReader:
    """Reads posting lists of one state of the library and keeps the latest.

    A question reads the list of each of its terms several times, and the next question often some of them again.
    """

    def __init__(self) -> None:
        self._cache: dict[str, Postings] = {}
        self._size = 0

    def read(self, connection: sqlite3.Connection, runs: PassageRuns, term: str) -> Postings:
        """Returns the posting list of a term, at least of the segments that contain passages in `runs`."""
        cached = self._cache.get(term)
        if cached is not None:
            return cached
        if not runs.firsts:
            return Postings(())
        low, high = runs.firsts[0], runs.lasts[-1]
        if high - low <= SEGMENT_CAPACITY:
            # One document, or a few neighbours: hardly more than one segment of many, so not the whole list.
            return Postings(_read_blocks(connection, term, low, high))
        found = Postings(_read_blocks(connection, term, 0, _LAST))
        if self._size + len(found) > CACHED_POSTINGS:
            self._cache, self._size = {}, 0
        self._cache[term] = found
        self._size += len(found)
        return found


def _read_blocks(connection: sqlite3.Connection, term: str, low: int, high: int) -> Iterator[tuple[int, array[int]]]:
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
    """Returns the number of the next passage: higher than all that any list may still contain."""
    query = "SELECT max(coalesce((SELECT max(id) FROM passages), 0), coalesce((SELECT max(last) FROM segments), 0)) + 1"
    (number,) = connection.execute(query).fetchone()
    return int(number)


def append(connection: sqlite3.Connection, first: int, passages: Sequence[Sequence[str]]) -> None:
    """Indexes the token texts of new passages, which are numbered from `first` on and come after all others."""
    for start in range(0, len(passages), SEGMENT_CAPACITY):
        part = passages[start : start + SEGMENT_CAPACITY]
        last = first + start + len(part) - 1
        _write(connection, Segment(first + start, last, 0, 0), collect(part))
        _merge(connection)


def remove(connection: sqlite3.Connection, first: int, last: int) -> None:
    """Counts passages as removed."""
    connection.execute(
        "UPDATE segments SET dead = dead + min(last, ?2) - max(first, ?1) + 1 WHERE first <= ?2 AND last >= ?1",
        (first, last),
    )


def compact(connection: sqlite3.Connection) -> None:
    """Rewrites segments of which more than half of the passages were removed."""
    query = "SELECT first, last, size, dead FROM segments WHERE 2 * dead > last - first + 1"
    for row in connection.execute(query).fetchall():
        segment = Segment(*row)
        _join(connection, [segment], segment.level)


def rebuild(connection: sqlite3.Connection) -> None:
    """Indexes all passages anew from their token texts."""
    connection.execute("DELETE FROM postings")
    connection.execute("DELETE FROM segments")
    numbers: list[int] = []
    texts: list[tuple[str, str, str]] = []

    def write() -> None:
        lists = {term: array("H", (numbers[at] - numbers[0] for at in rows)) for term, rows in collect(texts).items()}
        dead = numbers[-1] - numbers[0] + 1 - len(numbers)
        _write(connection, Segment(numbers[0], numbers[-1], LAST_LEVEL, dead), lists)
        numbers.clear()
        texts.clear()

    for number, *fields in connection.execute("SELECT id, title, path, body FROM passage_tokens ORDER BY id"):
        if numbers and number - numbers[0] >= SEGMENT_CAPACITY // 2:
            write()
        numbers.append(number)
        texts.append((fields[0], fields[1], fields[2]))
    if numbers:
        write()


def _write(connection: sqlite3.Connection, segment: Segment, lists: Lists) -> None:
    connection.execute(
        "INSERT INTO segments (first, last, size, dead) VALUES (?, ?, ?, ?)",
        (segment.first, segment.last, segment.level, segment.dead),
    )
    connection.executemany(
        "INSERT INTO postings (segment, term, block) VALUES (?, ?, ?)",
        ((segment.first, term, block) for term, block in pack(lists)),
    )


def _merge(connection: sqlite3.Connection) -> None:
    """Merges the latest segments as long as there are enough of one level."""
    query = "SELECT first, last, size, dead FROM segments ORDER BY first DESC LIMIT ?"
    while True:
        latest = [Segment(*row) for row in connection.execute(query, (MERGED_SEGMENTS,))]
        level = latest[0].level
        of_other_level = (at for at, segment in enumerate(latest) if segment.level != level)
        run = latest[: next(of_other_level, len(latest))][::-1]
        fitting = [segment for segment in run if segment.last - run[0].first < SEGMENT_CAPACITY]
        if level == LAST_LEVEL or (len(run) < MERGED_SEGMENTS and len(fitting) == len(run)):
            return
        # Where the run is too long for one segment, its oldest segments have reached their last level.
        _join(connection, fitting, level + 1 if len(fitting) == len(run) else LAST_LEVEL)


def _join(connection: sqlite3.Connection, segments: Sequence[Segment], level: int) -> None:
    """Makes one segment of neighbours, without removed passages; rewrites a single segment only where it has some."""
    first, last = min(segment.first for segment in segments), max(segment.last for segment in segments)
    if len(segments) == 1 and not segments[0].dead:
        connection.execute("UPDATE segments SET size = ? WHERE first = ?", (level, first))
        return
    present = _present(connection, first, last) if any(segment.dead for segment in segments) else None
    merged: Lists = {}
    for segment in sorted(segments, key=lambda segment: segment.first):
        shift = segment.first - first
        blocks = connection.execute("SELECT block FROM postings WHERE segment = ? ORDER BY term", (segment.first,))
        for (block,) in blocks:
            for term, offsets in unpack(block):
                slices = ((0, len(offsets)),) if present is None else present.slices(offsets, segment.first)
                for begin, end in slices:
                    moved = array("H", map(shift.__add__, offsets[begin:end])) if shift else offsets[begin:end]
                    if term in merged:
                        merged[term].extend(moved)
                    else:
                        merged[term] = moved
        connection.execute("DELETE FROM postings WHERE segment = ?", (segment.first,))
        connection.execute("DELETE FROM segments WHERE first = ?", (segment.first,))
    if present is None:
        _write(connection, Segment(first, last, level, 0), merged)
    elif present.total:
        # Passages keep their numbers, so gaps between those that are present remain.
        begin, end = max(first, present.firsts[0]), min(last, present.lasts[-1])
        lists = {term: array("H", (row - (begin - first) for row in rows)) for term, rows in merged.items()}
        _write(connection, Segment(begin, end, level, 0), lists)


def _present(connection: sqlite3.Connection, first: int, last: int) -> PassageRuns:
    query = """
        SELECT first_passage, last_passage FROM documents
        WHERE first_passage <= ? AND last_passage >= ? AND last_passage >= first_passage ORDER BY first_passage
    """
    return PassageRuns(connection.execute(query, (last, first)))
