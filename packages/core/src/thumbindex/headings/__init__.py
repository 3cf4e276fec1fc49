"""Finding a document's outline. Pure: pages in, headings out."""

from __future__ import annotations

from ..outline import Heading, Outline
from ..pages import Document
from .furniture import find_furniture
from .layout import Layout
from .markup import markup_headings
from .reconcile import reconcile
from .windows import CONFIDENCE, page_windows


def find_outline(document: Document) -> Outline:
    """The headings of a document and where they come from."""
    if document.kind != "pdf":
        headings = markup_headings(document)
        if headings or not document.pages:
            return Outline("markup", tuple(headings))
        return _windows(document, frozenset())
    furniture = find_furniture(Layout(document))
    outline = reconcile(Layout(document, furniture))
    return outline if outline.headings else _windows(document, furniture)


def _windows(document: Document, furniture: frozenset[int]) -> Outline:
    note = "No headings found: the sections are windows of pages, and their titles are page numbers."
    headings: tuple[Heading, ...] = tuple(page_windows(document))
    return Outline("pages", headings, CONFIDENCE, furniture, (note,))
