"""Figures computed from records: hits, right answers, tokens, turns, seconds and money, by retriever and kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..models import Usage
from .prices import Price
from .run import Record

KS = (1, 5, 10)
"""Numbers of first pages and sections among which hits are counted."""
_PERCENTILES = (0.5, 0.95)


@dataclass(frozen=True, slots=True)
class Share:
    """A share: `hits` of `of`."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        """The share between 0 and 1; None if `of` is 0."""
        return self.hits / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of one retriever on one kind of questions, or on all of them (`kind` is ""). Means are per question.

    Args:
        pages, sections: Questions with a hit among the first 1, 5 and 10 pages or sections.
        tokens: Mean tokens of the evidence.
        turns: Mean calls of the navigating model.
        tokens_in, tokens_uncached, tokens_out: Mean tokens of navigating and of answering.
        seconds: Median and 95th percentile (nearest rank) of retrieval and of answering.
        money: Mean cost of navigating and answering; None if a price is missing.
        right: Right answers, of those that could be graded.
        ungraded: Answers to answerable questions that could not be graded.
        holding: Answers whose citations all hold, of those that found something.
        abstained: Unanswerable questions with the answer "not found".
        missed: Answerable questions with the answer "not found".
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
    """Computes the figures of each retriever, by kind and for all kinds together.

    Args:
        prices: Prices by the name of the model.
        models: Names of the models that navigate and answer, by retriever.

    Returns:
        One row per retriever and kind, retrievers in the order of the records; the row of all kinds comes last.
    """
    by_retriever: dict[str, list[Record]] = {}
    for record in records:
        by_retriever.setdefault(record.retriever, []).append(record)
    rows: list[Figures] = []
    for retriever, its_records in by_retriever.items():
        names = (models or {}).get(retriever, (None, None))
        kinds = sorted({record.kind for record in its_records})
        for kind in kinds if len(kinds) > 1 else ():
            of_kind = [record for record in its_records if record.kind == kind]
            rows.append(_figures(retriever, kind, of_kind, prices or {}, names))
        rows.append(_figures(retriever, "", its_records, prices or {}, names))
    return rows


def _figures(
    retriever: str,
    kind: str,
    records: Sequence[Record],
    prices: Mapping[str, Price],
    models: tuple[str | None, str | None],
) -> Figures:
    # A question without a result is a miss, and has no time and no tokens.
    done = [record for record in records if not record.error]
    answers = [record.answer for record in done if record.answer is not None and record.answer.found]
    graded = [record for record in records if record.is_answerable and (record.error or record.grade.right is not None)]
    return Figures(
        retriever=retriever,
        kind=kind,
        questions=len(records),
        pages=tuple(_within([record.page_rank for record in records if record.has_pages], k) for k in KS),
        sections=tuple(_within([record.section_rank for record in records if record.has_sections], k) for k in KS),
        tokens=_mean([record.tokens for record in done]),
        turns=_mean([record.usage[0].calls for record in done]),
        tokens_in=_mean_pair(done, lambda usage: usage.tokens_in),
        tokens_uncached=_mean_pair(done, lambda usage: usage.uncached),
        tokens_out=_mean_pair(done, lambda usage: usage.tokens_out),
        seconds=(
            _percentiles([record.seconds[0] for record in done]),
            _percentiles([record.seconds[1] for record in done]),
        ),
        money=_money(done, prices, models),
        right=Share(sum(record.grade.right is True for record in graded), len(graded)),
        ungraded=sum(
            record.answer is not None and record.is_answerable and record.grade.right is None for record in done
        ),
        holding=Share(sum(answer.holds for answer in answers), len(answers)),
        abstained=_abstained([record for record in done if not record.is_answerable]),
        missed=_abstained([record for record in done if record.is_answerable]),
        errors=len(records) - len(done),
    )


def _within(ranks: Sequence[int | None], k: int) -> Share:
    return Share(sum(rank is not None and rank <= k for rank in ranks), len(ranks))


def _abstained(records: Sequence[Record]) -> Share:
    return Share(sum(record.abstains for record in records), len(records))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _mean_pair(records: Sequence[Record], tokens: Callable[[Usage], int]) -> tuple[float, float]:
    """Means for navigating and for answering."""
    return _mean([tokens(record.usage[0]) for record in records]), _mean(
        [tokens(record.usage[1]) for record in records]
    )


def _percentiles(seconds: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile, by the nearest rank."""
    if not seconds:
        return 0.0, 0.0
    ordered = sorted(seconds)
    median, high = (ordered[max(0, math.ceil(share * len(ordered)) - 1)] for share in _PERCENTILES)
    return median, high


def _money(
    records: Sequence[Record], prices: Mapping[str, Price], models: tuple[str | None, str | None]
) -> float | None:
    total = 0.0
    for part, name in enumerate(models):
        used = [record.usage[part] for record in records if record.usage[part].calls]
        if used and (name is None or name not in prices):
            return None
        total += sum(prices[name].of(usage) for usage in used if name is not None)
    return total / len(records) if records and prices else None
