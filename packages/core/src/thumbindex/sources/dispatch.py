"""Formats other than PDF: the reader for the contents of a file."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from ..errors import UnsupportedSource
from ..pages import Document
from .archive import Archive
from .encoding import Decoded, decode
from .markdown import read_markdown
from .plain import read_plain
from .sniff import SUPPORTED, page_in_envelope

Parsed = Literal["zip", "html", "mail"]
"""Formats that need a parser: ZIP archives (Word files, presentations, e-books), HTML and mail."""

_OTHER_ARCHIVES = (
    ("xl/", "an Excel workbook (XLSX)"),
    ("content.xml", "an OpenDocument file"),
    ("visio/", "a Visio drawing"),
    ("Index/Document.iwa", "a Pages document"),
)


def read_lines(decoded: Decoded, kind: Literal["markdown", "text"], name: str) -> Document:
    """Returns the document in Markdown or plain text, in time linear in its length.

    Raises:
        EmptySource: There is no text.
    """
    read = read_markdown if kind == "markdown" else read_plain
    return _with_guess(read(decoded.text, name), decoded)


def parse(data: bytes, kind: Parsed, name: str) -> Document:
    """Returns the document in a Word file, a presentation, an e-book, an HTML page or mail.

    A hostile file may take any time: see `pool.read_apart`.

    Raises:
        SourceError: See `read_source`.
        MissingExtra: The reader needs an extra.
    """
    if kind == "zip":
        return _read_archive(Archive(data, name), name)
    decoded = decode(data, name)
    if kind == "html":
        from .html import read_html

        document = read_html(page_in_envelope(decoded.text), name)
    else:
        from .mail import read_mail

        document = read_mail(data, name)
    return _with_guess(document, decoded)


def _with_guess(document: Document, decoded: Decoded) -> Document:
    if decoded.is_certain:
        return document
    return replace(document, metadata={**document.metadata, "encoding_guessed": decoded.encoding})


def _read_archive(archive: Archive, name: str) -> Document:
    names = archive.names()
    if "[Content_Types].xml" in archive and any(member.startswith("word/") for member in names):
        from .docx import read_docx

        return read_docx(archive, name)
    if "META-INF/container.xml" in archive:
        from .epub import read_epub

        return read_epub(archive, name)
    if any(member.startswith("ppt/") for member in names):
        from .pptx import read_pptx

        return read_pptx(archive, name)
    for prefix, what in _OTHER_ARCHIVES:
        if any(member.startswith(prefix) for member in names):
            raise UnsupportedSource(
                name, f"it is {what}, which is not supported.", f"{SUPPORTED} Save it as one of these."
            )
    raise UnsupportedSource(
        name, "it is a ZIP archive, which is not supported.", f"Unpack it and add the files inside. {SUPPORTED}"
    )
