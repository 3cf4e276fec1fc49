"""Printed page numbers: what the reader of a paper copy calls a page, read from running heads and feet.

A figure in the margin is a page number if it counts on with the pages: on at least three of them the printed number and
the physical one differ by the same amount. Pages between two of a run, and chapter openings before and after, carry no
printed number but count all the same.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from .layout import Layout
from .numbering import roman

MIN_RUN = 3
"""Pages that must agree on an offset."""
RUN_SHARE = 0.3
"""Share of the pages of a run that must print its number: a chance agreement is scattered."""
ROWS = 2
"""Rows looked at from the top and the bottom of a page."""

_EDGE = re.compile(
    r"^(?:page\s+|p\.\s*)?(?P<first>\d{1,4}|[ivxlcdm]{1,8})\b|\b(?P<last>\d{1,4}|[ivxlcdm]{1,8})$", re.IGNORECASE
)


def printed_labels(layout: Layout) -> dict[int, str]:
    """Label of each physical page that belongs to a run of printed numbers: {1: "i", ..., 5: "1", ...}."""
    seen: dict[str, dict[int, set[int]]] = {"arabic": defaultdict(set), "roman": defaultdict(set)}
    for page, texts in _margins(layout):
        for text in texts:
            for kind, value in _numbers(text):
                seen[kind][page - value].add(page)
    total = len(layout.document.pages or ())
    labels: dict[int, str] = {}
    arabic = _runs(seen["arabic"])
    for offset, first, last in arabic:
        start = offset + 1 if not any(end < first for _, _, end in arabic) else first
        for page in range(max(1, start), last + 1):
            labels.setdefault(page, str(page - offset))
    if arabic:
        offset, _, last = arabic[-1]
        labels.update({page: str(page - offset) for page in range(last + 1, total + 1)})
    front = min((page for page in labels), default=total + 1)
    for offset, _, _ in _runs(seen["roman"]):
        for page in range(max(1, offset + 1), front):
            labels.setdefault(page, to_roman(page - offset))
    return labels


def _margins(layout: Layout) -> Iterable[tuple[int, list[str]]]:
    """Each page's number and the texts of its outermost rows."""
    for page, numbers in layout.page_lines():
        rows: list[list[int]] = []
        for number in sorted(numbers, key=lambda n: -layout.box(n).bottom):
            if rows and layout.box(rows[-1][0]).bottom - layout.box(number).bottom <= 3.0:
                rows[-1].append(number)
            else:
                rows.append([number])
        outer = rows if len(rows) <= 2 * ROWS else rows[:ROWS] + rows[-ROWS:]
        yield page, [layout.line(n).text for row in outer for n in row]


def _numbers(text: str) -> Iterable[tuple[str, int]]:
    for match in _EDGE.finditer(text.strip(" -–—|.[]()")):
        word = match["first"] or match["last"]
        if word.isdigit():
            yield "arabic", int(word)
        elif word.islower() and (value := roman(word)) is not None:
            yield "roman", value


def _runs(pages_by_offset: dict[int, set[int]]) -> list[tuple[int, int, int]]:
    """Offset, first and last page of each run, in page order; where two claim a page, the one with more pages has it."""
    counts = Counter({offset: len(pages) for offset, pages in pages_by_offset.items() if len(pages) >= MIN_RUN})
    taken: set[int] = set()
    runs: list[tuple[int, int, int]] = []
    for offset, _ in counts.most_common():
        free = sorted(pages_by_offset[offset] - taken)
        if len(free) < MIN_RUN:
            continue
        first, last = free[0], free[-1]
        # A chance agreement is scattered; a run of numbers stands on a good part of its pages.
        if len(free) < RUN_SHARE * (last - first + 1) or any(first <= page <= last for page in taken):
            continue
        taken.update(range(first, last + 1))
        runs.append((offset, first, last))
    return sorted(runs, key=lambda run: run[1])


def to_roman(value: int) -> str:
    """A number in small Roman figures."""
    result = ""
    for figure, size in (
        ("m", 1000), ("cm", 900), ("d", 500), ("cd", 400), ("c", 100), ("xc", 90),
        ("l", 50), ("xl", 40), ("x", 10), ("ix", 9), ("v", 5), ("iv", 4), ("i", 1),
    ):  # fmt: skip
        while value >= size:
            result, value = result + figure, value - size
    return result
