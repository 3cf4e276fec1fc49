"""Writing the body of a Word file: paragraphs with their numbers, notes and text boxes, and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from xml.etree.ElementTree import Element

from ..archive import local_name
from ..line_writer import LineWriter, TextRun
from ..office import whole_number
from ..tables import Cell, write_table
from .numbering import BULLET, MAX_LEVELS, Counter
from .parts import Parts
from .runs import SKIPPED, Paragraph, RunReader, first_choice
from .styles import BODY_LEVEL, ParagraphStyle, read_lists, read_styles

MAX_INDENT = 8
"""Levels by which an item of a list is indented."""
MAX_SKIPPED_COLUMNS = 99
"""Columns that a row may leave out at its start; a file may claim millions."""

_WRAPPERS = frozenset(
    {
        "ins",
        "moveTo",
        "smartTag",
        "customXml",
        "sdt",
        "sdtContent",
        "fldSimple",
        "hyperlink",
        "dir",
        "bdo",
        "AlternateContent",
    }
)
_PROPERTIES = frozenset({"sectPr", "tblPr", "tblGrid", "tcPr"})


class BodyWriter:
    """Writes the body of a Word file block by block.

    Args:
        embed: Writes the part that an `altChunk` embeds (ECMA-376 part 1, section 17.17.2.1).

    Attributes:
        titles: Texts of the paragraphs in the style "Title".
    """

    def __init__(self, writer: LineWriter, parts: Parts, embed: Callable[[Element], None]) -> None:
        self.titles: list[str] = []
        self._writer = writer
        self._embed = embed
        self._parts = parts
        self._sheet = read_styles(parts)
        self._lists = read_lists(parts, self._sheet.styles)
        self._runs = RunReader(parts, self._sheet)
        self._counter = Counter()
        self._is_in_list = False
        # A paragraph whose end was deleted, which continues in the next one.
        self._unfinished: Paragraph | None = None

    def write_blocks(self, parent: Element) -> None:
        """Writes the paragraphs and tables of a body, a cell or a text box."""
        for element in parent:
            match local_name(element):
                case "p":
                    self._write_paragraph(element)
                case "tbl":
                    self._write_table(element)
                case "AlternateContent":
                    self.write_blocks(first_choice(element))
                case "altChunk":
                    self._embed(element)
                case "bookmarkStart":
                    self._runs.add_bookmark(element, self._writer.add_anchor)
                case name if name in SKIPPED or name in _PROPERTIES:
                    pass
                case _:
                    self.write_blocks(element)

    # Paragraphs

    def _write_paragraph(self, element: Element) -> None:
        properties = self._parts.child(element, "pPr")
        style = self._style(properties)
        unfinished, self._unfinished = self._unfinished, None
        paragraph = unfinished or Paragraph()
        self._runs.read(element, paragraph, style)
        deletions = (self._parts.child(properties, "rPr", name) for name in ("del", "moveFrom"))
        if any(deletion is not None for deletion in deletions):
            # Its end was deleted: it continues in the next paragraph, or is gone if its text was deleted too.
            if paragraph.has_text or paragraph.anchors:
                self._unfinished = paragraph
            return
        for anchor in paragraph.anchors:
            self._writer.add_anchor(anchor)
        number, level, list_level = self._number(properties, style)
        if paragraph.has_text and not style.contents:
            self._write_text(paragraph, style, number, level, list_level)
        self._write_attached(paragraph)

    def _write_text(
        self, paragraph: Paragraph, style: ParagraphStyle, number: str, level: int | None, list_level: int | None
    ) -> None:
        runs = paragraph.runs
        if style.name.lower() == "title":
            self.titles.append(" ".join("".join(run.text for run in runs).split()))
        if level is not None:
            has_number = number and number != BULLET
            self._writer.write([TextRun(f"{number} "), *runs] if has_number else runs, level=level + 1)
        elif number:
            marker = "- " if number == BULLET else f"{number} "
            self._writer.write(
                [TextRun(marker, runs[0].style if runs else None), *runs],
                tight=self._is_in_list,
                indent="  " * min(list_level or 0, MAX_INDENT),
            )
        else:
            self._writer.write(runs)
        self._is_in_list = bool(number) and level is None

    def _write_attached(self, paragraph: Paragraph) -> None:
        """Writes the text boxes and notes of a paragraph below it."""
        for box in paragraph.boxes:
            self.write_blocks(box)
        for mark, kind, note_id in paragraph.notes:
            note = (self._runs.footnotes if kind == "footnote" else self._runs.endnotes).get(note_id)
            if note is None:
                continue
            text = Paragraph()
            for element in note.iter(f"{self._parts.namespace}p"):
                self._runs.read(element, text, self._style(self._parts.child(element, "pPr")))
                text.runs.append(TextRun(" "))
            self._writer.write([TextRun(f"{mark} "), *text.runs])

    def _style(self, properties: Element | None) -> ParagraphStyle:
        styles, default = self._sheet.styles, self._sheet.default
        return styles.get(self._parts.value(properties, "pStyle") or default) or styles.get(default, ParagraphStyle())

    def _number(self, properties: Element | None, style: ParagraphStyle) -> tuple[str, int | None, int | None]:
        """Returns a paragraph's automatic number, its outline level (0 at the top, None for text) and its list level."""
        list_id = self._parts.value(properties, "numPr", "numId") or style.list_id
        list_level = self._parts.number(properties, "numPr", "ilvl")
        if list_level is None:
            list_level = style.list_level or 0
        number = ""
        numbering = self._lists.get(list_id or "0")
        # Empty paragraphs are counted too: Word shows their number.
        if numbering is not None and list_id is not None and 0 <= list_level < MAX_LEVELS:
            number = self._counter.next(list_id, numbering, list_level)
        outline = self._outline_level(properties, style)
        level = outline if outline is not None and 0 <= outline < BODY_LEVEL and not style.contents else None
        return number, level, list_level

    def _outline_level(self, properties: Element | None, style: ParagraphStyle) -> int | None:
        level = self._parts.number(properties, "outlineLvl")
        return style.outline if level is None else level

    # Tables

    def _write_table(self, table: Element) -> None:
        self._is_in_list = False
        rows = list(self._rows(table))
        if self._is_frame(table):
            for row in rows:
                for cell in self._cells(row):
                    self.write_blocks(cell)
            return
        cells = [[self._read_cell(cell) for cell in self._cells(row)] for row in rows]
        write_table(self._writer, self._merged(rows, cells))
        for row_cells in cells:
            for _, paragraph in row_cells:
                self._write_attached(paragraph)

    def _rows(self, table: Element) -> Iterator[Element]:
        for element in table:
            name = local_name(element)
            if name == "tr":
                if self._parts.child(element, "trPr", "del") is None:
                    yield element
            elif name in _WRAPPERS:
                yield from self._rows(element)

    def _cells(self, row: Element) -> Iterator[Element]:
        for element in row:
            name = local_name(element)
            if name == "tc":
                yield element
            elif name in _WRAPPERS:
                yield from self._cells(element)

    def _is_frame(self, table: Element) -> bool:
        """Returns whether a table contains headings, or is one box around text: then it is layout, not a table."""
        for element in table.iter(f"{self._parts.namespace}p"):
            properties = self._parts.child(element, "pPr")
            level = self._outline_level(properties, self._style(properties))
            if level is not None and level < BODY_LEVEL:
                return True
        return sum(1 for _ in table.iter(f"{self._parts.namespace}tc")) == 1

    def _read_cell(self, cell: Element) -> tuple[Cell, Paragraph]:
        """Returns a cell, and its paragraphs as one."""
        paragraph = Paragraph()
        for element in cell.iter(f"{self._parts.namespace}p"):
            properties = self._parts.child(element, "pPr")
            style = self._style(properties)
            start = len(paragraph.runs)
            self._runs.read(element, paragraph, style)
            number, _, _ = self._number(properties, style)
            if number and number != BULLET:
                paragraph.runs.insert(start, TextRun(f"{number} ", self._runs.paragraph_style(style)))
            paragraph.runs.append(TextRun(" "))
        for anchor in paragraph.anchors:
            self._writer.add_anchor(anchor)
        columns = self._parts.number(cell, "tcPr", "gridSpan")
        return Cell(paragraph.runs, max(1, columns or 1)), paragraph

    def _merged(self, rows: Sequence[Element], cells: Sequence[Sequence[tuple[Cell, Paragraph]]]) -> list[list[Cell]]:
        """Returns the cells of each row; a cell merged with the one above has the text of that."""
        grid: list[list[Cell]] = []
        above: dict[int, Cell] = {}
        for row, row_cells in zip(rows, cells, strict=True):
            line: list[Cell] = []
            merging: dict[int, Cell] = {}
            skipped = whole_number(self._parts.value(row, "trPr", "gridBefore")) or 0
            if 0 < skipped <= MAX_SKIPPED_COLUMNS:
                line.append(Cell([], skipped))
            column = skipped
            for element, (cell, _) in zip(self._cells(row), row_cells, strict=True):
                merge = self._parts.child(element, "tcPr", "vMerge")
                if merge is not None and self._parts.get(merge, "val") != "restart" and column in above:
                    cell = Cell(above[column].runs, cell.columns)
                if merge is not None:
                    merging[column] = cell
                line.append(cell)
                column += cell.columns
            above = merging
            grid.append(line)
        return grid
