"""Everything that is no PDF: which reader a file's contents call for."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from ..errors import UnsupportedSource
from ..pages import Document
from .archive import Archive
from .markdown import read_markdown
from .plain import read_plain
from .sniff import SUPPORTED, page_in_envelope
from .text import Decoded, decode

Parsed = Literal["zip", "html", "mail"]
"""What has to be taken apart by a parser: a ZIP archive (as Word files and e-books are), a page of HTML, mail."""

_OTHER_ARCHIVES = (
    ("xl/", "an Excel workbook (XLSX)"),
    ("content.xml", "an OpenDocument file"),
    ("visio/", "a Visio drawing"),
    ("Index/Document.iwa", "a Pages document"),
)


def read_lines(decoded: Decoded, kind: Literal["markdown", "text"], name: str) -> Document:
    """The document in Markdown or plain text: its lines, in time that grows with their number and no faster.

    Raises:
        EmptySource: there is no text.
    """
    read = read_markdown if kind == "markdown" else read_plain
    return _with_guess(read(decoded.text, name), decoded)


def parse(data: bytes, kind: Parsed, name: str) -> Document:
    """The document in a Word file, an e-book, a page of HTML or mail. Hostile ones take any time: see `pool.read_apart`.

    Raises:
        SourceError: see `read_source`. MissingExtra: its reader needs an extra.
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
    if decoded.known:
        return document
    return replace(document, metadata={**document.metadata, "encoding_guessed": decoded.encoding})


def _read_archive(archive: Archive, name: str) -> Document:
    names = archive.names()
    if "[Content_Types].xml" in archive and any(one.startswith("word/") for one in names):
        from .docx import read_docx

        return read_docx(archive, name)
    if "META-INF/container.xml" in archive:
        from .epub import read_epub

        return read_epub(archive, name)
    if any(one.startswith("ppt/") for one in names):
        from .pptx import read_pptx

        return read_pptx(archive, name)
    for start, what in _OTHER_ARCHIVES:
        if any(one.startswith(start) for one in names):
            raise UnsupportedSource(
                name, f"it is {what}, which is not read here.", f"{SUPPORTED} Save it as one of these."
            )
    raise UnsupportedSource(
        name, "it is a ZIP archive, which is not read here.", f"Unpack it and add the files inside. {SUPPORTED}"
    )
