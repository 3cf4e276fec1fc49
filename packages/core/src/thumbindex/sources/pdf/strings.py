"""Texts that PDFium gives: decoded, and without the characters that mean nothing to a reader."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable

MAX_STRING = 1 << 20
"""Bytes from which a title, label or metadata value is ignored: a hostile file may declare any size."""

_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_LIGATURE = re.compile("[\ufb00-\ufb06]")
# PDFium marks a hyphen at a line's end with U+FFFE; other control and invisible characters mean nothing to a reader.
_REPLACEMENTS = {
    **dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), 0xAD, 0x200B, 0x2060, 0xFEFF]),
    **dict.fromkeys([*map(ord, "\n\r\t"), 0xA0, 0x2028, 0x2029], " "),
    **dict.fromkeys(range(0x2000, 0x200B), " "),
    **_LIGATURES,
    0xFFFE: "-",
    0x02: "-",
}


def clean_line(text: str) -> str:
    """Returns the text of a line without invisible characters, with ligatures split and one space between words."""
    # Almost every line is clean, and finding that out takes a tenth of the time: everything that is removed is
    # unprintable except for ligatures, and so is all white space except for the space.
    if text.isprintable() and "  " not in text and (text.isascii() or not _LIGATURE.search(text)):
        return text
    return clean_string(text)


def clean_string(text: str) -> str:
    """Returns `clean_line` of a text that is rarely clean, such as a title or a metadata value."""
    return " ".join(text.translate(_REPLACEMENTS).split())


def utf16_string(fill: Callable[[object, int], int]) -> str:
    """Returns the text of one of PDFium's two-call functions, which give a size first, then UTF-16LE with a final NUL."""
    size = fill(None, 0)
    if not 2 < size < MAX_STRING:
        return ""
    buffer = ctypes.create_string_buffer(size)
    fill(buffer, size)
    return buffer.raw[: size - 2].decode("utf-16-le", errors="replace")
