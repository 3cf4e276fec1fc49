"""From a source to its section tree: read, find the outline, build. No model, no network."""

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

READER_VERSION = 2
"""Goes up whenever the same bytes can give another tree; caches of trees carry it in their key."""


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
    """The section tree of a document: PDF, Word, PowerPoint, HTML, EPUB, Markdown, text or mail, or pages already parsed to text.

    Args:
        source: A path, the file's bytes, an open binary file, or the texts of the pages, one string a page (which may
            carry Markdown headings, as PDF-to-Markdown parsers give).
        name: What citations and errors call the document; by default the file's name.
        password: For an encrypted PDF.
        isolation: "process" parses PDF, Word, PowerPoint, HTML, EPUB and mail in a process of its own, so that a file that crashes the
            parser or never ends does not take the caller along; "none" parses here, PDF one file at a time. Markdown and
            texts, of which only lines are cut, are always read here.
        limits: What reading may take: time and memory of that process, and the size of the file.
        bookmarks: False leaves a PDF's embedded outline unread.
        min_confidence: How sure a heading must be to make a section, 0 to 1. Headings deeper than a complete contents
            page goes lie at 0.3: ask for 0 to have them all.
        ocr: How scanned pages of a PDF are read, which takes seconds a page: "auto" with the extra `thumbindex[ocr]` where
            it is installed, "off" not at all, or an engine of yours (see `thumbindex.sources.ocr`).

    Raises:
        SourceError: the document cannot be read; the subclass says why.
    """
    document = read_source(source, name=name, password=password, isolation=isolation, limits=limits, ocr=ocr)
    if not bookmarks:
        document = replace(document, bookmarks=())
    return tree_of(document, min_confidence)


def tree_of(document: Document, min_confidence: float = CONFIDENT) -> Tree:
    """The section tree of a document that has been read; see `build_tree`.

    No document may stop a caller because a rule for headings has a fault, or makes a tree that breaks a promise: then the
    sections are windows of pages, and a note of the tree says what went wrong.
    """
    try:
        tree = build(document, find_outline(document), min_confidence=min_confidence)
        if broken := next(violations(tree), ""):
            raise InvalidTree(broken)
        return tree
    except Exception as error:
        tree = build(document, without_headings(document), min_confidence=min_confidence)
        return replace(tree, notes=(f"{FAULT} ({type(error).__name__}: {error}).", *tree.notes))
