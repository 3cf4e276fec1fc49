"""How well a passage answers a question, from words and structure alone. Pure arithmetic over candidates.

A passage is judged together with the page that it stands on (formats without pages: by itself). Each signal is a share of
the question's words, weighed by rarity, or a property of the page. `WEIGHTS` makes them the logarithm of the odds of the page
against the others: fitted to real questions by maximum likelihood (a conditional logit over the pages of a document).
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter, mul

from ..store import Candidate, Candidates
from ..store.sqlite.candidates import rarity

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
FULL_PAGE, USUAL_PAGE = 60, 40
"""Lines of a page that is full, and those that a passage without pages counts as."""
LABELLED = 0.06
"""Share of the question, by rarity, in the labels of tables from which they count in full: about one word of it."""
LENT_AGAIN = 0.25
"""Share of its score that is left to a passage whose page was taken already."""
POINTER_SHARE = 0.5
"""What a section gets of the score of a passage that refers to it in a line about the question."""
SOFTNESS = 3.0
"""Divides the sum of the signals, so that scores of neighbours in the ranking lie within one order of magnitude."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for a page, each from 0 to 1 (`words`: to 3); or what each of that is worth.

    Args:
        words: How well its best passage fits by BM25, against the best there can be.
        pairs: Neighbours in the question that stand together on it.
        covered: The question's words that it holds, each counted alike: a rare one alone makes no answer.
        head: Words of the question in its first lines, where those are about nothing else.
        title: Words of the question in the titles of its sections.
        title_only: The same where those titles say nothing else.
        path: Words of the question in the titles above, or in running heads.
        table: Rows of tables, where their labels hold a word of the question.
        figures: How many of its words are numbers, where the question asks for a figure: they would draw others from prose.
        listing: Entries of contents or of an index.
        position: Where it stands in the document.
        begins: Whether a section begins on it: sections say first what they are about.
        full: How full of text it is: a full page holds more words by chance.
    """

    words: float = 0.0
    pairs: float = 0.0
    covered: float = 0.0
    head: float = 0.0
    title: float = 0.0
    title_only: float = 0.0
    path: float = 0.0
    table: float = 0.0
    figures: float = 0.0
    listing: float = 0.0
    position: float = 0.0
    begins: float = 0.0
    full: float = 0.0


WEIGHTS = Signals(
    words=2.8,
    pairs=4.8,
    covered=3.1,
    head=3.4,
    title=2.2,
    title_only=2.7,
    path=2.5,
    table=2.0,
    figures=4.0,
    listing=-1.0,
    position=-1.6,
    begins=0.9,
    full=-1.3,
)
PAGES_WEIGHED = 120
"""Pages of the scope that are weighed by all signals; the others follow in the order of the rarity of what they hold."""
BEHIND = -10.0
"""Where those others begin: below any sum of the signals."""
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
        absent: The terms that the searched documents do not hold.
        wants_figure: Whether it asks for an amount, a rate or a ratio, or how one changed.
    """

    weights: Mapping[str, float]
    pairs: Mapping[tuple[str, str], float] = field(default_factory=dict)
    needed: frozenset[str] = frozenset()
    words: Mapping[str, str] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    wants_figure: bool = False

    @property
    def terms(self) -> tuple[str, ...]:
        """All terms in the order of the question."""
        return tuple(self.weights)


Place = tuple[str, int | str]
"""A page of a document, or a passage where there are no pages."""


@dataclass(slots=True)
class Scored:
    """A candidate with its score and the pages that it stands on; `reasons.explain` says what spoke for it.

    `best_page` is the best of its pages, None without pages. `pointed_from` is the title of a section that refers to it.
    """

    candidate: Candidate
    score: float
    places: tuple[Place, ...] = ()
    best_page: int | None = None
    pointed_from: str = ""


