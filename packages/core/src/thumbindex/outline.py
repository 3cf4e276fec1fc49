"""The outline: a document's headings in reading order, before they become a tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .text.characters import replace_surrogates

Origin = Literal["bookmarks", "contents_page", "layout", "hybrid", "markup", "pages", "unreadable", "imported"]

MAX_LEVEL = 32
"""Deepest level of a heading. Real documents stop at 8; hostile ones nest by the thousand."""


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading: its title, level (1 at the top), page (None without pages) and first line.

    Args:
        line: Number of its first line in the document, 1-based.
        last_line: Number of its last line, for titles over several lines.
        rule: Name of the rule that found it, as in `thumbindex.headings.RULES`.
        confidence: How sure that rule is, from 0 to 1.
    """

    title: str
    level: int
    page: int | None
    line: int
    rule: str
    confidence: float = 1.0
    last_line: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", replace_surrogates(self.title))
        if not 1 <= self.level <= MAX_LEVEL:
            raise ValueError(f"A heading's level is 1 to {MAX_LEVEL}, got {self.level}.")
        if not 0.0 <= self.confidence <= 1.0:
            raise ValueError(f"A confidence lies between 0 and 1, got {self.confidence}.")


@dataclass(frozen=True, slots=True)
class Outline:
    """Headings in reading order and where they come from.

    `headers_footers` holds the numbers of lines that belong to the page and not to the text: running heads, page numbers,
    contents pages. `notes` are remarks for the reader of a diagnosis, one sentence each. `labels` are the page numbers read
    from running heads and feet, by physical page. `anchors` are the lines of headings with an id, by the id.
    """

    origin: Origin
    headings: tuple[Heading, ...]
    confidence: float = 1.0
    headers_footers: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()
    labels: Mapping[int, str] = field(default_factory=dict)
    anchors: Mapping[str, int] = field(default_factory=dict)
