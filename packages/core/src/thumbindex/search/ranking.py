"""Ranking of passages for a question by words and structure alone. Pure arithmetic over candidates.

A passage is scored together with the page that it is on (in formats without pages: by itself), by the features of that page:
see `weights`.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..store.index import idf
from .candidates import Candidates
from .features import Candidate
from .query import Query
from .weights import PageFeatures, page_score

BM25_K1 = 2.0
"""k1 of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009): how fast repetitions of a word saturate."""
BM25_B = 0.75
"""b of BM25: how much the length of a text is normalised."""
NUMBER_LENGTH = 0.3
"""Length of a number in words: a table is not a long text, though it has hundreds of figures."""
PAIR_DISTANCE = 3
"""A pair stands together when its words are at most so many tokens apart, in any order: "cost of the sales"."""
TABLE_ROWS = 30
"""Table rows of a page that is all table."""
FULL_PAGE_LINES, USUAL_PAGE_LINES = 60, 40
"""Lines of a full page, and lines that a passage without pages counts as."""
LABELLED_SHARE = 0.06
"""Share of the question, by idf, in the labels of table rows from which the rows count fully: about one word of it."""
FIGURE_SHARE = 0.5
"""Share of numbers among the tokens of a page from which it is all figures."""
REPEATED_PAGE = 0.25
"""Factor of the score of a passage whose page was taken already."""
LOGIT_SCALE = 3.0
"""Divides the weighted sum of features, so that scores of neighbours in the ranking are within one order of magnitude."""
SCORED_PAGES = 120
"""Pages that are scored by all features; the others follow in the order of the idf of what they contain."""
UNSCORED = -10.0
"""Where the scores of those others begin: below any weighted sum."""
OWN_WORDS_WEIGHT = 0.25
"""Weight of a passage's own BM25 score beside its page's, to distinguish the passages of one page."""

Location = tuple[str, int | str]
"""A page of a document; in formats without pages, a passage."""


@dataclass(slots=True)
class RankedPassage:
    """A candidate with its score; `reasons.explain` explains it.

    Args:
        locations: The pages that it is on.
        best_page: The best of its pages; None without pages.
        pointed_from: Title of a section that refers to it.
    """

    candidate: Candidate
    score: float
    locations: tuple[Location, ...] = ()
    best_page: int | None = None
    pointed_from: str = ""


def spread(ranked: Sequence[RankedPassage]) -> list[RankedPassage]:
    """Returns the passages again, with those on a page that was taken already moved down.

    Otherwise the short sections of one good page would fill the first ranks with the same content.
    """
    waiting = [(-passage.score, rank, False, passage) for rank, passage in enumerate(ranked)]
    heapq.heapify(waiting)
    order: list[RankedPassage] = []
    taken: set[Location] = set()
    while waiting:
        _, rank, is_lowered, passage = heapq.heappop(waiting)
        if not is_lowered and not taken.isdisjoint(passage.locations):
            passage.score *= REPEATED_PAGE
            heapq.heappush(waiting, (-passage.score, rank, True, passage))
            continue
        order.append(passage)
        taken.update(passage.locations)
    return order


def rank(query: Query, candidates: Candidates) -> list[RankedPassage]:
    """Returns all candidates, best first; equal scores in reading order."""
    views, scores, features = _read(query, candidates)
    scores |= {location: page_score(page) for location, page in features.items()}
    ranked = (_rank_passage(view, scores) for view in views)
    return sorted(ranked, key=lambda passage: (-passage.score, passage.candidate.number))


def page_features(query: Query, candidates: Candidates) -> dict[Location, PageFeatures]:
    """Returns the features of the pages that `rank` scores by all of them."""
    return _read(query, candidates)[2]


def _read(
    query: Query, candidates: Candidates
) -> tuple[list[_CandidateView], dict[Location, float], dict[Location, PageFeatures]]:
    """The candidates with the terms of the question, the score of each page by the idf of what it contains, and the features
    of the best of these pages."""
    # Terms are sorted and totals are exact, so that scores are the same in every process: sets of strings have no fixed order.
    terms = sorted(query.weights)
    known = frozenset(terms)
    views = [_CandidateView.of(candidate, terms, known) for candidate in candidates.found]
    held: dict[Location, set[str]] = defaultdict(set)
    for view in views:
        for location, counts in zip(view.locations, view.counts, strict=True):
            held[location].update(counts)
    # Among documents chosen from many, frequencies in all of them; passages stand for pages there.
    frequencies: Mapping[str, int] = candidates.scope_frequencies or Counter(
        term for terms in held.values() for term in terms
    )
    size = sum(frequencies.values()) if candidates.scope_frequencies else len(held)
    weights = {term: query.weights[term] * idf(frequency, size) for term, frequency in frequencies.items() if frequency}
    total = math.fsum(weights.values()) or 1.0
    mean_length = sum(view.length for view in views) / max(1, len(views))
    scores = {
        location: UNSCORED + sum(map(weights.__getitem__, sorted(found))) / total for location, found in held.items()
    }
    scored = set(heapq.nlargest(SCORED_PAGES, scores, key=scores.__getitem__))
    pages: dict[Location, _Page] = defaultdict(_Page)
    for view in views:
        view.own_score = view.bm25(mean_length, weights) / total
        for number, location in enumerate(view.locations):
            if location in scored:
                pages[location].add(view, number, query, weights)
    pair_frequencies = Counter(pair for page in pages.values() for pair in page.pairs)
    pair_weights = {
        pair: query.pairs[pair] * idf(frequency, len(pages)) / total for pair, frequency in pair_frequencies.items()
    }
    features = {location: page.features(query, weights, total, pair_weights) for location, page in pages.items()}
    return views, scores, features


@dataclass(slots=True)
class _CandidateView:
    """A candidate with the terms of the question that it contains.

    Args:
        locations: Location of each of its parts.
        counts: Occurrences of terms in each of its parts.
        length: In words, numbers counting `NUMBER_LENGTH`.
        own_score: BM25 score, as a share of the weights of all terms.
    """

    candidate: Candidate
    locations: Sequence[Location]
    counts: list[dict[str, int]]
    title: frozenset[str]
    path: frozenset[str]
    length: float
    own_score: float = 0.0

    @classmethod
    def of(cls, candidate: Candidate, terms: Sequence[str], known: frozenset[str]) -> _CandidateView:
        locations: list[Location] = []
        counts: list[dict[str, int]] = []
        length = 0.0
        for part in candidate.parts:
            held = part.counts
            locations.append((candidate.doc_id, candidate.node_id if part.page is None else part.page))
            counts.append({term: held[term] for term in terms if term in held})
            length += len(part.tokens) - (1 - NUMBER_LENGTH) * part.numbers
        return cls(
            candidate,
            locations,
            counts,
            candidate.title & known,
            candidate.path & known,
            length,
        )

    def bm25(self, mean_length: float, weights: Mapping[str, float]) -> float:
        norm = BM25_K1 * (1 - BM25_B + BM25_B * self.length / max(1.0, mean_length))
        totals = dict(self.counts[0]) if self.counts else {}
        for counts in self.counts[1:]:
            for term, count in counts.items():
                totals[term] = totals.get(term, 0) + count
        return sum([weights[term] * count * (BM25_K1 + 1) / (count + norm) for term, count in totals.items()])


@dataclass(slots=True)
class _Page:
    """The words of the question in all candidates on one page, and the structure of the page."""

    best: float = 0.0
    lines: int = 0
    tokens: int = 0
    numbers: int = 0
    rows: int = 0
    listed: float = 0.0
    held: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
    head: dict[str, float] = field(default_factory=dict)
    title: set[str] = field(default_factory=set)
    path: set[str] = field(default_factory=set)
    title_only: float = 0.0
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    position: float = 1.0
    begins: bool = False

    def add(self, view: _CandidateView, number: int, query: Query, weights: Mapping[str, float]) -> None:
        """Adds one part of a candidate, by its number."""
        candidate, part, counts = view.candidate, view.candidate.parts[number], view.counts[number]
        self.best = max(self.best, view.own_score)
        self.lines += USUAL_PAGE_LINES if part.page is None else part.lines
        self.tokens += len(part.tokens)
        self.numbers += part.numbers
        self.rows += part.rows
        self.position = min(self.position, candidate.position)
        self.listed += part.listing * len(part.tokens)
        self.begins |= number == 0 and candidate.begins_section
        self.path |= view.path
        if view.title:
            self.title |= view.title
            share = len(view.title) / len(candidate.title)
            self.title_only = max(self.title_only, share * _weight_of(view.title, weights))
        if counts:
            self.held.update(counts)
            self.labels.update(part.labels.intersection(counts))
            _match_heads(self.head, part.heads, counts)
            positions: dict[str, list[int]] = {}
            for pair in query.pairs:
                if pair[0] in counts and pair[1] in counts:
                    for term in pair:
                        if term not in positions:
                            positions[term] = positions_of(part.tokens, term)
                    together = _count_together(positions[pair[0]], positions[pair[1]])
                    if together:
                        self.pairs[pair] += together

    def features(
        self,
        query: Query,
        weights: Mapping[str, float],
        total: float,
        pair_weights: Mapping[tuple[str, str], float],
    ) -> PageFeatures:
        tokens = max(1, self.tokens)
        return PageFeatures(
            words=self.best,
            pairs=sum(pair_weights[pair] * count / (count + 1) for pair, count in self.pairs.items()),
            covered=len(self.held & query.needed) / max(1, len(query.needed)),
            head=sum(weights[term] * share for term, share in self.head.items()) / total,
            title=_weight_of(self.title, weights) / total,
            title_only=self.title_only / total,
            path=_weight_of(self.path, weights) / total,
            table=min(1.0, self.rows / TABLE_ROWS)
            * min(1.0, _weight_of(self.labels, weights) / total / LABELLED_SHARE),
            figures=min(1.0, self.numbers / tokens / FIGURE_SHARE) * query.wants_figure,
            listing=self.listed / tokens,
            position=self.position,
            begins=self.begins,
            full=min(1.0, self.lines / FULL_PAGE_LINES),
        )


def _weight_of(terms: Collection[str], weights: Mapping[str, float]) -> float:
    """Sum of the weights of terms, 0 for a term of a title that is in no text."""
    return sum([weights.get(term, 0.0) for term in sorted(terms)]) if terms else 0.0


def _match_heads(best: dict[str, float], heads: Iterable[frozenset[str]], counts: Mapping[str, int]) -> None:
    """Records for each term the highest share of a heading's words that are in the question: 1 where all of them are."""
    for head in heads:
        if not head.isdisjoint(counts):
            found = [term for term in counts if term in head]
            share = len(found) / len(head)
            for term in found:
                if share > best.get(term, 0.0):
                    best[term] = share


def _rank_passage(view: _CandidateView, scores: Mapping[Location, float]) -> RankedPassage:
    candidate = view.candidate
    locations = tuple(dict.fromkeys(view.locations)) or ((candidate.doc_id, candidate.node_id),)
    best = locations[0] if len(locations) == 1 else max(locations, key=lambda location: scores.get(location, 0.0))
    score = math.exp((scores.get(best, 0.0) + OWN_WORDS_WEIGHT * view.own_score) / LOGIT_SCALE)
    return RankedPassage(candidate, score, locations, best_page=best[1] if isinstance(best[1], int) else None)


def _count_together(first: Sequence[int], second: Sequence[int]) -> int:
    """Number of times that two words stand together, each occurrence counted once."""
    count = 0
    at = 0
    for position in first:
        while at < len(second) and second[at] < position - PAIR_DISTANCE:
            at += 1
        if at < len(second) and second[at] <= position + PAIR_DISTANCE:
            count += 1
            at += 1
    return count


def positions_of(tokens: Sequence[str], token: str) -> list[int]:
    """Returns the indexes of a token among others."""
    positions: list[int] = []
    at = -1
    try:
        while True:
            at = tokens.index(token, at + 1)
            positions.append(at)
    except ValueError:
        return positions
