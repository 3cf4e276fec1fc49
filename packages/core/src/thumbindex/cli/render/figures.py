"""Tables of an evaluation: retrieval, and answers if there are any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.measure import Measurement
from rich.table import Table

from ..terminal import console, printable_line

if TYPE_CHECKING:
    from ...evaluate import Figures, Share

_ANY_WIDTH = 1000
"""Columns above which no table is measured: the natural width of ours is below 300."""


def print_figures(rows: Sequence[Figures], *, has_answers: bool) -> None:
    """Prints a table of retrieval, and a second one of answers or, without a model, of retrieval marked as weak."""
    with_kinds = any(row.kind for row in rows)
    _print_in_full(_retrieval_table(rows, with_kinds))
    if has_answers:
        _print_in_full(_answers_table(rows, with_kinds))
    elif any(row.abstained.of for row in rows):
        _print_in_full(_weak_table(rows, with_kinds))


def _retrieval_table(rows: Sequence[Figures], with_kinds: bool) -> Table:
    # Columns of model usage are left out where no model navigates.
    with_usage = any(row.turns for row in rows)
    usage = ["turns", "in", "uncached", "out"] if with_usage else []
    table = _table(
        "Retrieval",
        with_kinds,
        ["page @1", "@5", "@10", "section @1", "@5", "@10", "tokens", *usage, "s p50", "p95"],
    )
    for row in rows:
        tokens = (row.tokens_in, row.tokens_uncached, row.tokens_out)
        table.add_row(
            *_labels(row, with_kinds),
            *map(_share, (*row.pages, *row.sections)),
            f"{row.tokens:.0f}",
            *([f"{row.turns:.1f}", *(f"{navigating:.0f}" for navigating, _ in tokens)] if with_usage else []),
            *(f"{seconds:.2f}" for seconds in row.seconds[0]),
        )
    return table


def _weak_table(rows: Sequence[Figures], with_kinds: bool) -> Table:
    table = _table("Retrieval marked as weak", with_kinds, ["unanswerable", "answerable"])
    for row in rows:
        table.add_row(*_labels(row, with_kinds), _count(row.abstained), _count(row.missed))
    return table


def _answers_table(rows: Sequence[Figures], with_kinds: bool) -> Table:
    with_money = any(row.money is not None for row in rows)
    table = _table(
        "Answers",
        with_kinds,
        [
            *("right", "not graded", "citations hold", "abstained", "missed"),
            *("tokens in", "uncached", "out", "s p50", "p95"),
            *(["money"] if with_money else []),
            "errors",
        ],
    )
    for row in rows:
        tokens = (row.tokens_in, row.tokens_uncached, row.tokens_out)
        money = "" if row.money is None else f"{row.money:.5f}"
        table.add_row(
            *_labels(row, with_kinds),
            _share(row.right),
            str(row.ungraded),
            _share(row.holding),
            _count(row.abstained),
            _count(row.missed),
            *(f"{answering:.0f}" for _, answering in tokens),
            *(f"{seconds:.2f}" for seconds in row.seconds[1]),
            *([money] if with_money else []),
            str(row.errors),
        )
    return table


def _table(title: str, with_kinds: bool, headers: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for header in ("retriever", "kind") if with_kinds else ("retriever",):
        table.add_column(header)
    for header in ("n", *headers):
        table.add_column(header, justify="right")
    return table


def _print_in_full(table: Table) -> None:
    """Prints a table at its natural width, however narrow the terminal: a truncated figure would be wrong."""
    out = console()
    natural = Measurement.get(out, out.options.update(max_width=_ANY_WIDTH), table).maximum
    console(width=max(out.width, natural)).print(table)


def _labels(row: Figures, with_kinds: bool) -> list[str]:
    kind = [printable_line(row.kind) or "all"] if with_kinds else []
    return [printable_line(row.retriever), *kind, str(row.questions)]


def _share(share: Share) -> str:
    return "" if share.value is None else f"{share.value:.2f}"


def _count(share: Share) -> str:
    return "" if not share.of else f"{share.hits}/{share.of}"
