"""From bytes to lines: which encoding a text file is in, and where its lines end."""

from __future__ import annotations

import codecs
import re

from ..errors import UnsupportedSource

# UTF-32 first: its little-endian mark begins with the one of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Line ends as CommonMark has them. `str.splitlines` also breaks at form feeds and U+2028, and would shift line numbers.
_LINE_END = re.compile(r"\r\n|\n|\r")

# Control characters that no text file has a use for; tab, line feed, form feed, carriage return and escape occur.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_SAMPLE = 65_536
_MOST_CONTROL = 0.05

_REMEDY = "Documents read here are PDF, Markdown and plain text; save a text as UTF-8."


def decode(data: bytes, name: str) -> tuple[str, str]:
    """The text of a file without its byte-order mark, and the encoding it was in.

    A byte-order mark decides; else UTF-8 if the bytes are valid UTF-8; else Windows-1252, the usual encoding of old
    Western files, which may be a wrong guess: the caller keeps it as a note.

    Raises:
        UnsupportedSource: the bytes are no text in any of these.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                text = data[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                what = f"it starts with a byte-order mark for {encoding.upper()} but breaks that encoding at byte {len(mark) + error.start}."
                raise UnsupportedSource(name, what, _REMEDY) from None
            return _checked(text, name), encoding
    if b"\x00" in data:
        what = "it holds binary data and no text."
        if _looks_like_utf16(data):
            what = "it looks like UTF-16 text without a byte-order mark."
        raise UnsupportedSource(name, what, _REMEDY)
    try:
        return _checked(data.decode("utf-8"), name), "utf-8"
    except UnicodeDecodeError:
        pass
    try:
        text = data.decode("windows-1252")
    except UnicodeDecodeError:
        text = "\x00"
    if _CONTROL.search(text):
        raise UnsupportedSource(name, "its text encoding is unknown, or it holds binary data.", _REMEDY)
    return text, "windows-1252"


def split_lines(text: str) -> list[str]:
    """The lines of a text without their ends; a line end at the very end opens no further line."""
    lines = _LINE_END.split(text)
    if not lines[-1]:
        lines.pop()
    return lines


def _checked(text: str, name: str) -> str:
    sample = text[:_SAMPLE]
    if "\x00" in text or len(_CONTROL.findall(sample)) > _MOST_CONTROL * len(sample):
        raise UnsupportedSource(name, "it holds binary data and no text.", _REMEDY)
    return text


def _looks_like_utf16(data: bytes) -> bool:
    """Whether every other byte of the start is NUL, as in Western text in UTF-16."""
    even, odd = data[0:512:2], data[1:512:2]
    return any(len(half) > 1 and half.count(0) > 0.8 * len(half) for half in (even, odd)) and not (
        even.count(0) > 0.8 * len(even) and odd.count(0) > 0.8 * len(odd)
    )
