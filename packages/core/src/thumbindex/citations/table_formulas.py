"""Figures that are computed from the tables of cited pages: the rows that a sentence names, and what they come to.

A computed figure proves little by itself: among enough sums and ratios, one fits any number of two digits. So the rows are taken
in the order in which the sentence and its question name them, and the search ends where the chance that something fits by accident
would pass what the names allow: `CHANCE` for rows that are fully named, less for others. Nothing here knows a trade or a language:
no words of accounts, and none that ask for growth or for an average. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, permutations

from .figures import Figure, figures
from .named_rows import NamedRow, named_rows
from .table_rows import Row

CHANCE = 0.1
"""The largest accepted chance that a figure fits some formula by accident: the number of formulas tried that come to something of its size, times the share of a
factor of ten (in logarithms, the spread of figures in a report; Benford, 1938) that rounds to it."""
_SAME_SIZE = Decimal("3.1623")
"""The root of ten: what is of a figure's size lies within the factor of ten around it."""
_LEAST_NAMED = 0.4
"""Share of a label that must be named, its terms weighed by how few rows they stand in."""
_WHOLE_SHARE = 0.6
"""The share at which the largest row of a table counts as named where something is divided: shares are shares of the whole."""
_FEWEST_ROWS_OF_WHOLE = 3
"""Rows of one shape that a table needs for one of them to be the whole of the others."""
_MOST_ROWS = 10
"""Named rows that are combined."""
_MOST_COLUMNS = 3
"""Columns of a row that are combined: reports compare up to three years."""
_FEWEST_DIGITS = 2
"""A claim of one digit fits any table."""
_SOLID_DIGITS = 3
"""Digits that figures must have for their growth to be worth computing: growth of "9" and "10" fits anything."""
_EXTRA_STEP = 0.5
"""Weight of a formula with one more step than a plain one: one less a share, a division by an average, three rows."""
_REORDERED = 0.8
"""Weight of a formula whose rows stand in another order than they are named in."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A formula over rows and its value.

    Args:
        weight: How well its rows are named, 0 to 1, times what its steps are worth.
        formula: With `{}` for each operand.
        is_amount: Whether the value is in the unit of the table.
        may_fall: Whether it is stated without its sign: as a fall, a loss, a gap.
    """

    weight: float
    formula: str
    operands: tuple[Figure, ...]
    value: Decimal
    is_amount: bool = False
    may_fall: bool = False

    def __str__(self) -> str:
        return self.formula.format(*(figure.text for figure in self.operands))


def derive_from_rows(
    claimed: Figure, words: str, tables: Sequence[Sequence[Row]], scales: Iterable[int], language: str
) -> str:
    """Returns the formula by which a claimed figure comes from rows that are named; "" if there is none.

    Args:
        words: The sentence and whatever else names the rows: its question, what stands before it.
        tables: The rows of each cited page.
        scales: Powers of ten that the pages state for their tables.
    """
    if claimed.digits < _FEWEST_DIGITS or claimed.is_year:
        return ""
    tolerance = Decimal(claimed.step) / 2
    chance = _share_of_decade(claimed, tolerance)
    years = frozenset(int(figure.value) for figure in figures(words) if figure.is_year)
    powers = (0, *scales)
    readings = [
        (candidate, [abs(candidate.value).scaleb(power) for power in (powers if candidate.is_amount else (0,))])
        for candidate in _candidates(tables, words, years, claimed, language)
        # One that could not be accepted even if it were the first need not be tried.
        if chance <= CHANCE * candidate.weight and (candidate.value >= 0 or candidate.may_fall or claimed.negative)
    ]
    # Only candidates of the claim's size might fit it by accident.
    tries = [
        (candidate, values)
        for candidate, values in readings
        if any(reading / _SAME_SIZE <= value <= reading * _SAME_SIZE for value in values for reading in claimed.values)
    ]
    tries.sort(key=lambda candidate_values: -candidate_values[0].weight)
    for tried, (candidate, values) in enumerate(tries, 1):
        if tried * chance > CHANCE * candidate.weight:
            return ""
        if any(abs(value - reading) <= tolerance for value in values for reading in claimed.values):
            return str(candidate)
    return ""


