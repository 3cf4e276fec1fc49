"""The links inside a document, from rectangles on the pages of a PDF to characters of lines. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..pages import Box, Document, Link, LinkAnnotation


def find_links(document: Document) -> Iterator[Link]:
    """Yields each link of a document, once for each line that it lies on."""
    yield from document.links
    pages = document.pages or ()
    by_page: dict[int, list[LinkAnnotation]] = defaultdict(list)
    for link in document.link_annotations:
        by_page[link.page].append(link)
    targets: dict[int, Sequence[tuple[int, Box]]] = {}
    for number, links in sorted(by_page.items()):
        if number > len(pages):
            continue
        boxes = _boxes(document, number)
        for link in links:
            if link.target > len(pages):
                continue
            if link.target not in targets:
                targets[link.target] = _boxes(document, link.target)
            to = _line_below(targets[link.target], link.top)
            for line, box in boxes:
                if box.bottom < link.box.top and box.top > link.box.bottom and _lies_on(link.box, box):
                    first, last = _letters(link.box, box, len(document.lines[line - 1].text))
                    yield Link(line, first, last, to, link.target)


def _boxes(document: Document, page: int) -> Sequence[tuple[int, Box]]:
    lines = (document.pages or ())[page - 1].lines
    return [(n, box) for n in lines or () if (box := document.lines[n - 1].box) is not None]


def _lies_on(link: Box, line: Box) -> bool:
    """Returns whether a link's rectangle covers half of a line's height, or half of itself lies within the line."""
    if link.right <= line.left or link.left >= line.right:
        return False
    shared = min(link.top, line.top) - max(link.bottom, line.bottom)
    return shared > 0.5 * min(line.top - line.bottom, link.top - link.bottom)


def _letters(link: Box, line: Box, length: int) -> tuple[int, int]:
    width = max(line.right - line.left, 0.1)
    first = round((link.left - line.left) / width * length)
    last = round((link.right - line.left) / width * length)
    return max(0, min(first, length)), max(0, min(last, length))


def _line_below(boxes: Sequence[tuple[int, Box]], top: float | None) -> int | None:
    """The highest line whose middle is not above a destination; a destination without height is the page's first line."""
    if not boxes:
        return None
    if top is None:
        return boxes[0][0]
    below = [(box.top, -line) for line, box in boxes if (box.top + box.bottom) / 2 <= top + 1]
    # At the foot of a page stands only the number: what is meant begins there all the same.
    return -max(below)[1] if below else boxes[-1][0]
