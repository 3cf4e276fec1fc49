"""Finding a document's outline. Pure: pages in, headings out."""

from __future__ import annotations

from dataclasses import replace

from ..outline import Heading, Outline
from ..pages import Document
from ..text.front_matter import front_matter_length
from .chunks import CONFIDENCE, page_chunks
from .headers_footers import find_headers_footers
from .layout import Layout
from .marked import marked_outline
from .markup import markup_headings
from .page_numbers import printed_labels
from .plain import plain_outline
from .plain_text_layout import lay_out_plain_text
from .reconcile import reconcile

TRUSTED = 1.0
"""Marked headings to a page from which page texts are Markdown, whatever else they may be."""
OUTNUMBERED = 2.0
"""So many times as many headings by numbers and contents pages as by Markdown's marks, and the marks are accidents."""


def find_outline(document: Document) -> Outline:
    """The headings of a document and where they come from."""
    if document.kind == "text":
        return plain_outline(document)
    if document.kind in ("html", "docx", "epub", "mail") or document.marks:
        return marked_outline(document)
    if document.kind != "pdf":
        outline = Outline("markup", tuple(markup_headings(document)), headers_footers=_metadata_lines(document))
        if not document.pages or len(outline.headings) > TRUSTED * len(document.pages):
            return outline
        plain = _by_layout(lay_out_plain_text(document))
        # A line of a program that begins with "#" is no heading; nor does a text of many sections have a few marks alone.
        if outline.headings and (plain.origin == "pages" or len(plain.headings) < OUTNUMBERED * len(outline.headings)):
            return outline
        return plain
    return _by_layout(document)


def _by_layout(document: Document) -> Outline:
    whole = Layout(document)
    headers_footers = find_headers_footers(whole)
    outline = reconcile(whole.without(headers_footers))
    if not outline.headings:
        outline = _windows(document, headers_footers)
    return replace(outline, labels=printed_labels(whole))


def without_headings(document: Document) -> Outline:
    """The outline of a document whose headings are left aside: windows of pages, or nothing."""
    return _windows(document, frozenset()) if document.pages else Outline("markup", ())


def _windows(document: Document, headers_footers: frozenset[int]) -> Outline:
    note = "No headings found: the sections are windows of pages, and their titles are page numbers."
    headings: tuple[Heading, ...] = tuple(page_chunks(document))
    return Outline("pages", headings, CONFIDENCE, headers_footers, (note,))


def _metadata_lines(document: Document) -> frozenset[int]:
    """Lines of a Markdown file's YAML front matter: facts about the text, and no text."""
    if document.kind != "markdown":
        return frozenset()
    return frozenset(range(1, front_matter_length([line.text for line in document.lines]) + 1))
