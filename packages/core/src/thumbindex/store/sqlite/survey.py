"""Looking at all documents at once: how each of thousands holds the words of a question, without looking at each.

Nothing is missed and little is read: rare terms are read whole, common ones are looked up where a rare one is (MaxScore;
Turtle and Flood, 1995), and the true score is found for those documents only that can still be among the best (the threshold
algorithm; Fagin, Lotem and Naor, 2001): bounds fall until as many as are wanted lie above all others, or until patience ends.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import compress, islice

from .. import Signs, Survey, Surveyed
from .candidates import rarity
from .searched import Searched
from .segments import Postings

BEST_PASSAGES = 3
_READ_WHOLE = 12_000
"""Passages that are read of the rarest terms together; those of further terms are only looked up."""
_LOOKED_AT = 4
"""Documents whose true score is found at most, for each that is wanted: behind so many, bounds hardly differ."""
_SAMPLE = 250
"""Documents that are looked at to learn how many hold a term that is not read whole: within 3 % of all."""


def count_passages(
    connection: sqlite3.Connection, terms: Collection[str], searched: Searched
) -> dict[str, dict[str, int]]:
    """How many passages of each document hold each of some terms; documents without any are left out."""
    found: dict[str, dict[str, int]] = {}
    for term in terms:
        rows = searched.read(connection, term).rows(searched.scope)
        for at, count in Counter(map(searched.at, rows)).items():
            found.setdefault(searched.layout.ids[at], {})[term] = count
    return found


def survey(
    connection: sqlite3.Connection,
    weights: Mapping[str, float],
    searched: Searched,
    signs: Signs,
    liked: Mapping[str, float],
    closely: int,
    far: bool,
) -> Survey:
    """How well each document holds the terms: see `Store.survey`."""
    postings = {term: searched.read(connection, term) for term in weights}
    look = _Look(searched, postings, weights, signs)
    ids = searched.layout.ids
    bounds = look.bounds()
    for doc_id, liking in liked.items():
        at = searched.layout.places.get(doc_id, -1)
        if at in bounds:
            bounds[at] += liking
    order = _descending(bounds, _LOOKED_AT * closely)
    near: list[tuple[float, Surveyed]] = []
    best: list[float] = []
    seen: set[int] = set()
    for at in order:
        if len(best) == closely and (best[0] > bounds[at] or len(seen) == _LOOKED_AT * closely):
            break
        seen.add(at)
        score, top = look.score(at)
        if not top:
            continue
        doc_id = ids[at]
        score += liked.get(doc_id, 0.0)
        worth = score + signs.top * top
        near.append((worth, Surveyed(doc_id, score, top)))
        if len(best) < closely:
            heapq.heappush(best, worth)
        else:
            heapq.heappushpop(best, worth)
    near.sort(key=lambda one: (-one[0], one[1].doc_id))
    others: list[tuple[float, str]] = []
    if far:
        # The scores of the first are known, but those behind them may have higher ones.
        others = [(worth, one.doc_id) for worth, one in near[closely:]]
        others += ((bounds[at], ids[at]) for at in look.holding(bounds.keys() - seen))
        others.sort(reverse=True)
    return Survey([one for _, one in near[:closely]], others)


def _descending(bounds: Mapping[int, float], likely: int) -> Iterator[int]:
    """All of these by their bounds; so many are likely to be enough, and are found without putting thousands in order."""
    yield from heapq.nlargest(likely, bounds, key=bounds.__getitem__)
    yield from islice(sorted(bounds, key=bounds.__getitem__, reverse=True), likely, None)


class _Look:
    """What the passages of some terms say of each document; documents by their numbers in `Searched`."""

    def __init__(
        self, searched: Searched, postings: Mapping[str, Postings], weights: Mapping[str, float], signs: Signs
    ) -> None:
        self._searched = searched
        self._signs = signs
        sizes = {term: found.count(searched.scope) for term, found in postings.items()}
        self._rows: dict[str, list[int]] = {}
        read = 0
        for term in sorted(sizes, key=lambda term: sizes[term]):
            read += sizes[term]
            if sizes[term] and (not self._rows or read <= _READ_WHOLE):
                self._rows[term] = postings[term].rows(searched.scope)
        self._common = [term for term in sizes if term not in self._rows and sizes[term]]
        self._postings = postings
        total = searched.scope.total
        self._worth = {term: weights[term] * rarity(size, total) for term, size in sizes.items() if size}
        whole = sum(self._worth.values()) or 1.0
        self._worth = {term: worth / whole for term, worth in self._worth.items()}
        self._counts = {term: Counter(map(searched.at, rows)) for term, rows in self._rows.items()}
        holding = {term: len(counts) for term, counts in self._counts.items()}
        holding |= {term: self._estimate(term) for term in self._common}
        self._rare = {term: weights[term] * rarity(held, len(searched.numbers)) for term, held in holding.items()}
        whole = sum(self._rare.values()) or 1.0
        self._rare = {term: rare / whole for term, rare in self._rare.items()}

    def _estimate(self, term: str) -> int:
        """About how many documents hold a term."""
        numbers = self._searched.numbers
        some = numbers[:: max(1, len(numbers) // _SAMPLE)]
        held = sum(1 for at in some if self._within(term, at))
        return round(held / len(some) * len(numbers))

    def _within(self, term: str, at: int) -> list[int]:
        first = self._searched.layout.firsts[at]
        return self._postings[term].within(first, first + self._searched.layout.sizes[at] - 1)

    def bounds(self) -> dict[int, float]:
        """What the score of each document does not exceed."""
        signs = self._signs
        sure = dict.fromkeys((at for counts in self._counts.values() for at in counts), 0.0)
        sizes, some = self._searched.layout.sizes, signs.some
        for term, counts in self._counts.items():
            full = signs.throughout * self._rare[term]
            for at, count in counts.items():
                sure[at] += full * count / (count + some * sizes[at])
        self._weights, opened = self._weigh_rows()
        for at, weight in opened:
            sure[at] = sure.get(at, 0.0) + signs.front * weight
        self._sure = sure
        # The common terms may stand in all passages, and together in some that hold no other.
        unread = sum(self._worth[term] for term in self._common)
        rest = signs.throughout * sum(self._rare[term] for term in self._common) / (1 + some)
        first, second, third = (dict.fromkeys(sure, unread) for _ in range(BEST_PASSAGES))
        at_row = self._searched.at
        for row, weight in self._weights.items():
            at = at_row(row)
            if weight > third[at]:
                third[at] = weight
                if weight > second[at]:
                    third[at], second[at] = second[at], weight
                    if weight > first[at]:
                        second[at], first[at] = first[at], weight
        share = signs.best / BEST_PASSAGES

        def bound(score: float, first: float, second: float, third: float) -> float:
            return score + rest + share * (first + second + third) + signs.top * first

        # Any document may hold the common terms.
        others = self._searched.numbers if self._common else ()
        bounds = dict.fromkeys(others, bound(0.0, unread, unread, unread))
        bounds.update((at, bound(score, first[at], second[at], third[at])) for at, score in sure.items())
        return bounds

    def _weigh_rows(self) -> tuple[dict[int, float], list[tuple[int, float]]]:
        """The passages that hold a term that was read whole, with the shares of all terms that they hold; and the documents
        whose first passages hold any term, with the share of each."""
        searched = self._searched
        is_front = searched.fronts.__getitem__
        weights: dict[int, float] = {}
        opened: list[tuple[int, float]] = []
        for term, rows in self._rows.items():
            worth = self._worth[term]
            opened += ((at, worth) for at in set(map(searched.at, compress(rows, map(is_front, rows)))))
            for row in rows:
                weights[row] = weights.get(row, 0.0) + worth
        # One pass over a common term, which may stand in a million passages: those that count are marked by their numbers.
        marks = bytearray(searched.fronts) if self._common else bytearray()
        for row in weights if self._common else ():
            marks[row] = 1
        for term in self._common:
            worth = self._worth[term]
            held = self._postings[term].marked(marks)
            opened += ((at, worth) for at in set(map(searched.at, compress(held, map(is_front, held)))))
            for row in filter(weights.__contains__, held):
                weights[row] += worth
        return weights, opened

    def holding(self, numbers: Iterable[int]) -> Iterator[int]:
        """Those of these documents that hold any of the terms."""
        held = set[int]().union(*self._counts.values())
        for at in numbers:
            if at in held or any(self._within(term, at) for term in self._common):
                yield at

    def score(self, at: int) -> tuple[float, float]:
        """The true score of a document, and the share of the terms that its best passage holds; 0 where none is held."""
        signs = self._signs
        part = self._searched.layout.range(at)
        score = self._sure.get(at, 0.0)
        alone: dict[int, float] = {}
        for term in self._common:
            rows = self._within(term, at)
            if rows:
                score += signs.throughout * self._rare[term] * len(rows) / (len(rows) + signs.some * len(part))
                for row in rows:
                    if row not in self._weights:
                        alone[row] = alone.get(row, 0.0) + self._worth[term]
        weights = filter(None, map(self._weights.get, range(part.first, part.last + 1)))
        best = heapq.nlargest(BEST_PASSAGES, [*weights, *alone.values()])
        return score + signs.best * sum(best) / BEST_PASSAGES, best[0] if best else 0.0
