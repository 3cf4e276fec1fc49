"""Lines that interrupt a text where its printed pages ended: page numbers, running heads and feet, links back to the contents."""

from __future__ import annotations

import re
from dataclasses import replace

from .flow import Flow

_PAGE_NUMBER = re.compile(r"^\W*(?:page\s+)?(?:[A-Z]{1,2}-?)?(?:\d{1,4}|[ivxl]{1,6})\W*$", re.IGNORECASE)
_BACK_LINK = re.compile(r"^(?:back to |return to )?(?:top|(?:table of )?contents|index)\W*$", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_RUNNING = 3
"""Page breaks at which a line must stand to be a running head or foot."""


def is_back_link(text: str) -> bool:
    """Whether a link with these words leads back to the contents or the top."""
    return bool(_BACK_LINK.match(text.strip()))


def drop_running_lines(flow: Flow, breaks: list[int]) -> None:
    """Blank the page numbers, and the heads and feet, that stand at page breaks: they interrupt the text.

    `breaks` holds how many lines stood before each page break. Lines are blanked, not removed, so that places stay.
    """
    if not breaks:
        return
    around: list[tuple[int, str]] = []
    linked = flow.linked_lines
    marked = {number for mark in flow.marks for number in range(mark.line, mark.last + 1)}
    for count in sorted(set(breaks)):
        for step, start in ((-1, count - 1), (1, count)):
            at, seen = start, 0
            while 0 <= at < len(flow.lines) and seen < 2 and abs(at - start) < 5:
                if text := flow.lines[at].text.strip():
                    around.append((at, text))
                    seen += 1
                    if not (_PAGE_NUMBER.match(text) or _BACK_LINK.match(text)):
                        break
                at += step
    blanked: set[int] = set()
    counts: dict[str, int] = {}
    for _, text in dict(around).items():
        key = _DIGITS.sub("#", text)
        counts[key] = counts.get(key, 0) + 1
    for at, text in dict(around).items():
        repeated = counts[_DIGITS.sub("#", text)] >= _RUNNING and len(text) < 120
        leads_back = at + 1 in linked and is_back_link(text)
        if (repeated or leads_back or _PAGE_NUMBER.match(text)) and at + 1 not in marked:
            flow.lines[at] = replace(flow.lines[at], text="")
            blanked.add(at + 1)
    # A place named before the end of a page is the first line of the next.
    following, filled = {}, 0
    for number in range(len(flow.lines), 0, -1):
        if flow.lines[number - 1].text:
            filled = number
        elif number in blanked and filled:
            following[number] = filled
    for name, line in flow.anchors.items():
        flow.anchors[name] = following.get(line, line)
