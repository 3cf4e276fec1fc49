"""Counting tokens without a tokenizer's tables."""

from __future__ import annotations

import re
from typing import Protocol


class TokenCounter(Protocol):
    """Anything that says how many tokens a model would make of a text."""

    def __call__(self, text: str) -> int: ...


# Letters of scripts that write without spaces count singly; words by length; digits by three; each mark alone.
_PIECES = re.compile(
    r"(?P<cjk>[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff])"
    r"|(?P<number>\d+)"
    r"|(?P<latin>[A-Za-z]+)"
    r"|(?P<word>[^\W\d_]+)"
    r"|(?P<mark>[^\w\s]+|_+)"
)


def estimate_tokens(text: str) -> int:
    """Tokens of `text`, estimated for the byte-pair encodings in use today; no table is downloaded.

    An English word of up to seven letters is one token, a longer one takes another for each further six letters; other
    alphabets take one for each four letters; digits go by three.
    """
    total = 0.0
    for match in _PIECES.finditer(text):
        length = match.end() - match.start()
        match match.lastgroup:
            case "cjk":
                total += 0.8
            case "number":
                total += -(-length // 3)
            case "latin":
                total += 1 + max(0, length - 2) // 6
            case "word":
                total += 1 + (length - 1) // 4
            case _:
                total += 1 + (length - 1) // 4
    return round(total)
