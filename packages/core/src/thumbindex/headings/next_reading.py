"""The rules of plain text for a file whose markup gives it no sections. Pure.

Text that was pasted into a `<pre>`, typed into Word without styles or taken for Markdown because of one link has headings all the
same: numbers, capitals, underlines.
"""

from __future__ import annotations

from dataclasses import replace

from ..outline import MAX_LEVEL, Outline
from ..pages import Document
from .plain import plain_outline

FEW = 1
"""Marked headings up to which a file has no structure by its markup: none, or a title alone."""
ENOUGH = 3
"""Headings of plain text that make a structure; fewer may be lines that only look like headings."""


def or_plain_reading(document: Document, outline: Outline, blocks: frozenset[int]) -> Outline:
    """Returns the outline by the rules of plain text where the markup's own has one heading at most and they find several.

    A marked title stays, with the others below it.

    Args:
        blocks: Numbers of the lines in code and HTML blocks, which hold no headings.
    """
    if len(outline.headings) > FEW or document.bookmarks:
        return outline
    plain = plain_outline(document)
    skip = {*outline.headers_footers, *blocks}
    title = outline.headings[:1]
    for heading in title:
        skip.update(range(heading.line, (heading.last_line or heading.line) + 1))
    # What stands above a marked title belongs to no section below it.
    start = title[0].line if title else 0
    found = [heading for heading in plain.headings if heading.line > start and heading.line not in skip]
    if len(found) < ENOUGH:
        return outline
    below = tuple(replace(heading, level=min(heading.level + len(title), MAX_LEVEL)) for heading in found)
    note = "The file marks no headings: they were found by the rules for plain text."
    return replace(
        plain,
        headings=(*title, *below),
        headers_footers=outline.headers_footers | plain.headers_footers,
        notes=(*outline.notes, note),
        anchors=outline.anchors,
    )
