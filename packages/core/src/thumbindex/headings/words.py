"""Titles in the form in which they are compared. Pure."""

from __future__ import annotations

import re
import unicodedata

from .numbering import parse_label

_NO_WORD = re.compile(r"[\W_]+")
_ASCII_NO_WORD = {code: None for code in range(128) if not chr(code).isalnum()}


def squeeze(text: str) -> str:
    """Returns a title in the form in which titles are compared: NFKC, lower case, letters and digits only."""
    if text.isascii():
        return text.lower().translate(_ASCII_NO_WORD)
    return _NO_WORD.sub("", unicodedata.normalize("NFKC", text).casefold())


def bare_title(text: str) -> str:
    """`squeeze` of a title without its number."""
    label = parse_label(text)
    return squeeze(label.title) if label is not None and label.title else squeeze(text)
