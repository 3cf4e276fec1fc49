"""Finding a document's outline. Pure: pages in, headings out."""

from __future__ import annotations

from ..outline import Outline
from ..pages import Document
from .markup import markup_headings
from .windows import CONFIDENCE, page_windows


def find_outline(document: Document) -> Outline:
    """The headings of a document and where they come from."""
    if document.kind != "pdf":
        headings = markup_headings(document)
        if headings or not document.pages:
            return Outline("markup", tuple(headings))
    note = "No headings found: the sections are windows of pages, and their titles are page numbers."
    return Outline("pages", tuple(page_windows(document)), CONFIDENCE, notes=(note,))
