"""How well a passage answers a question, from words and structure alone. Pure arithmetic over candidates.

A passage is judged together with the page that it stands on (formats without pages: by itself). Each signal is a share of
the question's words, weighed by rarity, or a property of the page. `WEIGHTS` makes them the logarithm of the odds of the page
against the others: fitted to real questions by maximum likelihood (a conditional logit over the pages of a document).
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter, mul

from ..store import Candidate, Candidates, Part
from ..store.search import rarity

SATURATION = 2.0
"""k1 of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009): how soon more of a word adds nothing."""
LENGTH_SHARE = 0.75
"""b of BM25: how much a long text is held against a passage."""
NUMBER_LENGTH = 0.3
"""Length of a number against that of a word: a table is no long text, though it has hundreds of figures."""
PAIR_REACH = 3
"""A pair stands together when its words are at most so many places apart, in any order: "cost of the sales"."""
MANY_ROWS = 30
"""Rows of tables on a page that is nothing but a table."""
LENT_AGAIN, PART_AGAIN = 0.25, 0.5
"""Share of its score that is left to a passage whose page was taken already, and to a further part of a taken section."""
POINTER_SHARE = 0.5
"""What a section gets of the score of a passage that refers to it in a line about the question."""
SOFTNESS = 3.0
"""Divides the sum of the signals, so that scores of neighbours in the ranking lie within one order of magnitude."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for a page, each from 0 to 1 (`words`: to 3); or what each of that is worth."""

    words: float = 0.0
    pairs: float = 0.0
    rows: float = 0.0
    head: float = 0.0
    title: float = 0.0
    title_only: float = 0.0
    path: float = 0.0
    figures: float = 0.0
    figures_asked: float = 0.0
    table: float = 0.0
    position: float = 0.0
    front: float = 0.0
    begins: float = 0.0


WEIGHTS = Signals(
    words=3.1,
    pairs=5.6,
    rows=2.6,
    head=3.5,
    title=3.2,
    title_only=3.0,
    path=3.4,
    figures=1.05,
    figures_asked=2.2,
    table=2.1,
    position=-2.1,
    front=2.0,
    begins=0.5,
)
OWN = 0.25
"""What a passage's own words are worth beside its page, to tell the passages of one page apart."""
_values = attrgetter(*(one.name for one in fields(Signals)))


def total(signals: Signals) -> float:
    """The weighted sum of the signals."""
    return float(sum(map(mul, _values(WEIGHTS), _values(signals))))


@dataclass(frozen=True, slots=True)
class Query:
    """A question's terms with their weights, 1 for a plain word of the question, and its pairs of neighbours.

    Args:
        needed: The terms that an answer should hold.
        words: The question's own word for each of its terms.
        wants_figure: Whether it asks for an amount, a rate or a ratio.
        wants_front: Whether it asks about the document itself: what it is, who wrote it, when.
    """

    weights: Mapping[str, float]
    pairs: Mapping[tuple[str, str], float] = field(default_factory=dict)
    needed: frozenset[str] = frozenset()
    words: Mapping[str, str] = field(default_factory=dict)
    wants_figure: bool = False
    wants_front: bool = False

    @property
    def terms(self) -> tuple[str, ...]:
        """All terms in the order of the question."""
        return tuple(self.weights)


Place = tuple[str, int | str]
"""A page of a document, or a passage where there are no pages."""


@dataclass(slots=True)
class Scored:
    """A candidate with its score and what spoke for it.

    `coverage` is the share of the question's words that its text, title and path hold, 0 to 1.
    """

    candidate: Candidate
    score: float
    places: tuple[Place, ...] = ()
    best_page: int | None = None
    matched: tuple[str, ...] = ()
    in_title: tuple[str, ...] = ()
    in_rows: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    coverage: float = 0.0
    pointed_from: str = ""