def spread(ranked: Sequence[Scored]) -> list[Scored]:
    """The candidates again, with the passages of a page that was taken moved down.

    Else the short sections of one good page would fill the first places and say the same.
    """
    waiting = [(-one.score, place, False, one) for place, one in enumerate(ranked)]
    heapq.heapify(waiting)
    order: list[Scored] = []
    taken: set[Place] = set()
    while waiting:
        _, place, is_late, one = heapq.heappop(waiting)
        if not is_late and not taken.isdisjoint(one.places):
            one.score *= LENT_AGAIN
            heapq.heappush(waiting, (-one.score, place, True, one))
            continue
        order.append(one)
        taken.update(one.places)
    return order


def rank(query: Query, candidates: Candidates) -> list[Scored]:
    """All candidates, best first; equal scores in reading order."""
    # Sorted, so that sums are the same in every process: sets of words have no order.
    terms = sorted(query.weights)
    known = frozenset(terms)
    views = [_View.of(candidate, terms, known) for candidate in candidates.found]
    held: dict[Place, set[str]] = defaultdict(set)
    for view in views:
        for place, hits in zip(view.places, view.hits, strict=True):
            held[place].update(hits)
    # Among many documents, how rare a word is there; passages stand for pages.
    counts: Mapping[str, int] = candidates.among or Counter(term for terms in held.values() for term in terms)
    size = sum(counts.values()) if candidates.among else len(held)
    rare = {term: query.weights[term] * rarity(times, size) for term, times in counts.items() if times}
    whole = sum(rare.values()) or 1.0
    usual = sum(view.length for view in views) / max(1, len(views))
    sums = {place: BEHIND + sum(map(rare.__getitem__, sorted(found))) / whole for place, found in held.items()}
    weighed = set(heapq.nlargest(PAGES_WEIGHED, sums, key=sums.__getitem__))
    pages: dict[Place, _Page] = defaultdict(_Page)
    for view in views:
        view.own = view.bm25(usual, rare) / whole
        for number, place in enumerate(view.places):
            if place in weighed:
                pages[place].add(view, number, query, rare)
    holding = Counter(pair for page in pages.values() for pair in page.pairs)
    pair_rare = {pair: query.pairs[pair] * rarity(times, len(pages)) / whole for pair, times in holding.items()}
    sums |= {place: total(page.signals(query, rare, whole, pair_rare)) for place, page in pages.items()}
    return sorted((_score(view, sums) for view in views), key=lambda one: (-one.score, one.candidate.number))


@dataclass(slots=True)
class _View:
    """A candidate as this question sees it: for each of its parts the page, and how often it holds which terms.

    `is_first`: its section begins with it.
    """

    candidate: Candidate
    places: Sequence[Place]
    hits: list[dict[str, int]]
    title: frozenset[str]
    path: frozenset[str]
    length: float
    is_first: bool
    own: float = 0.0

    @classmethod
    def of(cls, one: Candidate, terms: Sequence[str], known: frozenset[str]) -> _View:
        places: list[Place] = []
        hits: list[dict[str, int]] = []
        length = 0.0
        for part in one.parts:
            counts = part.counts
            places.append((one.doc_id, one.node_id if part.page is None else part.page))
            hits.append({term: counts[term] for term in terms if term in counts})
            length += len(part.tokens) - (1 - NUMBER_LENGTH) * part.numbers
        _, _, number_of_part = one.node_id.partition(".")
        return cls(one, places, hits, one.title & known, one.path & known, length, number_of_part in ("", "1"))

    def bm25(self, usual: float, rare: Mapping[str, float]) -> float:
        norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * self.length / max(1.0, usual))
        counts = dict(self.hits[0]) if self.hits else {}
        for hits in self.hits[1:]:
            for term, count in hits.items():
                counts[term] = counts.get(term, 0) + count
        return sum([rare[term] * count * (SATURATION + 1) / (count + norm) for term, count in counts.items()])


