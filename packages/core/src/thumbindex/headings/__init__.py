"""Finding a document's outline. Pure: pages in, headings out."""

from __future__ import annotations

from dataclasses import replace

from ..outline import Heading, Outline
from ..pages import Document
from ..sources.markdown import front_matter_length
from .furniture import find_furniture
from .layout import Layout
from .marked import marked_outline
from .markup import markup_headings
from .page_numbers import printed_labels
from .plain import plain_outline
from .reconcile import reconcile
from .windows import CONFIDENCE, page_windows


def find_outline(document: Document) -> Outline:
    """The headings of a document and where they come from."""
    if document.kind == "text":
        return plain_outline(document)
    if document.kind in ("html", "docx", "epub", "mail"):
        return marked_outline(document)
    if document.kind != "pdf":
        headings = markup_headings(document)
        if headings or not document.pages:
            return Outline("markup", tuple(headings), furniture=_metadata_lines(document))
        return _windows(document, frozenset())
    whole = Layout(document)
    furniture = find_furniture(whole)
    outline = reconcile(whole.without(furniture))
    if not outline.headings:
        outline = _windows(document, furniture)
    return replace(outline, labels=printed_labels(whole))


def _windows(document: Document, furniture: frozenset[int]) -> Outline:
    note = "No headings found: the sections are windows of pages, and their titles are page numbers."
    headings: tuple[Heading, ...] = tuple(page_windows(document))
    return Outline("pages", headings, CONFIDENCE, furniture, (note,))


def _metadata_lines(document: Document) -> frozenset[int]:
    """Lines of a Markdown file's YAML front matter: facts about the text, and no text."""
    if document.kind != "markdown":
        return frozenset()
    return frozenset(range(1, front_matter_length([line.text for line in document.lines]) + 1))
