"""Plain text: the lines of the file, one to one. Which are headings is decided later, by `thumbindex.headings.plain`."""

from __future__ import annotations

import re

from ..errors import EmptySource
from ..pages import Document, Line
from .text import split_lines

# How typewriters and `man` print bold and underlined letters: a letter, a step back, a letter.
_OVERSTRUCK = re.compile(r".\x08")
# Colours of terminals.
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def read_plain(text: str, name: str) -> Document:
    """The document that a plain text holds; `lines` are the lines of the file.

    Raises:
        EmptySource: the text is empty or only white space.
    """
    text = _ESCAPES.sub("", _OVERSTRUCK.sub("", text)).replace("\x08", "")
    lines = split_lines(text.removeprefix("\ufeff"))
    if not any(line.strip() for line in lines):
        raise EmptySource(name, "the file holds no text.", "Check that it was saved or downloaded completely.")
    return Document(name, "text", tuple(Line(line) for line in lines))
