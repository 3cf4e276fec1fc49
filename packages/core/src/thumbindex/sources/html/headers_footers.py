"""Headers and footers of printed pages in an HTML page: page numbers, running titles, links back to the contents."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ...pages import Mark
from ..line_writer import LineWriter

MIN_REPEATS = 3
"""Page breaks at which a line must repeat to be a header or footer."""
MAX_HEADER = 120
"""Characters of a header or footer."""
_LINES_AT_BREAK, _DISTANCE = 2, 5
"""Lines with text on each side of a page break that are examined, and lines within which they must be."""

_PAGE_NUMBER = re.compile(r"^\W*(?:page\s+)?(?:[A-Z]{1,2}-?)?(?:\d{1,4}|[ivxl]{1,6})\W*$", re.IGNORECASE)
_BACK_LINK = re.compile(r"^(?:back to |return to )?(?:top|(?:table of )?contents|index)\W*$", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")


def is_back_link(text: str) -> bool:
    """Returns whether a link with this text leads back to the contents or the top."""
    return bool(_BACK_LINK.match(text.strip()))


def drop_running_links(writer: LineWriter, running: Iterable[Mark]) -> None:
    """Removes headings that are a link to one place and repeat, as filings have them at the top of each page.

    Lines are blanked, not removed, so that line numbers stay valid.
    """
    lines = {mark.line for mark in running}
    if not lines:
        return
    for mark in writer.marks:
        if mark.line in lines:
            for index in range(mark.line - 1, mark.last):
                writer.lines[index] = replace(writer.lines[index], text="")
    writer.marks[:] = [mark for mark in writer.marks if mark.line not in lines]


def drop_headers_footers(writer: LineWriter, breaks: list[int]) -> None:
    """Blanks page numbers, headers and footers at page breaks, where they interrupt the text.

    Lines are blanked, not removed, so that line numbers stay valid.

    Args:
        breaks: Number of lines before each page break.
    """
    if not breaks:
        return
    candidates: list[tuple[int, str]] = []
    linked = writer.linked_lines
    marked = {number for mark in writer.marks for number in range(mark.line, mark.last + 1)}
    for count in sorted(set(breaks)):
        for step, start in ((-1, count - 1), (1, count)):
            index, seen = start, 0
            while 0 <= index < len(writer.lines) and seen < _LINES_AT_BREAK and abs(index - start) < _DISTANCE:
                if text := writer.lines[index].text.strip():
                    candidates.append((index, text))
                    seen += 1
                    if not (_PAGE_NUMBER.match(text) or _BACK_LINK.match(text)):
                        break
                index += step
    blanked: set[int] = set()
    repeats: dict[str, int] = {}
    for text in dict(candidates).values():
        key = _DIGITS.sub("#", text)
        repeats[key] = repeats.get(key, 0) + 1
    for index, text in dict(candidates).items():
        is_repeated = repeats[_DIGITS.sub("#", text)] >= MIN_REPEATS and len(text) < MAX_HEADER
        leads_back = index + 1 in linked and is_back_link(text)
        if (is_repeated or leads_back or _PAGE_NUMBER.match(text)) and index + 1 not in marked:
            writer.lines[index] = replace(writer.lines[index], text="")
            blanked.add(index + 1)
    # An anchor at the end of a page belongs to the first line of the next.
    following, filled = {}, 0
    for number in range(len(writer.lines), 0, -1):
        if writer.lines[number - 1].text:
            filled = number
        elif number in blanked and filled:
            following[number] = filled
    for name, line in writer.anchors.items():
        writer.anchors[name] = following.get(line, line)
