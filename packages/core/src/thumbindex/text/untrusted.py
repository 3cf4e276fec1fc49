"""Text of documents as models get it: without invisible characters, and between marks that it cannot close."""

from __future__ import annotations

import re
import unicodedata

from .characters import shorten

TITLE_CHARACTERS = 160
"""Characters of a title or name in a prompt, at most."""

_KEPT = {"\n", "\t", "\u200c", "\u200d"}  # the last two join characters in Persian, Hindi and emoji
_INVISIBLE = ("Cc", "Cf", "Cs")
"""Unicode categories of control and format characters and of surrogates."""
_HARMLESS = {"\u00ad", "\ufeff", "\ufffe", "\r", "\f", "\x02"}
"""Soft hyphens, byte order marks, and characters that PDF files leave at line ends."""
_MARK = "document_text"
_MARKS = re.compile(rf"<(?=\s*+/?\s*+{_MARK})", re.IGNORECASE)


def clean(text: str) -> str:
    """Returns the text without invisible characters: control characters, marks that reverse the writing direction, tags."""
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    return "".join(
        character for character in text if character in _KEPT or unicodedata.category(character) not in _INVISIBLE
    )


def count_hidden(text: str) -> int:
    """Returns the number of characters that `clean` removes and that ordinary documents do not contain."""
    if text.isascii() and text.isprintable():
        return 0
    return sum(
        1
        for character in text
        if character not in _KEPT and character not in _HARMLESS and unicodedata.category(character) in _INVISIBLE
    )


def one_line(text: str, limit: int | None = TITLE_CHARACTERS) -> str:
    """Returns a text on one line, without the brackets that mark citations and tags.

    Args:
        limit: Longest length in characters, above which the text is cut; None for any.
    """
    line = " ".join(clean(text).split()).replace("[", "(").replace("]", ")").replace("<", "‹").replace(">", "›")
    return line if limit is None else shorten(line, limit)


def wrap_untrusted(text: str) -> str:
    """Returns the text between marks. Marks inside it are changed, so that it cannot end there and go on as instructions."""
    return f"<{_MARK}>\n{quotable(text)}\n</{_MARK}>"


def quotable(text: str) -> str:
    """Returns the text as `wrap_untrusted` has it between its marks."""
    return _MARKS.sub("‹", clean(text))
