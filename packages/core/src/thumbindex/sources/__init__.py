"""Documents come in here: from a path, bytes, an open file, or the texts of pages already parsed."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..errors import (
    EmptySource,
    SourceError,
    SourceIsDirectory,
    SourceLimit,
    SourceNotFound,
    SourceUnreadable,
    UnsupportedSource,
)
from ..pages import Document
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
    if isinstance(source, bytes | bytearray | memoryview):
        return _read_bytes(bytes(source), name or "document", password, reader)
    if isinstance(source, Sequence):
        texts = [text for text in source if isinstance(text, str)]
        if len(texts) < len(source):
            raise TypeError("A sequence must hold one str for each page; pass bytes or a path for a file.")
        return read_pages(texts, name or "document")
    name = name or _name_of(source)
    return _read_bytes(_read_all(source, name, reader.limits.file_size), name, password, reader)


def _read_path(
    path: str | os.PathLike[str], name: str | None, password: str | None, reader: ReaderSettings
) -> Document:
    shown = os.fspath(path)
    found = Path(path)
    called = name or shown  # errors name the whole path, the document only its last part
    most = reader.limits.file_size
    try:
        size = _size_of_file(found, shown, most)
        with found.open("rb") as file:
            start = file.read(HEADER_WINDOW)
            # PDFium reads the file by itself, so a large one never passes through this process.
            if start.strip() and kind_of(start, called, start_only=size > len(start)) == "pdf":
                document = _read_pdf(found.absolute(), called, password, reader)
            else:
                document = _read_bytes(start + file.read(most), called, password, reader)
    except SourceError:  # some of ours are also OSErrors
        raise
    except OSError as error:
        raise _refused(error, shown) from error
    return replace(document, name=name or found.name)


def _size_of_file(path: Path, shown: str, most: int) -> int:
    try:
        status = path.stat()
    except ValueError:  # a NUL character in the path
        raise SourceNotFound(shown.replace("\x00", "�"), "there is no such file.", "Check the path.") from None
    if stat.S_ISDIR(status.st_mode):
        if not os.access(path, os.R_OK | os.X_OK):
            raise SourceUnreadable(shown, "there is no permission to list this folder.", "Change its permissions.")
        raise SourceIsDirectory(
            shown, "it is a folder, not a document.", "Pass the files in it; `thumbindex add` takes folders."
        )
    # A pipe or a device may never end.
    if not stat.S_ISREG(status.st_mode):
        raise SourceUnreadable(shown, "it is no regular file.", "Save its contents to a file, or pass them as bytes.")
    if status.st_size > most:
        raise _too_large(shown, most)
    return status.st_size


def _refused(error: OSError, shown: str) -> SourceNotFound | SourceUnreadable:
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP):
        if "\n" in shown:
            return SourceNotFound(
                f"{shown.splitlines()[0][:60]}…",
                "a str is taken for a path, and there is no such file.",
                "Pass the text itself as bytes, or as a list with one text for each page.",
            )
        return SourceNotFound(shown, "there is no such file.", "Check the path and the current folder.")
    if isinstance(error, PermissionError):
        return SourceUnreadable(shown, "there is no permission to read it.", "Change its permissions, or copy it.")
    return SourceUnreadable(shown, f"the system could not read it ({error.strerror}).", "Copy the file and try again.")


def _read_bytes(data: bytes, name: str, password: str | None, reader: ReaderSettings) -> Document:
    if len(data) > reader.limits.file_size:
        raise _too_large(name, reader.limits.file_size)
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


def _read_all(file: BinaryIO, name: str, most: int) -> bytes:
    """Everything from where the file stands."""
    pieces: list[bytes] = []
    size = 0
    while True:
        try:
            piece: object = file.read(most + 1 - size)
        except OSError as error:
            raise _refused(error, name) from error
        if piece is not None and not isinstance(piece, bytes):
            raise TypeError(f"{name}: open the file in binary mode, open(path, 'rb').")
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise _too_large(name, most)


def _name_of(file: object) -> str:
    name = getattr(file, "name", None)
    # Standard input is called "<stdin>", and a file made from a descriptor has its number for a name.
    if isinstance(name, str) and name and not name.startswith("<"):
        return os.path.basename(name) or "document"
    return "document"


def _too_large(name: str, most: int) -> SourceLimit:
    size = f"{most >> 20:,} MiB" if most >= 1 << 20 else f"{most:,} bytes"
    return SourceLimit(name, f"it is larger than {size}.", "Split it into parts, or raise the limit `file_size`.")