def spread(ranked: Sequence[Scored]) -> list[Scored]:
    """The candidates again, with what repeats moved down: passages of a page that was taken, further parts of a section.

    Else the short sections of one good page would fill the first places and say the same.
    """
    waiting = [(-one.score, place, False, one) for place, one in enumerate(ranked)]
    heapq.heapify(waiting)
    order: list[Scored] = []
    taken: set[Place | tuple[str, str, str]] = set()
    while waiting:
        _, place, is_late, one = heapq.heappop(waiting)
        section = ("section", one.candidate.doc_id, one.candidate.section)
        left = LENT_AGAIN if not taken.isdisjoint(one.places) else PART_AGAIN if section in taken else 1.0
        if left < 1.0 and not is_late:
            one.score *= left
            heapq.heappush(waiting, (-one.score, place, True, one))
            continue
        order.append(one)
        taken.update(one.places)
        taken.add(section)
    return order


def rank(query: Query, candidates: Candidates) -> list[Scored]:
    """All candidates, best first; equal scores in reading order."""
    held: dict[Place, set[str]] = defaultdict(set)
    for candidate in candidates.found:
        for part in candidate.parts:
            held[_place(candidate, part)] |= query.weights.keys() & part.counts.keys()
    pages_with = Counter(term for terms in held.values() for term in terms)
    rare = {term: query.weights[term] * rarity(times, len(held)) for term, times in pages_with.items()}
    whole = sum(rare.values()) or 1.0
    views = [_View.of(candidate, rare) for candidate in candidates.found]
    usual = sum(view.length for view in views) / max(1, len(views))
    for view in views:
        view.own = _bm25(view.counts, view.length, usual, rare) / whole
    pages: dict[Place, _Page] = defaultdict(_Page)
    for view in views:
        for part in view.candidate.parts:
            pages[_place(view.candidate, part)].add(view, part, query, rare)
    holding = Counter(pair for page in pages.values() for pair in page.pairs)
    pair_rare = {
        pair: weight * rarity(holding[pair], max(len(pages), holding[pair])) / whole
        for pair, weight in query.pairs.items()
    }
    sums = {place: total(page.signals(query, rare, whole, pair_rare)) for place, page in pages.items()}
    scored = [_score(query, view, pages, sums) for view in views]
    return sorted(scored, key=lambda one: (-one.score, one.candidate.number))


def _place(candidate: Candidate, part: Part) -> Place:
    return (candidate.doc_id, candidate.node_id if part.page is None else part.page)


@dataclass(slots=True)
class _View:
    """A candidate as this question sees it: how often it holds each term, and its length in words."""

    candidate: Candidate
    counts: Mapping[str, float]
    length: float
    own: float = 0.0

    @classmethod
    def of(cls, candidate: Candidate, rare: Mapping[str, float]) -> _View:
        counts: dict[str, float] = {}
        for part in candidate.parts:
            for term in rare.keys() & part.counts.keys():
                counts[term] = counts.get(term, 0) + part.counts[term]
        size, numbers = (sum(len(p.tokens) for p in candidate.parts), sum(p.numbers for p in candidate.parts))
        return cls(candidate, counts, size - (1 - NUMBER_LENGTH) * numbers)


