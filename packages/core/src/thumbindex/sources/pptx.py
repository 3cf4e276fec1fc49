"""PowerPoint presentations (PPTX), read from their XML: a slide is a page, and its title is a heading.

The parts are read directly (ECMA-376 part 1, PresentationML), with the standard library only. Text of shapes, groups, tables
and diagrams is read in the order of the file, and followed by the speaker's notes. Left out: dates, footers and numbers of
slides, text of slide layouts, and the data of charts. Named sections of a presentation are headings above their slides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from ..errors import DamagedSource
from ..pages import Document, LineRange, Mark, Page
from .archive import Archive, all_named, joined_path, local_name
from .line_writer import LineWriter, TextRun
from .office import core_properties, whole_number
from .tables import Cell, write_table

MAX_INDENT = 8
"""Levels by which an item of a list is indented."""

_MAIN = "ppt/presentation.xml"
_TITLE_PLACEHOLDERS = frozenset({"title", "ctrTitle"})
_TRUE = frozenset({"1", "true"})
_PAGE_PLACEHOLDERS = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
"""Placeholders for headers, footers and slide numbers."""
_LIST_PLACEHOLDERS = frozenset({"", "body", "obj"})
"""Placeholders whose paragraphs are items of a list."""


def read_pptx(archive: Archive, name: str) -> Document:
    """Returns the document in a presentation; its metadata are the file's core properties.

    Page 1 is the first slide; hidden slides count.

    Raises:
        DamagedSource: The list of slides is missing or broken.
        EmptySource: No slide contains text.
        SourceLimit: The file is too large.
    """
    if _MAIN not in archive:
        raise DamagedSource(name, "it is a presentation without its list of slides.", "Open it and save it again.")
    root = archive.xml(_MAIN)
    targets = _relations(archive, _MAIN)
    sections = _sections(root)
    writer = LineWriter(name)
    starts: list[int | None] = []
    section: str | None = None
    slides = _child(root, "sldIdLst")
    for number, entry in enumerate(() if slides is None else slides, 1):
        section = sections.get(entry.get("id", ""), section)
        previous = len(writer.lines)
        part = targets.get(_reference(entry), "")
        title = _Slide(writer, archive, part).write() if part in archive else None
        start = next((n for n in range(previous + 1, len(writer.lines) + 1) if writer.lines[n - 1].text), None)
        starts.append(start)
        if start is None:
            continue
        if section is not None:
            writer.marks.append(Mark(section, 1, start, start - 1))
            section = None
        level = 2 if sections else 1
        writer.marks.append(
            Mark(f"Slide {number}", level, start, start - 1)
            if title is None
            else Mark(title.text, level, title.first, title.last)
        )
    document = writer.document("pages", core_properties(archive))
    return replace(document, pages=tuple(_pages(starts, len(document.lines))))


def _pages(starts: Sequence[int | None], count: int) -> Iterator[Page]:
    """Returns the pages, each up to the line before the next; a blank line between two pages ends the first."""
    following = count + 1
    pages: list[Page] = []
    for number in range(len(starts), 0, -1):
        start = starts[number - 1]
        pages.append(Page(number, None if start is None else LineRange(start, following - 1)))
        following = following if start is None else start
    return reversed(pages)


def _sections(root: Element) -> dict[str, str]:
    """Returns the names of the presentation's sections by the id of their first slide."""
    names: dict[str, str] = {}
    for section in all_named(root, "section"):
        first = next(all_named(section, "sldId"), None)
        title = " ".join(section.get("name", "").split())
        if first is not None and title:
            names[first.get("id", "")] = title
    return names


@dataclass(frozen=True, slots=True)
class _Title:
    """A slide's title and its lines."""

    text: str
    first: int
    last: int


