"""Finding quoted words in a text, whatever its layout did to them: broken lines, hyphens, ligatures, runs of blanks. Pure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[%％$€£¥]")
_BROKEN = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011\u00ad\ufffe\u0002][ \t]*\n?[ \t]*(?=[^\W\d_])")
_ELLIPSIS = re.compile(r"(?:\[\s*+)?(?:\.{3,}+|…)(?:\s*+\])?")
_FEWEST_ALIKE = 0.55
"""Share of a quote's words that the closest passage must have in their order to be worth showing."""
_RARE_WORDS = 2
"""The longest words of a quote, which are the rarest: a text without any of them need not be searched."""


@dataclass(frozen=True)
class Wording:
    """A text as a row of words.

    Args:
        text: Without the hyphens of broken words.
        tokens: Its words and numbers in lower case.
        spans: Of each token in `text`.
        squashed: The tokens run together, numbers set apart.
        starts: Where tokens start in `squashed`; `ends`, where they end.
    """

    text: str
    tokens: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    squashed: str
    starts: frozenset[int]
    ends: frozenset[int]


@lru_cache(maxsize=512)
def wording(text: str) -> Wording:
    """Returns the words of a text, in lower case and without the hyphens of line breaks."""
    text = _BROKEN.sub("", unicodedata.normalize("NFKC", text.replace("\u00ad", "")).replace("\r\n", "\n"))
    tokens: list[str] = []
    spans: list[tuple[int, int]] = []
    starts: set[int] = set()
    ends: set[int] = set()
    squashed = ""
    for match in _TOKEN.finditer(text):
        token = match.group().casefold()
        # A bar on each side keeps 1 and 2 from becoming 12.
        piece = f"|{token}|" if token[0].isdigit() else token
        starts.add(len(squashed))
        squashed += piece
        ends.add(len(squashed))
        tokens.append(token)
        spans.append(match.span())
    return Wording(text, tuple(tokens), tuple(spans), squashed, frozenset(starts), frozenset(ends))


def contains_quote(text: str, quote: str) -> bool:
    """Returns whether the quote's words stand in the text in their order; around an ellipsis, one piece after the other."""
    page = wording(text)
    searched = 0
    for piece in filter(None, (wording(part).squashed for part in _ELLIPSIS.split(quote))):
        found = page.squashed.find(piece, searched)
        while found >= 0 and not (found in page.starts and found + len(piece) in page.ends):
            found = page.squashed.find(piece, found + 1)
        if found < 0:
            return False
        searched = found + len(piece)
    return bool(quote.strip())


def may_contain(text: str, quote: str) -> bool:
    """Returns whether a close look is worth it: one of the quote's longest words stands in the text unbroken."""
    longest = sorted(wording(quote).tokens, key=len)[-_RARE_WORDS:]
    folded = text.casefold()
    return any(word in folded for word in longest)


def closest_passage(text: str, quote: str) -> tuple[str, float]:
    """Returns the words of a text that come closest to a quote, and how close, 0 to 1; "" where nothing is close."""
    page, wanted = wording(text), wording(quote).tokens
    if not wanted or not page.tokens:
        return "", 0.0
    quoted = set(wanted)
    hits = [1 if token in quoted else 0 for token in page.tokens]
    width = len(wanted)
    count = most = sum(hits[:width])
    first = 0
    for start in range(1, max(1, len(hits) - width + 1)):
        count += hits[start + width - 1] - hits[start - 1]
        if count > most:
            most, first = count, start
    if most < _FEWEST_ALIKE * width:
        return "", 0.0
    last = min(len(page.tokens), first + width)
    share = SequenceMatcher(None, wanted, page.tokens[first:last], autojunk=False).ratio()
    if share < _FEWEST_ALIKE:
        return "", 0.0
    return " ".join(page.text[page.spans[first][0] : page.spans[last - 1][1]].split()), share


def word_count(quote: str) -> float:
    """Returns the number of words of a quote; in scripts without spaces two characters count as one."""
    return sum(len(token) / 2 if "\u3040" <= token[0] <= "\u9fff" else 1 for token in wording(quote).tokens)
