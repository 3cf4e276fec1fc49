"""Figures that are computed from figures on cited pages: which rows a sentence names, and what its words do with them.

A computed figure proves little by itself: among enough sums and ratios, one fits any number of two digits. So operands come only
from rows whose label the sentence or its question names, formulas only from the words that ask for them (growth, margin, ratio,
average, difference, sum), columns only from the years that are named, and the whole search is bounded: it ends where the chance that
something fits by accident would pass `CHANCE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations, permutations

from ..store.terms import content_terms, tokenize
from .numbers import Figure, figures

CHANCE = 0.15
"""How likely a figure may fit some formula by accident: formulas tried, times the share of a factor of ten (in logarithms, the
spread of figures in a report; Benford, 1938) that rounds to the claim."""
_NAMED = 0.75
"""Share of a label's words that must be named."""
_ROWS = 8
_SOLID = 3
"""Digits that figures must have for their growth to be worth computing: growth of "9" and "10" fits anything."""
_COLUMNS = 3
_FILLER = frozenset(
    {
        "net",
        "total",
        "provid",
        "use",
        "activ",
        "consolid",
        "end",
        "year",
        "fiscal",
        "compani",
        "basic",
        "averag",
        "and",
        "the",
        "for",
        "from",
    }
)
# Words of accounts that mean the same; each is read as the first of its line.
_SAME = {
    word: words[0]
    for words in (
        ("revenu", "sale", "sold", "good", "turnov", "product"),
        ("incom", "profit", "earn"),
        ("expenditur", "expens", "spend", "purchas", "addit", "invest"),
        ("liabil", "debt", "borrow"),
        ("inventori", "stock"),
        ("sharehold", "stockhold", "shareown"),
    )
    for word in words
}
# Short names for rows of accounts, spelled out.
_SPELLED = {
    "cogs": "cost of goods sold",
    "ebitda": "operating income depreciation amortization",
    "ebit": "operating income",
    "capex": "capital expenditures property plant equipment",
    "pp&e": "property plant equipment",
    "d&a": "depreciation amortization",
    "sg&a": "selling general administrative expenses",
    "roa": "net income total assets",
    "roe": "net income equity",
    "fcf": "cash operating activities capital expenditures property",
    "free cash flow": "cash operating activities capital expenditures property",
    "inventory turnover": "cost of sales inventory",
    "asset turnover": "revenue total assets",
    "fixed asset turnover": "revenue property plant equipment",
    "margin": "revenue",
    "gross margin": "gross profit revenue cost of sales",
    "operating margin": "operating income revenue",
    "profit margin": "net income revenue",
    "working capital": "current assets current liabilities",
}
_GROWTH = re.compile(
    r"grow|grew|increas|decreas|declin|drop|chang|rose|fell|year.over.year|yoy|higher|lower|reduc|up by|down by",
    re.IGNORECASE,
)
_RATIO = re.compile(
    r"ratio|turnover|divided by|\btimes\b|/|return on|\broa\b|per dollar|as a (?:percentage|percent|%|share) of|multiple",
    re.IGNORECASE,
)
_MARGIN = re.compile(
    r"margin|as a (?:percentage|percent|%|share) of|percent of|% of|conversion|share of|effective tax", re.IGNORECASE
)
_AVERAGE = re.compile(r"averag|mean\b|turnover|return on", re.IGNORECASE)
_SUM = re.compile(r"\btotal|sum\b|together|combined|\bplus\b|\+|altogether|ebitda|in all", re.IGNORECASE)
_LESS = re.compile(
    r"\bless\b|minus|difference|\bnet of\b|working capital|free cash flow|fcf|−| - |gap|excess", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled line of a table: words of its label, its figures from left to right, and the years above them where they are told."""

    label: str
    terms: frozenset[str]
    figures: tuple[Figure, ...]
    years: tuple[int, ...] = ()


def rows_of(text: str, language: str) -> Iterator[Row]:
    """The labelled rows of a page, each under the years that the last line of years names."""
    years: tuple[int, ...] = ()
    for line in text.splitlines():
        found = [one for figure in figures(line) for one in _columns_of(figure)]
        stated = tuple(int(one.value) for one in found if one.is_year)
        if len(stated) > 1 and len(stated) == len(found):
            years = stated
            continue
        held = tuple(one for one in found if not one.is_year)
        label = line[: held[0].start] if held else ""
        terms = _terms(label, language)
        if terms and len(label) < 120:
            yield Row(label.strip(" $€£.:|\t"), terms, held, years if len(years) == len(held) else ())


def _columns_of(figure: Figure) -> Iterator[Figure]:
    """In a row, "167 203 236" are three columns and no number of nine digits."""
    digits = figure.text.split()
    if len(digits) < 3 or not all(one.isdigit() for one in digits):
        yield figure
        return
    for one in figures("  ".join(digits)):
        yield replace(one, start=figure.start, end=figure.end)


def derive(
    claim: Figure, sentence: str, question: str, rows: Iterable[Row], scales: Iterable[int], language: str
) -> str:
    """How a claimed figure comes from rows that are named, as a formula; "" if it does not."""
    if claim.digits < 2 or claim.is_year:
        return ""
    words = f"{question} {sentence}"
    named = _named(rows, words, language)
    years = {int(one.value) for one in figures(words) if one.is_year}
    tolerance = Decimal(claim.step) / 2
    share = _share_of_decade(claim, tolerance)
    powers = (0, *scales)
    for tried, (formula, value, unit) in enumerate(_candidates(named, words, years, claim), 1):
        if tried * share > CHANCE:
            return ""
        for power in (0,) if unit != "money" or claim.percent else powers:
            if any(abs(abs(value).scaleb(power) - one) <= tolerance for one in claim.values):
                return formula
    return ""


def _share_of_decade(claim: Figure, tolerance: Decimal) -> float:
    """The share of a decade, in logarithms, whose figures round to the claim."""
    if not claim.value:
        return 1.0
    return float(2 * tolerance / claim.value) / 2.302585


def _terms(text: str, language: str) -> frozenset[str]:
    """The words of a label that say what it is about, as stems."""
    found = (term for term in tokenize(text, language) if not term[0].isdigit() and len(term) > 2)
    return frozenset(_SAME.get(term, term) for term in found) - _FILLER


def _named(rows: Iterable[Row], words: str, language: str) -> list[Row]:
    """Rows whose labels are named, those with most words first; of equal labels the first."""
    folded = words.casefold()
    spelled = " ".join(
        long for short, long in _SPELLED.items() if re.search(rf"(?<!\w){re.escape(short)}(?!\w)", folded)
    )
    wanted = {_SAME.get(term, term) for term in content_terms(f"{words} {spelled}", language)}
    found: dict[tuple[frozenset[str], tuple[Decimal, ...]], tuple[float, int, Row]] = {}
    for place, row in enumerate(rows):
        shared = len(row.terms & wanted) / len(row.terms)
        if shared >= _NAMED:
            key = (row.terms, tuple(one.value for one in row.figures))
            found.setdefault(key, (-shared * min(3, len(row.terms)), place, row))
    return [row for _, _, row in sorted(found.values(), key=lambda one: one[:2])][:_ROWS]


def _columns(row: Row, years: set[int]) -> list[int]:
    """Which of a row's figures belong to the years that are named; all of the first few where that is not told."""
    asked = [at for at, year in enumerate(row.years) if year in years]
    return asked or list(range(min(_COLUMNS, len(row.figures))))


def _candidates(rows: Sequence[Row], words: str, years: set[int], claim: Figure) -> Iterator[tuple[str, Decimal, str]]:
    """Formulas that the words ask for, likeliest first: text, value and unit ("money", "percent" or "ratio")."""
    if claim.percent and _GROWTH.search(words):
        yield from _changes(rows, years)
    if claim.percent and (_MARGIN.search(words) or _RATIO.search(words)):
        yield from _quotients(rows, words, years, percent=True)
    # A ratio is told with its decimals: whole numbers are counts and days.
    if not claim.percent and claim.step < 1 and (_RATIO.search(words) or _MARGIN.search(words)):
        yield from _quotients(rows, words, years, percent=False)
    if not claim.percent:
        yield from _sums(rows, words, years)


def _changes(rows: Sequence[Row], years: set[int]) -> Iterator[tuple[str, Decimal, str]]:
    for row in rows:
        columns = _columns(row, years)
        later = range(min(_COLUMNS, len(row.figures)))
        for a, b in permutations(columns if len(columns) > 1 else later, 2):
            x, y = row.figures[a], row.figures[b]
            if x.percent and y.percent:
                if x.value > y.value:
                    yield f"{x.text} - {y.text}", x.value - y.value, "percent"
            elif min(x.digits, y.digits) >= _SOLID and not (x.percent or y.percent) and abs(a - b) == 1:
                yield f"({x.text} - {y.text}) / {y.text}", (_signed(x) - _signed(y)) / abs(y.value) * 100, "percent"


def _quotients(
    rows: Sequence[Row], words: str, years: set[int], *, percent: bool
) -> Iterator[tuple[str, Decimal, str]]:
    factor, unit = (Decimal(100), "percent") if percent else (Decimal(1), "ratio")
    plain = [row for row in rows if not any(one.percent for one in row.figures)]
    averages = bool(_AVERAGE.search(words))
    for over, under in permutations(plain, 2):
        if averages:
            yield from _mean_quotient(over, under, factor, unit)
        for at in _columns(over, years):
            if at >= len(under.figures) or not under.figures[at].value:
                continue
            x, y = over.figures[at], under.figures[at]
            yield f"{x.text} / {y.text}", _signed(x) / y.value * factor, unit
            if averages and at + 1 < len(under.figures):
                z = under.figures[at + 1]
                if y.value + z.value:
                    yield f"{x.text} / (({y.text} + {z.text}) / 2)", 2 * _signed(x) / (y.value + z.value) * factor, unit
    if _SUM.search(words) or _LESS.search(words):
        for one, other in combinations(plain, 2):
            for under in plain:
                if under is one or under is other:
                    continue
                for at in _columns(under, years):
                    if at < min(len(one.figures), len(other.figures)) and under.figures[at].value:
                        x, y, z = one.figures[at], other.figures[at], under.figures[at]
                        yield f"({x.text} + {y.text}) / {z.text}", (x.value + y.value) / z.value * factor, unit


def _mean_quotient(over: Row, under: Row, factor: Decimal, unit: str) -> Iterator[tuple[str, Decimal, str]]:
    """The average of a ratio over the columns that both rows have."""
    pairs = list(zip(over.figures, under.figures, strict=False))[:_COLUMNS]
    if len(pairs) > 1 and all(y.value for _, y in pairs):
        mean = sum((_signed(x) / y.value for x, y in pairs), Decimal(0)) / len(pairs)
        shown = " + ".join(f"{x.text} / {y.text}" for x, y in pairs)
        yield f"({shown}) / {len(pairs)}", mean * factor, unit


def _sums(rows: Sequence[Row], words: str, years: set[int]) -> Iterator[tuple[str, Decimal, str]]:
    plain = [row for row in rows if not any(one.percent for one in row.figures)]
    if _GROWTH.search(words) or _LESS.search(words):
        for row in plain:
            for a, b in combinations(range(min(_COLUMNS, len(row.figures))), 2):
                x, y = row.figures[a], row.figures[b]
                yield f"{x.text} - {y.text}", _signed(x) - _signed(y), "money"
    for size in (2, 3):
        for chosen in combinations(plain, size):
            shared = min(len(row.figures) for row in chosen)
            for at in (at for at in _columns(chosen[0], years) if at < shared):
                values = [row.figures[at] for row in chosen]
                if _SUM.search(words):
                    shown = " + ".join(one.text for one in values)
                    yield shown, sum((_signed(one) for one in values), Decimal(0)), "money"
                if _LESS.search(words):
                    *added, less = values
                    shown = " + ".join(one.text for one in added) + f" - {less.text}"
                    yield shown, sum((one.value for one in added), Decimal(0)) - less.value, "money"
    if _AVERAGE.search(words):
        for row in plain:
            held = row.figures[:_COLUMNS]
            if len(held) > 1:
                shown = f"({' + '.join(one.text for one in held)}) / {len(held)}"
                yield shown, sum((_signed(one) for one in held), Decimal(0)) / len(held), "money"


def _signed(figure: Figure) -> Decimal:
    return -figure.value if figure.negative else figure.value
