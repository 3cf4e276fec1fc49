"""The last resort: fixed-size chunks of pages, for a document in which no heading can be found."""

from __future__ import annotations

from ..outline import Heading
from ..pages import Document

CHUNK = 10
"""Pages of a chunk at most: short enough to read in one step."""

CONFIDENCE = 0.1


def page_chunks(document: Document) -> list[Heading]:
    """Returns headings that cut the document into chunks of about equal length, at most `CHUNK` pages each."""
    pages = [page for page in document.pages or () if page.lines is not None]
    total = len(document.pages or ())
    count = -(-total // CHUNK)
    starts = [1 + position * total // count for position in range(count)] if count else []
    found: list[Heading] = []
    for start, following in zip(starts, [*starts[1:], total + 1], strict=True):
        first = next((page for page in pages if page.number >= start), None)
        if first is None or first.number >= following or first.lines is None:
            continue
        title = f"Page {start}" if following - start == 1 else f"Pages {start}-{following - 1}"
        found.append(Heading(title, 1, first.number, first.lines.first, "chunk", CONFIDENCE, first.lines.first - 1))
    return found
