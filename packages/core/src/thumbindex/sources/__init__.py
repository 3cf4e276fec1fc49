"""Documents come in here: from a path, bytes, an open file, or the texts of pages already parsed."""

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


def read_source(
    source: Source,
    *,
    name: str | None = None,
    password: str | None = None,
    isolation: Isolation = "process",
    limits: Limits = LIMITS,
    ocr: OcrChoice = "auto",
) -> Document:
    """Read a PDF, Word, PowerPoint, HTML, EPUB, Markdown or text file, a mail, or page texts; the contents decide, never the file's name.

    Args:
        source: A path, the bytes of a file, a file opened in binary mode (read from where it stands), or a sequence
            with one text for each page.
        name: What errors and citations call the document; by default the file's name, or "document".
        password: Opens an encrypted PDF.
        isolation: Where files are parsed: in a process of its own, or in this one, which a hostile file can crash or hold
            up. Markdown, plain text and page texts, of which only lines are cut, are always read in this one.
        limits: What reading one file may take.
        ocr: How scanned pages are read: "auto" with the extra `ocr` where it is installed, "off" not at all, or an engine.

    Raises:
        SourceError: one subclass for each thing that can be wrong: see `thumbindex.errors`.
        MissingExtra: its reader needs an extra.
    """
    return read_with(ReaderSettings(isolation, limits, ocr), source, name=name, password=password)


def read_with(
    reader: ReaderSettings, source: Source, *, name: str | None = None, password: str | None = None
) -> Document:
    """`read_source`, with what is said of reading in one value."""
    if isinstance(source, str | os.PathLike):
        return _read_path(source, name, password, reader)
    if isinstance(source, Sequence) and not isinstance(source, bytes | bytearray | memoryview):
        texts = [text for text in source if isinstance(text, str)]
        if len(texts) < len(source):
            raise TypeError("A sequence must hold one str for each page; pass bytes or a path for a file.")
        return read_pages(texts, name or UNNAMED)
    name = name or file_name(source)
    return _read_bytes(load_bytes(source, name, reader.limits), name, password, reader)


def _read_path(
    path: str | os.PathLike[str], name: str | None, password: str | None, reader: ReaderSettings
) -> Document:
    shown = os.fspath(path)
    found = Path(path)
    called = name or shown  # errors name the whole path, the document only its last part
    limits = reader.limits
    try:
        size = file_size(found, shown, limits.file_size)
        with found.open("rb") as file:
            start = file.read(HEADER_WINDOW)
            # PDFium reads the file by itself, so a large one never passes through this process.
            if start.strip() and kind_of(start, called, start_only=size > len(start)) == "pdf":
                document = _read_pdf(found.absolute(), called, password, reader)
            else:
                # A file that grew since it was measured has the same limit.
                data = load_bytes(start + file.read(limits.file_size), called, limits)
                document = _read_bytes(data, called, password, reader)
    except SourceError:  # some of ours are also OSErrors
        raise
    except OSError as error:
        raise read_error(error, shown) from error
    return replace(document, name=name or found.name)


def _read_bytes(data: bytes, name: str, password: str | None, reader: ReaderSettings) -> Document:
    if not data:
        raise EmptySource(name, "the file is empty.", "Check that it was saved or downloaded completely.")
    if not data.strip():
        raise EmptySource(name, "the file holds only white space.", "Check that it was saved completely.")
    kind = kind_of(data, name)
    if kind == "pdf":
        return _read_pdf(data, name, password, reader)
    if name.lower().endswith(".pdf"):
        what = "its name ends in .pdf, but its contents are no PDF."
        raise UnsupportedSource(name, what, "Download or export it again; if it is a text, give it another name.")
    if kind == "zip":
        return _parse("zip", data, name, reader)
    return _read_text(data, name, reader)


def _read_text(data: bytes, name: str, reader: ReaderSettings) -> Document:
    # Imported here: a worker imports this package too, and most read PDF alone.
    from .dispatch import read_lines
    from .guarded import guarded
    from .text import decode

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
