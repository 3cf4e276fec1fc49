"""Titles of sections in the two forms in which a cited title is compared with them."""

from __future__ import annotations

import re


def plain_title(title: str) -> str:
    """Returns the words and numbers of a title in lower case, without marks."""
    return " ".join(re.findall(r"[^\W_]+(?:\.\d+)*", title.casefold()))


def bare_title(title: str) -> str:
    """Returns the plain title without the section number before it."""
    return re.sub(r"^[\d.]+ ", "", plain_title(title))
