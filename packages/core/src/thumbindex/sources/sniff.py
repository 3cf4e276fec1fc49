"""What a file is, told from its contents: names lie, and bytes have none."""

from __future__ import annotations

import re
from typing import Literal

from ..errors import UnsupportedSource

HEADER_WINDOW = 1024
"""PDFium looks for the header `%PDF-` in this many bytes from the start; mail gateways and servers put junk before it."""

_SUPPORTED = "Documents read here are PDF, Markdown and plain text."
_CONVERT = "Save it as PDF, or convert it to Markdown (for example with pandoc)."

# (offset, signature, what it is, what to do)
_SIGNATURES = (
    (0, b"\x89PNG\r\n\x1a\n", "a PNG image", "Run OCR on it first and add the text."),
    (0, b"\xff\xd8\xff", "a JPEG image", "Run OCR on it first and add the text."),
    (0, b"GIF8", "a GIF image", "Run OCR on it first and add the text."),
    (0, b"II*\x00", "a TIFF image", "Run OCR on it first and add the text."),
    (0, b"MM\x00*", "a TIFF image", "Run OCR on it first and add the text."),
    (8, b"WEBP", "a WebP image", "Run OCR on it first and add the text."),
    (0, b"AT&TFORM", "a DjVu document", "Convert it to PDF first."),
    (0, b"%!PS", "PostScript", "Convert it to PDF first (for example with ps2pdf)."),
    (0, b"{\\rtf", "an RTF document", _CONVERT),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Microsoft Office document", _CONVERT),
    (0, b"SQLite format 3\x00", "an SQLite database", "If it is a thumbindex library, name it as the library instead."),
    (0, b"\x1f\x8b", "a gzip archive", "Unpack it and add the files inside."),
    (0, b"BZh", "a bzip2 archive", "Unpack it and add the files inside."),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "Unpack it and add the files inside."),
    (0, b"Rar!\x1a\x07", "a RAR archive", "Unpack it and add the files inside."),
    (0, b"\xfd7zXZ\x00", "an XZ archive", "Unpack it and add the files inside."),
    (257, b"ustar", "a tar archive", "Unpack it and add the files inside."),
    (0, b"\x7fELF", "a program", _SUPPORTED),
    (0, b"MZ\x90\x00", "a program", _SUPPORTED),
)

# What a ZIP archive really is, by names that stand near its start.
_ZIPPED = (
    (b"word/", "a Word document (DOCX)"),
    (b"ppt/", "a PowerPoint presentation (PPTX)"),
    (b"xl/", "an Excel workbook (XLSX)"),
    (b"application/epub+zip", "an EPUB book"),
    (b"application/vnd.oasis.opendocument", "an OpenDocument file"),
)

# Only a whole page counts as HTML: Markdown files often begin with a `<p>`, an `<img>` or a comment.
_HTML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_XML = re.compile(rb"\s*<\?xml\s")
_OBJECT = re.compile(rb"\d+\s+\d+\s+obj\b")


def kind_of(data: bytes, name: str, *, start_only: bool = False) -> Literal["pdf", "text", "unsure"]:
    """Whether the bytes are a PDF or may be text.

    With `start_only`, `data` is only the first bytes of a longer file, and "unsure" asks for all of them.

    Raises:
        UnsupportedSource: they are of another kind; the message says which one, and what to do.
    """
    start = data[:HEADER_WINDOW]
    header = start.find(b"%PDF-")
    if header >= 0 and not start[:header].strip(b"\xef\xbb\xbf \t\r\n\x00"):
        return "pdf"
    if header < 0:
        _refuse_other_kinds(data, name)
        return "text"
    if start_only:
        return "unsure"
    # Junk before the header: a PDF has objects. A text about PDF may show a header, and even an object, but it is text.
    if _OBJECT.search(data) and not (_is_utf8(data) and start[header - 1 : header] != b"\n"):
        return "pdf"
    _refuse_other_kinds(data, name)
    return "text"


def _refuse_other_kinds(data: bytes, name: str) -> None:
    for offset, signature, what, remedy in _SIGNATURES:
        if data.startswith(signature, offset):
            raise UnsupportedSource(name, f"it is {what}, which is not read here.", remedy)
    if data.startswith(b"PK\x03\x04"):
        start = data[:65_536]
        for mark, what in _ZIPPED:
            if mark in start:
                raise UnsupportedSource(name, f"it is {what}, which is not read here.", _CONVERT)
        raise UnsupportedSource(
            name, "it is a ZIP archive, which is not read here.", "Unpack it and add the files inside."
        )
    if _HTML.match(data[:65_536]):
        raise UnsupportedSource(name, "it is an HTML page, which is not read here.", _CONVERT)
    if _XML.match(data):
        raise UnsupportedSource(name, "it is XML, which is not read here.", _CONVERT)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\x00" not in data
