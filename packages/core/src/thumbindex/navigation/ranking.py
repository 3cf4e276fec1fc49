"""How well a passage answers a question, from words alone. Pure arithmetic over candidates and the scope's statistics.

The score of a passage is BM25F over title, section path and body (Robertson, Zaragoza and Taylor, "Simple BM25 extension
to multiple weighted fields", 2004), plus a share of the score of its whole page or section, plus what pairs of
neighbouring question words add where they stand together.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..store import Candidate, Candidates
from ..store.search import rarity

SATURATION = 2.0
"""k1 of BM25: how soon more of the same word adds nothing."""
TITLE_WEIGHT, PATH_WEIGHT = 4.0, 1.0
LENGTH_SHARE = 0.85
"""b of BM25: how much a long text is held against a passage."""
NUMBER_LENGTH = 0.3
"""Length of a number against that of a word: a table is no long text, though it has hundreds of figures."""
WINDOW_SHARE = 0.4
"""Share of the score of a passage's page (or section, without pages) in its own."""
LENT_AGAIN = 0.3
"""Share of that which is left for further sections of the same page."""
PAIR_WEIGHT = 1.0
FIGURES_BONUS = 0.7
"""What a passage that is half figures gains where the question wants one; others gain in proportion."""
PAIR_REACH = 3
"""A pair stands together when its second word is at most so many places after the first: "cost of the sales"."""
POINTER_SHARE = 0.5
"""What a section gets of the score of a passage that refers to it in a line about the question."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question's terms with their weights, 1 for a plain word of the question, and its pairs of neighbours.

    `needed` are the terms that an answer should hold; terms that are only another way to say one of them are not in it. `words` gives the question's own word
    for each of its terms. `wants_figure` is whether it asks for an amount, a rate or a ratio.
    """

    weights: Mapping[str, float]
    pairs: Mapping[tuple[str, str], float] = field(default_factory=dict)
    needed: frozenset[str] = frozenset()
    words: Mapping[str, str] = field(default_factory=dict)
    wants_figure: bool = False

    @property
    def terms(self) -> tuple[str, ...]:
        """All terms in the order of the question."""
        return tuple(self.weights)


@dataclass(slots=True)
class Scored:
    """A candidate with its score and what spoke for it. `coverage` is the share of the question's words that its text,
    title and path hold, 0 to 1."""

    candidate: Candidate
    score: float
    own: float
    matched: tuple[str, ...] = ()
    in_title: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    coverage: float = 0.0
    pointed_from: str = ""
    windows: Mapping[tuple[str, int | str], float] = field(default_factory=dict)


def spread(ranked: Sequence[Scored]) -> list[Scored]:
    """The best part of each section, best first, where what a page lends is lent in full only once.

    Else the short sections of one good page would fill the first places and say the same.
    """
    waiting = [(-one.score, place, 0, one) for place, one in enumerate(ranked)]
    heapq.heapify(waiting)
    order: list[Scored] = []
    lent: set[tuple[str, int | str]] = set()
    sections: set[tuple[str, str]] = set()
    while waiting:
        _, place, seen, one = heapq.heappop(waiting)
        section = (one.candidate.doc_id, one.candidate.section)
        if section in sections:
            continue
        if seen < len(lent) and any(key in lent for key in one.windows):
            full = max(one.windows.values())
            left = max(value * (LENT_AGAIN if key in lent else 1.0) for key, value in one.windows.items())
            score = one.own + left
            if full and score < one.score:
                one.score = score
                heapq.heappush(waiting, (-score, place, len(lent), one))
                continue
        order.append(one)
        sections.add(section)
        lent.update(one.windows)
    return order


def rank(query: Query, candidates: Candidates) -> list[Scored]:
    """All candidates, best first; equal scores in reading order."""
    rare = {
        term: weight * rarity(candidates.holding.get(term, 0), candidates.total)
        for term, weight in query.weights.items()
    }
    counts = [_Counts.of(candidate, rare) for candidate in candidates.found]
    together = [
        {pair: times for pair in query.pairs if (times := _together(count.candidate, pair))} for count in counts
    ]
    holding = Counter(pair for found in together for pair in found)
    pair_rare = {pair: weight * rarity(holding[pair], candidates.total) for pair, weight in query.pairs.items()}
    usual = sum(count.length for count in counts) / max(1, len(counts))
    windows = _windows(counts)
    window_usual = sum(window.length for window in windows.values()) / max(1, len(windows))
    window_scores = {
        key: _bm25(window.frequencies, window.length, window_usual, rare) for key, window in windows.items()
    }
    scored = [
        _score(
            query, count, rare, usual, window_scores, {pair: (times, pair_rare[pair]) for pair, times in pairs.items()}
        )
        for count, pairs in zip(counts, together, strict=True)
    ]
    return sorted(scored, key=lambda one: (-one.score, one.candidate.number))