class _Slide:
    """Writes the text of one slide."""

    def __init__(self, writer: LineWriter, archive: Archive, part: str) -> None:
        self.writer, self.archive, self.part = writer, archive, part
        self.relations = _relations(archive, part)

    def write(self) -> _Title | None:
        """Writes the slide, title first, and returns its title."""
        shapes = list(_shapes(self.archive.xml(self.part)))
        titles = [shape for shape in shapes if _placeholder(shape) in _TITLE_PLACEHOLDERS]
        title = self._title(titles[0]) if titles else None
        for shape in shapes:
            if title is None or shape is not titles[0]:
                self._shape(shape)
        self._notes()
        return title

    def _title(self, shape: Element) -> _Title | None:
        words = " ".join(" ".join(_text(paragraph).split()) for paragraph in all_named(shape, "p")).strip()
        first = self.writer.write([TextRun(words)])
        return None if first is None else _Title(words, first, len(self.writer.lines))

    def _shape(self, shape: Element) -> None:
        kind = _placeholder(shape)
        if kind in _PAGE_PLACEHOLDERS:
            return
        if local_name(shape) == "graphicFrame":
            for table in all_named(shape, "tbl"):
                write_table(self.writer, list(_rows(table)))
            for diagram in all_named(shape, "relIds"):
                self._diagram(diagram)
            return
        self._paragraphs(shape, is_list=kind in _LIST_PLACEHOLDERS)

    def _paragraphs(self, parent: Element, *, is_list: bool, prefix: str = "") -> None:
        tight = False
        for paragraph in all_named(parent, "p"):
            properties = _child(paragraph, "pPr")
            level = (whole_number(properties.get("lvl")) if properties is not None else None) or 0
            marker = "- " if is_list and (properties is None or _child(properties, "buNone") is None) else ""
            indent = "  " * max(0, min(level, MAX_INDENT))
            if self.writer.write([TextRun(prefix + marker + _text(paragraph))], tight=tight, indent=indent) is not None:
                tight, prefix = is_list, ""

    def _diagram(self, frame: Element) -> None:
        data = self.relations.get(next((value for key, value in frame.attrib.items() if key.endswith("}dm")), ""), "")
        if data in self.archive:
            for text in all_named(self.archive.xml(data), "t"):
                # A point of a diagram; the `t` of its runs contains no paragraph.
                if _child(text, "p") is not None:
                    self._paragraphs(text, is_list=True)

    def _notes(self) -> None:
        part = next(
            (name for name in self.relations.values() if "/notesSlides/" in name and name in self.archive), None
        )
        if part is None:
            return
        for shape in _shapes(self.archive.xml(part)):
            if _placeholder(shape) == "body":
                self._paragraphs(shape, is_list=False, prefix="Notes: ")


def _shapes(slide: Element) -> Iterator[Element]:
    """Yields the shapes of a slide, also those in groups; of alternatives the first."""
    tree = next(all_named(slide, "spTree"), None)
    pending = [] if tree is None else list(reversed(tree))
    while pending:
        shape = pending.pop()
        match local_name(shape):
            case "sp" | "graphicFrame":
                yield shape
            case "grpSp":
                pending += reversed(shape)
            case "AlternateContent":
                pending += reversed(shape[0]) if len(shape) else ()
            case _:
                pass


def _placeholder(shape: Element) -> str | None:
    """Returns the type of the placeholder that a shape fills, "" for one without a type; None if it fills none."""
    placeholder = next(all_named(shape, "ph"), None)
    return None if placeholder is None else placeholder.get("type", "")


def _rows(table: Element) -> Iterator[list[Cell]]:
    """Yields the rows of a table, without cells that another cell covers."""
    for row in table:
        if local_name(row) != "tr":
            continue
        cells: list[Cell] = []
        for cell in row:
            if local_name(cell) == "tc" and cell.get("hMerge") not in _TRUE and cell.get("vMerge") not in _TRUE:
                words = " ".join(_text(paragraph) for paragraph in all_named(cell, "p"))
                columns, rows = (max(1, whole_number(cell.get(key)) or 1) for key in ("gridSpan", "rowSpan"))
                cells.append(Cell([TextRun(words)], columns, rows))
        yield cells


def _text(paragraph: Element) -> str:
    """Returns the text of a paragraph, without the slide number."""
    parts: list[str] = []
    for run in paragraph:
        match local_name(run):
            case "r":
                parts += [text.text or "" for text in run if local_name(text) == "t"]
            case "br":
                parts.append(" ")
            case "fld" if run.get("type", "") != "slidenum":
                parts += [text.text or "" for text in run if local_name(text) == "t"]
            case _:
                pass
    return "".join(parts)


def _relations(archive: Archive, part: str) -> dict[str, str]:
    """Returns the parts that a part refers to, by the id of the reference."""
    folder, _, file = part.rpartition("/")
    relations = f"{folder}/_rels/{file}.rels"
    if relations not in archive:
        return {}
    return {
        relation.get("Id", ""): _part(folder, relation.get("Target", ""))
        for relation in archive.xml(relations)
        if relation.get("TargetMode") != "External"
    }


def _part(folder: str, target: str) -> str:
    """Returns the path of a part from a target relative to a folder; a target with a slash is relative to the root."""
    return joined_path("" if target.startswith("/") else folder, target)


def _reference(element: Element) -> str:
    """Returns the id by which an element refers to a part: its attribute `id` with a namespace."""
    return next((value for key, value in element.attrib.items() if key.endswith("}id")), "")


def _child(element: Element, name: str) -> Element | None:
    return next((child for child in element if local_name(child) == name), None)
