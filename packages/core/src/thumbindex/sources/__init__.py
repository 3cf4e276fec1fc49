"""Reading documents: from a path, bytes, an open file, or texts of pages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..errors import (
    EmptySource,
    SourceError,
    UnsupportedSource,
)
from ..pages import Document
from .files import UNNAMED, file_name, file_size, load_bytes, read_error
from .parsed import read_pages
from .settings import LIMITS, Isolation, Limits, ReaderSettings
from .sniff import HEADER_WINDOW, kind_of, kind_of_text

if TYPE_CHECKING:
    from .dispatch import Parsed
    from .ocr import OcrChoice

Source = str | os.PathLike[str] | bytes | BinaryIO | Sequence[str]
"""A path, the bytes of a file, a file opened in binary mode, or one text per page."""


def read_source(
    source: Source,
    *,
    name: str | None = None,
    password: str | None = None,
    isolation: Isolation = "process",
    limits: Limits = LIMITS,
    ocr: OcrChoice = "auto",
) -> Document:
    """Reads a PDF, Word, PowerPoint, HTML, EPUB, Markdown or text file, a mail, or texts of pages.

    The format is recognised from the contents, never from the name.

    Args:
        source: A path, the bytes of a file, a file opened in binary mode (read from its current position), or a sequence
            with one text per page.
        name: Name of the document in errors and citations; defaults to the file's name, or "document".
        password: Password of an encrypted PDF.
        isolation: "process" parses files in a process of its own; "none" in this one, which a hostile file can crash or
            block. Markdown, plain text and texts of pages, which are only split into lines, are always read in this one.
        limits: Limits of reading one file.
        ocr: OCR of scanned pages: "auto" uses the extra `ocr` where it is installed, "off" none, or pass an engine.

    Raises:
        SourceError: The document cannot be read; the subclass says why: see `thumbindex.errors`.
        MissingExtra: The reader needs an extra.
    """
    return read_with(ReaderSettings(isolation, limits, ocr), source, name=name, password=password)


def read_with(
    reader: ReaderSettings, source: Source, *, name: str | None = None, password: str | None = None
) -> Document:
    """`read_source` with the settings as one object."""
    if isinstance(source, str | os.PathLike):
        return _read_path(source, name, password, reader)
    if isinstance(source, Sequence) and not isinstance(source, bytes | bytearray | memoryview):
        texts = [text for text in source if isinstance(text, str)]
        if len(texts) < len(source):
            raise TypeError("A sequence must contain one str per page; pass bytes or a path for a file.")
        return read_pages(texts, name or UNNAMED)
    name = name or file_name(source)
    return _read_bytes(load_bytes(source, name, reader.limits), name, password, reader)


def _read_path(
    path: str | os.PathLike[str], name: str | None, password: str | None, reader: ReaderSettings
) -> Document:
    given_path = os.fspath(path)
    found = Path(path)
    error_name = name or given_path  # errors name the whole path, the document only its last part
    limits = reader.limits
    try:
        size = file_size(found, given_path, limits.file_size)
        with found.open("rb") as file:
            start = file.read(HEADER_WINDOW)
            # PDFium reads the file by itself, so a large one never passes through this process.
            if start.strip() and kind_of(start, error_name, start_only=size > len(start)) == "pdf":
                document = _read_pdf(found.absolute(), error_name, password, reader)
            else:
                # A file that grew since it was measured has the same limit.
                data = load_bytes(start + file.read(limits.file_size), error_name, limits)
                document = _read_bytes(data, error_name, password, reader)
    except SourceError:  # some of ours are also OSErrors
        raise
    except OSError as error:
        raise read_error(error, given_path) from error
    return replace(document, name=name or found.name)


def _read_bytes(data: bytes, name: str, password: str | None, reader: ReaderSettings) -> Document:
    if not data:
        raise EmptySource(name, "the file is empty.", "Check that it was saved or downloaded completely.")
    if not data.strip():
        raise EmptySource(name, "the file contains only white space.", "Check that it was saved completely.")
    kind = kind_of(data, name)
    if kind == "pdf":
        return _read_pdf(data, name, password, reader)
    if name.lower().endswith(".pdf"):
        what = "its name ends in .pdf, but its contents are not a PDF."
        raise UnsupportedSource(name, what, "Download or export it again; if it is a text, rename it.")
    if kind == "zip":
        return _parse("zip", data, name, reader)
    return _read_text(data, name, reader)


def _read_text(data: bytes, name: str, reader: ReaderSettings) -> Document:
    # Imported here: a worker imports this package too, and most read PDF alone.
    from .dispatch import read_lines
    from .encoding import decode
    from .guarded import guarded

    with guarded(name):
        decoded = decode(data, name)
        kind = kind_of_text(decoded.text, name)
        if kind == "markdown" or kind == "text":
            return read_lines(decoded, kind, name)
    # The process that parses decodes again, which takes a hundredth of the time of parsing.
    del decoded
    return _parse(kind, data, name, reader)


def _parse(kind: Parsed, data: bytes, name: str, reader: ReaderSettings) -> Document:
    from .pool import read_apart

    return read_apart(data, kind, name, reader=reader)


def _read_pdf(data: bytes | Path, name: str, password: str | None, reader: ReaderSettings) -> Document:
    # Imported here: a worker imports this package too and needs no pool, and texts need no process.
    from .pool import read_apart, render_apart

    document = read_apart(data, "pdf", name, password, reader=reader)
    if not document.scanned:
        return document
    from .image import PageImage, View
    from .ocr import read_scans

    def render(page: int, dpi: float, quarters: int) -> PageImage:
        view = View(page, dpi, quarters, grey=True)
        return render_apart(data, name, view, password, reader=reader)

    return read_scans(document, render, reader.ocr)
