"""Telling that a table goes on behind the end of a page, from the words alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FIGURE = re.compile(r"[(\[$€£¥+~<>]*[-\u2010-\u2015\u2212]?[$€£¥]?\d[\d.,'’]*(?:[%)\]*†‡]|bn?|mn?|k|x)*")
_EMPTY = re.compile(r"[-\u2010-\u2015\u2212]+|n/?[am]|N/?[AM]|nil|[*]+")
_SIGN = re.compile(r"[$€£¥%()]+")
_CONTINUED = re.compile(r"\(?\b(?:continued|cont['’]?d|cont\.|fortsetzung|suite|continuación)\b", re.IGNORECASE)

CELL = " | "
"""Separates the cells of a table row in documents without pages."""
MOST_WORDS = 12
"""Words up to which a line without figures may be a heading or a wrapped label inside a table."""
HEADER_LINES = 3
"""Lines above the first row that name its columns."""


def cells(line: str) -> int:
    """How many figures end a line, cells that are marked as empty among them; 0 where it does not end in a figure."""
    count, is_row = 0, False
    for word in reversed(line.split()):
        if _FIGURE.fullmatch(word):
            count, is_row = count + 1, True
        elif _EMPTY.fullmatch(word):
            count += 1
        elif not _SIGN.fullmatch(word):
            break
    return count if is_row else 0


def table_over_break(before: Sequence[str], after: Sequence[str]) -> tuple[int, int] | None:
    """How many lines at the end of one page and at the start of the next are one table; None where none goes on.

    The rows have the same columns on both sides. What the next page repeats of the table's head, and marks such as
    "(continued)", stand before its first row and are no rows.
    """
    above, columns = _rows_at_end(before)
    if not columns:
        return None
    known = {_plain(line) for line in before}
    start = 0
    while start < len(after) and (_plain(after[start]) in known or _CONTINUED.search(after[start])):
        start += 1
    below = start
    rows = 0
    for number, line in enumerate(after[start:], start + 1):
        count = cells(line)
        if count in columns:
            rows, below = rows + 1, number
        elif count or not _may_be_label(line) or (not rows and number > start + HEADER_LINES):
            break
    least = 1 if max(columns) > 1 else 2
    return (above, below) if rows >= least else None


def _rows_at_end(lines: Sequence[str]) -> tuple[int, set[int]]:
    """How many lines at the end are a table with its head, and the numbers of columns of its rows; none if it is none."""
    columns: set[int] = set()
    rows = taken = 0
    for number, line in enumerate(reversed(lines), 1):
        count = cells(line)
        if count:
            if columns and count not in columns and count + 1 not in columns and count - 1 not in columns:
                break
            columns.add(count)
            rows, taken = rows + 1, number
        elif not _may_be_label(line) or number > taken + HEADER_LINES:
            break
        else:
            continue
    if rows < (2 if columns and max(columns) > 1 else 3):
        return 0, set()
    while taken < len(lines) and _may_be_label(lines[-taken - 1]) and taken < rows + HEADER_LINES * 2:
        taken += 1
    return taken, columns


def _may_be_label(line: str) -> bool:
    words = line.split()
    return 0 < len(words) <= MOST_WORDS and not words[-1].endswith((".", ";", "?", "!"))


def _plain(line: str) -> str:
    return " ".join(line.lower().split())
