"""Scores of thousands of documents for a question, from the posting lists of its terms, without reading each document.

The result is exact and little is read: rare terms are read in full, common ones are looked up only where a rare one occurs
(MaxScore; Turtle and Flood, 1995), and exact scores are computed only for documents that can still be among the best (the
threshold algorithm; Fagin, Lotem and Naor, 2001): in the order of upper bounds, until as many documents as are wanted score
above all remaining bounds, or until a limit is reached.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import compress, islice

from ..store.index import Postings, SearchView, idf
from .weights import DocumentWeights

OPENING_PASSAGES = 3
"""Passages at the beginning of a document that say what it is about."""
BEST_PASSAGES = 3
"""Passages of a document whose scores are averaged."""
ROWS_READ = 12_000
"""Passages read of the rarest terms together; further terms are only looked up."""
EXACT_PER_WANTED = 4
"""Exact scores computed at most for each document that is wanted: behind so many, bounds hardly differ."""
SAMPLED_DOCUMENTS = 250
"""Documents that are read to estimate how many contain a term that is not read in full: within 3 % of the true number."""


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    """A document that contains some of the terms.

    Args:
        score: Weighted sum of its features, and its prior.
        top: Share of the terms, by weight and idf, that its best passage contains.
    """

    doc_id: str
    score: float
    top: float


@dataclass(frozen=True, slots=True)
class DocumentScores:
    """Documents that contain some of the terms.

    Args:
        best: Documents with exact scores, best first.
        others: Upper bound of the score and id of each other document, in descending order.
    """

    best: list[ScoredDocument]
    others: list[tuple[float, str]]


def count_passages(view: SearchView, terms: Collection[str]) -> dict[str, dict[str, int]]:
    """Returns by document id and term how many passages contain the term; zero counts are left out."""
    passages = view.documents.passages
    counts: dict[str, dict[str, int]] = {}
    for term in terms:
        for number, count in Counter(map(passages.document_of, view.rows(term))).items():
            counts.setdefault(passages.ids[number], {})[term] = count
    return counts


def score_documents(
    view: SearchView,
    term_weights: Mapping[str, float],
    weights: DocumentWeights,
    priors: Mapping[str, float],
    *,
    exact: int,
    with_others: bool,
) -> DocumentScores:
    """Score the documents of a view; those without any of the terms are left out.

    Args:
        priors: Scores of documents before their text is read, by id; 0 for all others.
        exact: Number of documents with exact scores that are wanted.
        with_others: Whether to return bounds of the others.
    """
    scorer = _Scorer(view, term_weights, weights)
    passages = view.documents.passages
    ids = passages.ids
    bounds = scorer.bounds()
    for doc_id, prior in priors.items():
        number = passages.numbers.get(doc_id, -1)
        if number in bounds:
            bounds[number] += prior
    limit = EXACT_PER_WANTED * exact
    scored: list[tuple[float, ScoredDocument]] = []
    best: list[float] = []
    seen: set[int] = set()
    for number in _descending(bounds, limit):
        if len(best) == exact and (best[0] > bounds[number] or len(seen) == limit):
            break
        seen.add(number)
        score, top = scorer.score(number)
        if not top:
            continue
        doc_id = ids[number]
        score += priors.get(doc_id, 0.0)
        rank_score = score + weights.top * top
        scored.append((rank_score, ScoredDocument(doc_id, score, top)))
        if len(best) < exact:
            heapq.heappush(best, rank_score)
        else:
            heapq.heappushpop(best, rank_score)
    scored.sort(key=lambda item: (-item[0], item[1].doc_id))
    others: list[tuple[float, str]] = []
    if with_others:
        # Documents behind the best have exact scores, which may be below the bounds of documents that were not scored.
        others = [(rank_score, document.doc_id) for rank_score, document in scored[exact:]]
        others += ((bounds[number], ids[number]) for number in scorer.with_any_term(bounds.keys() - seen))
        others.sort(reverse=True)
    return DocumentScores([document for _, document in scored[:exact]], others)


def _descending(bounds: Mapping[int, float], likely: int) -> Iterator[int]:
    """All keys in the order of their bounds; the first `likely`, which mostly suffice, come without sorting thousands."""
    yield from heapq.nlargest(likely, bounds, key=bounds.__getitem__)
    yield from islice(sorted(bounds, key=bounds.__getitem__, reverse=True), likely, None)


class _Scorer:
    """Bounds and exact scores of documents, which are named by their numbers in the passage map."""

    def __init__(self, view: SearchView, term_weights: Mapping[str, float], weights: DocumentWeights) -> None:
        self._documents = view.documents
        self._passages = view.documents.passages
        self._weights = weights
        runs = view.documents.runs
        postings: dict[str, Postings] = {term: view.postings(term) for term in term_weights}
        frequencies = {term: found.count(runs) for term, found in postings.items()}
        self._rows: dict[str, list[int]] = {}
        read = 0
        for term in sorted(frequencies, key=lambda term: frequencies[term]):
            read += frequencies[term]
            if frequencies[term] and (not self._rows or read <= ROWS_READ):
                self._rows[term] = postings[term].rows(runs)
        self._common = [term for term in frequencies if term not in self._rows and frequencies[term]]
        self._postings = postings
        # Shares of the terms, by weight and idf among passages.
        worth = {
            term: term_weights[term] * idf(frequency, runs.total)
            for term, frequency in frequencies.items()
            if frequency
        }
        total = sum(worth.values()) or 1.0
        self._passage_shares = {term: value / total for term, value in worth.items()}
        # The same by idf among documents.
        self._counts = {term: Counter(map(self._passages.document_of, rows)) for term, rows in self._rows.items()}
        holding = {term: len(counts) for term, counts in self._counts.items()}
        holding |= {term: self._estimate_documents(term) for term in self._common}
        worth = {term: term_weights[term] * idf(held, len(self._documents.numbers)) for term, held in holding.items()}
        total = sum(worth.values()) or 1.0
        self._document_shares = {term: value / total for term, value in worth.items()}

    def _estimate_documents(self, term: str) -> int:
        """Estimated number of documents that contain a term."""
        numbers = self._documents.numbers
        sample = numbers[:: max(1, len(numbers) // SAMPLED_DOCUMENTS)]
        held = sum(1 for number in sample if self._rows_of(term, number))
        return round(held / len(sample) * len(numbers))

    def _rows_of(self, term: str, number: int) -> list[int]:
        """Passages of a document that contain a term."""
        first = self._passages.firsts[number]
        return self._postings[term].between(first, first + self._passages.sizes[number] - 1)

    def bounds(self) -> dict[int, float]:
        """Upper bounds of the scores of documents, without their priors."""
        weights = self._weights
        known = dict.fromkeys((number for counts in self._counts.values() for number in counts), 0.0)
        sizes, half = self._passages.sizes, weights.half_saturation
        for term, counts in self._counts.items():
            full = weights.throughout * self._document_shares[term]
            for number, count in counts.items():
                known[number] += full * count / (count + half * sizes[number])
        self._row_scores, openings = self._score_rows()
        for number, share in openings:
            known[number] = known.get(number, 0.0) + weights.opening * share
        self._known = known
        # The common terms may be in all passages, and together in some that contain no other.
        unread = sum(self._passage_shares[term] for term in self._common)
        rest = weights.throughout * sum(self._document_shares[term] for term in self._common) / (1 + half)
        first, second, third = (dict.fromkeys(known, unread) for _ in range(BEST_PASSAGES))
        document_of = self._passages.document_of
        for row, score in self._row_scores.items():
            number = document_of(row)
            if score > third[number]:
                third[number] = score
                if score > second[number]:
                    third[number], second[number] = second[number], score
                    if score > first[number]:
                        second[number], first[number] = first[number], score
        share = weights.best / BEST_PASSAGES

        def bound(score: float, first: float, second: float, third: float) -> float:
            return score + rest + share * (first + second + third) + weights.top * first

        # Any document may contain the common terms.
        others = self._documents.numbers if self._common else ()
        bounds = dict.fromkeys(others, bound(0.0, unread, unread, unread))
        bounds.update(
            (number, bound(score, first[number], second[number], third[number])) for number, score in known.items()
        )
        return bounds

    def _score_rows(self) -> tuple[dict[int, float], list[tuple[int, float]]]:
        """Shares of all terms in each passage with a term that was read in full; and for each term and document with the
        term in its opening, the document's number and the term's share."""
        document_of = self._passages.document_of
        opening_marks = self._documents.openings(OPENING_PASSAGES)
        is_opening = opening_marks.__getitem__
        scores: dict[int, float] = {}
        openings: list[tuple[int, float]] = []
        for term, rows in self._rows.items():
            share = self._passage_shares[term]
            openings += ((number, share) for number in set(map(document_of, compress(rows, map(is_opening, rows)))))
            for row in rows:
                scores[row] = scores.get(row, 0.0) + share
        # A common term may be in a million passages: one pass over it finds those that are marked.
        marks = bytearray(opening_marks) if self._common else bytearray()
        for row in scores if self._common else ():
            marks[row] = 1
        for term in self._common:
            share = self._passage_shares[term]
            held = self._postings[term].marked(marks)
            openings += ((number, share) for number in set(map(document_of, compress(held, map(is_opening, held)))))
            for row in filter(scores.__contains__, held):
                scores[row] += share
        return scores, openings

    def with_any_term(self, numbers: Iterable[int]) -> Iterator[int]:
        """The documents among these that contain any of the terms."""
        held = set[int]().union(*self._counts.values())
        for number in numbers:
            if number in held or any(self._rows_of(term, number) for term in self._common):
                yield number

    def score(self, number: int) -> tuple[float, float]:
        """The exact score of a document, and the share of the terms in its best passage; zeros without any term."""
        weights = self._weights
        own = self._passages.passages_of(number)
        score = self._known.get(number, 0.0)
        # Passages that contain common terms only.
        common_only: dict[int, float] = {}
        for term in self._common:
            rows = self._rows_of(term, number)
            if rows:
                full = weights.throughout * self._document_shares[term]
                score += full * len(rows) / (len(rows) + weights.half_saturation * len(own))
                for row in rows:
                    if row not in self._row_scores:
                        common_only[row] = common_only.get(row, 0.0) + self._passage_shares[term]
        scores = filter(None, map(self._row_scores.get, range(own.first, own.last + 1)))
        best = heapq.nlargest(BEST_PASSAGES, [*scores, *common_only.values()])
        return score + weights.best * sum(best) / BEST_PASSAGES, best[0] if best else 0.0
