"""Tables that run over the end of a page, recognised by their words alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FIGURE = re.compile(r"[(\[$€£¥+~<>]*[-\u2010-\u2015\u2212]?[$€£¥]?\d[\d.,'’]*(?:[%)\]*†‡]|bn?|mn?|k|x)*")
_EMPTY = re.compile(r"[-\u2010-\u2015\u2212]+|n/?[am]|N/?[AM]|nil|[*]+")
_SYMBOL = re.compile(r"[$€£¥%()]+")
_CONTINUED = re.compile(r"\(?\b(?:continued|cont['’]?d|cont\.|fortsetzung|suite|continuación)\b", re.IGNORECASE)

CELL = " | "
"""Separates the cells of a table row in documents without pages."""
MAX_LABEL_WORDS = 12
"""Words of a line without figures up to which it may be a heading or a wrapped label inside a table."""
HEADER_LINES = 3
"""Lines above the first row that name its columns, at most."""
MIN_ROWS_ABOVE, MIN_ROWS_BELOW = (3, 2), (2, 1)
"""Rows on both sides of the end of a page from which they are a table: with a single column of figures, and with several. A year
at the end of a line of prose looks like a single column."""


def cells(line: str) -> int:
    """Returns the number of figures at the end of a line, including cells marked as empty; 0 if it does not end in a figure."""
    count, is_row = 0, False
    for word in reversed(line.split()):
        if _FIGURE.fullmatch(word):
            count, is_row = count + 1, True
        elif _EMPTY.fullmatch(word):
            count += 1
        elif not _SYMBOL.fullmatch(word):
            break
    return count if is_row else 0


def table_over_break(previous: Sequence[str], following: Sequence[str]) -> tuple[int, int] | None:
    """Returns how many lines at the end of one page and at the start of the next are one table; None where there is none.

    The rows on both sides have the same columns. The next page may repeat the head of the table, or say "(continued)",
    before its first row.

    Args:
        previous: Lines of the page.
        following: Lines of the next page.
    """
    above, columns = _rows_at_end(previous)
    if not columns:
        return None
    known = {_normalized(line) for line in previous}
    start = 0
    while start < len(following) and (_normalized(following[start]) in known or _CONTINUED.search(following[start])):
        start += 1
    below = start
    rows = 0
    for number, line in enumerate(following[start:], start + 1):
        count = cells(line)
        if count in columns:
            rows, below = rows + 1, number
        elif count or not _may_be_label(line) or (not rows and number > start + HEADER_LINES):
            break
    return (above, below) if rows >= MIN_ROWS_BELOW[max(columns) > 1] else None


def _rows_at_end(lines: Sequence[str]) -> tuple[int, set[int]]:
    """Number of lines at the end that are a table with its head, and the numbers of columns of its rows; 0 without one."""
    columns: set[int] = set()
    rows = taken = 0
    for number, line in enumerate(reversed(lines), 1):
        count = cells(line)
        if count:
            if columns and columns.isdisjoint((count - 1, count, count + 1)):
                break
            columns.add(count)
            rows, taken = rows + 1, number
        elif not _may_be_label(line) or number > taken + HEADER_LINES:
            break
    if rows < MIN_ROWS_ABOVE[max(columns, default=0) > 1]:
        return 0, set()
    while taken < len(lines) and _may_be_label(lines[-taken - 1]) and taken < rows + 2 * HEADER_LINES:
        taken += 1
    return taken, columns


def _may_be_label(line: str) -> bool:
    words = line.split()
    return 0 < len(words) <= MAX_LABEL_WORDS and not words[-1].endswith((".", ";", "?", "!"))


def _normalized(line: str) -> str:
    return " ".join(line.lower().split())
