"""Recognising the format of a file from its contents: names may be wrong, and bytes have none."""

from __future__ import annotations

import re
from typing import Literal

from ..errors import UnsupportedSource

HEADER_WINDOW = 1024
"""Bytes from the start in which PDFium looks for the header `%PDF-`; mail gateways and servers put junk before it."""

SUPPORTED = "Supported formats are PDF, Word (DOCX), PowerPoint (PPTX), HTML, EPUB, Markdown, plain text and e-mail."
_CONVERT = f"{SUPPORTED} Save it as one of these."

_TEXT_WINDOW = 65_536
"""Characters from the start of a text that decide its format."""
_CLOSING_TAGS = 3
"""Closing tags that make a text with a tag at its start a fragment of HTML, and not Markdown with a tag in it."""
_OTHER_SIGNS = 2
"""Signs of markup that Markdown lacks, from which a text is not Markdown."""
_HEADER_LINES = 300
"""Lines within which the header of a message ends."""
_MIN_FIELDS = 3
"""Fields of mail in the header of a message; a text may begin with one or two lines that look like them."""

# (offset, signature, format, remedy)
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
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Microsoft Office document (or an encrypted one)", _CONVERT),
    (60, b"BOOKMOBI", "a Kindle book", _CONVERT),
    (0, b"ITSF", "a compiled help file (CHM)", _CONVERT),
    (0, b"\xffWPC", "a WordPerfect document", _CONVERT),
    (0, b"SQLite format 3\x00", "an SQLite database", "If it is a thumbindex library, pass it as the library instead."),
    (0, b"\x1f\x8b", "a gzip archive", "Unpack it and add the files inside."),
    (0, b"BZh", "a bzip2 archive", "Unpack it and add the files inside."),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "Unpack it and add the files inside."),
    (0, b"Rar!\x1a\x07", "a RAR archive", "Unpack it and add the files inside."),
    (0, b"\xfd7zXZ\x00", "an XZ archive", "Unpack it and add the files inside."),
    (257, b"ustar", "a tar archive", "Unpack it and add the files inside."),
    (0, b"\x7fELF", "a program", SUPPORTED),
    (0, b"MZ\x90\x00", "a program", SUPPORTED),
)

# Comments before the first tag. Atomic, so that matching a file of nothing but comments does not try every division of them.
_COMMENTS = r"(?>(?:<!--.*?-->\s*)*)"
# Only the start of a whole page proves HTML: Markdown files often begin with a `<p>`, an `<img>` or a comment.
_HTML = re.compile(
    rf"\s*(?:<\?xml[^>]*>\s*)?{_COMMENTS}"
    r"<(?:!doctype\s+html|html|head|body|title|meta|link|style|frameset)\b",
    re.IGNORECASE | re.DOTALL,
)
# Lines that EDGAR puts before the page of a filing.
_ENVELOPE = re.compile(
    rf"\s*(?:-----BEGIN PRIVACY-ENHANCED MESSAGE-----.{{0,3000}}?)?<(?:SEC-DOCUMENT|DOCUMENT|TYPE)>.{{0,20000}}?<TEXT>\s*(?=(?:<XBRL>\s*)?(?:<\?xml[^>]*>\s*)?{_COMMENTS}<html\b)",
    re.IGNORECASE | re.DOTALL,
)
_FRAGMENT = re.compile(
    rf"\s*{_COMMENTS}<(?:h[1-6]|div|table|article|section|main|center|ul|ol|dl|p|font|body)\b[^<>]*>",
    re.IGNORECASE | re.DOTALL,
)
_CLOSING = re.compile(r"</(?:p|div|h[1-6]|table|tr|td|li|ul|ol|dl|article|section)\s*>", re.IGNORECASE)
_XML = re.compile(r"\s*<\?xml\s")
_OBJECT = re.compile(rb"(?<!\d)\d++\s++\d++\s++obj\b")
_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,60}:[ \t]?")
_MAIL_FIELDS = frozenset(
    {"from", "to", "date", "subject", "received", "message-id", "return-path", "mime-version", "sender"}
)
_HASHES = re.compile(r"^ {0,3}#{1,6}[ \t]+\S", re.MULTILINE)
_MARKDOWN = re.compile(
    r"^ {0,3}(?:```|~~~|\|?[ \t]*:?-{3,}:?[ \t]*\|)|\[[^\]\n]{1,200}\]\([^)\s]{1,300}\)"
    # Emphasis closes: a line of asterisks or a rule for a signature is none.
    r"|^ {0,3}(?:\*\*(?=[^\s*])[^\n*]{1,300}(?<=[^\s*])\*\*|__(?=[^\s_])[^\n_]{1,300}(?<=[^\s_])__)(?![*_])",
    re.MULTILINE,
)
# Markup that Markdown lacks: underlines of other characters, directives of reStructuredText, titles of AsciiDoc and wikis.
_OTHER_MARKUP = re.compile(
    r"""^[ \t]*\S[^\n]{2,100}\n[ \t]*([~*^"'+.:#])\1{3,}[ \t]*$|^\.\. [\w:-]+::|^={2,6}[ \t]\S""", re.MULTILINE
)


