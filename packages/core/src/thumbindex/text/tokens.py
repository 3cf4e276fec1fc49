"""Estimates of token counts, without a tokenizer's tables."""

from __future__ import annotations

import re
from typing import Protocol, runtime_checkable


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens that a model makes of a text."""

    def __call__(self, text: str) -> int: ...


# Characters of scripts without spaces count singly, words by length, digits in threes, and punctuation alone.
_PIECES = re.compile(
    r"(?P<cjk>[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff])"
    r"|(?P<number>\d+)"
    r"|(?P<latin>[A-Za-z]+)"
    r"|(?P<word>[^\W\d_]+)"
    r"|(?P<mark>[^\w\s]+|_+)"
)


CJK_TOKENS = 0.8
"""Tokens of a Chinese, Japanese or Korean character, on average."""
DIGITS_PER_TOKEN, LETTERS_PER_TOKEN = 3, 4
"""Digits of a number, and characters of a word in other alphabets than Latin, in one token."""
LATIN_FIRST, LATIN_NEXT = 7, 6
"""Letters of a Latin word in its first token, and in each further one."""
_LATIN_OFFSET = LATIN_FIRST - LATIN_NEXT + 1


def estimate_tokens(text: str) -> int:
    """Returns the estimated number of tokens of `text` in the byte-pair encodings in use today.

    A Latin word of up to seven letters is one token, and each further six letters are another; other alphabets have one token
    for each four letters, and numbers one for each three digits.
    """
    total = 0.0
    for match in _PIECES.finditer(text):
        start, end = match.span()
        length = end - start
        # The most frequent first: this is run for every word of a document.
        match match.lastgroup:
            case "latin":
                total += 1 if length <= LATIN_FIRST else 1 + (length - _LATIN_OFFSET) // LATIN_NEXT
            case "number":
                total += -(-length // DIGITS_PER_TOKEN)
            case "cjk":
                total += CJK_TOKENS
            case _:
                total += 1 + (length - 1) // LETTERS_PER_TOKEN
    return round(total)
