"""Text that means nothing: what fonts without a right map, and OCR run in the wrong language, leave behind."""

from __future__ import annotations

import re
import unicodedata

GARBLED = 0.25
"""Share of a page's signs that are no signs of any script, from which its text is taken to mean nothing."""
CONSONANTS = 0.5
"""Share of a page's words without a vowel from which its letters are taken to be the wrong ones.

Prose of the 25 documents of the structure benchmark has 0 to 4 %, pages of formulas and code up to 30 %.
"""
_SAMPLE = 2000
"""Letters of a page that are looked at for vowels."""
_FEWEST_WORDS = 20

_GLYPH_NUMBERS = re.compile(r"\(cid:\d+\)|/g\d+")
_LATIN_WORD = re.compile(r"[A-Za-z]{4,}")
_VOWEL = re.compile(r"[aeiouyAEIOUY]")


def garbled_share(text: str) -> float:
    """Share of a text's signs that no script has: replacement marks, private use, and letters by bare glyph number.

    Fonts without a right map give these. Below 50 signs nothing is said.
    """
    signs = [sign for sign in text if not sign.isspace()]
    if len(signs) < 50:
        return 0.0
    bad = sum(sign == "\ufffd" or unicodedata.category(sign) in {"Co", "Cn", "Cc"} for sign in signs)
    bad += sum(len(match) for match in _GLYPH_NUMBERS.findall(text))
    return min(1.0, bad / len(signs))


def is_garbled(text: str) -> bool:
    """Whether a page's text is of no use: signs of no script, or words that no language has.

    Letters that are shifted by a wrong map are letters still, but their words lack vowels.
    """
    suspicious = not text.isprintable() or "\ufffd" in text or "(cid:" in text or "/g" in text
    if suspicious and garbled_share(text) >= GARBLED:
        return True
    words = _LATIN_WORD.findall(text[:_SAMPLE])
    if len(words) < _FEWEST_WORDS:
        return False
    return sum(_VOWEL.search(word) is None for word in words) > CONSONANTS * len(words)
