"""Text that means nothing: what fonts without a right map, and OCR run in the wrong language, leave behind."""

from __future__ import annotations

import re
import unicodedata

GARBLED = 0.25
"""Share of a page's signs that are no signs of any script, from which its text is taken to mean nothing."""
VOWELS = 0.2
"""Share of vowels among a page's Latin letters below which they are taken to be the wrong ones.

Of 2,469 pages of the structure benchmark's documents 99.9 % have more than 0.28; the last, of sequences of amino acids, 0.22.
Letters shifted by 29 places, as fonts without a map give them, have 0.17.
"""
_SAMPLE = 2000
"""Signs of a page that are looked at for vowels."""
_FEWEST_LETTERS = 150

_GLYPH_NUMBERS = re.compile(r"\(cid:\d+\)|/g\d+")
_CONSONANT = re.compile(r"[bcdfghjklmnpqrstvwxz]", re.IGNORECASE)
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)


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
    """Whether a page's text is of no use: signs of no script, or letters in shares that no language has.

    Letters that are shifted by a wrong map are letters still, but few of them are vowels.
    """
    suspicious = not text.isprintable() or "\ufffd" in text or "(cid:" in text or "/g" in text
    if suspicious and garbled_share(text) >= GARBLED:
        return True
    sample = text[:_SAMPLE]
    vowels, consonants = len(_VOWEL.findall(sample)), len(_CONSONANT.findall(sample))
    return vowels + consonants >= _FEWEST_LETTERS and vowels < VOWELS * (vowels + consonants)