def _share_of_decade(claimed: Figure, tolerance: Decimal) -> float:
    """Returns the share of a decade, in logarithms, whose figures round to the claim."""
    if not claimed.value:
        return 1.0
    return float(2 * tolerance / claimed.value) / math.log(10)


def _candidates(
    tables: Sequence[Sequence[Row]], words: str, years: frozenset[int], claimed: Figure, language: str
) -> Iterator[_Candidate]:
    named = named_rows(tables, words, language)
    best = [named_row for named_row in named if named_row.share >= _LEAST_NAMED][:_MOST_ROWS]
    amounts = [named_row for named_row in best if named_row.row.has_amounts]
    if claimed.percent:
        for named_row in best:
            yield from _changes(named_row, years)
    # A ratio is stated with its decimals: whole numbers are counts and days.
    if claimed.percent or claimed.step < 1:
        shares = {named_row.row: named_row.share for named_row in amounts}
        wholes = [row for row in _wholes(tables) if shares.get(row, 0.0) < _WHOLE_SHARE]
        divisors = [named_row for named_row in amounts if named_row.row not in wholes]
        divisors += [NamedRow(_WHOLE_SHARE, row) for row in wholes]
        yield from _quotients(amounts, divisors, years, in_percent=claimed.percent)
    if not claimed.percent:
        yield from _sums(amounts, years)


def _wholes(tables: Sequence[Sequence[Row]]) -> Iterator[Row]:
    """Yields the largest row of each table: of those that have as many columns, under the same years."""
    for table in tables:
        groups: dict[tuple[tuple[int, ...], int], list[Row]] = {}
        for row in table:
            if row.has_amounts and min(figure.digits for figure in row.figures) >= _SOLID_DIGITS:
                groups.setdefault((row.years, len(row.figures)), []).append(row)
        for rows in groups.values():
            if len(rows) >= _FEWEST_ROWS_OF_WHOLE:
                yield max(rows, key=lambda row: row.figures[0].value)


def _columns_of(row: Row, years: frozenset[int]) -> list[int]:
    """Returns the indexes of a row's columns that belong to the named years; of the first few where no year is named."""
    asked = [column for column, year in enumerate(row.years) if year in years]
    return asked or list(range(min(_MOST_COLUMNS, len(row.figures))))


def _changes(named_row: NamedRow, years: frozenset[int]) -> Iterator[_Candidate]:
    """Yields growth from column to column, and differences of percentages."""
    row, share = named_row.row, named_row.share
    columns = _columns_of(row, years)
    for column, other in permutations(range(len(row.figures)), 2):
        if not {column, other} & set(columns) or (len(columns) > 1 and not {column, other} <= set(columns)):
            continue
        x, y = row.figures[column], row.figures[other]
        if x.percent and y.percent:
            if x.value > y.value:
                yield _Candidate(share, "{} - {}", (x, y), x.value - y.value)
        elif (
            not (x.percent or y.percent)
            and min(x.digits, y.digits) >= _SOLID_DIGITS
            and abs(column - other) == 1
            and y.value
        ):
            growth = (_signed(x) - _signed(y)) / y.value * 100
            # Reports put the later year first.
            weight = share * (1 if column < other else _EXTRA_STEP)
            yield _Candidate(weight, "({0} - {1}) / {1}", (x, y), growth, may_fall=True)


