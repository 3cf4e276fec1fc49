"""Weighing passages among thousands of documents: the rare terms of a question pick the rows, the common ones are looked up
only there.

Reading every row that holds a common word takes most of a second in a million sections. A row that holds common words alone
is hardly among the best where others hold a rare word as well, so it is not read.
"""

from __future__ import annotations

import itertools
import sqlite3
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from .search import Range, rarity

MANY_DOCUMENTS = 64
"""Up to so many documents every row of every term is read."""
_RARE = 6000
"""Rows up to which a term counts as rare; the rows of a common one are never all read."""
_ENOUGH = 200
"""Rows that hold several common terms together: if there are so many, no smaller set of terms is tried."""


def weigh_many(
    connection: sqlite3.Connection, terms: Sequence[str], ranges: Sequence[Range]
) -> tuple[dict[int, float], dict[str, int], int]:
    """The likeliest rows with the sum of the rarities of the terms they hold; about how many rows hold each term; rows in
    all. Like `search.weigh_rows`, but rows without any rare term are left out where there is one.
    """
    total = sum(part.last - part.first + 1 for part in ranges)
    scope = _Scope(ranges)
    rare: dict[str, list[int]] = {}
    common: dict[str, int] = {}
    for term in dict.fromkeys(terms):
        rows = _rows(connection, _phrase(term), _RARE + 1)
        if len(rows) > _RARE:
            # Rows are numbered in the order of adding, and a common word is everywhere: its first rows tell its share.
            common[term] = min(total, round(len(rows) / (rows[-1] - rows[0] + 1) * total))
        elif rows:
            rare[term] = scope.keep(rows)
    holding = {term: len(rows) for term, rows in rare.items()} | common
    weights: dict[int, float] = {}
    for term, rows in rare.items():
        weight = rarity(holding[term], total)
        for row in rows:
            weights[row] = weights.get(row, 0.0) + weight
    by_rarity = sorted(common, key=lambda term: common[term])
    if weights:
        among = f"({' OR '.join(_phrase(term) for term in rare)})"
        for term in by_rarity:
            weight = rarity(common[term], total)
            for row in _rows(connection, f"{among} AND {_phrase(term)}"):
                if row in weights:
                    weights[row] += weight
    else:
        for row, count in _rows_of_common(connection, by_rarity, scope).items():
            weights[row] = sum(rarity(common[term], total) for term in by_rarity[:count])
    return weights, holding, total


def _rows(connection: sqlite3.Connection, wanted: str, limit: int = -1) -> list[int]:
    query = "SELECT rowid FROM passage_terms WHERE passage_terms MATCH ? LIMIT ?"
    return [row for (row,) in connection.execute(query, (wanted, limit))]


def _rows_of_common(connection: sqlite3.Connection, terms: Sequence[str], scope: _Scope) -> dict[int, int]:
    """Rows that hold the first so many of these terms, as many as possible."""
    found: dict[int, int] = {}
    for count in range(len(terms), 0, -1):
        for row in scope.keep(_rows(connection, " AND ".join(map(_phrase, terms[:count])), _RARE)):
            found.setdefault(row, count)
        if len(found) >= _ENOUGH:
            break
    return found


def _phrase(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


class _Scope:
    """The rows that are searched."""

    def __init__(self, ranges: Sequence[Range]) -> None:
        self._starts = [part.first for part in ranges]
        self._ends = [part.last for part in ranges]
        self._gapless = all(after.first == before.last + 1 for before, after in itertools.pairwise(ranges))

    def keep(self, rows: Iterable[int]) -> list[int]:
        """Those of these rows that are."""
        if not self._starts:
            return []
        if self._gapless:
            first, last = self._starts[0], self._ends[-1]
            return [row for row in rows if first <= row <= last]
        return [row for row in rows if (at := bisect_right(self._starts, row) - 1) >= 0 and row <= self._ends[at]]
