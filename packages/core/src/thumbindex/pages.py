"""What a source hands on: lines of text with their place and style, and the pages that hold them.

Pages are physical, 1-based and inclusive. Lines are numbered through the whole document, 1-based and inclusive; in a
Markdown file that is the line of the file. Coordinates are PDF points with the origin at the bottom left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["pdf", "markdown", "pages"]
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
    """How text is set: size in points (rounded to a half), font family name without subset prefix, weight and slant."""

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
    """One page: its physical number, its label ("iv", "F-12") if declared, its lines, and its size in points.

    `lines` is None for a page without text.
    """

    number: int
    lines: LineRange | None = None
    label: str | None = None
    width: float = 0.0
    height: float = 0.0


@dataclass(frozen=True, slots=True)
class Bookmark:
    """One item of a PDF's embedded outline; `page` is None where its destination is missing or broken.

    `top` is the height on the page that the destination names, in points from the bottom.
    """

    title: str
    level: int
    page: int | None
    top: float | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """An internal link of a PDF: the box on page `page` that jumps to page `target` (at height `top`, in points)."""

    page: int
    box: Box
    target: int
    top: float | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A document as its source read it: one list of lines in reading order, and where each page begins and ends.

    `pages` is None for formats without pages. `metadata` is what the file says of itself (title, author, front matter).
    """

    name: str
    kind: Kind
    lines: tuple[Line, ...]
    pages: tuple[Page, ...] | None = None
    bookmarks: tuple[Bookmark, ...] = ()
    links: tuple[Link, ...] = ()
    metadata: Metadata = field(default_factory=dict)

    def page_lines(self, page: Page) -> tuple[Line, ...]:
        """The lines of one page of this document."""
        return () if page.lines is None else self.lines[page.lines.first - 1 : page.lines.last]

    @property
    def pages_without_text(self) -> tuple[int, ...]:
        """Physical numbers of the pages that hold no text: scans, plates and blank pages."""
        return tuple(page.number for page in self.pages or () if page.lines is None)