def _quotients(
    amounts: Sequence[NamedRow], divisors: Sequence[NamedRow], years: frozenset[int], *, in_percent: bool
) -> Iterator[_Candidate]:
    """Yields one row, or the sum of two, over another: in a column, over the average of two columns, or on average."""
    factor = Decimal(100) if in_percent else Decimal(1)
    for dividend, formula in _dividends(amounts):
        rows = [named_row.row for named_row in dividend]
        for divisor in divisors:
            if divisor.row in rows:
                continue
            weight = math.prod(named_row.share for named_row in dividend) * divisor.share
            weight *= _EXTRA_STEP if len(dividend) > 1 else 1
            weight *= _REORDERED if divisor.position < dividend[0].position else 1
            below = divisor.row.figures
            shared = min(len(row.figures) for row in (*rows, divisor.row))
            above = [sum((_signed(row.figures[column]) for row in rows), Decimal(0)) for column in range(shared)]
            for column in _columns_of(rows[0], years):
                if column >= shared or not below[column].value:
                    continue
                operands = (*(row.figures[column] for row in rows), below[column])
                quotient = above[column] / below[column].value
                yield _Candidate(weight, f"{formula} / {{}}", operands, quotient * factor)
                if in_percent and len(dividend) == 1:
                    yield _Candidate(weight * _EXTRA_STEP, "1 - {} / {}", operands, (1 - quotient) * factor)
                if column + 1 < len(below) and (both := below[column].value + below[column + 1].value):
                    yield _Candidate(
                        weight * _EXTRA_STEP, f"{formula} / (({{}} + {{}}) / 2)", (*operands, below[column + 1]),
                        2 * above[column] / both * factor,
                    )  # fmt: skip
            columns = range(min(shared, _MOST_COLUMNS))
            if len(columns) > 1 and all(below[column].value for column in columns):
                mean = sum((above[column] / below[column].value for column in columns), Decimal(0)) / len(columns)
                shown = f"({' + '.join([f'{formula} / {{}}'] * len(columns))}) / {len(columns)}"
                operands = tuple(
                    figure for column in columns for figure in (*(row.figures[column] for row in rows), below[column])
                )
                yield _Candidate(weight * _EXTRA_STEP, shown, operands, mean * factor)


def _dividends(amounts: Sequence[NamedRow]) -> Iterator[tuple[tuple[NamedRow, ...], str]]:
    """Yields rows to divide, with their formula."""
    for named_row in amounts:
        yield (named_row,), "{}"
    for pair in combinations(amounts, 2):
        yield pair, "({} + {})"


def _sums(amounts: Sequence[NamedRow], years: frozenset[int]) -> Iterator[_Candidate]:
    """Yields differences and averages within a row; sums and differences of two rows or three in a column."""
    for named_row in amounts:
        columns = named_row.row.figures[:_MOST_COLUMNS]
        for pair in combinations(columns, 2):
            x, y = sorted(pair, key=_signed, reverse=True)
            yield _Candidate(named_row.share, "{} - {}", (x, y), _signed(x) - _signed(y), is_amount=True, may_fall=True)
        if len(columns) > 1:
            mean = sum((_signed(figure) for figure in columns), Decimal(0)) / len(columns)
            shown = f"({' + '.join(['{}'] * len(columns))}) / {len(columns)}"
            yield _Candidate(named_row.share * _EXTRA_STEP, shown, columns, mean, is_amount=True, may_fall=True)
    for size in (2, 3):
        for chosen in combinations(amounts, size):
            weight = math.prod(named_row.share for named_row in chosen) * (_EXTRA_STEP if size > 2 else 1)
            shared = min(len(named_row.row.figures) for named_row in chosen)
            for column in _columns_of(chosen[0].row, years):
                if column >= shared:
                    continue
                operands = tuple(named_row.row.figures[column] for named_row in chosen)
                if size == 2:
                    operands = tuple(sorted(operands, key=_signed, reverse=True))
                *added, last = (_signed(figure) for figure in operands)
                total = sum(added, Decimal(0))
                shown = " + ".join(["{}"] * (size - 1))
                yield _Candidate(weight, f"{shown} + {{}}", operands, total + last, is_amount=True, may_fall=True)
                yield _Candidate(weight, f"{shown} - {{}}", operands, total - last, is_amount=True, may_fall=True)


def _signed(figure: Figure) -> Decimal:
    return -figure.value if figure.negative else figure.value
