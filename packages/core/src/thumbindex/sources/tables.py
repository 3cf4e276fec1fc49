"""Tables of HTML and Word files as lines: one row, one line, cells in their column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..text.tables import CELL
from .flow import Flow, Piece

MAX_SPAN = 1000
"""Most columns or rows that a cell can span, as HTML has it; a file may claim millions."""
MAX_COLUMNS = 2000
MAX_JOINING = 5_000_000
"""Cells looked at for columns that are one to the eye. The widest statements of filings take some 200,000."""

_BEFORE = frozenset("$€£¥₹(") | {"US$", "($", "C$", "A$", "HK$", "RMB", "CHF"}
_AFTER = frozenset(")%") | {")%", "%)"}


@dataclass(slots=True)
class Cell:
    """One cell: its text, and how many columns and rows it takes."""

    pieces: list[Piece] = field(default_factory=list)
    columns: int = 1
    rows: int = 1

    @property
    def text(self) -> str:
        return " ".join("".join(piece.text for piece in self.pieces).split())


def write_table(flow: Flow, rows: Sequence[Sequence[Cell]]) -> None:
    """Write a table row by row, a blank line around it.

    Signs in cells of their own (`$`, `)`, `%`) join their figure, columns without any text are left out, columns that are
    one to the eye are one, and a cell over several rows is repeated in each. A table of one row, or of one column, is set
    as text.
    """
    grid = [_joined_signs(row) for row in _grid(rows)]
    _join_columns(grid, _spans(rows))
    width = max((len(row) for row in grid), default=0)
    used = [column for column in range(width) if any(column < len(row) and row[column] for row in grid)]
    filled = [row for row in grid if any(row)]
    single = len(filled) == 1 or len(used) == 1
    for number, row in enumerate(filled):
        # Cells that end a row and are empty say nothing.
        last = max(column for column in range(len(row)) if row[column])
        pieces: list[Piece] = []
        for column in used:
            if column > last:
                break
            if column != used[0]:
                pieces.append(Piece(" " if single else CELL))
            pieces += [replace(piece, text=piece.text.replace("\n", " ")) for piece in row[column]]
        flow.write(pieces, tight=number > 0 and not single)


def _grid(rows: Sequence[Sequence[Cell]]) -> list[list[list[Piece]]]:
    """The cells of each row in their columns; what a cell over several columns says stands in the first."""
    grid: list[list[list[Piece]]] = []
    hanging: dict[int, tuple[int, list[Piece]]] = {}
    for row in rows:
        line: list[list[Piece]] = []
        below: dict[int, tuple[int, list[Piece]]] = {}

        def fill_hanging(
            line: list[list[Piece]] = line,
            below: dict[int, tuple[int, list[Piece]]] = below,
            above: dict[int, tuple[int, list[Piece]]] = hanging,
        ) -> None:
            while len(line) in above:
                left, pieces = above.pop(len(line))
                if left > 1:
                    below[len(line)] = (left - 1, pieces)
                line.append(pieces)

        for cell in row:
            fill_hanging()
            if len(line) >= MAX_COLUMNS:
                break
            pieces = cell.pieces if cell.text else []
            for column in range(max(1, min(cell.columns, MAX_SPAN))):
                here = pieces if column == 0 else []
                if cell.rows > 1:
                    below[len(line)] = (min(cell.rows, MAX_SPAN) - 1, here)
                line.append(here)
        fill_hanging()
        # Cells that hang beyond the end of a short row go on hanging.
        hanging = {**{column: (left - 1, pieces) for column, (left, pieces) in hanging.items() if left > 1}, **below}
        grid.append(line)
    return grid


def _spans(rows: Sequence[Sequence[Cell]]) -> list[tuple[int, int]]:
    """First and last column of each cell with text over several columns, the narrowest first. Rows under a cell that hangs
    from above are left out: their columns are not counted here."""
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


def _join_columns(grid: Sequence[list[list[Piece]]], spans: Sequence[tuple[int, int]]) -> None:
    """Move the texts under one cell into its first column where no row has more than one of them.

    Reports give each figure three columns, for its sign, its digits and a bracket: "2024" stands over all three, "$ 1,234"
    in the first two, and "987" in one or the other.
    """
    left = MAX_JOINING
    for first, last in spans:
        left -= len(grid) * (last - first + 1)
        if left < 0:
            return
        under = [[c for c in range(first, min(last + 1, len(row))) if row[c]] for row in grid]
        if all(len(columns) <= 1 for columns in under):
            for row, columns in zip(grid, under, strict=True):
                if columns and columns[0] != first:
                    row[first], row[columns[0]] = row[columns[0]], row[first]


def _joined_signs(row: Sequence[list[Piece]]) -> list[list[Piece]]:
    """The row with a currency sign or bracket moved into the figure's cell."""
    cells = list(row)
    texts = ["".join(piece.text for piece in cell).strip() for cell in cells]
    for column, text in enumerate(texts):
        if text in _BEFORE:
            to = next((n for n in range(column + 1, min(column + 4, len(cells))) if texts[n]), None)
            if to is not None and texts[to][0] in "0123456789.,(-–—−":
                cells[to], texts[to] = [*_stripped(cells[column]), *_stripped(cells[to])], text + texts[to]
                cells[column], texts[column] = [], ""
        elif text in _AFTER:
            to = next((n for n in range(column - 1, max(column - 4, -1), -1) if texts[n]), None)
            if to is not None and (texts[to][-1].isdigit() or texts[to][-1] in ")—–-"):
                cells[to], texts[to] = [*_stripped(cells[to]), *_stripped(cells[column])], texts[to] + text
                cells[column], texts[column] = [], ""
    return cells


def _stripped(pieces: Iterable[Piece]) -> list[Piece]:
    return [replace(piece, text=piece.text.strip()) for piece in pieces]
