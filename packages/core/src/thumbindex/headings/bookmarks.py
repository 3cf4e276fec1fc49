"""Embedded bookmarks, believed only as far as the text bears them out.

Real files carry outlines of file names, of page numbers, of another edition. A bookmark counts if its title stands where it
points; if the titles stand elsewhere, in order, the targets are mended; if they stand nowhere, the outline is not used.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..outline import Heading
from ..pages import Bookmark
from .layout import Layout
from .matches import Match, find_matches
from .rules import Candidates, Listing, Rule
from .words import bare_title

NAME = "bookmarks"
BORNE_OUT = 0.7
"""Share of bookmarks whose title must stand in the text."""
MIN_BOOKMARKS = 3
NEAR = 1
"""Pages between a bookmark's target and its title that are still no error: chapters that begin with a picture."""


def bookmark_headings(layout: Layout) -> list[Heading]:
    """The headings that the embedded outline names, in reading order; empty if the text does not bear it out."""
    marks = [mark for mark in layout.document.bookmarks if mark.title and any(char.isalnum() for char in mark.title)]
    if len(marks) < MIN_BOOKMARKS or len({bare_title(mark.title) for mark in marks}) < 0.3 * len(marks):
        return []
    matches = find_matches(layout, [mark.title for mark in marks], ())
    chosen = [_at_target(layout, mark, options) for mark, options in zip(marks, matches, strict=True)]
    on_target = sum(match is not None for match in chosen)
    if on_target < BORNE_OUT * len(marks):
        chosen = _in_order(matches)
        if sum(match is not None for match in chosen) < BORNE_OUT * len(marks):
            return []
        return [_heading(mark, match) for mark, match in zip(marks, chosen, strict=True) if match is not None]
    headings: list[Heading] = []
    used: set[int] = set()
    for mark, match in zip(marks, chosen, strict=True):
        if match is not None and match.first not in used:
            used.add(match.first)
            headings.append(_heading(mark, match))
            continue
        line = _line_at(layout, mark)
        if line is not None and line not in used:
            used.add(line)
            headings.append(Heading(mark.title, mark.level, mark.page, line, NAME, 0.7, line - 1))
    headings.sort(key=lambda heading: heading.line)
    return headings


def _heading(mark: Bookmark, match: Match) -> Heading:
    return Heading(mark.title, mark.level, match.page, match.first, NAME, 0.98 if match.exact else 0.9, match.last)


def _at_target(layout: Layout, mark: Bookmark, matches: Sequence[Match]) -> Match | None:
    """The match that the bookmark points to: on its page, nearest to its height, before one on a neighbouring page."""
    page = mark.page
    if page is None:
        return None
    near = [match for match in matches if abs(match.page - page) <= NEAR]

    def distance(match: Match) -> tuple[bool, bool, bool, float]:
        height = abs(layout.box(match.first).top - mark.top) if mark.top is not None else 0.0
        return match.page != page, not match.numbered, not match.heavy and not match.exact, height

    return min(near, key=distance, default=None)


def _in_order(matches: Sequence[Sequence[Match]]) -> list[Match | None]:
    """Spots that follow each other in the text, headings before lines of running text."""
    chosen: list[Match | None] = []
    after = 0
    for options in matches:
        later = [match for match in options if match.first > after and match.exact]
        match = min(later, key=lambda match: (not match.heavy, match.first), default=None)
        chosen.append(match)
        if match is not None:
            after = match.first
    return chosen


def _line_at(layout: Layout, mark: Bookmark) -> int | None:
    """First line of text at or below the height that a bookmark points to; the page's first line without a height."""
    page = next((page for page in layout.document.pages or () if page.number == mark.page), None)
    if page is None or page.lines is None:
        return None
    lines = [n for n in page.lines if n not in layout.skip] or list(page.lines)
    top = mark.top
    if top is None:
        return lines[0]
    below = [n for n in lines if layout.box(n).bottom <= top]
    return max(below, key=lambda n: layout.box(n).bottom, default=lines[0])


def _find(layout: Layout) -> Candidates:
    headings = bookmark_headings(layout)
    return Candidates(Listing("bookmarks", tuple(headings)) if headings else None)


RULE = Rule(NAME, "An embedded bookmark names it, and its title stands where the bookmark points.", _find)