@dataclass(slots=True)
class _Page:
    """What the candidates on one page hold of the question, together."""

    best: float = 0.0
    tokens: int = 0
    numbers: int = 0
    row_count: int = 0
    rows: dict[str, float] = field(default_factory=dict)
    head: dict[str, float] = field(default_factory=dict)
    title: dict[str, float] = field(default_factory=dict)
    path: set[str] = field(default_factory=set)
    title_only: float = 0.0
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    position: float = 1.0
    is_front: bool = False
    begins: bool = False

    def add(self, view: _View, part: Part, query: Query, rare: Mapping[str, float]) -> None:
        one = view.candidate
        self.best = max(self.best, view.own)
        self.tokens += len(part.tokens)
        self.numbers += part.numbers
        self.row_count += len(part.rows)
        self.position = min(self.position, one.position)
        self.is_front |= part.page == 1 or one.position == 0
        self.begins |= part is one.parts[0] and ("." not in one.node_id or one.node_id.endswith(".1"))
        _match_labels(self.rows, part.rows, rare)
        _match_labels(self.head, part.heads, rare)
        in_title = one.title & rare.keys()
        if in_title:
            _match_labels(self.title, [one.title], rare)
            fit = len(in_title) / len(one.title)
            self.title_only = max(self.title_only, fit * sum(rare[term] for term in in_title))
        self.path |= one.path & rare.keys()
        for pair in query.pairs:
            if pair[0] in part.counts and pair[1] in part.counts:
                times = _together(part.tokens, pair)
                if times:
                    self.pairs[pair] += times

    def signals(
        self,
        query: Query,
        rare: Mapping[str, float],
        whole: float,
        pair_rare: Mapping[tuple[str, str], float],
    ) -> Signals:
        def share(terms: Mapping[str, float]) -> float:
            return sum(rare[term] * fit for term, fit in terms.items()) / whole

        figures = min(1.0, 2 * self.numbers / max(1, self.tokens))
        return Signals(
            words=self.best,
            pairs=sum(pair_rare[pair] * times / (times + 1) for pair, times in self.pairs.items()),
            rows=share(self.rows),
            head=share(self.head),
            title=sum(rare[term] for term in self.title) / whole,
            title_only=self.title_only / whole,
            path=sum(rare[term] for term in self.path) / whole,
            figures=figures,
            figures_asked=figures * query.wants_figure,
            table=min(1.0, self.row_count / MANY_ROWS),
            position=self.position,
            front=float(query.wants_front and self.is_front),
            begins=float(self.begins),
        )


def _match_labels(best: dict[str, float], labels: Iterable[frozenset[str]], rare: Mapping[str, float]) -> None:
    """For each term that a label holds, how much of the best such label the question names: 1 where it names all of it."""
    for label in labels:
        found = label & rare.keys()
        if found:
            fit = len(found) / len(label)
            for term in found:
                if fit > best.get(term, 0.0):
                    best[term] = fit


def _bm25(counts: Mapping[str, float], length: float, usual: float, rare: Mapping[str, float]) -> float:
    norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / max(1.0, usual))
    return sum(rare[term] * count * (SATURATION + 1) / (count + norm) for term, count in counts.items())


def _score(query: Query, view: _View, pages: Mapping[Place, _Page], sums: Mapping[Place, float]) -> Scored:
    one = view.candidate
    places = tuple(dict.fromkeys(_place(one, part) for part in one.parts))
    best = max(places, key=lambda place: sums[place])
    total = sums[best] + OWN * view.own
    held = view.counts.keys() | (one.title & query.weights.keys()) | (one.path & query.weights.keys())
    rows = {term for part in one.parts for row in part.rows for term in row if term in view.counts}
    pairs = [
        pair for place in places for pair in pages[place].pairs if pair[0] in view.counts and pair[1] in view.counts
    ]
    return Scored(
        one,
        math.exp(total / SOFTNESS),
        places,
        best_page=best[1] if isinstance(best[1], int) else None,
        matched=_in_words(query, held),
        in_title=_in_words(query, one.title),
        in_rows=_in_words(query, rows),
        pairs=tuple(
            f"{query.words[a]} {query.words[b]}" for a, b in dict.fromkeys(pairs) if {a, b} <= query.words.keys()
        ),
        coverage=len(query.needed & held) / max(1, len(query.needed)),
    )


def _in_words(query: Query, terms: Iterable[str]) -> tuple[str, ...]:
    held = set(terms)
    return tuple(word for term, word in query.words.items() if term in held)


def _together(tokens: Sequence[str], pair: tuple[str, str]) -> int:
    """How often the words of a pair stand together, each occurrence counted once."""
    times = 0
    first, second = list(_places_of(tokens, pair[0])), list(_places_of(tokens, pair[1]))
    at = 0
    for place in first:
        while at < len(second) and second[at] < place - PAIR_REACH:
            at += 1
        if at < len(second) and second[at] <= place + PAIR_REACH:
            times += 1
            at += 1
    return times


def _places_of(tokens: Sequence[str], token: str) -> Iterator[int]:
    at = -1
    try:
        while True:
            at = tokens.index(token, at + 1)
            yield at
    except ValueError:
        return
