"""Finding a document's outline. Pure: pages in, headings out."""

from __future__ import annotations

from ..outline import Heading, Outline
from ..pages import Document
from .blocks import Block, find_blocks
from .furniture import find_furniture
from .layout import Layout
from .markup import markup_headings
from .nesting import Ranked, nest
from .windows import CONFIDENCE, page_windows


def find_outline(document: Document) -> Outline:
    """The headings of a document and where they come from."""
    if document.kind != "pdf":
        headings = markup_headings(document)
        if headings or not document.pages:
            return Outline("markup", tuple(headings))
        return _windows(document)
    furniture = find_furniture(Layout(document))
    layout = Layout(document, furniture)
    blocks = [b for b in find_blocks(layout) if b.why in ("large", "bold", "caps", "italic", "font")]
    if not blocks:
        return _windows(document)
    ranks = {rank: n for n, rank in enumerate(sorted({b.look.rank() for b in blocks}))}
    levels = nest([Ranked(ranks[b.look.rank()], b.label) for b in blocks])
    headings = [
        Heading(b.text, level, b.page, b.first, b.why, 0.5, b.last) for b, level in zip(blocks, levels, strict=True)
    ]
    return Outline("layout", tuple(headings), 0.5, furniture)


def _windows(document: Document) -> Outline:
    note = "No headings found: the sections are windows of pages, and their titles are page numbers."
    return Outline("pages", tuple(page_windows(document)), CONFIDENCE, notes=(note,))