@dataclass(slots=True)
class _Counts:
    """A candidate's term frequencies, weighted by field, and its length."""

    candidate: Candidate
    frequencies: dict[str, float]
    title: frozenset[str]
    length: float
    numbers: int

    @classmethod
    def of(cls, candidate: Candidate, rare: Mapping[str, float]) -> _Counts:
        body, path, title = Counter(candidate.body), set(candidate.path), set(candidate.title)
        frequencies: dict[str, float] = {}
        for term in rare:
            frequency = body[term] + TITLE_WEIGHT * (term in title) + PATH_WEIGHT * (term in path)
            if frequency:
                frequencies[term] = frequency
        numbers = sum(1 for token in candidate.body if token[0].isdigit())
        length = len(candidate.body) - numbers + NUMBER_LENGTH * numbers
        return cls(candidate, frequencies, frozenset(title & rare.keys()), length, numbers)

    def window_keys(self) -> list[tuple[str, int | str]]:
        one = self.candidate
        return [(one.doc_id, page) for page in one.pages] or [(one.doc_id, one.section)]


@dataclass(slots=True)
class _Window:
    frequencies: dict[str, float]
    length: float


def _windows(counts: Sequence[_Counts]) -> dict[tuple[str, int | str], _Window]:
    windows: dict[tuple[str, int | str], _Window] = {}
    for count in counts:
        for key in count.window_keys():
            window = windows.setdefault(key, _Window({}, 0.0))
            window.length += count.length
            for term, frequency in count.frequencies.items():
                window.frequencies[term] = window.frequencies.get(term, 0.0) + frequency
    return windows


def _bm25(frequencies: Mapping[str, float], length: float, usual: float, rare: Mapping[str, float]) -> float:
    norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / max(1.0, usual))
    return sum(
        rare[term] * frequency * (SATURATION + 1) / (frequency + norm) for term, frequency in frequencies.items()
    )


def _score(
    query: Query,
    count: _Counts,
    rare: Mapping[str, float],
    usual: float,
    window_scores: Mapping[tuple[str, int | str], float],
    pairs: Mapping[tuple[str, str], tuple[float, float]],
) -> Scored:
    own = _bm25(count.frequencies, count.length, usual, rare)
    windows = {key: WINDOW_SHARE * window_scores[key] for key in count.window_keys()}
    bonus = sum(weight * times / (times + 1) for times, weight in pairs.values())
    own += PAIR_WEIGHT * bonus
    if query.wants_figure:
        own *= 1 + FIGURES_BONUS * min(1.0, 2 * count.numbers / max(1, len(count.candidate.body)))
    return Scored(
        count.candidate,
        own + max(windows.values()),
        own,
        windows=windows,
        matched=tuple(word for term, word in query.words.items() if term in count.frequencies),
        in_title=tuple(word for term, word in query.words.items() if term in count.title),
        pairs=tuple(f"{query.words[a]} {query.words[b]}" for a, b in pairs if a in query.words and b in query.words),
        coverage=len(query.needed & count.frequencies.keys()) / max(1, len(query.needed)),
    )


def _together(candidate: Candidate, pair: tuple[str, str]) -> float:
    """How often a pair stands together in the body; twice for the title."""
    first, second = pair
    times = 0.0
    for tokens, weight in ((candidate.body, 1.0), (candidate.title, 2.0), (candidate.path, 1.0)):
        if first not in tokens or second not in tokens:
            continue
        at = -PAIR_REACH - 1
        for place, token in enumerate(tokens):
            if token == second and place - at <= PAIR_REACH:
                times += weight
                at = -PAIR_REACH - 1
            if token == first:
                at = place
    return times
