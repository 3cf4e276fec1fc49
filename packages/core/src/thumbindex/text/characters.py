"""Texts of whole letters: what files, databases and networks take.

Python's texts may hold half a surrogate pair, and UTF-8 has no bytes for one. They come from names of files that are no
UTF-8 (`os.fsdecode`), from `"\\ud800"` in JSON and YAML, and from what programs extract of PDF files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

Value = TypeVar("Value")


def whole(text: str) -> str:
    """The text with halves that belong together joined and the others replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def whole_values(values: Mapping[str, Value]) -> dict[str, Value]:
    """The same of all keys, of values that are texts, and of those in lists."""
    return {whole(key): _whole_value(value) for key, value in values.items()}


def _whole_value(value: Value) -> Value:
    if isinstance(value, str):
        return whole(value)  # type: ignore[return-value]  # a str again
    if isinstance(value, list):
        return [_whole_value(one) for one in value]  # type: ignore[return-value]  # a list again
    return value
