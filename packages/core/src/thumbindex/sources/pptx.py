"""PowerPoint presentations (PPTX), read from their XML: a slide is a page, and its title is a heading.

The parts are read directly (ECMA-376 part 1, PresentationML); nothing but the standard library is needed. Text of shapes,
groups, tables and diagrams comes in the order in which the file has them, and the speaker's notes after it. Left out: dates,
feet and numbers of slides, what the slide's layout prints on each, and the data behind charts. Named sections of a
presentation stand above their slides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from ..errors import DamagedSource
from ..pages import Document, LineRange, Mark, Page
from .archive import Archive, all_named, joined_path, local_name
from .docx import core_properties
from .flow import Flow, Piece
from .tables import Cell, write_table
from .word_styles import whole_number

_MAIN = "ppt/presentation.xml"
_TITLES = frozenset({"title", "ctrTitle"})
_TRUE = frozenset({"1", "true"})
_FURNITURE = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
_LISTED = frozenset({"", "body", "obj"})
"""Kinds of placeholders whose paragraphs are the items of a list."""


def read_pptx(archive: Archive, name: str) -> Document:
    """The document that a presentation holds: page 1 is its first slide. Hidden slides count.

    `metadata` are its core properties: title, author, subject, keywords, dates.

    Raises:
        DamagedSource: its list of slides is missing or broken. EmptySource: no slide holds text. SourceLimit: it is too large.
    """
    if _MAIN not in archive:
        raise DamagedSource(name, "it is a presentation without its list of slides.", "Open it and save it anew.")
    root = archive.xml(_MAIN)
    targets = _relations(archive, _MAIN)
    sections = _sections(root)
    flow = Flow(name)
    starts: list[int | None] = []
    section: str | None = None
    slides = _child(root, "sldIdLst")
    for number, entry in enumerate(() if slides is None else slides, 1):
        section = sections.get(entry.get("id", ""), section)
        before = len(flow.lines)
        part = targets.get(_reference(entry), "")
        title = _Slide(flow, archive, part).write() if part in archive else None
        start = next((n for n in range(before + 1, len(flow.lines) + 1) if flow.lines[n - 1].text), None)
        starts.append(start)
        if start is None:
            continue
        if section is not None:
            flow.marks.append(Mark(section, 1, start, start - 1))
            section = None
        level = 2 if sections else 1
        flow.marks.append(
            Mark(f"Slide {number}", level, start, start - 1)
            if title is None
            else Mark(title.text, level, title.first, title.last)
        )
    document = flow.document("pages", core_properties(archive))
    return replace(document, pages=tuple(_pages(starts, len(document.lines))))


def _pages(starts: Sequence[int | None], count: int) -> Iterator[Page]:
    """The pages, each up to the line before the next; a blank line between two ends the first."""
    following = count + 1
    pages: list[Page] = []
    for number in range(len(starts), 0, -1):
        start = starts[number - 1]
        pages.append(Page(number, None if start is None else LineRange(start, following - 1)))
        following = following if start is None else start
    return reversed(pages)


def _sections(root: Element) -> dict[str, str]:
    """Names of the presentation's sections by the id of their first slide."""
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
    """Writes what one slide holds."""

    def __init__(self, flow: Flow, archive: Archive, part: str) -> None:
        self.flow, self.archive, self.part = flow, archive, part
        self.relations = _relations(archive, part)

    def write(self) -> _Title | None:
        """Write the slide, its title first, and give its title."""
        shapes = list(_shapes(self.archive.xml(self.part)))
        titles = [shape for shape in shapes if _placeholder(shape) in _TITLES]
        title = self._title(titles[0]) if titles else None
        for shape in shapes:
            if title is None or shape is not titles[0]:
                self._shape(shape)
        self._notes()
        return title

    def _title(self, shape: Element) -> _Title | None:
        words = " ".join(" ".join(_text(paragraph).split()) for paragraph in all_named(shape, "p")).strip()
        first = self.flow.write([Piece(words)])
        return None if first is None else _Title(words, first, len(self.flow.lines))

    def _shape(self, shape: Element) -> None:
        kind = _placeholder(shape)
        if kind in _FURNITURE:
            return
        if local_name(shape) == "graphicFrame":
            for table in all_named(shape, "tbl"):
                write_table(self.flow, list(_rows(table)))
            for diagram in all_named(shape, "relIds"):
                self._diagram(diagram)
            return
        self._paragraphs(shape, listed=kind in _LISTED)

    def _paragraphs(self, holder: Element, *, listed: bool, lead: str = "") -> None:
        tight = False
        for paragraph in all_named(holder, "p"):
            settings = _child(paragraph, "pPr")
            level = (whole_number(settings.get("lvl")) if settings is not None else None) or 0
            marker = "- " if listed and (settings is None or _child(settings, "buNone") is None) else ""
            indent = "  " * max(0, min(level, 8))
            if self.flow.write([Piece(lead + marker + _text(paragraph))], tight=tight, indent=indent) is not None:
                tight, lead = listed, ""

    def _diagram(self, frame: Element) -> None:
        data = self.relations.get(next((value for key, value in frame.attrib.items() if key.endswith("}dm")), ""), "")
        if data in self.archive:
            for text in all_named(self.archive.xml(data), "t"):
                # A point of a diagram; the `t` of its runs holds no paragraph.
                if _child(text, "p") is not None:
                    self._paragraphs(text, listed=True)

    def _notes(self) -> None:
        part = next((one for one in self.relations.values() if "/notesSlides/" in one and one in self.archive), None)
        if part is None:
            return
        for shape in _shapes(self.archive.xml(part)):
            if _placeholder(shape) == "body":
                self._paragraphs(shape, listed=False, lead="Notes: ")