@dataclass(slots=True)
class _Page:
    """What the candidates on one page hold of the question, together."""

    best: float = 0.0
    lines: int = 0
    tokens: int = 0
    numbers: int = 0
    row_count: int = 0
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

    def add(self, view: _View, number: int, query: Query, rare: Mapping[str, float]) -> None:
        one, part, hits = view.candidate, view.candidate.parts[number], view.hits[number]
        self.best = max(self.best, view.own)
        self.lines += USUAL_PAGE if part.page is None else part.lines
        self.tokens += len(part.tokens)
        self.numbers += part.numbers
        self.row_count += part.rows
        self.position = min(self.position, one.position)
        self.listed += part.listing * len(part.tokens)
        self.begins |= number == 0 and view.is_first
        self.path |= view.path
        if view.title:
            self.title |= view.title
            fit = len(view.title) / len(one.title)
            self.title_only = max(self.title_only, fit * _worth(view.title, rare))
        if hits:
            self.held.update(hits)
            self.labels.update(part.labels.intersection(hits))
            _match_labels(self.head, part.heads, hits)
            places: dict[str, list[int]] = {}
            for pair in query.pairs:
                if pair[0] in hits and pair[1] in hits:
                    for term in pair:
                        if term not in places:
                            places[term] = places_of(part.tokens, term)
                    times = _together(places[pair[0]], places[pair[1]])
                    if times:
                        self.pairs[pair] += times

    def signals(
        self,
        query: Query,
        rare: Mapping[str, float],
        whole: float,
        pair_rare: Mapping[tuple[str, str], float],
    ) -> Signals:
        tokens = max(1, self.tokens)
        return Signals(
            words=self.best,
            pairs=sum(pair_rare[pair] * times / (times + 1) for pair, times in self.pairs.items()),
            covered=len(self.held & query.needed) / max(1, len(query.needed)),
            head=sum(rare[term] * fit for term, fit in self.head.items()) / whole,
            title=_worth(self.title, rare) / whole,
            title_only=self.title_only / whole,
            path=_worth(self.path, rare) / whole,
            table=min(1.0, self.row_count / MANY_ROWS) * min(1.0, _worth(self.labels, rare) / whole / LABELLED),
            figures=min(1.0, 2 * self.numbers / tokens) * query.wants_figure,
            listing=self.listed / tokens,
            position=self.position,
            begins=self.begins,
            full=min(1.0, self.lines / FULL_PAGE),
        )


def _worth(terms: Collection[str], rare: Mapping[str, float]) -> float:
    """Of terms of a title, which may be none of the texts'."""
    return sum([rare.get(term, 0.0) for term in sorted(terms)]) if terms else 0.0


def _match_labels(best: dict[str, float], labels: Iterable[frozenset[str]], hits: Mapping[str, int]) -> None:
    """For each term that a label holds, how much of the best such label the question names: 1 where it names all of it."""
    for label in labels:
        if not label.isdisjoint(hits):
            found = [term for term in hits if term in label]
            fit = len(found) / len(label)
            for term in found:
                if fit > best.get(term, 0.0):
                    best[term] = fit


def _score(view: _View, sums: Mapping[Place, float]) -> Scored:
    one = view.candidate
    places = tuple(dict.fromkeys(view.places)) or ((one.doc_id, one.node_id),)
    best = places[0] if len(places) == 1 else max(places, key=lambda place: sums.get(place, 0.0))
    score = math.exp((sums.get(best, 0.0) + OWN * view.own) / SOFTNESS)
    return Scored(one, score, places, best_page=best[1] if isinstance(best[1], int) else None)


def _together(first: Sequence[int], second: Sequence[int]) -> int:
    """How often two words stand together, each occurrence counted once."""
    times = 0
    at = 0
    for place in first:
        while at < len(second) and second[at] < place - PAIR_REACH:
            at += 1
        if at < len(second) and second[at] <= place + PAIR_REACH:
            times += 1
            at += 1
    return times


def places_of(tokens: Sequence[str], token: str) -> list[int]:
    """Where a token stands among others, from 0."""
    places: list[int] = []
    at = -1
    try:
        while True:
            at = tokens.index(token, at + 1)
            places.append(at)
    except ValueError:
        return places
