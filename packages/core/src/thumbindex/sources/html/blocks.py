"""Collecting the text of HTML elements into paragraphs, headings, list items and tables, and writing these."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ...pages import Mark, Style
from ..line_writer import LineWriter, TextRun
from ..number_formats import ALPHABET, LARGEST_ROMAN, roman_numeral
from ..tables import Cell, write_table
from .headers_footers import MIN_REPEATS, is_back_link
from .titles import is_bullet, link_alone, title_style

_NUMBER = re.compile(r"-?\d{1,6}")
_SPAN = re.compile(r"\d{1,5}")


@dataclass(slots=True)
class _List:
    """An open list.

    Attributes:
        number: Number of its next item; None for bullets.
        format: Format of its numbers, as in the attribute `type`.
    """

    number: int | None
    format: str = ""


class Blocks:
    """The blocks of a page that are open, and the text collected for the next one.

    Attributes:
        runs: Text of the current paragraph.
        open_titles: Number of open headings: blocks inside a heading are parts of its title.
        table: Rows of the open table, or None.
        has_lists: Whether a list is open.
        is_centered: Whether the text added last is centred.
    """

    def __init__(self, writer: LineWriter) -> None:
        self.runs: list[TextRun] = []
        self.open_titles = 0
        self.table: list[list[Cell]] | None = None
        self.is_centered = False
        self.breaks: list[int] = []
        """Number of lines before each page break."""
        self.link_counts: Counter[tuple[str, str]] = Counter()
        """Times that a heading is a link within the document and nothing else, by its text and the anchor that it leads to."""
        self.linked_headings: list[tuple[Mark, tuple[str, str]]] = []
        """Those of them that are headings of the document so far."""
        self._writer = writer
        self._lists: list[_List] = []
        # Marker of the current item, until it is written.
        self._marker = ""
        # Whether the next block follows an item of the same list, without a blank line.
        self._is_tight = False
        # Anchors in the open preformatted text and their lines in it; the runs and line feeds counted so far.
        self._preformatted_anchors: list[tuple[str, int]] = []
        self._counted = self._line_feeds = 0
        # Last line and style of the previous paragraph, if it may be the first part of a title over several paragraphs.
        self._title_part: tuple[int, Style] | None = None

    # Paragraphs

    def end_paragraph(self) -> None:
        """Ends a paragraph; inside a heading, a word; inside a table, a line of its cell."""
        if self.open_titles:
            self.runs.append(TextRun(" "))
        elif self.table is None:
            self.flush()
        elif self.runs:
            if self.table and self.table[-1]:
                self.table[-1][-1].runs += [*self.runs, TextRun(" ")]
            else:  # a caption, or text outside the cells
                self._writer.write(self.runs)
            self.runs = []

    def flush(self, level: int | None = None, title: str | None = None) -> None:
        """Writes the collected text as a paragraph, or as a heading of a level."""
        if self.table is not None or self.open_titles:
            self.end_paragraph()
            return
        for name, _ in self._take_preformatted_anchors():  # a paragraph inside preformatted text
            self._writer.add_anchor(name)
        runs, self.runs = self.runs, []
        if not any(run.text.strip() for run in runs):
            if any("\xa0" in run.text for run in runs):
                self._title_part = None  # an empty paragraph, as a gap
            return
        if level is None and not self._marker and is_bullet(runs):
            # A bullet that floats beside its paragraph.
            self._marker = "- "
            return
        if self._marker and level is None:
            marker, self._marker = self._marker, ""
            indent = "  " * (len(self._lists) - 1)
            self._writer.write([TextRun(marker), *runs], tight=self._is_tight, indent=indent)
            self._is_tight = True
            return
        self._marker = ""
        is_inside_item = bool(self._lists) and self._is_tight and level is None
        style = title_style(runs) if self.is_centered and level is None and not self._lists else None
        previous, self._title_part = self._title_part, None
        continues_title = (
            style is not None and previous == (len(self._writer.lines), style) and not self._writer.has_pending_anchor
        )
        self._writer.write(
            runs,
            level=level,
            title=title,
            tight=is_inside_item or continues_title,
            indent="  " * len(self._lists) if is_inside_item else "",
        )
        if style is not None:
            self._title_part = len(self._writer.lines), style
        if not self._lists:
            self._is_tight = False

    def flush_heading(self, level: int | None) -> bool:
        """Writes the collected text as a heading; returns False for a link back to the contents at the top of a page.

        Many filings have such a link as a heading on each page.
        """
        target = link_alone(self.runs) if self.open_titles == 0 else None
        link = (" ".join("".join(run.text for run in self.runs).split()), target or "")
        opens_page = bool(self.breaks) and self.breaks[-1] == len(self._writer.lines)
        if target is not None:
            self.link_counts[link] += 1
        if opens_page and target is not None and is_back_link(link[0]):
            self.flush()
            return False
        count = len(self._writer.marks)
        self.flush(level=level)
        if target is not None and len(self._writer.marks) > count:
            self.linked_headings.append((self._writer.marks[-1], link))
        return True

    def running_links(self) -> list[Mark]:
        """Returns the headings that are a link to one place, and stand so often that they are no headings."""
        return [mark for mark, link in self.linked_headings if self.link_counts[link] >= MIN_REPEATS]

    def flush_preformatted(self) -> None:
        """Writes the collected text with its lines and white space unchanged."""
        runs, self.runs = self.runs, []
        anchors = self._take_preformatted_anchors()
        text = "".join(run.text for run in runs)
        if self.table and self.table[-1]:
            for name, _ in anchors:
                self._writer.add_anchor(name)
            self.table[-1][-1].runs.append(TextRun(text))
        else:  # also text of a table outside its cells
            self._writer.write_preformatted(text, anchors)

    def add_preformatted_anchor(self, name: str) -> None:
        """Adds an anchor at the present line of preformatted text."""
        self._line_feeds += sum(run.text.count("\n") for run in self.runs[self._counted :])
        self._counted = len(self.runs)
        self._preformatted_anchors.append((name, self._line_feeds))

    def _take_preformatted_anchors(self) -> list[tuple[str, int]]:
        anchors, self._preformatted_anchors = self._preformatted_anchors, []
        self._counted = self._line_feeds = 0
        return anchors

    def break_page(self) -> None:
        """Starts a new printed page."""
        self.flush()
        self._title_part = None
        self.breaks.append(len(self._writer.lines))

    # Lists

    def open_list(self) -> None:
        """Opens a list with bullets."""
        self._lists.append(_List(None))

    def open_numbered_list(self, attributes: Mapping[str, str]) -> None:
        """Opens a numbered list."""
        start = attributes.get("start", "1").strip()
        self._lists.append(_List(int(start) if _NUMBER.fullmatch(start) else 1, attributes.get("type", "1")))

    def close_list(self) -> None:
        """Closes the innermost list."""
        if self._lists:
            self._lists.pop()
            self._is_tight = bool(self._lists)

    def open_item(self, attributes: Mapping[str, str]) -> None:
        """Opens an item of the innermost list."""
        self._marker = "- "
        current = self._lists[-1] if self._lists else None
        if current is not None and current.number is not None:
            value = attributes.get("value", "").strip()
            number = int(value) if _NUMBER.fullmatch(value) else current.number
            self._marker = f"{_printed(number, current.format)}. "
            current.number = number + 1

    def close_item(self) -> None:
        """Closes an item; one without text has no marker."""
        self._marker = ""

    # Tables

    def open_table(self) -> None:
        """Opens a table; tables inside its cells are text."""
        self.flush()
        if not self._lists:
            self._marker = ""
        self.table = []

    def add_row(self) -> None:
        """Adds a row to the open table."""
        if self.table is not None:
            self.table.append([])

    def add_cell(self, attributes: Mapping[str, str]) -> None:
        """Adds a cell to the last row of the open table."""
        if self.table is not None:
            if not self.table:
                self.table.append([])
            self.table[-1].append(Cell([], _span(attributes, "colspan"), _span(attributes, "rowspan")))

    def close_table(self) -> None:
        """Writes the open table."""
        rows, self.table = self.table, None
        write_table(self._writer, rows or [])


def _span(attributes: Mapping[str, str], key: str) -> int:
    text = attributes.get(key, "1").strip()
    return int(text) if _SPAN.fullmatch(text) and int(text) else 1


def _printed(number: int, kind: str) -> str:
    """Returns an item's number as browsers show it: 1, a, A, i or I."""
    if kind in ("a", "A") and 1 <= number <= ALPHABET:
        letter = chr(ord("a") + number - 1)
        return letter if kind == "a" else letter.upper()
    if kind in ("i", "I") and 1 <= number <= LARGEST_ROMAN:
        return roman_numeral(number) if kind == "i" else roman_numeral(number).upper()
    return str(number)
