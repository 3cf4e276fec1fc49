"""Looking at all documents at once: how each of thousands holds the words of a question, without looking at each.

Nothing is missed and little is read: rare terms are read whole, common ones are looked up where a rare one is (MaxScore;
Turtle and Flood, 1995), and the true score is found for those documents only that can still be among the best (the threshold
algorithm; Fagin, Lotem and Naor, 2001): bounds fall until as many as are wanted lie above all others.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping

from . import Signs, Survey, Surveyed
from .search import rarity
from .searched import FRONT_PASSAGES, Searched
from .segments import Postings

BEST_PASSAGES = 3
_READ_WHOLE = 24_000
"""Passages that are read of the rarest terms together; those of further terms are only looked up."""
_SAMPLE = 500
"""Documents that are looked at to learn how many hold a term that is not read whole: within 2 % of all."""


def count_passages(
    connection: sqlite3.Connection, terms: Collection[str], searched: Searched
) -> dict[str, dict[str, int]]:
    """How many passages of each document hold each of some terms; documents without any are left out."""
    found: dict[str, dict[str, int]] = {}
    for term in terms:
        rows = searched.read(connection, term).rows(searched.scope)
        for at, count in Counter(map(searched.at, rows)).items():
            found.setdefault(searched.documents[at].doc_id, {})[term] = count
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
    documents = searched.documents
    bounds = look.bounds()
    if liked:
        for at in bounds:
            bounds[at] += liked.get(documents[at].doc_id, 0.0)
    order = sorted(bounds, key=bounds.__getitem__, reverse=True)
    near: list[Surveyed] = []
    best: list[float] = []
    read = 0
    for at in order:
        if len(best) == closely and best[0] > bounds[at]:
            break
        read += 1
        score, top = look.score(at)
        if not top:
            continue
        doc_id = documents[at].doc_id
        score += liked.get(doc_id, 0.0)
        near.append(Surveyed(doc_id, score, top))
        if len(best) < closely:
            heapq.heappush(best, score)
        else:
            heapq.heappushpop(best, score)
    near.sort(key=lambda one: (-one.score, one.doc_id))
    others: list[tuple[float, str]] = []
    if far:
        # The scores of the first are known, but those behind them may have higher ones.
        others = [(one.score, one.doc_id) for one in near[closely:]]
        others += ((bounds[at], documents[at].doc_id) for at in order[read:] if look.holds(at))
        others.sort(reverse=True)
    return Survey(near[:closely], others)


class _Look:
    """What the passages of some terms say of each document; documents by their numbers in `Searched`."""

    def __init__(
        self, searched: Searched, postings: Mapping[str, Postings], weights: Mapping[str, float], signs: Signs
    ) -> None:
        self._searched = searched
        self._signs = signs
        sizes = {term: found.count(searched.scope) for term, found in postings.items()}
        terms = sorted((term for term in postings if sizes[term]), key=lambda term: sizes[term])
        self._postings = {term: postings[term] for term in terms}
        total = searched.scope.total
        self._worth = {term: weights[term] * rarity(sizes[term], total) for term in terms}
        whole = sum(self._worth.values()) or 1.0
        self._worth = {term: worth / whole for term, worth in self._worth.items()}
        read = 0
        self._rows: dict[str, list[int]] = {}
        for term in terms:
            read += sizes[term]
            if self._rows and read > _READ_WHOLE:
                break
            self._rows[term] = self._postings[term].rows(searched.scope)
        self._common = terms[len(self._rows) :]
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
        part = self._searched.documents[at]
        return self._postings[term].within(part.first, part.last)

    def bounds(self) -> dict[int, float]:
        """What the score of each document does not exceed."""
        signs = self._signs
        unread = sum(self._worth[term] for term in self._common)
        # The common terms may stand in all passages, and together in some that hold no other.
        rest = signs.throughout * sum(self._rare[term] for term in self._common) / (1 + signs.some)
        numbers = self._searched.numbers if self._common else {at for counts in self._counts.values() for at in counts}
        found = dict.fromkeys(numbers, rest)
        sizes, some = self._searched.sizes, signs.some
        for term, counts in self._counts.items():
            full = signs.throughout * self._rare[term]
            for at, count in counts.items():
                found[at] += full * count / (count + some * sizes[at])
        weights, opened = self._weigh_rows()
        for at, weight in opened:
            found[at] += signs.front * weight
        first, second = dict.fromkeys(found, unread), dict.fromkeys(found, unread)
        at_row = self._searched.at
        for row, weight in weights.items():
            at = at_row(row)
            if weight > second[at]:
                if weight > first[at]:
                    second[at], first[at] = first[at], weight
                else:
                    second[at] = weight
        share = signs.best / BEST_PASSAGES
        for at, top in first.items():
            found[at] += share * (top + (BEST_PASSAGES - 1) * second[at])
        return found

    def _weigh_rows(self) -> tuple[dict[int, float], list[tuple[int, float]]]:
        """The passages that hold a term that was read whole, with the shares of all terms that they hold; and the documents
        whose first passages hold any term, with the share of each."""
        searched = self._searched
        weights: dict[int, float] = {}
        opened: list[tuple[int, float]] = []
        for term, rows in self._rows.items():
            worth = self._worth[term]
            opened += ((at, worth) for at in set(map(searched.at, searched.fronts.intersection(rows))))
            for row in rows:
                weights[row] = weights.get(row, 0.0) + worth
        wanted = searched.fronts.union(weights) if self._common else frozenset()
        for term in self._common:
            worth = self._worth[term]
            held = self._postings[term].among(wanted)
            opened += ((at, worth) for at in set(map(searched.at, held & searched.fronts)))
            for row in held.intersection(weights):
                weights[row] += worth
        return weights, opened

    def holds(self, at: int) -> bool:
        """Whether a document holds any of the terms."""
        return any(at in counts for counts in self._counts.values()) or any(
            self._within(term, at) for term in self._common
        )

    def score(self, at: int) -> tuple[float, float]:
        """The true score of a document, and the share of the terms that its best passage holds; 0 where none is held."""
        signs = self._signs
        part = self._searched.documents[at]
        score = 0.0
        weights: dict[int, float] = {}
        for term, worth in self._worth.items():
            rows = self._postings[term].within(part.first, part.last)
            if rows:
                count = len(rows)
                score += signs.throughout * self._rare[term] * count / (count + signs.some * len(part))
                if rows[0] < part.first + FRONT_PASSAGES:
                    score += signs.front * worth
                for row in rows:
                    weights[row] = weights.get(row, 0.0) + worth
        best = heapq.nlargest(BEST_PASSAGES, weights.values())
        return score + signs.best * sum(best) / BEST_PASSAGES, best[0] if best else 0.0
