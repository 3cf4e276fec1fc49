"""Writing tables of HTML, Word files and presentations: one line per row, with cells in their columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..text.tables import CELL
from .line_writer import LineWriter, TextRun

MAX_SPAN = 1000
"""Columns or rows that a cell can span, as in HTML (4.9.11); a file may claim millions."""
MAX_COLUMNS = 2000
"""Columns of a table."""
MAX_COMPARED = 5_000_000
"""Cells examined for columns that belong together. The widest statements of filings need some 200,000."""
_SIGN_DISTANCE = 3
"""Columns between a sign and its figure: reports give a figure three columns, for its sign, its digits and a bracket."""

_SIGNS_BEFORE = frozenset("$€£¥₹(") | {"US$", "($", "C$", "A$", "HK$", "RMB", "CHF"}
_SIGNS_AFTER = frozenset(")%") | {")%", "%)"}


@dataclass(slots=True)
class Cell:
    """A cell of a table.

    Args:
        runs: Its text.
        columns: Columns that it spans.
        rows: Rows that it spans.
    """

    runs: list[TextRun] = field(default_factory=list)
    columns: int = 1
    rows: int = 1

    @property
    def text(self) -> str:
        """The text on one line."""
        return " ".join("".join(run.text for run in self.runs).split())


def write_table(writer: LineWriter, rows: Sequence[Sequence[Cell]]) -> None:
    """Writes a table row by row, between blank lines.

    Signs in cells of their own (`$`, `)`, `%`) are joined to their figure, columns without text are left out, columns that
    look like one are one, and a cell over several rows is repeated in each. A table of one row or column is written as text.
    """
    grid = [_join_signs(row) for row in _grid(rows)]
    _join_columns(grid, _spans(rows))
    width = max((len(row) for row in grid), default=0)
    used = [column for column in range(width) if any(column < len(row) and row[column] for row in grid)]
    filled = [row for row in grid if any(row)]
    is_single = len(filled) == 1 or len(used) == 1
    for number, row in enumerate(filled):
        # Empty cells at the end of a row carry no information.
        last = max(column for column in range(len(row)) if row[column])
        runs: list[TextRun] = []
        for column in used:
            if column > last:
                break
            if column != used[0]:
                runs.append(TextRun(" " if is_single else CELL))
            runs += [replace(run, text=run.text.replace("\n", " ")) for run in row[column]]
        writer.write(runs, tight=number > 0 and not is_single)


def _grid(rows: Sequence[Sequence[Cell]]) -> list[list[list[TextRun]]]:
    """Returns the text of each column of each row; a cell over several columns has its text in the first."""
    grid: list[list[list[TextRun]]] = []
    # Cells that span further rows: column -> (rows left, text).
    spanning: dict[int, tuple[int, list[TextRun]]] = {}
    for row in rows:
        texts: list[list[TextRun]] = []
        next_spanning: dict[int, tuple[int, list[TextRun]]] = {}

        def fill_spanned(
            texts: list[list[TextRun]] = texts,
            below: dict[int, tuple[int, list[TextRun]]] = next_spanning,
            above: dict[int, tuple[int, list[TextRun]]] = spanning,
        ) -> None:
            while len(texts) in above:
                left, runs = above.pop(len(texts))
                if left > 1:
                    below[len(texts)] = (left - 1, runs)
                texts.append(runs)

        for cell in row:
            fill_spanned()
            if len(texts) >= MAX_COLUMNS:
                break
            runs = cell.runs if cell.text else []
            for column in range(max(1, min(cell.columns, MAX_SPAN))):
                own = runs if column == 0 else []
                if cell.rows > 1:
                    next_spanning[len(texts)] = (min(cell.rows, MAX_SPAN) - 1, own)
                texts.append(own)
        fill_spanned()
        # Spanning cells beyond the end of a short row span the next row too.
        beyond = {column: (left - 1, runs) for column, (left, runs) in spanning.items() if left > 1}
        spanning = {**beyond, **next_spanning}
        grid.append(texts)
    return grid


def _spans(rows: Sequence[Sequence[Cell]]) -> list[tuple[int, int]]:
    """Returns first and last column of each cell with text over several columns, the narrowest first.

    None for a table with cells over several rows, below which columns are shifted.
    """
    spans: set[tuple[int, int]] = set()
    if any(cell.rows > 1 for row in rows for cell in row):
        return []
    for row in rows:
        column = 0
        for cell in row:
            last = min(column + min(cell.columns, MAX_SPAN), MAX_COLUMNS) - 1
            if last > column and cell.text:
                spans.add((column, last))
            column = last + 1
    return sorted(spans, key=lambda span: (span[1] - span[0], span))


def _join_columns(grid: Sequence[list[list[TextRun]]], spans: Sequence[tuple[int, int]]) -> None:
    """Moves texts below a spanning cell into its first column, if no row has more than one text there.

    Reports give each figure three columns, for its sign, its digits and a bracket: "2024" is above all three, "$ 1,234" in
    the first two, and "987" in one or the other.
    """
    budget = MAX_COMPARED
    for first, last in spans:
        budget -= len(grid) * (last - first + 1)
        if budget < 0:
            return
        filled = [[c for c in range(first, min(last + 1, len(row))) if row[c]] for row in grid]
        if all(len(columns) <= 1 for columns in filled):
            for row, columns in zip(grid, filled, strict=True):
                if columns and columns[0] != first:
                    row[first], row[columns[0]] = row[columns[0]], row[first]


def _join_signs(row: Sequence[list[TextRun]]) -> list[list[TextRun]]:
    """Returns the row with currency signs and brackets moved into the cells of their figures."""
    cells = list(row)
    texts = ["".join(run.text for run in cell).strip() for cell in cells]
    for column, text in enumerate(texts):
        if text in _SIGNS_BEFORE:
            following = range(column + 1, min(column + 1 + _SIGN_DISTANCE, len(cells)))
            figure = next((n for n in following if texts[n]), None)
            if figure is not None and texts[figure][0] in "0123456789.,(-–—−":
                cells[figure] = [*_stripped(cells[column]), *_stripped(cells[figure])]
                texts[figure] = text + texts[figure]
                cells[column], texts[column] = [], ""
        elif text in _SIGNS_AFTER:
            preceding = range(column - 1, max(column - 1 - _SIGN_DISTANCE, -1), -1)
            figure = next((n for n in preceding if texts[n]), None)
            if figure is not None and (texts[figure][-1].isdigit() or texts[figure][-1] in ")—–-"):
                cells[figure] = [*_stripped(cells[figure]), *_stripped(cells[column])]
                texts[figure] += text
                cells[column], texts[column] = [], ""
    return cells


def _stripped(runs: Iterable[TextRun]) -> list[TextRun]:
    return [replace(run, text=run.text.strip()) for run in runs]
