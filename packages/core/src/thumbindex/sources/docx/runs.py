"""Text of Word paragraphs: runs with their styles, fields, links, and references to notes and text boxes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from ...pages import Style
from ..archive import local_name
from ..line_writer import TextRun
from .parts import Parts
from .styles import HALF_POINTS, ParagraphStyle, StyleSheet

MIN_DESCRIPTION = 20
"""Characters from which the description of an image is text: shorter ones, such as "logo", rarely help."""

SKIPPED = frozenset(
    {"del", "moveFrom", "pPr", "rPr", "sdtPr", "sdtEndPr", "instrText", "delText", "delInstrText", "rt", "Fallback"}
)
"""Elements without visible text: deletions, properties, field instructions, phonetic guides, and second choices."""

_LAST_EDIT_BOOKMARK = "_GoBack"
_REFERENCE_FIELD = re.compile(
    r"^\s*(?:REF|PAGEREF|NOTEREF)\s+(\S+)|^\s*HYPERLINK\b.*?\\l\s+\"?([^\"\s]+)", re.IGNORECASE
)


@dataclass(slots=True)
class Paragraph:
    """A paragraph while it is read.

    Attributes:
        runs: Its text.
        anchors: Names of the bookmarks in it.
        boxes: Text boxes in it, which are written below it.
        notes: Mark, kind and id of each note that it refers to, which are written below it.
    """

    runs: list[TextRun] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    notes: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def has_text(self) -> bool:
        """True if it contains more than white space."""
        return any(run.text.strip() for run in self.runs)


@dataclass(slots=True)
class _Field:
    """A field while it is read: its instruction is hidden, the result after it is shown."""

    instruction: str = ""
    is_shown: bool = False
    target: str | None = None


class RunReader:
    """Reads the text of paragraphs, which fields and numbers of notes connect."""

    def __init__(self, parts: Parts, sheet: StyleSheet) -> None:
        self.footnotes = parts.notes("footnotes", "footnote")
        self.endnotes = parts.notes("endnotes", "endnote")
        self._parts = parts
        self._sheet = sheet
        self._fields: list[_Field] = []
        self._note_numbers: dict[tuple[str, str], int] = {}

    def read(self, parent: Element, paragraph: Paragraph, paragraph_style: ParagraphStyle) -> None:
        """Appends the text below an element to a paragraph."""
        self._read(parent, paragraph, self.paragraph_style(paragraph_style), paragraph_style, None)

    def paragraph_style(self, style: ParagraphStyle) -> Style:
        """Returns the style of text in a paragraph."""
        return self.style(Style(self._sheet.default_size), style)

    def style(self, base: Style, inherited: ParagraphStyle, properties: Element | None = None) -> Style:
        """Returns a style changed by a named style, and by an element's own properties."""
        size = self._parts.number(properties, "sz")
        bold, italic = self._parts.switch(properties, "b"), self._parts.switch(properties, "i")
        bold, italic = inherited.bold if bold is None else bold, inherited.italic if italic is None else italic
        return Style(
            size / HALF_POINTS if size else inherited.size or base.size,
            "",
            base.bold if bold is None else bold,
            base.italic if italic is None else italic,
        )

    def add_bookmark(self, element: Element, add: Callable[[str], None]) -> None:
        """Adds the name of a bookmark, except for the one that Word sets at the last edit."""
        name = self._parts.get(element, "name")
        if name and name != _LAST_EDIT_BOOKMARK:
            add(name)

    def _read(
        self,
        parent: Element,
        paragraph: Paragraph,
        style: Style,
        paragraph_style: ParagraphStyle,
        link: str | None,
    ) -> None:
        for element in parent:
            match local_name(element):
                case "r":
                    self._read_run(element, paragraph, style, paragraph_style, link)
                case "hyperlink":
                    target = self._parts.get(element, "anchor") or link
                    self._read(element, paragraph, style, paragraph_style, target)
                case "fldSimple":
                    target = _field_target(self._parts.get(element, "instr") or "") or link
                    self._read(element, paragraph, style, paragraph_style, target)
                case "bookmarkStart":
                    self.add_bookmark(element, paragraph.anchors.append)
                case "AlternateContent":
                    self._read(first_choice(element), paragraph, style, paragraph_style, link)
                case "t" if parent.tag.endswith("}r"):  # of a formula
                    paragraph.runs.append(TextRun(element.text or "", style, link))
                case name if name in SKIPPED:
                    pass
                case "txbxContent":
                    paragraph.boxes.append(element)
                case _:
                    self._read(element, paragraph, style, paragraph_style, link)

    def _read_run(
        self, run: Element, paragraph: Paragraph, style: Style, paragraph_style: ParagraphStyle, link: str | None
    ) -> None:
        properties = self._parts.child(run, "rPr")
        is_hidden = self._parts.switch(properties, "vanish")
        if is_hidden or (paragraph_style.hidden and is_hidden is None):
            return
        if properties is not None:
            character_style = self._sheet.styles.get(self._parts.value(properties, "rStyle") or "")
            if character_style is not None:
                if character_style.hidden:
                    return
                style = self.style(style, character_style)
            style = self.style(style, ParagraphStyle(), properties)
        for element in run:
            name = local_name(element)
            if name == "fldChar":
                self._read_field(self._parts.get(element, "fldCharType"))
            elif name == "instrText":
                if self._fields:
                    self._fields[-1].instruction += element.text or ""
            elif all(open_field.is_shown for open_field in self._fields):
                targets = (open_field.target for open_field in reversed(self._fields))
                target = next(filter(None, targets), None) or link
                self._read_content(element, name, paragraph, style, paragraph_style, target)

    def _read_field(self, kind: str | None) -> None:
        if kind == "begin":
            self._fields.append(_Field())
        elif kind == "separate" and self._fields:
            self._fields[-1].is_shown = True
            self._fields[-1].target = _field_target(self._fields[-1].instruction)
        elif kind == "end" and self._fields:
            self._fields.pop()

    def _read_content(
        self,
        element: Element,
        name: str,
        paragraph: Paragraph,
        style: Style,
        paragraph_style: ParagraphStyle,
        link: str | None,
    ) -> None:
        match name:
            case "t":
                paragraph.runs.append(TextRun((element.text or "").replace("\n", " "), style, link))
            case "tab" | "ptab":
                paragraph.runs.append(TextRun(" ", style, link))
            case "br" | "cr":
                # A page or column break is not a line break.
                is_line_break = self._parts.get(element, "type") in (None, "textWrapping")
                paragraph.runs.append(TextRun("\n" if is_line_break else " ", style, link))
            case "noBreakHyphen":
                paragraph.runs.append(TextRun("-", style, link))
            case "sym":
                symbol = _symbol(self._parts.get(element, "char") or "")
                if symbol is not None:
                    paragraph.runs.append(TextRun(symbol, style, link))
            case "footnoteReference" | "endnoteReference":
                self._add_note(element, name.removesuffix("Reference"), paragraph, style)
            case "docPr":
                _add_description(element, paragraph, style)
            case "txbxContent":
                paragraph.boxes.append(element)
            case "ruby":
                base = self._parts.child(element, "rubyBase")
                if base is not None:
                    self._read(base, paragraph, style, paragraph_style, link)
            case "AlternateContent":
                for child in first_choice(element):
                    self._read_content(child, local_name(child), paragraph, style, paragraph_style, link)
            case _ if name in SKIPPED:
                pass
            case _:  # drawings, images, embedded objects
                for child in element:
                    self._read_content(child, local_name(child), paragraph, style, paragraph_style, link)

    def _add_note(self, element: Element, kind: str, paragraph: Paragraph, style: Style) -> None:
        note_id = self._parts.get(element, "id") or ""
        notes = self.footnotes if kind == "footnote" else self.endnotes
        if note_id not in notes or (kind, note_id) in self._note_numbers:
            return
        number = 1 + sum(other == kind for other, _ in self._note_numbers)
        self._note_numbers[kind, note_id] = number
        mark = f"[{number}]" if kind == "footnote" else f"[e{number}]"
        paragraph.runs.append(TextRun(mark, style))
        paragraph.notes.append((mark, kind, note_id))


def first_choice(alternatives: Element) -> Element:
    """Returns the preferred one of alternative contents; the element itself where it has none."""
    return next((child for child in alternatives if local_name(child) == "Choice"), alternatives)


def _symbol(code: str) -> str | None:
    """Returns the character of a hexadecimal code; None for the private codes that stand for signs of one font."""
    if not re.fullmatch(r"[0-9A-Fa-f]{4}", code) or code.upper().startswith("F0"):
        return None
    number = int(code, 16)
    return "" if 0xD800 <= number < 0xE000 else chr(number)


def _add_description(element: Element, paragraph: Paragraph, style: Style) -> None:
    text = " ".join((element.get("descr") or "").split())
    if len(text) >= MIN_DESCRIPTION:
        paragraph.runs.append(TextRun(f" [image: {text}] ", style))


def _field_target(instruction: str) -> str | None:
    match = _REFERENCE_FIELD.match(instruction)
    return (match[1] or match[2]) if match else None
