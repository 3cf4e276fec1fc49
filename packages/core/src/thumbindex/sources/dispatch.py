"""Everything that is no PDF: which reader a file's contents call for."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from ..errors import UnsupportedSource
from ..pages import Document
from .archive import Archive
from .markdown import read_markdown
from .sniff import SUPPORTED, kind_of_text, page_in_envelope
from .text import decode

_OTHER_ARCHIVES = (
    ("ppt/", "a PowerPoint presentation (PPTX)"),
    ("xl/", "an Excel workbook (XLSX)"),
    ("content.xml", "an OpenDocument file"),
    ("visio/", "a Visio drawing"),
    ("Index/Document.iwa", "a Pages document"),
)


def read_other(data: bytes, name: str, kind: Literal["zip", "text"]) -> Document:
    """The document in a ZIP archive or a text.

    Raises:
        SourceError: see `read_source`. MissingExtra: its reader needs an extra.
    """
    if kind == "zip":
        return _read_archive(Archive(data, name), name)
    decoded = decode(data, name)
    match kind_of_text(decoded.text, name):
        case "html":
            from .html import read_html

            document = read_html(page_in_envelope(decoded.text), name)
        case "mail":
            from .mail import read_mail

            document = read_mail(data, name)
        case "markdown":
            document = read_markdown(decoded.text, name)
        case "text":
            from .plain import read_plain

            document = read_plain(decoded.text, name)
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
    for start, what in _OTHER_ARCHIVES:
        if any(one.startswith(start) for one in names):
            raise UnsupportedSource(
                name, f"it is {what}, which is not read here.", f"{SUPPORTED} Save it as one of these."
            )
    raise UnsupportedSource(
        name, "it is a ZIP archive, which is not read here.", f"Unpack it and add the files inside. {SUPPORTED}"
    )
