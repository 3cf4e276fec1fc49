"""Text of documents as models get it: without invisible characters, and between marks that it cannot close."""

from __future__ import annotations

import re
import unicodedata

_KEPT = {"\n", "\t", "\u200c", "\u200d"}  # the last two join letters in Persian, Hindi and emoji
_MARK = "document_text"
_MARKS = re.compile(rf"<(?=\s*/?\s*{_MARK})", re.IGNORECASE)


def clean(text: str) -> str:
    """The text without control characters, reversed writing order, tags and other invisible characters."""
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    return "".join(
        letter for letter in text if letter in _KEPT or unicodedata.category(letter) not in ("Cc", "Cf", "Cs")
    )


_HARMLESS = {
    "\u00ad",
    "\ufeff",
    "\ufffe",
    "\r",
    "\f",
    "\x02",
}  # soft hyphens, byte order marks, what PDF leaves of line ends


def count_hidden(text: str) -> int:
    """How many characters `clean` takes out that a reader cannot see and that have no business in a text."""
    if text.isascii() and text.isprintable():
        return 0
    return sum(
        1
        for letter in text
        if letter not in _KEPT and letter not in _HARMLESS and unicodedata.category(letter) in ("Cc", "Cf", "Cs")
    )


def one_line(text: str, limit: int = 160) -> str:
    """A title or name on one line, cut at `limit` characters, without the brackets that citations are made of."""
    line = " ".join(clean(text).split()).replace("[", "(").replace("]", ")").replace("<", "‹").replace(">", "›")
    return line if len(line) <= limit else line[: limit - 1] + "…"


def wrap_untrusted(text: str) -> str:
    """The text between marks; marks inside it are spoiled, so that it cannot end there and go on as something else."""
    return f"<{_MARK}>\n{quotable(text)}\n</{_MARK}>"


def quotable(text: str) -> str:
    """The text as it stands inside a fence."""
    return _MARKS.sub("‹", clean(text))
