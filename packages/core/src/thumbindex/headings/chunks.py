"""The last resort: windows of pages, for a document in which no heading can be found."""

from __future__ import annotations

from ..outline import Heading
from ..pages import Document

WINDOW = 10
"""Pages of a window at most: short enough to read in one step."""

CONFIDENCE = 0.1


def page_chunks(document: Document) -> list[Heading]:
    """Headings that cut the document into windows of at most `WINDOW` pages of about equal length."""
    pages = [page for page in document.pages or () if page.lines is not None]
    total = len(document.pages or ())
    count = -(-total // WINDOW)
    starts = [1 + position * total // count for position in range(count)] if count else []
    found: list[Heading] = []
    for start, following in zip(starts, [*starts[1:], total + 1], strict=True):
        first = next((page for page in pages if page.number >= start), None)
        if first is None or first.number >= following or first.lines is None:
            continue
        title = f"Page {start}" if following - start == 1 else f"Pages {start}-{following - 1}"
        found.append(Heading(title, 1, first.number, first.lines.first, "window", CONFIDENCE, first.lines.first - 1))
    return found
