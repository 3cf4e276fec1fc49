"""Plain text: the lines of the file, one to one. Headings are found later, by `thumbindex.headings.plain`."""

from __future__ import annotations

import re

from ..errors import EmptySource
from ..pages import Document, Line
from .encoding import split_lines

# Bold and underlined characters as typewriters and `man` print them: a character, a backspace, a character.
_OVERSTRUCK = re.compile(r".\x08")
# Colours in terminals.
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def read_plain(text: str, name: str) -> Document:
    """Returns the document in a plain text; its lines are those of the file.

    Raises:
        EmptySource: The text is empty or only white space.
    """
    text = _ESCAPES.sub("", _OVERSTRUCK.sub("", text)).replace("\x08", "")
    lines = split_lines(text.removeprefix("\ufeff"))
    if not any(line.strip() for line in lines):
        raise EmptySource(name, "the file contains no text.", "Check that it was saved or downloaded completely.")
    return Document(name, "text", tuple(Line(line) for line in lines))
