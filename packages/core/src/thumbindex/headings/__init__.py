"""Finds the outline of a document: pages in, headings out. Pure."""

from __future__ import annotations

from dataclasses import replace

from ..outline import Heading, Outline
from ..pages import Document
from ..text.front_matter import front_matter_length
from . import bookmarks, contents_page, numbering_sequences, parts_and_items, typography
from .chunks import CONFIDENCE, page_chunks
from .headers_footers import find_headers_footers
from .layout import Layout
from .marked import marked_outline
from .markup import Markup, markup_headings, read_markup
from .next_reading import or_plain_reading
from .numbered_levels import with_levels_by_number
from .numbered_paragraphs import with_numbered_paragraphs
from .page_numbers import printed_labels
from .plain import plain_outline
from .plain_text_layout import lay_out_plain_text
from .reconcile import reconcile
from .rules import Rule

RULES: tuple[Rule, ...] = (
    bookmarks.RULE,
    contents_page.RULE,
    parts_and_items.RULE,
    typography.RULE,
    numbering_sequences.RULE,
)
"""The rules for documents with layout, in the order in which they run: lists first, since their lines are no text.

Formats that mark their headings, and plain text, need no such rules (see `find_outline`).
"""
TRUSTED = 1.0
"""Marked headings to a page from which page texts are Markdown, whatever else they may be."""
OUTNUMBERED = 2.0
"""So many times as many headings by numbers and contents pages as by Markdown's marks, and the marks are accidents."""


def find_outline(document: Document) -> Outline:
    """Returns the headings of a document and where they come from."""
    markup = read_markup(document) if document.kind == "markdown" else Markup()
    outline = _outline(document, markup)
    if document.pages or document.kind == "mail":
        return outline
    skip = outline.headers_footers | markup.blocks
    return replace(outline, headings=tuple(with_numbered_paragraphs(document, outline.headings, skip)))


def _outline(document: Document, markup: Markup) -> Outline:
    if document.kind == "text":
        return plain_outline(document)
    if document.kind in ("html", "docx", "epub", "mail") or document.marks:
        marked = _by_number(marked_outline(document))
        return marked if document.kind == "mail" else or_plain_reading(document, marked, markup.blocks)
    if document.kind != "pdf":
        outline = _by_number(
            Outline(
                "markup",
                markup.headings or tuple(markup_headings(document)),
                headers_footers=_metadata_lines(document),
                anchors=markup.anchors,
            )
        )
        if not document.pages:
            return or_plain_reading(document, outline, markup.blocks)
        if len(outline.headings) > TRUSTED * len(document.pages):
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
    outline = reconcile(whole.without(headers_footers), RULES)
    if not outline.headings:
        outline = _chunks(document, headers_footers)
    return replace(outline, labels=printed_labels(whole))


def _by_number(outline: Outline) -> Outline:
    return replace(outline, headings=with_levels_by_number(outline.headings))


def without_headings(document: Document) -> Outline:
    """Returns an outline without the document's headings: chunks of pages, or nothing for a document without pages."""
    return _chunks(document, frozenset()) if document.pages else Outline("markup", ())


def _chunks(document: Document, headers_footers: frozenset[int]) -> Outline:
    note = "No headings found: the sections are fixed-size chunks of pages, and their titles are page numbers."
    headings: tuple[Heading, ...] = tuple(page_chunks(document))
    return Outline("pages", headings, CONFIDENCE, headers_footers, (note,))


def _metadata_lines(document: Document) -> frozenset[int]:
    """Returns the lines of a Markdown file's YAML front matter, which describe the text and are not part of it."""
    if document.kind != "markdown":
        return frozenset()
    return frozenset(range(1, front_matter_length([line.text for line in document.lines]) + 1))
