"""The labelled rows of the tables of a page, as its text shows them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..text.terms import content_terms
from .figures import Figure, figures

_LONGEST_LABEL = 120
"""Characters of a label beyond which a line is prose."""
_LONGEST_HEAD = 7
"""Words from which a line that names one year is a sentence and no head of a table."""
_SHORTEST_TERM = 3
"""Letters from which a term in an alphabet says what a label is about."""
_LEADERS = re.compile(r"(?:\.\s?){4,}|…+|_{3,}|·{3,}")
_OPEN_NOTE = re.compile(r"\((?:[^()\w]|_)*+[^\W\d_][^()]*+\Z")
_NOTE = re.compile(r"\([^()]*\)")
_DAY = re.compile(
    r"(?<![^\W\d_])[^\W\d_]{3,}+\.?\s++\d{1,2}(?=,)|(?<!\d)\d{1,2}\.?\s++[^\W\d_]{3,}+\.?(?=\s++(?:19|20)\d\d)"
)


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled line of a table.

    Args:
        terms: The terms of its label.
        figures: From left to right.
        years: Of each figure, as the lines above name them; empty where they do not.
    """

    label: str
    terms: frozenset[str]
    figures: tuple[Figure, ...]
    years: tuple[int, ...] = ()

    @property
    def has_amounts(self) -> bool:
        """True if its figures are amounts, not percentages."""
        return not any(figure.percent for figure in self.figures)


def rows_of(text: str, language: str) -> Iterator[Row]:
    """Yields the labelled rows of a page, each with the years that the lines above it name."""
    years: tuple[int, ...] = ()
    columns = 0
    follows_head = False
    for line in text.splitlines():
        line = _LEADERS.sub("  ", line)
        head = _years_of_head(line)
        if head is not None:
            # "November 27," and "2015" may stand on two lines of a head.
            years = (*years, *head) if follows_head and len(head) < 2 else head
            columns, follows_head = len(years), True
            continue
        found = list(figures(line))
        # "Inventories (Notes 1 and 3) 12,483": a figure in a bracket that words open belongs to the label.
        while found and _OPEN_NOTE.search(line[: found[0].start]):
            del found[0]
        row = _columns([figure for figure in found if not figure.is_year], columns)
        label = line[: row[0].start] if row else ""
        label = _NOTE.sub(" ", label).strip(" $€£.:|\t()") or label
        terms = frozenset(label_terms(label, language))
        if terms and len(label) < _LONGEST_LABEL:
            columns, follows_head = len(row), False
            yield Row(" ".join(label.split()), terms, row, years if len(years) == len(row) else ())


def label_terms(text: str, language: str) -> list[str]:
    """Returns the terms that say what a label or a sentence is about, as stems, in their order."""
    terms = (term for term in content_terms(text, language) if not term[0].isdigit())
    return [term for term in terms if len(term) >= _SHORTEST_TERM or not term.isascii()]


def _years_of_head(line: str) -> tuple[int, ...] | None:
    """Returns the years of a line that names years, days and months and no other figures; None for other lines."""
    found = list(figures(_DAY.sub(" ", line)))
    years = tuple(int(figure.value) for figure in found if figure.is_year)
    if len(years) < len(found) or not (years or _DAY.search(line)):
        return None
    # A sentence may speak of a year; a head says little beside it.
    return years if len(years) > 1 or len(line.split()) < _LONGEST_HEAD else None


def _columns(row: Sequence[Figure], expected: int) -> tuple[Figure, ...]:
    """Returns the figures of a row, those that run over several columns taken apart.

    "167 203 236" is three columns and no number of nine digits, "328 183" two where two are expected.
    """
    parts = [part for figure in row for part in _parts(figure)]
    if any(len(figure.text.split()) > 2 for figure in row) or (len(row) != expected == len(parts)):
        return tuple(parts)
    return tuple(row)


def _parts(figure: Figure) -> Iterator[Figure]:
    groups = figure.text.split()
    if len(groups) < 2 or not all(group.isdigit() for group in groups):
        yield figure
        return
    for part in figures("  ".join(groups)):
        yield replace(part, start=figure.start, end=figure.end)
