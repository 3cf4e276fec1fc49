"""Laying out recognised lines as a text layer would have them: rows, styles and reading order. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...pages import Box, Line, Style
from .measure import MeasuredLine, ReadPage

SIZE_TOLERANCE = 0.04
"""Share by which measured sizes of one style may differ: whole lines of one size are within 0.02, single words within 0.04 (30
pages at 200 dpi)."""
CLUSTER_WIDTH = 1.2
"""Width of a cluster of sizes, in tolerances."""
BOLD = 1.28
"""Thickness of stems over that of the document's running text from which type is bold.

Regular Times and Helvetica differ by 1.1 as measured, their bold cuts from their regular ones by 1.5 and more.
"""
COLUMN_LINES = 4
"""Lines that each side of a gap must have to be a column."""
COLUMN_CHARACTERS = 22
"""Characters from which a line is running text, as in columns; cells of tables are seldom so long."""
RUNNING_SHARE = 0.6
"""Share of lines of running text in a column."""
CROSSING_SHARE = 0.25
"""Share of a page's lines that may cross the gap between its columns, such as titles and wide figures."""
_GAP_POSITIONS = range(20, 81, 2)
"""Positions at which a gap is looked for, in percent of the text's width."""
SAME_BASELINE = 0.4
"""Distance between the baselines of two pieces of a row, in sizes of the smaller type."""
OVERLAP = 2
"""Points by which the boxes of two pieces of a row may overlap."""
_ROWS_COMPARED = 3
"""Rows that a piece may belong to, from the last."""
DESCENT, ASCENT = 0.22, 0.75
"""Depth and height of a line's box below and above its baseline, in sizes, as for a text layer."""

Row = list[MeasuredLine]
"""Pieces of text on one baseline, from left to right."""


def lay_out(pages: Sequence[ReadPage], styles: Sequence[Style] = ()) -> list[list[Line]]:
    """Returns the lines of each page in reading order, in the few styles of the document.

    Args:
        pages: The pages that were read.
        styles: Styles of the pages with a text layer, the most used first; type that looks like one of them has that style.
    """
    style_set = _StyleSet([line for page in pages for line in page.lines], styles)
    return [[_line(row, style_set) for row in _reading_order(page.lines)] for page in pages]


class _StyleSet:
    """The type sizes of a document, and the thickness of the stems of its running text."""

    def __init__(self, lines: Sequence[MeasuredLine], styles: Sequence[Style]) -> None:
        self._styles = [style for style in styles if style.size > 0 and not style.italic]
        self._font = self._styles[0].font if self._styles else ""
        self._sizes: list[float] = []
        rest = [(line.size, len(line.text)) for line in lines if line.size > 0]
        while rest:
            self._sizes.append(_densest(rest))
            rest = [(size, weight) for size, weight in rest if self._nearest(size) is None]
        self._usual_weight = _weighted_median(
            sorted((line.weight, len(line.text)) for line in lines if line.weight > 0)
        )

    def _nearest(self, measured: float) -> float | None:
        nearest = min(self._sizes, key=lambda size: abs(size - measured), default=None)
        return nearest if nearest is not None and abs(nearest - measured) <= SIZE_TOLERANCE * nearest else None

    def style(self, line: MeasuredLine) -> Style:
        """Returns the style of a line."""
        size = self._nearest(line.size) or line.size
        bold = self._usual_weight > 0 and line.weight > BOLD * self._usual_weight and len(line.text) > 1
        similar = (
            style for style in self._styles if style.bold == bold and abs(style.size - size) <= SIZE_TOLERANCE * size
        )
        # A scanned page among others has their font: one that it alone has would look like a heading's.
        return next(similar, Style(round(size * 2) / 2, self._font, bold))


def _densest(sizes: list[tuple[float, int]]) -> float:
    """Returns the size around which most characters are; `sizes` are pairs of a size and a number of characters."""
    ordered = sorted(sizes)
    best, best_weight = ordered[0][0], 0
    first = weight = 0
    for last, (size, characters) in enumerate(ordered):
        weight += characters
        while ordered[first][0] < size * (1 - CLUSTER_WIDTH * SIZE_TOLERANCE):
            weight -= ordered[first][1]
            first += 1
        if weight > best_weight:
            best_weight = weight
            best = _weighted_median(ordered[first : last + 1])
    return best


def _weighted_median(ordered: Sequence[tuple[float, int]]) -> float:
    half = sum(weight for _, weight in ordered) / 2
    for value, weight in ordered:
        half -= weight
        if half <= 0:
            return value
    return 0.0


def _reading_order(lines: Sequence[MeasuredLine]) -> list[Row]:
    """Returns rows from top to bottom, column after column where the page has columns of running text."""
    gap = _gap(lines)
    if gap is None:
        return _rows(lines)
    ordered: list[Row] = []
    crossing = sorted((line for line in lines if line.left < gap < line.right), key=lambda line: -line.baseline)
    rest = [line for line in lines if not line.left < gap < line.right]
    for divider in [*crossing, None]:
        above = [line for line in rest if divider is None or line.baseline > divider.baseline]
        rest = [line for line in rest if divider is not None and line.baseline <= divider.baseline]
        ordered += _reading_order([line for line in above if line.right <= gap])
        ordered += _reading_order([line for line in above if line.left >= gap])
        if divider is not None:
            ordered.append([divider])
    return ordered


def _gap(lines: Sequence[MeasuredLine]) -> float | None:
    """Returns the position of a gap between two columns of running text, or None."""
    if len(lines) < 2 * COLUMN_LINES:
        return None
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    best: tuple[int, float] | None = None
    for percent in _GAP_POSITIONS:
        position = left + (right - left) * percent / 100
        crossing = sum(line.left < position < line.right for line in lines)
        if crossing > CROSSING_SHARE * len(lines) or (best is not None and crossing >= best[0]):
            continue
        columns = [line for line in lines if line.right <= position], [line for line in lines if line.left >= position]
        if all(_is_running(column) for column in columns):
            best = crossing, position
    return None if best is None else best[1]


def _is_running(lines: Sequence[MeasuredLine]) -> bool:
    running = sum(len(line.text) >= COLUMN_CHARACTERS for line in lines)
    return len(lines) >= COLUMN_LINES and running >= RUNNING_SHARE * len(lines)


def _rows(lines: Iterable[MeasuredLine]) -> list[Row]:
    """Groups lines into rows: pieces on one baseline that do not overlap."""
    rows: list[Row] = []
    for line in sorted(lines, key=lambda line: (-line.baseline, line.left)):
        for row in reversed(rows[-_ROWS_COMPARED:]):
            nearest = min(row, key=lambda piece: abs(piece.left - line.left))
            is_level = abs(nearest.baseline - line.baseline) < SAME_BASELINE * min(nearest.size, line.size)
            if is_level and all(
                line.left > piece.right - OVERLAP or line.right < piece.left + OVERLAP for piece in row
            ):
                row.append(line)
                break
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _line(row: Row, style_set: _StyleSet) -> Line:
    styles = [style_set.style(piece) for piece in row]
    longest = max(range(len(row)), key=lambda index: len(row[index].text))
    size = styles[longest].size
    baseline = row[longest].baseline
    box = Box(
        round(min(piece.left for piece in row), 1),
        round(baseline - DESCENT * size, 1),
        round(max(piece.right for piece in row), 1),
        round(baseline + ASCENT * size, 1),
    )
    return Line(" ".join(piece.text for piece in row), box, styles[longest], styles[0], styles[-1])
