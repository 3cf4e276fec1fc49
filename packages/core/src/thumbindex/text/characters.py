"""Characters of a text: lone surrogates, case, and length.

Files, databases and networks take no lone surrogates. Python strings may contain half of a surrogate pair, which UTF-8 cannot encode. Sources of these are file names that are not
UTF-8 (`os.fsdecode`), `"\\ud800"` in JSON and YAML, and programs that extract text from PDF files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

Value = TypeVar("Value")


def replace_surrogates(text: str) -> str:
    """Returns the text with surrogate pairs joined and lone surrogates replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def replace_surrogates_in(values: Mapping[str, Value]) -> dict[str, Value]:
    """Applies `replace_surrogates` to all keys, to string values and to strings in lists."""
    return {replace_surrogates(key): _replace_in_value(value) for key, value in values.items()}


def _replace_in_value(value: Value) -> Value:
    if isinstance(value, str):
        return replace_surrogates(value)  # type: ignore[return-value]  # a str again
    if isinstance(value, list):
        return [_replace_in_value(item) for item in value]  # type: ignore[return-value]  # a list again
    return value


def shorten(text: str, limit: int) -> str:
    """Returns the text, cut to at most `limit` characters with "…" at the end if it is longer."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def normalize_title(title: str) -> str:
    """Returns a title without differences of case and white space, for comparison."""
    return " ".join(title.casefold().split())


def letters_and_digits(text: str) -> str:
    """Returns the letters and digits of a text, case folded: two titles are alike where these are.

    >>> letters_and_digits("Note 14 - Debt")
    'note14debt'
    """
    return "".join(char for char in text.casefold() if char.isalnum())


def counted(number: int, noun: str) -> str:
    """Returns a number with its noun: `1 section`, `2 sections`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
