"""Figures that are computed from two figures of the sentence: sums, differences, averages, ratios, shares, growth. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations

from .figures import Figure, last_digit

_MOST_OPERANDS = 12
"""Stated figures that are combined: an answer that lists more has some pair for every result."""
_FEW_OPERANDS = 3
"""Stated figures up to which a claim of one digit is looked for: among more, some two fit it by chance."""
_FEWEST_DIGITS = 2
"""A claim of fewer digits fits some ratio by chance, and many a sum."""


def derive_from_figures(claimed: Figure, stated: Sequence[Figure], scales: Iterable[int] = ()) -> str:
    """Returns the formula by which a claimed figure comes from two that the sentence states; "" if there is none.

    A claim of one digit must be the sum or the difference of figures of which there are few.

    Args:
        stated: The figures of the sentence that stand on the cited pages.
        scales: Powers of ten that these pages state for their tables.
    """
    usable = [figure for figure in stated if figure.value and not figure.is_year][:_MOST_OPERANDS]
    is_short = claimed.digits < _FEWEST_DIGITS
    if claimed.is_year or (is_short and len(usable) > _FEW_OPERANDS):
        return ""
    tolerance = claimed.step / 2
    if claimed.approximate and claimed.step >= 1:
        tolerance = last_digit(claimed.value) / 2
    for pair in combinations(usable, 2):
        for left, right in (pair, pair[::-1]):
            if left.percent != right.percent:
                continue
            for formula, result, is_percent in _combined(left, right):
                is_quotient = "/" in formula
                if claimed.percent != is_percent and not (claimed.percent and left.percent):
                    continue
                if is_short and is_quotient:
                    continue
                powers = (0,) if is_percent or is_quotient or left.scaled else (0, *scales)
                results = [abs(result).scaleb(power) for power in powers]
                if any(abs(found - value) <= tolerance for found in results for value in claimed.values):
                    return formula
    return ""


def _combined(left: Figure, right: Figure) -> Iterator[tuple[str, Decimal, bool]]:
    """Yields the formulas of two figures, each with its result and whether that is in percent."""
    x, y = left.value, right.value
    a, b = left.text.strip(), right.text.strip()
    if x >= y:
        yield f"{a} + {b}", x + y, left.percent
        yield f"{a} - {b}", x - y, left.percent
        yield f"({a} + {b}) / 2", (x + y) / 2, left.percent
    if y:
        yield f"{a} / {b}", x / y, False
        yield f"{a} / {b} in percent", x / y * 100, True
        yield f"({a} - {b}) / {b}", (x - y) / y * 100, True
