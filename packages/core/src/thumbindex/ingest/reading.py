"""Building a section tree from a source: read, find the outline, build. No model, no network."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import InvalidTree
from ..headings import find_outline, without_headings
from ..pages import Document
from ..sources import Source, read_source
from ..sources.settings import LIMITS, Isolation, Limits
from ..tree import Tree, build
from ..tree.build import CONFIDENT, FAULT
from ..tree.invariants import violations

if TYPE_CHECKING:
    from ..sources.ocr import OcrChoice

READER_VERSION = 3
"""Raised whenever the same bytes can give a different tree; part of the key of every cache of trees."""


def build_tree(
    source: Source,
    *,
    name: str | None = None,
    password: str | None = None,
    isolation: Isolation = "process",
    limits: Limits = LIMITS,
    bookmarks: bool = True,
    min_confidence: float = CONFIDENT,
    ocr: OcrChoice = "auto",
) -> Tree:
    """Returns the section tree of a document: PDF, Word, PowerPoint, HTML, EPUB, Markdown, text, mail, or texts of pages.

    Args:
        source: A path, the bytes of a file, an open binary file, or the texts of the pages, one string per page (which
            may contain Markdown headings, as PDF-to-Markdown parsers write them).
        name: Name of the document in citations and errors; defaults to the file's name.
        password: Password of an encrypted PDF.
        isolation: "process" parses PDF, Word, PowerPoint, HTML, EPUB and mail in a process of its own, so that a file
            that crashes the parser or never ends does not take the caller along; "none" parses in this process, PDF one
            file at a time. Markdown and plain text, which are only split into lines, are always read in this process.
        limits: Limits of reading: time and memory of that process, and the size of the source.
        bookmarks: False ignores a PDF's embedded outline.
        min_confidence: Confidence that a heading needs to start a section, 0 to 1. Headings deeper than a complete
            contents page have 0.3: pass 0 to include them all.
        ocr: OCR of scanned pages of a PDF, which takes seconds per page: "auto" uses the extra `thumbindex[ocr]` where it
            is installed, "off" none, or pass an engine (see `thumbindex.sources.ocr`).

    Raises:
        SourceError: The document cannot be read; the subclass says why.
    """
    document = read_source(source, name=name, password=password, isolation=isolation, limits=limits, ocr=ocr)
    if not bookmarks:
        document = replace(document, bookmarks=())
    return tree_of(document, min_confidence)


def tree_of(document: Document, min_confidence: float = CONFIDENT) -> Tree:
    """Returns the section tree of a document that has been read; see `build_tree`.

    A defect in a rule for headings must not stop the caller: if one raises an error, or makes a tree that violates an
    invariant, the sections are fixed-size chunks of pages, and a note of the tree says what went wrong.
    """
    try:
        tree = build(document, find_outline(document), min_confidence=min_confidence)
        if violation := next(violations(tree), ""):
            raise InvalidTree(violation)
        return tree
    except Exception as error:
        tree = build(document, without_headings(document), min_confidence=min_confidence)
        return replace(tree, notes=(f"{FAULT} ({type(error).__name__}: {error}).", *tree.notes))