def kind_of(data: bytes, name: str, *, start_only: bool = False) -> Literal["pdf", "zip", "text", "unsure"]:
    """Returns whether bytes are a PDF, a ZIP archive (as Word files and e-books are), or may be text.

    Args:
        data: Bytes of the file.
        name: Name of the file in errors.
        start_only: Whether `data` is only the start of a longer file; "unsure" then asks for all of it.

    Raises:
        UnsupportedSource: They have another format, which the message names.
    """
    start = data[:HEADER_WINDOW]
    header = start.find(b"%PDF-")
    if header >= 0 and not start[:header].strip(b"\xef\xbb\xbf \t\r\n\x00"):
        return "pdf"
    if header >= 0 and start_only:
        return "unsure"
    # Junk before the header: a PDF contains objects. A text about PDF may quote a header, and even an object, but is text.
    if header >= 0 and _OBJECT.search(data) and not (_is_utf8(data) and start[header - 1 : header] != b"\n"):
        return "pdf"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    for offset, signature, what, remedy in _SIGNATURES:
        if data.startswith(signature, offset):
            raise UnsupportedSource(name, f"it is {what}, which is not supported.", remedy)
    return "text"


def kind_of_text(text: str, name: str) -> Literal["html", "mail", "markdown", "text"]:
    """Returns the format of a text.

    A text without any sign of Markdown is plain. An HTML page may be in the envelope of a filing; a fragment of HTML counts
    if it begins with a tag.

    Raises:
        UnsupportedSource: It is some other XML.
    """
    start = text[:_TEXT_WINDOW]
    if _HTML.match(start) or _ENVELOPE.match(start):
        return "html"
    if _XML.match(start):
        if re.search(r"<html\b", start, re.IGNORECASE):
            return "html"
        raise UnsupportedSource(name, "it is XML, which is not supported.", _CONVERT)
    signs = len(_HASHES.findall(start)) + len(_MARKDOWN.findall(start))
    if _FRAGMENT.match(start) and not signs and len(_CLOSING.findall(start)) >= _CLOSING_TAGS:
        return "html"
    if _is_mail(start):
        return "mail"
    if re.match(r"---[ \t]*\r?\n[^\n]{0,200}:", start):
        return "markdown"
    others = len(_OTHER_MARKUP.findall(start))
    if others >= _OTHER_SIGNS and others > len(_HASHES.findall(start)):
        return "text"
    return "markdown" if signs else "text"


def page_in_envelope(text: str) -> str:
    """Returns the HTML page of a filing without its envelope; other texts unchanged."""
    match = _ENVELOPE.match(text)
    if not match:
        return text
    end = text.find("</html>", match.end())
    if end < 0:
        end = text.lower().find("</html>", match.end())
    return text[match.end() : end + len("</html>") if end >= 0 else None]


def _is_mail(start: str) -> bool:
    """Returns whether a text starts with the header of a message: fields, at least `_MIN_FIELDS` of them of mail, then a blank
    line."""
    lines = start.lstrip("\ufeff\r\n").splitlines()
    if lines and re.match(r"From .{1,300}\d{4}$", lines[0]):
        lines = lines[1:]
    fields: set[str] = set()
    for line in lines[:_HEADER_LINES]:
        if not line.strip():
            break
        if line[0] in " \t" and fields:
            continue
        match = _HEADER.match(line)
        if not match:
            return False
        fields.add(line[: match.end()].rstrip(" \t:").lower())
    return len(fields & _MAIL_FIELDS) >= _MIN_FIELDS and "from" in fields


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\x00" not in data
