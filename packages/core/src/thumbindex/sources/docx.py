"""Word files (DOCX), read from their XML: what Word shows with all changes accepted.

Of the libraries at hand none works out automatic numbers, and none keeps text boxes and notes in their place, so the parts
are read directly (ECMA-376 part 1, WordprocessingML); nothing but the standard library is needed. Headings are the
paragraphs whose style, or whose own settings, give them an outline level. Left out: heads and feet of pages, comments,
deleted and hidden text, printed lists of contents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element

from ..errors import DamagedSource, SourceError
from ..pages import Document, MetadataValue, Style
from .archive import Archive, local_name
from .flow import Flow, Piece
from .tables import Cell, write_table
from .word_numbering import Counter
from .word_styles import ParagraphStyle, read_lists, read_styles, switch, whole_number

_REFERENCE_FIELD = re.compile(
    r"^\s*(?:REF|PAGEREF|NOTEREF)\s+(\S+)|^\s*HYPERLINK\b.*?\\l\s+\"?([^\"\s]+)", re.IGNORECASE
)
_CORE = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "keywords": "keywords",
    "category": "category",
    "description": "description",
    "language": "language",
    "created": "created",
    "modified": "modified",
    "lastModifiedBy": "last_modified_by",
}
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
_SKIPPED = frozenset(
    {"del", "moveFrom", "pPr", "rPr", "sdtPr", "sdtEndPr", "instrText", "delText", "delInstrText", "rt", "Fallback"}
)


@dataclass(slots=True)
class _Paragraph:
    """A paragraph while it is read: its text, and what hangs on it and is written after it."""

    pieces: list[Piece] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


def read_docx(archive: Archive, name: str) -> Document:
    """The document that a Word file holds.

    `metadata` are its core properties: title, author, subject, keywords, dates.

    Raises:
        DamagedSource: its main part is missing or broken. EmptySource: it holds no text. SourceLimit: it is too large.
    """
    main = _main_part(archive, name)
    root = archive.xml(main)
    space = root.tag[: root.tag.find("}") + 1]
    folder = main.rpartition("/")[0]
    flow = Flow(name)
    writer = _Writer(flow, archive, space, folder)
    body = root.find(f"{space}body")
    if body is not None:
        writer.blocks(body)
    metadata = core_properties(archive)
    if writer.titles and "title" not in metadata:
        metadata["title"] = writer.titles[0]
    return flow.document("docx", metadata)


def _main_part(archive: Archive, name: str) -> str:
    if "word/document.xml" in archive:
        return "word/document.xml"
    if "_rels/.rels" in archive:
        for relation in archive.xml("_rels/.rels"):
            target = relation.get("Target", "").lstrip("/")
            if relation.get("Type", "").endswith("/officeDocument") and target in archive:
                return target
    raise DamagedSource(name, "it is a Word file without its text.", "Open it in Word and save it anew.")


def core_properties(archive: Archive) -> dict[str, MetadataValue]:
    """What an Office file says of itself: title, author, subject, keywords, dates."""
    found: dict[str, MetadataValue] = {}
    part = next((one for one in archive.names() if one.lower() == "docprops/core.xml"), None)
    if part is None:
        return found
    try:
        root = archive.xml(part)
    except SourceError:
        return found  # the text is good all the same
    for element in root:
        key = _CORE.get(local_name(element))
        value = " ".join((element.text or "").split())
        if key and value:
            found[key] = value[:500]
    return found


class _Writer:
    """Writes the body down, block by block."""

    def __init__(self, flow: Flow, archive: Archive, space: str, folder: str) -> None:
        self.flow, self.space = flow, space
        self.styles, self.default_style, self.default_size = read_styles(
            self._part(archive, f"{folder}/styles.xml"), space
        )
        self.lists = read_lists(self._part(archive, f"{folder}/numbering.xml"), space, self.styles)
        self.footnotes = self._notes(self._part(archive, f"{folder}/footnotes.xml"), "footnote")
        self.endnotes = self._notes(self._part(archive, f"{folder}/endnotes.xml"), "endnote")
        self.counter = Counter()
        self.titles: list[str] = []
        self.fields: list[_Field] = []
        self.note_numbers: dict[tuple[str, str], int] = {}
        self.waiting: _Paragraph | None = None
        """A paragraph whose end was deleted: it goes on in the next."""

    @staticmethod
    def _part(archive: Archive, path: str) -> Element | None:
        return archive.xml(path) if path in archive else None

    def _notes(self, root: Element | None, kind: str) -> dict[str, Element]:
        found = {} if root is None else {self._get(one, "id") or "": one for one in root if local_name(one) == kind}
        return {key: one for key, one in found.items() if self._get(one, "type") in (None, "normal")}

    def _get(self, element: Element | None, key: str) -> str | None:
        return None if element is None else element.get(self.space + key, element.get(key))

    def _child(self, element: Element | None, *path: str) -> Element | None:
        for name in path:
            element = None if element is None else element.find(self.space + name)
        return element

    def _on(self, properties: Element | None, key: str) -> bool | None:
        """A switch such as `<w:b/>`: on, off ("0"), or not set."""
        return switch(self._child(properties, key), self.space)

    # Blocks

    def blocks(self, parent: Element) -> None:
        """Write the paragraphs and tables of a body, a cell or a text box."""
        for element in parent:
            match local_name(element):
                case "p":
                    self._paragraph(element)
                case "tbl":
                    self._table(element)
                case "AlternateContent":
                    self.blocks(next((one for one in element if local_name(one) == "Choice"), element))
                case "bookmarkStart":
                    self._bookmark(element, self.flow.place)
                case name if name in _SKIPPED or name in ("sectPr", "tblPr", "tblGrid", "tcPr"):
                    pass
                case _:
                    self.blocks(element)

    def _bookmark(self, element: Element, place: Callable[[str], None]) -> None:
        name = self._get(element, "name")
        if name and name != "_GoBack":
            place(name)

    def _paragraph(self, element: Element) -> None:
        properties = self._child(element, "pPr")
        style = self._style_of(properties)
        started, self.waiting = self.waiting, None
        read = started or _Paragraph()
        looks = self._looks(Style(self.default_size), style, None)
        self._runs(element, read, looks, style, None)
        has_text = any(piece.text.strip() for piece in read.pieces)
        if self._child(properties, "rPr", "del") is not None or self._child(properties, "rPr", "moveFrom") is not None:
            # Its end was deleted: with its text gone it never was, else it goes on in the next paragraph.
            if has_text or read.anchors:
                self.waiting = read
            return
        for anchor in read.anchors:
            self.flow.place(anchor)
        numbered, level, list_level = self._number(properties, style)
        if has_text and not style.contents:
            self._write(read, style, numbered, level, list_level)
        self._after(read)

    def _write(
        self, read: _Paragraph, style: ParagraphStyle, numbered: str, level: int | None, list_level: int | None
    ) -> None:
        if style.name.lower() == "title":
            self.titles.append(" ".join("".join(piece.text for piece in read.pieces).split()))
        if level is not None:
            pieces = [Piece(f"{numbered} "), *read.pieces] if numbered and numbered != "•" else read.pieces
            self.flow.write(pieces, level=level + 1)
        elif numbered:
            marker = "- " if numbered == "•" else f"{numbered} "
            self.flow.write(
                [Piece(marker, read.pieces[0].style if read.pieces else None), *read.pieces],
                tight=self._in_list,
                indent="  " * min(list_level or 0, MAX_INDENT),
            )
        else:
            self.flow.write(read.pieces)
        self._in_list = bool(numbered) and level is None

    _in_list = False

    def _after(self, read: _Paragraph) -> None:
        """Write the text boxes and notes of a paragraph below it."""
        for box in read.boxes:
            self.blocks(box)
        for mark, key in read.notes:
            kind, _, number = key.partition(" ")
            note = (self.footnotes if kind == "footnote" else self.endnotes).get(number)
            if note is None:
                continue
            inner = _Paragraph()
            for paragraph in note.iter(f"{self.space}p"):
                style = self._style_of(self._child(paragraph, "pPr"))
                self._runs(paragraph, inner, self._looks(Style(self.default_size), style, None), style, None)
                inner.pieces.append(Piece(" "))
            self.flow.write([Piece(f"{mark} "), *inner.pieces])

    def _style_of(self, properties: Element | None) -> ParagraphStyle:
        key = self._get(self._child(properties, "pStyle"), "val")
        found = self.styles.get(key or self.default_style)
        return found or self.styles.get(self.default_style, ParagraphStyle())

    def _number(self, properties: Element | None, style: ParagraphStyle) -> tuple[str, int | None, int | None]:
        """A paragraph's automatic number, its outline level (0 at the top, None for text) and its level in the list."""
        own = self._child(properties, "numPr")
        list_id = self._get(self._child(own, "numId"), "val") or style.list_id
        stated = whole_number(self._get(self._child(own, "ilvl"), "val"))
        list_level = stated if stated is not None else style.list_level or 0
        numbered = ""
        numbering = self.lists.get(list_id or "0")
        # Empty paragraphs are counted too: Word shows their number.
        if numbering is not None and list_id is not None and 0 <= list_level < 9:
            numbered = self.counter.next(list_id, numbering, list_level)
        outline = whole_number(self._get(self._child(properties, "outlineLvl"), "val"))
        if outline is None:
            outline = style.outline
        level = outline if outline is not None and 0 <= outline < 9 and not style.contents else None
        return numbered, level, list_level

    # Text

    def _looks(self, base: Style, style: ParagraphStyle, own: Element | None) -> Style:
        size = whole_number(self._get(self._child(own, "sz"), "val"))
        bold, italic = self._on(own, "b"), self._on(own, "i")
        return Style(
            size / 2 if size else style.size or base.size,
            "",
            bool(style.bold if bold is None else bold) if bold is not None or style.bold is not None else base.bold,
            bool(style.italic if italic is None else italic)
            if italic is not None or style.italic is not None
            else base.italic,
        )

    def _runs(self, parent: Element, read: _Paragraph, looks: Style, style: ParagraphStyle, link: str | None) -> None:
        for element in parent:
            match local_name(element):
                case "r":
                    self._run(element, read, looks, style, link)
                case "hyperlink":
                    self._runs(element, read, looks, style, self._get(element, "anchor") or link)
                case "fldSimple":
                    self._runs(element, read, looks, style, _field_target(self._get(element, "instr") or "") or link)
                case "bookmarkStart":
                    self._bookmark(element, read.anchors.append)
                case "AlternateContent":
                    self._runs(
                        next((one for one in element if local_name(one) == "Choice"), element), read, looks, style, link
                    )
                case "t" if parent.tag.endswith("}r"):  # of a formula
                    read.pieces.append(Piece(element.text or "", looks, link))
                case name if name in _SKIPPED:
                    pass
                case "txbxContent":
                    read.boxes.append(element)
                case _:
                    self._runs(element, read, looks, style, link)

    def _run(self, run: Element, read: _Paragraph, looks: Style, style: ParagraphStyle, link: str | None) -> None:
        properties = self._child(run, "rPr")
        if self._on(properties, "vanish") or (style.hidden and self._on(properties, "vanish") is None):
            return
        if properties is not None:
            character = self.styles.get(self._get(self._child(properties, "rStyle"), "val") or "")
            if character is not None:
                if character.hidden:
                    return
                looks = self._looks(looks, character, None)
            looks = self._looks(
                looks, replace(ParagraphStyle(), bold=looks.bold, italic=looks.italic, size=looks.size), properties
            )
        for element in run:
            name = local_name(element)
            if name == "fldChar":
                self._field(self._get(element, "fldCharType"))
            elif name == "instrText":
                if self.fields:
                    self.fields[-1].instruction += element.text or ""
            elif any(not one.shown for one in self.fields):
                continue
            else:
                target = next((one.target for one in reversed(self.fields) if one.target), None) or link
                self._content(element, name, read, looks, style, target)

    def _field(self, kind: str | None) -> None:
        if kind == "begin":
            self.fields.append(_Field())
        elif kind == "separate" and self.fields:
            self.fields[-1].shown = True
            self.fields[-1].target = _field_target(self.fields[-1].instruction)
        elif kind == "end" and self.fields:
            self.fields.pop()

    def _content(
        self, element: Element, name: str, read: _Paragraph, looks: Style, style: ParagraphStyle, link: str | None
    ) -> None:
        match name:
            case "t":
                read.pieces.append(Piece((element.text or "").replace("\n", " "), looks, link))
            case "tab" | "ptab":
                read.pieces.append(Piece(" ", looks, link))
            case "br" | "cr":
                # A break of page or column is none of lines.
                read.pieces.append(
                    Piece("\n" if self._get(element, "type") in (None, "textWrapping") else " ", looks, link)
                )
            case "noBreakHyphen":
                read.pieces.append(Piece("-", looks, link))
            case "sym":
                code = self._get(element, "char") or ""
                if re.fullmatch(r"[0-9A-Fa-f]{4}", code) and not code.upper().startswith(
                    "F0"
                ):  # those are pictures of a font
                    read.pieces.append(
                        Piece(chr(int(code, 16)) if not 0xD800 <= int(code, 16) < 0xE000 else "", looks, link)
                    )
            case "footnoteReference" | "endnoteReference":
                self._note(element, name.removesuffix("Reference"), read, looks)
            case "docPr":
                self._described(element, read, looks)
            case "txbxContent":
                read.boxes.append(element)
            case "ruby":
                base = self._child(element, "rubyBase")
                if base is not None:
                    self._runs(base, read, looks, style, link)
            case "AlternateContent":
                chosen = next((one for one in element if local_name(one) == "Choice"), element)
                for child in chosen:
                    self._content(child, local_name(child), read, looks, style, link)
            case _ if name in _SKIPPED:
                pass
            case _:  # drawings, pictures, embedded objects
                for child in element:
                    self._content(child, local_name(child), read, looks, style, link)

    def _note(self, element: Element, kind: str, read: _Paragraph, looks: Style) -> None:
        number = self._get(element, "id") or ""
        notes = self.footnotes if kind == "footnote" else self.endnotes
        if number not in notes or (kind, number) in self.note_numbers:
            return
        count = 1 + sum(one == kind for one, _ in self.note_numbers)
        self.note_numbers[kind, number] = count
        mark = f"[{count}]" if kind == "footnote" else f"[e{count}]"
        read.pieces.append(Piece(mark, looks))
        read.notes.append((mark, f"{kind} {number}"))

    @staticmethod
    def _described(element: Element, read: _Paragraph, looks: Style) -> None:
        text = " ".join((element.get("descr") or "").split())
        if len(text) >= 20:
            read.pieces.append(Piece(f" [image: {text}] ", looks))

    # Tables

    def _table(self, table: Element) -> None:
        self._in_list = False
        rows = list(self._rows(table))
        if self._frames_text(table):
            for row in rows:
                for cell in self._cells(row):
                    self.blocks(cell)
            return
        read = [[self._cell(cell) for cell in self._cells(row)] for row in rows]
        write_table(self.flow, self._merged(rows, read))
        for cells in read:
            for _, paragraph in cells:
                self._after(paragraph)

    def _rows(self, table: Element) -> Iterator[Element]:
        for element in table:
            name = local_name(element)
            if name == "tr":
                if self._child(element, "trPr", "del") is None:
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

    def _frames_text(self, table: Element) -> bool:
        """Whether a table holds headings, or is one box around text: then it is a page's frame and no table."""
        for element in table.iter(f"{self.space}p"):
            properties = self._child(element, "pPr")
            outline = whole_number(self._get(self._child(properties, "outlineLvl"), "val"))
            level = self._style_of(properties).outline if outline is None else outline
            if level is not None and level < 9:
                return True
        cells = sum(1 for _ in table.iter(f"{self.space}tc"))
        return cells == 1

    def _cell(self, cell: Element) -> tuple[Cell, _Paragraph]:
        read = _Paragraph()
        for element in cell.iter(f"{self.space}p"):
            properties = self._child(element, "pPr")
            style = self._style_of(properties)
            looks = self._looks(Style(self.default_size), style, None)
            before = len(read.pieces)
            self._runs(element, read, looks, style, None)
            numbered, _, _ = self._number(properties, style)
            if numbered and numbered != "•":
                read.pieces.insert(before, Piece(f"{numbered} ", looks))
            read.pieces.append(Piece(" "))
        for anchor in read.anchors:
            self.flow.place(anchor)
        span = whole_number(self._get(self._child(cell, "tcPr", "gridSpan"), "val"))
        return Cell(read.pieces, max(1, span or 1)), read

    def _merged(self, rows: Sequence[Element], read: Sequence[Sequence[tuple[Cell, _Paragraph]]]) -> list[list[Cell]]:
        """The cells of each row; one that goes on from the row above says what that says."""
        grid: list[list[Cell]] = []
        above: dict[int, Cell] = {}
        for row, cells in zip(rows, read, strict=True):
            line: list[Cell] = []
            here: dict[int, Cell] = {}
            skipped = whole_number(self._get(self._child(row, "trPr", "gridBefore"), "val")) or 0
            if 0 < skipped < 100:
                line.append(Cell([], skipped))
            column = skipped
            for element, (cell, _) in zip(self._cells(row), cells, strict=True):
                merge = self._child(element, "tcPr", "vMerge")
                if merge is not None and self._get(merge, "val") != "restart" and column in above:
                    cell = Cell(above[column].pieces, cell.columns)
                if merge is not None:
                    here[column] = cell
                line.append(cell)
                column += cell.columns
            above = here
            grid.append(line)
        return grid


MAX_INDENT = 8
"""Steps by which an item of a list is indented at most."""


@dataclass(slots=True)
class _Field:
    """A field while it is read: its instruction is not shown, what follows the instruction is."""

    instruction: str = ""
    shown: bool = False
    target: str | None = None


def _field_target(instruction: str) -> str | None:
    match = _REFERENCE_FIELD.match(instruction)
    return (match[1] or match[2]) if match else None
