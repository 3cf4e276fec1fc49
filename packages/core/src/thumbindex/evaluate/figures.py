"""From records to figures: shares of hits and right answers, tokens, turns, seconds and money, by retriever and kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..models import Usage
from .prices import Price
from .run import Record

KS = (1, 5, 10)


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        """Between 0 and 1; None of nothing."""
        return self.hits / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Figures:
    """What one retriever did on one kind of questions, or on all of them (`kind` is "").

    Args:
        pages, sections: Hits among the first 1, 5 and 10.
        tokens: Of the text handed over, on average.
        turns: Calls of the navigating model, on average.
        tokens_in, tokens_uncached, tokens_out: Of navigating and of answering, on average.
        seconds: Of retrieval and of answering, each the median and the 95th percentile (nearest rank).
        money: Of navigating and answering one question, on average; None where a price is missing.
        right: Answers that are right, of those that could be graded.
        ungraded: Answers of answerable questions that nobody could grade.
        holding: Answers whose citations all hold, of those that found something.
        abstained: Unanswerable questions that were answered by "not found".
        missed: Answerable ones that were.
        errors: Questions without a result.
    """

    retriever: str
    kind: str
    questions: int
    pages: tuple[Share, ...]
    sections: tuple[Share, ...]
    tokens: float
    turns: float
    tokens_in: tuple[float, float]
    tokens_uncached: tuple[float, float]
    tokens_out: tuple[float, float]
    seconds: tuple[tuple[float, float], tuple[float, float]]
    money: float | None
    right: Share
    ungraded: int
    holding: Share
    abstained: Share
    missed: Share
    errors: int


def figures(
    records: Iterable[Record],
    *,
    prices: Mapping[str, Price] | None = None,
    models: Mapping[str, tuple[str | None, str | None]] | None = None,
) -> list[Figures]:
    """Figures of each retriever, by kind and for all kinds together, in the order in which they occur.

    Args:
        models: By retriever the names of the models that navigate and answer, to be looked up in `prices`.
    """
    by_retriever: dict[str, list[Record]] = {}
    for record in records:
        by_retriever.setdefault(record.retriever, []).append(record)
    found: list[Figures] = []
    for retriever, mine in by_retriever.items():
        names = (models or {}).get(retriever, (None, None))
        kinds = sorted({record.kind for record in mine})
        for kind in kinds if len(kinds) > 1 else ():
            found.append(_figures(retriever, kind, [one for one in mine if one.kind == kind], prices or {}, names))
        found.append(_figures(retriever, "", mine, prices or {}, names))
    return found


def _figures(
    retriever: str,
    kind: str,
    records: Sequence[Record],
    prices: Mapping[str, Price],
    models: tuple[str | None, str | None],
) -> Figures:
    # A question without a result is a miss, and has no time and no tokens.
    done = [one for one in records if not one.error]
    answered = [one.answer for one in done if one.answer is not None and one.answer.found]
    graded = [one for one in records if one.is_answerable and (one.error or one.grade.right is not None)]
    return Figures(
        retriever,
        kind,
        len(records),
        tuple(_within([one.page_rank for one in records if one.has_pages], k) for k in KS),
        tuple(_within([one.section_rank for one in records if one.has_sections], k) for k in KS),
        _mean([one.tokens for one in done]),
        _mean([one.usage[0].calls for one in done]),
        _pair(done, lambda usage: usage.tokens_in),
        _pair(done, lambda usage: usage.uncached),
        _pair(done, lambda usage: usage.tokens_out),
        (_times([one.seconds[0] for one in done]), _times([one.seconds[1] for one in done])),
        _money(done, prices, models),
        Share(sum(one.grade.right is True for one in graded), len(graded)),
        sum(one.answer is not None and one.is_answerable and one.grade.right is None for one in done),
        Share(sum(answer.holds for answer in answered), len(answered)),
        _abstained([one for one in done if not one.is_answerable]),
        _abstained([one for one in done if one.is_answerable]),
        len(records) - len(done),
    )


def _within(ranks: Sequence[int | None], k: int) -> Share:
    return Share(sum(rank is not None and rank <= k for rank in ranks), len(ranks))


def _abstained(records: Sequence[Record]) -> Share:
    return Share(sum(one.abstains for one in records), len(records))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _pair(records: Sequence[Record], tokens: Callable[[Usage], int]) -> tuple[float, float]:
    return _mean([tokens(one.usage[0]) for one in records]), _mean([tokens(one.usage[1]) for one in records])


def _times(seconds: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile, by the nearest rank."""
    ordered = sorted(seconds)
    at = [max(0, math.ceil(share * len(ordered)) - 1) for share in (0.5, 0.95)]
    return (ordered[at[0]], ordered[at[1]]) if ordered else (0.0, 0.0)


def _money(
    records: Sequence[Record], prices: Mapping[str, Price], models: tuple[str | None, str | None]
) -> float | None:
    total = 0.0
    for part, name in enumerate(models):
        used = [one.usage[part] for one in records if one.usage[part].calls]
        if used and (name is None or name not in prices):
            return None
        total += sum(prices[name].of(usage) for usage in used if name is not None)
    return total / len(records) if records and prices else None
