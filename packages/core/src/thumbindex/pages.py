"""Values that a source produces: lines of text with position and style, and the pages that hold them.

Pages are physical, 1-based and inclusive. Lines are numbered through the whole document, 1-based and inclusive; in a
Markdown or text file that is the line of the file. Coordinates are PDF points with the origin at the bottom left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from math import cos, radians, sin
from typing import Literal

Kind = Literal["pdf", "markdown", "pages", "html", "docx", "epub", "text", "mail"]
"""What a document was read as. All but "pdf" and "pages" have no pages."""
MetadataValue = str | int | float | bool | None | list[str]
Metadata = Mapping[str, MetadataValue]


@dataclass(frozen=True, slots=True)
class PageRange:
    """Pages `first` to `last` of one document, physical, 1-based and inclusive."""

    first: int
    last: int

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.last:
            raise ValueError(f"PageRange needs 1 <= first <= last, got {self.first} and {self.last}.")

    def __len__(self) -> int:
        return self.last - self.first + 1

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.last + 1))

    def __contains__(self, page: object) -> bool:
        return isinstance(page, int) and self.first <= page <= self.last

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines `first` to `last` of one document, 1-based and inclusive."""

    first: int
    last: int

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.last:
            raise ValueError(f"LineRange needs 1 <= first <= last, got {self.first} and {self.last}.")

    def __len__(self) -> int:
        return self.last - self.first + 1

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.last + 1))

    def __contains__(self, line: object) -> bool:
        return isinstance(line, int) and self.first <= line <= self.last

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page in points, origin bottom-left."""

    left: float
    bottom: float
    right: float
    top: float


@dataclass(frozen=True, slots=True)
class Style:
    """Style of text: size in points (rounded to a half), font name without subset prefix, weight and slant."""

    size: float
    font: str = ""
    bold: bool = False
    italic: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text as printed; `box` and `style` are None where the format has no layout.

    `start` and `end` are the styles of its first and last characters: a run-in heading starts bold and ends regular.
    """

    text: str
    box: Box | None = None
    style: Style | None = None
    start: Style | None = None
    end: Style | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its physical number, its label ("iv", "F-12") if declared, its lines, and its size in points as shown.

    Args:
        lines: None for a page without text.
        turned: How far its text is turned against the page as shown, in degrees counter-clockwise. Boxes of lines are in
            coordinates in which the text reads upright: see `as_shown`.
        ocr: How sure the OCR that read its text was, 0 to 1; None where the text is the file's own.
    """

    number: int
    lines: LineRange | None = None
    label: str | None = None
    width: float = 0.0
    height: float = 0.0
    turned: float = 0.0
    ocr: float | None = None

    def as_shown(self, box: Box) -> Box:
        """Converts a box of this page's text to the page as shown: points, origin at its bottom left.

        Of text that is turned by something else than quarters (a skewed scan) it is the box around the turned box.
        """
        if not self.turned:
            return box
        quarters = round(self.turned / 90)
        sideways = quarters % 2 == 1
        wide, tall = (self.height, self.width) if sideways else (self.width, self.height)
        skew = radians(self.turned - 90 * quarters)
        sine, cosine = sin(skew), cos(skew)
        corners: list[tuple[float, float]] = []
        for x, y in product((box.left, box.right), (box.bottom, box.top)):
            # From the middle of the page, where skew turns around.
            across, up = x - wide / 2, y - tall / 2
            across, up = across * cosine - up * sine, across * sine + up * cosine
            for _ in range(quarters % 4):
                across, up = -up, across
            corners.append((across + self.width / 2, up + self.height / 2))
        xs, ys = zip(*corners, strict=True)
        return Box(min(xs), min(ys), max(xs), max(ys))


@dataclass(frozen=True, slots=True)
class Bookmark:
    """One item of the outline that a PDF or an e-book carries; `page` is None where its destination is missing or broken.

    `top` is the height on the page that the destination names, in points from the bottom. Without pages, `line` is where
    it leads, None where that is missing.
    """

    title: str
    level: int
    page: int | None
    top: float | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class LinkAnnotation:
    """A link annotation of a PDF that leads to another place of the same file.

    Args:
        page: Physical page that holds the annotation.
        box: Its rectangle on that page, in points from the bottom left.
        target: Physical page of the destination.
        top: Height of the destination on that page, in points from the bottom; None for the whole page.
    """

    page: int
    box: Box
    target: int
    top: float | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A heading that the file itself marks as one (`<h2>`, a heading style, a message of a mail box): lines `line` to `last`.

    `last` lies before `line` where the title stands nowhere in the text.
    """

    title: str
    level: int
    line: int
    last: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link inside a document, from characters of a line to a place.

    Args:
        line: Line that holds the link.
        first: Index of its first character in that line, from 0; estimated from the line's width in a PDF.
        last: Index after its last character.
        target_line: Line at the destination; None where the target page has no text.
        target_page: Physical page of the destination; None without pages.
    """

    line: int
    first: int
    last: int
    target_line: int | None
    target_page: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A document as its source read it: one list of lines in reading order, and where each page begins and ends.

    `pages` is None for formats without pages. `metadata` is the file's own (title, author, front matter).
    `scanned` are the pages that only OCR can read and that were not read: images, and text layers that mean nothing.
    `marks` are the headings that the file marks, in reading order; `anchors` maps the names of link targets to their lines.
    `notes` name what the reader repaired or could not read, one sentence each.
    """

    name: str
    kind: Kind
    lines: tuple[Line, ...]
    pages: tuple[Page, ...] | None = None
    bookmarks: tuple[Bookmark, ...] = ()
    link_annotations: tuple[LinkAnnotation, ...] = ()
    metadata: Metadata = field(default_factory=dict)
    scanned: tuple[int, ...] = ()
    marks: tuple[Mark, ...] = ()
    links: tuple[Link, ...] = ()
    anchors: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def page_lines(self, page: Page) -> tuple[Line, ...]:
        """The lines of one page of this document."""
        return () if page.lines is None else self.lines[page.lines.first - 1 : page.lines.last]

    @property
    def pages_without_text(self) -> tuple[int, ...]:
        """Physical numbers of the pages that hold no text: scans, plates and blank pages."""
        return tuple(page.number for page in self.pages or () if page.lines is None)


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Returns the runs of consecutive numbers among these, in ascending order: the first and the last of each.

    >>> runs([7, 2, 1, 3])
    [(1, 3), (7, 7)]
    """
    found: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def line_ranges(numbers: Iterable[int]) -> tuple[LineRange, ...]:
    """Returns line numbers as ranges, in order."""
    return tuple(LineRange(first, last) for first, last in runs(numbers))


def format_runs(numbers: Iterable[int]) -> str:
    """Returns numbers as text, in order, with runs as ranges.

    >>> format_runs([7, 2, 1, 3])
    '1-3, 7'
    """
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs(numbers))
