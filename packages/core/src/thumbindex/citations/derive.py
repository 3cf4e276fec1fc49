"""Figures that are computed from the tables of cited pages: which rows a sentence names, and what they come to.

A computed figure proves little by itself: among enough sums and ratios, one fits any number of two digits. So the rows are taken
in the order in which the sentence and its question name them, and the search ends where the chance that something fits by accident
would pass what the names allow: `CHANCE` for rows that are fully named, less for others. Nothing here knows a trade or a language:
no words of accounts, and none that ask for growth or for an average.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations, permutations

from ..text.languages import STOP_WORDS
from ..text.terms import content_terms
from .numbers import Figure, figures

CHANCE = 0.1
"""How likely a figure may fit some formula by accident: formulas tried that come to something of its size, times the share of a
factor of ten (in logarithms, the spread of figures in a report; Benford, 1938) that rounds to it."""
_NEAR = Decimal("3.1623")
"""What is of the same size: within the factor of ten around a figure."""
_LEAST_NAMED = 0.4
"""Share of a label that must be named, its words weighed by how few rows they stand in."""
_MEANT = 0.3
"""A label of which less is named is not what a pair of words means, even where no other row has them."""
_WHOLE = 0.6
"""How well the largest row of a table counts as named where something is divided: shares are shares of the whole."""
_ROWS = 10
_COLUMNS = 3
_LONGEST_LABEL = 120
_LONGEST_HEAD = 7
_APART = 2
"""Words that may stand between those of a label."""
_SOLID = 3
"""Digits that figures must have for their growth to be worth computing: growth of "9" and "10" fits anything."""
_LEADERS = re.compile(r"(?:\.\s?){4,}|…+|_{3,}|·{3,}")
_INITIALS = re.compile(r"(?<![\w&])[^\W\d_a-zß-ÿ](?:[^\W\d_a-zß-ÿ]|&){1,6}(?![\w&])")
_DAY = re.compile(r"[^\W\d_]{3,}\.?\s+\d{1,2}(?=,)|(?<!\d)\d{1,2}\.?\s+[^\W\d_]{3,}\.?(?=\s+(?:19|20)\d\d)")
_STEP = 0.5
"""What a formula of one step more is worth beside a plain one: one less a share, something over an average, three rows."""
_TURNED = 0.8
"""What it is worth where rows stand in another order than they are named in."""


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled line of a table: words of its label, its figures from left to right, and the years above them where they are told."""

    label: str
    terms: frozenset[str]
    figures: tuple[Figure, ...]
    years: tuple[int, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it holds amounts, no percentages."""
        return not any(figure.percent for figure in self.figures)


@dataclass(frozen=True, slots=True)
class _Named:
    """A row, how well it is named, 0 to 1, and after how many words."""

    share: float
    row: Row
    at: float = math.inf


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A formula with `{}` for its operands, what it comes to, and how well its rows are named."""

    weight: float
    formula: str
    operands: tuple[Figure, ...]
    value: Decimal
    is_amount: bool = False
    """Whether it is in the unit of the table."""
    may_fall: bool = False
    """Whether it is told without its sign: as a fall, a loss, a gap."""

    def __str__(self) -> str:
        return self.formula.format(*(figure.text for figure in self.operands))


def rows_of(text: str, language: str) -> Iterator[Row]:
    """The labelled rows of a page, each under the years that the lines above it name."""
    years: tuple[int, ...] = ()
    columns = 0
    is_head = False
    for line in text.splitlines():
        line = _LEADERS.sub("  ", line)
        told = _head_of(line)
        if told is not None:
            # "November 27," and "2015" may stand on two lines of a head.
            years = (*years, *told) if is_head and len(told) < 2 else told
            columns, is_head = len(years), True
            continue
        found = list(figures(line))
        # "Inventories (Notes 1 and 3) 12,483": a figure in a bracket that words open belongs to the label.
        while found and re.search(r"\([^()\d]*[^\W\d_][^()]*\Z", line[: found[0].start]):
            del found[0]
        held = _columns([one for one in found if not one.is_year], columns)
        label = line[: held[0].start] if held else ""
        label = re.sub(r"\([^()]*\)", " ", label).strip(" $€£.:|\t()") or label
        terms = frozenset(_words(label, language))
        if terms and len(label) < _LONGEST_LABEL:
            columns, is_head = len(held), False
            yield Row(" ".join(label.split()), terms, held, years if len(years) == len(held) else ())


def _head_of(line: str) -> tuple[int, ...] | None:
    """The years of a line that names years, days and months and no other figures; None for other lines."""
    found = list(figures(_DAY.sub(" ", line)))
    years = tuple(int(one.value) for one in found if one.is_year)
    if len(years) < len(found) or not (years or _DAY.search(line)):
        return None
    # A sentence may speak of a year; a head says little beside it.
    return years if len(years) > 1 or len(line.split()) < _LONGEST_HEAD else None


def _columns(held: Sequence[Figure], expected: int) -> tuple[Figure, ...]:
    """The figures of a row: "167 203 236" is three columns and no number of nine digits, "328 183" two where two are expected."""
    parted = [one for figure in held for one in _parts(figure)]
    if any(len(figure.text.split()) > 2 for figure in held) or (len(held) != expected == len(parted)):
        return tuple(parted)
    return tuple(held)


def _parts(figure: Figure) -> Iterator[Figure]:
    digits = figure.text.split()
    if len(digits) < 2 or not all(one.isdigit() for one in digits):
        yield figure
        return
    for one in figures("  ".join(digits)):
        yield replace(one, start=figure.start, end=figure.end)


def _words(text: str, language: str) -> list[str]:
    """The words that say what a label or a sentence is about, as stems."""
    terms = (term for term in content_terms(text, language) if not term[0].isdigit())
    return [term for term in terms if len(term) > 2 or not term.isascii()]


def derive(claim: Figure, words: str, tables: Sequence[Sequence[Row]], scales: Iterable[int], language: str) -> str:
    """How a claimed figure comes from rows that are named, as a formula; "" if it does not.

    Args:
        words: The sentence and whatever else says what is meant: its question, what stands before it.
        tables: The rows of each cited page.
        scales: Powers of ten that the pages state for their tables.
    """
    if claim.digits < 2 or claim.is_year:
        return ""
    tolerance = Decimal(claim.step) / 2
    share = _share_of_decade(claim, tolerance)
    years = frozenset(int(one.value) for one in figures(words) if one.is_year)
    powers = (0, *scales)
    readings = [
        (candidate, [abs(candidate.value).scaleb(power) for power in (powers if candidate.is_amount else (0,))])
        for candidate in _candidates(tables, words, years, claim, language)
        # One that could not be accepted even if it were the first need not be tried.
        if share <= CHANCE * candidate.weight and (candidate.value >= 0 or candidate.may_fall or claim.negative)
    ]
    # Only what is of the claim's size might fit it by accident.
    tries = [
        (candidate, values)
        for candidate, values in readings
        if any(one / _NEAR <= value <= one * _NEAR for value in values for one in claim.values)
    ]
    tries.sort(key=lambda one: -one[0].weight)
    for tried, (candidate, values) in enumerate(tries, 1):
        if tried * share > CHANCE * candidate.weight:
            return ""
        if any(abs(value - one) <= tolerance for value in values for one in claim.values):
            return str(candidate)
    return ""


def _share_of_decade(claim: Figure, tolerance: Decimal) -> float:
    """The share of a decade, in logarithms, whose figures round to the claim."""
    if not claim.value:
        return 1.0
    return float(2 * tolerance / claim.value) / math.log(10)


def _named(tables: Sequence[Sequence[Row]], words: str, language: str) -> list[_Named]:
    """How well each row is named, the best first: how much of its label stands close together in the words.

    A word weighs the more the fewer rows have it. Where two words or more are named together, the row that has most of them in its
    label is the one that is meant, however long its label.
    """
    rows = list(
        {(row.terms, tuple(one.value for one in row.figures)): row for table in tables for row in table}.values()
    )
    stream = _words(words, language)
    places: dict[str, list[int]] = {}
    for at, term in enumerate(stream):
        places.setdefault(term, []).append(at)
    spread = Counter(term for row in rows for term in row.terms)
    weights = {term: math.log(1 + len(rows) / count) for term, count in spread.items()}
    shorts = _INITIALS.findall(words)
    found: list[tuple[Row, float, frozenset[str]]] = []
    most: dict[frozenset[str], float] = {}
    for row in rows:
        together = max(
            (_together(row, places), *_abbreviated(row, shorts, language)),
            key=lambda terms: _sum(weights, terms),
            default=frozenset[str](),
        )
        share = _sum(weights, together) / _sum(weights, row.terms)
        found.append((row, share, together))
        most[together] = max(most.get(together, 0.0), share)
    named = []
    for row, share, together in found:
        is_meant = (
            len(together) > 1
            and share >= max(_MEANT, most[together])
            and all(not together < other or more < share for other, more in most.items())
        )
        first_named = min((float(places[term][0]) for term in together if term in places), default=math.inf)
        named.append(_Named((1 + share) / 2 if is_meant else share, row, first_named))
    return sorted(named, key=lambda one: -one.share)


def _together(row: Row, places: Mapping[str, Sequence[int]]) -> frozenset[str]:
    """The most words of a row's label that stand close together."""
    hits = sorted((at, term) for term in row.terms for at in places.get(term, ()))
    best: frozenset[str] = frozenset()
    first = 0
    for last, (at, _) in enumerate(hits):
        while at - hits[first][0] >= len(row.terms) + _APART:
            first += 1
        terms = frozenset(term for _, term in hits[first : last + 1])
        best = max(best, terms, key=len)
    return best


def _abbreviated(row: Row, shorts: Iterable[str], language: str) -> Iterator[frozenset[str]]:
    """Words of a label whose initials the text has: "R&D" is research and development, "COGS" cost of goods sold."""
    every = [word.casefold() for word in re.findall(r"[^\W\d_]+", row.label)]
    telling = [word for word in every if word not in STOP_WORDS.get(language, ())]
    for short in shorts:
        letters = [letter.casefold() for letter in short if letter.isalpha()]
        for label in (telling, every):
            for start in range(len(label) - len(letters) + 1):
                spelled = label[start : start + len(letters)]
                if [word[0] for word in spelled] == letters:
                    yield frozenset(_words(" ".join(spelled), language)) & row.terms


def _sum(weights: Mapping[str, float], terms: Iterable[str]) -> float:
    return math.fsum(weights[term] for term in terms)


def _wholes(tables: Sequence[Sequence[Row]]) -> Iterator[Row]:
    """The largest row of each table: of those that have as many columns, under the same years."""
    for table in tables:
        groups: dict[tuple[tuple[int, ...], int], list[Row]] = {}
        for row in table:
            if row.is_plain and min(one.digits for one in row.figures) >= _SOLID:
                groups.setdefault((row.years, len(row.figures)), []).append(row)
        for rows in groups.values():
            if len(rows) > 2:
                yield max(rows, key=lambda row: row.figures[0].value)


def _candidates(
    tables: Sequence[Sequence[Row]], words: str, years: frozenset[int], claim: Figure, language: str
) -> Iterator[_Candidate]:
    named = _named(tables, words, language)
    best = [one for one in named if one.share >= _LEAST_NAMED][:_ROWS]
    plain = [one for one in best if one.row.is_plain]
    if claim.percent:
        for one in best:
            yield from _changes(one, years)
    # A ratio is told with its decimals: whole numbers are counts and days.
    if claim.percent or claim.step < 1:
        shares = {one.row: one.share for one in plain}
        wholes = [row for row in _wholes(tables) if shares.get(row, 0.0) < _WHOLE]
        whole = [one for one in plain if one.row not in wholes] + [_Named(_WHOLE, row) for row in wholes]
        yield from _quotients(plain, whole, years, in_percent=claim.percent)
    if not claim.percent:
        yield from _amounts(plain, years)


def _years_of(row: Row, years: frozenset[int]) -> list[int]:
    """Which of a row's columns belong to the years that are named; the first few where that is not told."""
    asked = [at for at, year in enumerate(row.years) if year in years]
    return asked or list(range(min(_COLUMNS, len(row.figures))))


def _changes(one: _Named, years: frozenset[int]) -> Iterator[_Candidate]:
    """Growth from column to column, and differences of percentages."""
    columns = _years_of(one.row, years)
    for at, before in permutations(range(len(one.row.figures)), 2):
        if not {at, before} & set(columns) or (len(columns) > 1 and not {at, before} <= set(columns)):
            continue
        x, y = one.row.figures[at], one.row.figures[before]
        if x.percent and y.percent:
            if x.value > y.value:
                yield _Candidate(one.share, "{} - {}", (x, y), x.value - y.value)
        elif not (x.percent or y.percent) and min(x.digits, y.digits) >= _SOLID and abs(at - before) == 1 and y.value:
            growth = (_signed(x) - _signed(y)) / y.value * 100
            # Reports put the later year first.
            yield _Candidate(
                one.share * (1 if at < before else _STEP), "({0} - {1}) / {1}", (x, y), growth, may_fall=True
            )


def _quotients(
    plain: Sequence[_Named], wholes: Sequence[_Named], years: frozenset[int], *, in_percent: bool
) -> Iterator[_Candidate]:
    """One row, or the sum of two, over another: in a column, over the average of two columns, or on average."""
    factor = Decimal(100) if in_percent else Decimal(1)
    for over, formula in _numerators(plain):
        for under in wholes:
            if under.row in (one.row for one in over):
                continue
            weight = math.prod(one.share for one in over) * under.share * (_STEP if len(over) > 1 else 1)
            weight *= _TURNED if under.at < over[0].at else 1
            rows = [one.row for one in over]
            shared = min(len(row.figures) for row in (*rows, under.row))
            values = [sum((_signed(row.figures[at]) for row in rows), Decimal(0)) for at in range(shared)]
            held = under.row.figures
            for at in (at for at in _years_of(rows[0], years) if at < shared and held[at].value):
                operands = (*(row.figures[at] for row in rows), held[at])
                quotient = values[at] / held[at].value
                yield _Candidate(weight, f"{formula} / {{}}", operands, quotient * factor)
                if in_percent and len(over) == 1:
                    yield _Candidate(weight * _STEP, "1 - {} / {}", operands, (1 - quotient) * factor)
                if at + 1 < len(held) and (both := held[at].value + held[at + 1].value):
                    yield _Candidate(
                        weight * _STEP, f"{formula} / (({{}} + {{}}) / 2)", (*operands, held[at + 1]),
                        2 * values[at] / both * factor,
                    )  # fmt: skip
            columns = range(min(shared, _COLUMNS))
            if len(columns) > 1 and all(held[at].value for at in columns):
                mean = sum((values[at] / held[at].value for at in columns), Decimal(0)) / len(columns)
                shown = f"({' + '.join([f'{formula} / {{}}'] * len(columns))}) / {len(columns)}"
                operands = tuple(one for at in columns for one in (*(row.figures[at] for row in rows), held[at]))
                yield _Candidate(weight * _STEP, shown, operands, mean * factor)


def _numerators(plain: Sequence[_Named]) -> Iterator[tuple[tuple[_Named, ...], str]]:
    """Rows to divide, and their formula."""
    for one in plain:
        yield (one,), "{}"
    for one, other in combinations(plain, 2):
        yield (one, other), "({} + {})"


def _amounts(plain: Sequence[_Named], years: frozenset[int]) -> Iterator[_Candidate]:
    """Differences and averages within a row; sums and differences of two rows or three in a column."""
    for one in plain:
        held = one.row.figures[:_COLUMNS]
        for pair in combinations(held, 2):
            x, y = sorted(pair, key=_signed, reverse=True)
            yield _Candidate(one.share, "{} - {}", (x, y), _signed(x) - _signed(y), is_amount=True, may_fall=True)
        if len(held) > 1:
            mean = sum((_signed(figure) for figure in held), Decimal(0)) / len(held)
            shown = f"({' + '.join(['{}'] * len(held))}) / {len(held)}"
            yield _Candidate(one.share * _STEP, shown, held, mean, is_amount=True, may_fall=True)
    for size in (2, 3):
        for chosen in combinations(plain, size):
            weight = math.prod(one.share for one in chosen) * (_STEP if size > 2 else 1)
            shared = min(len(one.row.figures) for one in chosen)
            for at in (at for at in _years_of(chosen[0].row, years) if at < shared):
                operands = tuple(one.row.figures[at] for one in chosen)
                if size == 2:
                    operands = tuple(sorted(operands, key=_signed, reverse=True))
                *added, last = (_signed(figure) for figure in operands)
                total = sum(added, Decimal(0))
                shown = " + ".join(["{}"] * (size - 1))
                yield _Candidate(weight, f"{shown} + {{}}", operands, total + last, is_amount=True, may_fall=True)
                yield _Candidate(weight, f"{shown} - {{}}", operands, total - last, is_amount=True, may_fall=True)


def _signed(figure: Figure) -> Decimal:
    return -figure.value if figure.negative else figure.value
