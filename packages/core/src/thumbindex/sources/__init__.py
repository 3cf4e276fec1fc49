"""Documents come in here: from a path, bytes, an open file, or the texts of pages already parsed."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

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
from .sniff import HEADER_WINDOW, kind_of

if TYPE_CHECKING:
    from .ocr import OcrChoice
    from .pool import Limits

MAX_BYTES = 1 << 30
"""Size of the largest file that is read. The largest annual reports have some 100 MB."""


def read_source(
    source: str | os.PathLike[str] | bytes | BinaryIO | Sequence[str],
    *,
    name: str | None = None,
    password: str | None = None,
    isolation: Literal["process", "none"] = "process",
    limits: Limits | None = None,
    ocr: OcrChoice = "auto",
) -> Document:
    """Read a PDF, Word, HTML, EPUB, Markdown or text file, a mail, or page texts; the contents decide, never the file's name.

    Args:
        source: A path, the bytes of a file, a file opened in binary mode (read from where it stands), or a sequence
            with one text for each page.
        name: What errors and citations call the document; by default the file's name, or "document".
        password: Opens an encrypted PDF.
        isolation: Where PDFium runs: in a process of its own, or in this one, where a hostile file can crash it.
        limits: What reading one PDF may take; for processes of their own only.
        ocr: How scanned pages are read: "auto" with the extra `ocr` where it is installed, "off" not at all, or an engine.

    Raises:
        SourceError: one subclass for each thing that can be wrong: see `thumbindex.errors`.
    """
    how = _PdfReading(password, isolation, limits, ocr)
    if isinstance(source, str | os.PathLike):
        return _read_path(source, name, how)
    if isinstance(source, bytes | bytearray | memoryview):
        return _read_bytes(bytes(source), name or "document", how)
    if isinstance(source, Sequence):
        texts = [text for text in source if isinstance(text, str)]
        if len(texts) < len(source):
            raise TypeError("A sequence must hold one str for each page; pass bytes or a path for a file.")
        return read_pages(texts, name or "document")
    name = name or _name_of(source)
    return _read_bytes(_read_all(source, name), name, how)


@dataclass(frozen=True, slots=True)
class _PdfReading:
    """How a PDF is read, if that is what the source is: see `read_source`."""

    password: str | None
    isolation: Literal["process", "none"]
    limits: Limits | None
    ocr: OcrChoice


def _read_path(path: str | os.PathLike[str], name: str | None, how: _PdfReading) -> Document:
    shown = os.fspath(path)
    found = Path(path)
    called = name or shown  # errors name the whole path, the document only its last part
    try:
        size = _size_of_file(found, shown)
        with found.open("rb") as file:
            start = file.read(HEADER_WINDOW)
            # PDFium reads the file by itself, so a large one never passes through this process.
            if start.strip() and kind_of(start, called, start_only=size > len(start)) == "pdf":
                document = _read_pdf(found.absolute(), called, how)
            else:
                document = _read_bytes(start + file.read(MAX_BYTES), called, how)
    except SourceError:  # some of ours are also OSErrors
        raise
    except OSError as error:
        raise _refused(error, shown) from error
    return replace(document, name=name or found.name)


def _size_of_file(path: Path, shown: str) -> int:
    try:
        status = path.stat()
    except ValueError:  # a NUL character in the path
        raise SourceNotFound(shown.replace("\x00", "�"), "there is no such file.", "Check the path.") from None
    if stat.S_ISDIR(status.st_mode):
        raise SourceIsDirectory(
            shown, "it is a folder, not a document.", "Pass the files in it; `thumbindex add` takes folders."
        )
    # A pipe or a device may never end.
    if not stat.S_ISREG(status.st_mode):
        raise SourceUnreadable(shown, "it is no regular file.", "Save its contents to a file, or pass them as bytes.")
    if status.st_size > MAX_BYTES:
        raise _too_large(shown)
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


def _read_bytes(data: bytes, name: str, how: _PdfReading) -> Document:
    if len(data) > MAX_BYTES:
        raise _too_large(name)
    if not data:
        raise EmptySource(name, "the file is empty.", "Check that it was saved or downloaded completely.")
    if not data.strip():
        raise EmptySource(name, "the file holds only white space.", "Check that it was saved completely.")
    kind = kind_of(data, name)
    if kind == "pdf":
        return _read_pdf(data, name, how)
    if name.lower().endswith(".pdf"):
        what = "its name ends in .pdf, but its contents are no PDF."
        raise UnsupportedSource(name, what, "Download or export it again; if it is a text, give it another name.")
    # Imported here: a worker imports this package too, and reads PDF alone.
    from .dispatch import read_other

    return read_other(data, name, "zip" if kind == "zip" else "text")


def _read_pdf(data: bytes | Path, name: str, how: _PdfReading) -> Document:
    # Imported here: a worker imports this package too and needs no pool, and texts need no process.
    from .pool import read_pdf_apart, render_page_apart

    document = read_pdf_apart(data, name, how.password, isolation=how.isolation, limits=how.limits)
    if not document.scanned:
        return document
    from .image import PageImage, View
    from .ocr import read_scans

    def render(page: int, dpi: float, quarters: int) -> PageImage:
        view = View(page, dpi, quarters, grey=True)
        return render_page_apart(data, name, view, how.password, isolation=how.isolation, limits=how.limits)

    return read_scans(document, render, how.ocr)


def _read_all(file: BinaryIO, name: str) -> bytes:
    """Everything from where the file stands."""
    pieces: list[bytes] = []
    size = 0
    while True:
        try:
            piece: object = file.read(MAX_BYTES + 1 - size)
        except OSError as error:
            raise _refused(error, name) from error
        if piece is not None and not isinstance(piece, bytes):
            raise TypeError(f"{name}: open the file in binary mode, open(path, 'rb').")
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        size += len(piece)
        if size > MAX_BYTES:
            raise _too_large(name)


def _name_of(file: object) -> str:
    name = getattr(file, "name", None)
    # Standard input is called "<stdin>", and a file made from a descriptor has its number for a name.
    if isinstance(name, str) and name and not name.startswith("<"):
        return os.path.basename(name) or "document"
    return "document"


def _too_large(name: str) -> SourceLimit:
    return SourceLimit(name, f"it is larger than {MAX_BYTES >> 20:,} MiB.", "Split it into parts.")
