"""Reads page numbers as people and models write them: "5-7,12"."""

from __future__ import annotations

import re

from ..errors import InvalidPageSpec, PageOutOfRange

_RANGE = re.compile(r"\s*(\d{1,18})\s*(?:[-\u2010-\u2015]\s*(\d{1,18})\s*)?")


def parse_pages(spec: str, page_count: int) -> tuple[int, ...]:
    """Returns physical pages in ascending order, each once; a range beyond the last page ends there.

    >>> parse_pages("5-7, 12", page_count=20)
    (5, 6, 7, 12)

    Raises:
        InvalidPageSpec: `spec` cannot be read, a range runs backwards, or the document has no pages.
        PageOutOfRange: A page, or the start of a range, does not exist.
    """
    if page_count == 0:
        raise InvalidPageSpec("The document has no pages: read a section of it instead.")
    ranges: list[tuple[int, int]] = []
    for item in spec.split(","):
        match = _RANGE.fullmatch(item)
        if match is None:
            raise InvalidPageSpec(f"{spec!r} is not a list of pages. Write numbers and ranges, such as '5-7,12'.")
        first = int(match[1])
        last = first if match[2] is None else int(match[2])
        if last < first:
            raise InvalidPageSpec(f"The range {item.strip()!r} runs backwards. Write '{last}-{first}'.")
        if not 1 <= first <= page_count:
            raise PageOutOfRange(first, page_count)
        ranges.append((first, min(last, page_count)))
    # Each page once, however often its range is written.
    pages: list[int] = []
    for first, last in sorted(ranges):
        pages.extend(range(max(first, pages[-1] + 1 if pages else 1), last + 1))
    return tuple(pages)