def _shapes(slide: Element) -> Iterator[Element]:
    """The shapes of a slide, those in groups too; of alternatives the first."""
    tree = next(all_named(slide, "spTree"), None)
    waiting = [] if tree is None else list(reversed(tree))
    while waiting:
        shape = waiting.pop()
        match local_name(shape):
            case "sp" | "graphicFrame":
                yield shape
            case "grpSp":
                waiting += reversed(shape)
            case "AlternateContent":
                waiting += reversed(shape[0]) if len(shape) else ()
            case _:
                pass


def _placeholder(shape: Element) -> str | None:
    """What kind of placeholder a shape fills, "" for one of no kind; None if it fills none."""
    place = next(all_named(shape, "ph"), None)
    return None if place is None else place.get("type", "")


def _rows(table: Element) -> Iterator[list[Cell]]:
    """The rows of a table; cells that another one covers are left out."""
    for row in table:
        if local_name(row) != "tr":
            continue
        cells: list[Cell] = []
        for cell in row:
            if local_name(cell) == "tc" and cell.get("hMerge") not in _TRUE and cell.get("vMerge") not in _TRUE:
                words = " ".join(_text(paragraph) for paragraph in all_named(cell, "p"))
                columns, rows = (max(1, whole_number(cell.get(key)) or 1) for key in ("gridSpan", "rowSpan"))
                cells.append(Cell([Piece(words)], columns, rows))
        yield cells


def _text(paragraph: Element) -> str:
    """The words of a paragraph, without the number of the slide and the like."""
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
    """Parts that a part refers to, by the id of the reference."""
    folder, _, file = part.rpartition("/")
    listed = f"{folder}/_rels/{file}.rels"
    if listed not in archive:
        return {}
    return {
        relation.get("Id", ""): _part(folder, relation.get("Target", ""))
        for relation in archive.xml(listed)
        if relation.get("TargetMode") != "External"
    }


def _part(folder: str, target: str) -> str:
    """The name of a part as another in a folder names it; a slash begins at the top."""
    return joined_path("" if target.startswith("/") else folder, target)


def _reference(element: Element) -> str:
    """The id by which an element refers to a part: the one attribute `id` that has a namespace."""
    return next((value for key, value in element.attrib.items() if key.endswith("}id")), "")


def _child(element: Element, name: str) -> Element | None:
    return next((one for one in element if local_name(one) == name), None)
