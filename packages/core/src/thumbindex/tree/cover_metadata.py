"""Cover metadata: the company, the form and the period that the first pages of a document state. Pure.

Nothing is guessed: each value comes from a fixed wording, and is missing where the wording is. Keys: `company`, `form`, `period` ("year" or "quarter"),
`period_end`, `report_date` (both ISO 8601) and `period_year`.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence

from ..pages import MetadataValue
from .model import Tree

_PAGES, _LINES = 3, 150
"""First pages that are searched, and first lines of a document without pages."""

# A line of its own: a press release may speak of the form that will follow.
_FORM = re.compile(
    r"^[^\w\n]*+form\s++((?:10-[KQ]|20-F|40-F|8-K|6-K|11-K|S-[1348]|F-[13]|DEF\s14A)(?:/A)?)[^\w\n]*+$",
    re.IGNORECASE | re.MULTILINE,
)
_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_DAY = rf"(?P<month>{'|'.join(_MONTHS)})\s+(?P<day>\d{{1,2}})(?:\s*+,\s++|\s++)(?P<year>(?:19|20)\d\d)"
_PERIOD = re.compile(
    rf"\bfor\s+the\s+(?:(?P<quarter>quarterly\s+period|quarter|three\s+months)|(?:fiscal\s+)?year|twelve\s+months)\s+ended:?\s*{_DAY}",
    re.IGNORECASE,
)
_REPORT = re.compile(
    rf"\bdate\s+of\s+(?:report|earliest\s+event)[^.\n]{{0,60}}?:?\s{{0,20}}\(?[^)\n]{{0,60}}\)?:?\s{{0,20}}{_DAY}",
    re.IGNORECASE,
)
_REGISTRANT = re.compile(r"exact\s+name\s+of\s+(?:the\s+)?(?:registrant|company)", re.IGNORECASE)


def cover_metadata(tree: Tree) -> dict[str, MetadataValue]:
    """Returns the metadata that the first pages state; empty where they state none."""
    lines = _first_lines(tree)
    text = "\n".join(lines)
    found: dict[str, MetadataValue] = {}
    if company := _company(lines):
        found["company"] = company
    if form := _FORM.search(text):
        found["form"] = " ".join(form[1].upper().split())
    if (period := _PERIOD.search(text)) and (end := _date(period)):
        found["period"] = "quarter" if period["quarter"] else "year"
        found["period_end"] = end
        found["period_year"] = int(end[:4])
    elif (report := _REPORT.search(text)) and (day := _date(report)):
        found["report_date"] = day
        found["period_year"] = int(day[:4])
    return found


def _first_lines(tree: Tree) -> Sequence[str]:
    if not tree.pages:
        return tree.lines[:_LINES]
    lasts = [page.lines.last for page in tree.pages[:_PAGES] if page.lines is not None]
    return tree.lines[: lasts[-1]] if lasts else ()


def _company(lines: Sequence[str]) -> str | None:
    """The line above "(Exact name of registrant …)", which forms of the SEC demand."""
    for position, line in enumerate(lines):
        match = _REGISTRANT.search(line)
        if match is None:
            continue
        before = line[: match.start()].strip(" \t_(")
        above = (text.strip(" _*") for text in reversed(lines[max(0, position - 4) : position]))
        name = before or next((text for text in above if sum(map(str.isalpha, text)) > 1), "")
        # A name is short and no sentence.
        if 2 <= len(name) <= 80 and not re.search(
            r"\b(?:commission|file\s+number|transition|period|washington)\b", name, re.I
        ):
            return re.sub(r" (?=[.,])", "", " ".join(name.split()))
    return None


def _date(match: re.Match[str]) -> str | None:
    """A day as ISO 8601 writes it; None if there is no such day."""
    year, month, day = int(match["year"]), _MONTHS.index(match["month"].lower()) + 1, int(match["day"])
    return f"{year}-{month:02}-{day:02}" if 1 <= day <= monthrange(year, month)[1] else None
