"""All mentions of some words in a document, in reading order: complete, not ranked.

What counts as a mention:

- the words in their order, with any white space, line ends, page breaks, headers and footers between them;
- each word in any inflection (with the same stem in the document's language), case and diacritics; numbers by value (`1,234`
  is `1234`), never as a part of a longer one;
- a word broken by a hyphen at the end of a line, and `long-term` for `long term`;
- a word that ends in `*`, with any ending;
- Chinese, Japanese, Korean and Thai by characters, since there are no spaces between words;
- with `exact`, the words as they are written, including punctuation.

Headers, footers, page numbers and printed contents pages do not count.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..text.terms import UNSPACED, fold, tokenize
from ..tree.model import Tree

CONTEXT_CHARACTERS = 80
"""Characters of context before and after a mention."""
PARTS_PER_PATTERN = 200
"""Words and gaps in one regular expression. Compiling the thousands of a whole chapter takes seconds: the first are searched for,
and where they are found, the next ones."""
MAX_BROKEN_WORD = 200
"""Characters of a word that may be broken at the end of a line."""

_LETTER = rf"[^\W{UNSPACED}]"
_WORD = re.compile(rf"\d+(?:[.,]\d+)*{_LETTER}*|{_LETTER}+")
_PIECE = re.compile(rf"(?P<unspaced>[{UNSPACED}]+)|(?P<word>{_WORD.pattern})(?P<more>\*)?|(?P<other>[^\w\s])")
_HYPHEN = "[-\u2010\u00ad\ufffe]"
_BROKEN = rf"(?:{_HYPHEN}\n)?"
_BETWEEN = r"(?:\s*[-\u2010-\u2013'’&/()\[\]\"“”]\s*|\s+)"


@dataclass(frozen=True, slots=True)
class LineMention:
    """One mention: its first and last line, and its words with those around it on one line."""

    line: int
    last_line: int
    snippet: str


def find_mentions(tree: Tree, text: str, language: str, *, exact: bool = False) -> Iterator[LineMention]:
    """Yields all mentions of `text` in a tree, in reading order; none for white space."""
    stream = _Stream(tree)
    parts = _parts(text, stream, language, exact)
    first, *others = [
        "".join(parts[at : at + PARTS_PER_PATTERN]) for at in range(0, len(parts), PARTS_PER_PATTERN)
    ] or [""]
    last = 0
    for match in re.finditer(first, stream.text) if first else ():
        end: int | None = match.end()
        for other in others:
            following = re.compile(other).match(stream.text, end or 0)
            end = following.end() if following else None
            if end is None:
                break
        if end is not None and last <= match.start() < end:
            last = end
            yield stream.mention(match.start(), end)


class _Stream:
    """The text of a document without headers and footers, case and diacritics, and the start of each line in it."""

    def __init__(self, tree: Tree) -> None:
        self._lines = tree.lines
        self._numbers = [n for n, line in enumerate(tree.lines, 1) if n not in tree.headers_footers and line.strip()]
        pieces = [_folded(tree.lines[n - 1]) for n in self._numbers]
        self._starts: list[int] = []
        length = 0
        for piece in pieces:
            self._starts.append(length)
            length += len(piece) + 1
        self.text = "\n".join(pieces)

    def words_by_stem(self, language: str) -> dict[tuple[str, ...], set[str]]:
        """Returns the words of the document by their stems."""
        joined = re.sub(rf"{_HYPHEN}\n", "", self.text)
        found: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for word in {*_WORD.findall(self.text), *_WORD.findall(joined)}:
            found[_stems(word, language)].add(word)
        return found

    def mention(self, start: int, end: int) -> LineMention:
        first, last = bisect_right(self._starts, start) - 1, bisect_right(self._starts, end - 1) - 1
        previous = " ".join(self._lines[n - 1] for n in self._numbers[max(0, first - 1) : first])
        inside = " ".join(self._lines[n - 1].strip() for n in self._numbers[first : last + 1])
        following = " ".join(self._lines[n - 1] for n in self._numbers[last + 1 : last + 2])
        text = f"{previous} {inside} {following}"
        at = len(previous) + 1 + start - self._starts[first]
        left, right = max(0, at - CONTEXT_CHARACTERS), min(len(text), at + (end - start) + CONTEXT_CHARACTERS)
        # The snippet begins and ends with complete words.
        if left and " " in text[left:at]:
            left = text.index(" ", left) + 1
        if right < len(text) and " " in text[at:right]:
            right = max(text.rindex(" ", at, right), at + (end - start))
        snippet = " ".join(text[left:right].split())
        return LineMention(
            self._numbers[first],
            self._numbers[last],
            ("…" if left else "") + snippet + ("…" if right < len(text) else ""),
        )


@lru_cache(maxsize=1 << 16)
def _stems(word: str, language: str) -> tuple[str, ...]:
    return tuple(tokenize(word, language))


def _folded(text: str) -> str:
    return fold(" ".join(unicodedata.normalize("NFKC", text).split()).casefold())


def _parts(text: str, stream: _Stream, language: str, exact: bool) -> list[str]:
    """Regular expressions for the words and gaps of a text, in order; none for white space."""
    wanted = _folded(text)
    pieces = list(_PIECE.finditer(wanted))
    # Punctuation is ignored beside words, and searched for where it stands alone.
    if not exact and any(piece.lastgroup != "other" for piece in pieces):
        pieces = [piece for piece in pieces if piece.lastgroup != "other"]
    words_by_stem = {} if exact else stream.words_by_stem(language)
    parts: list[str] = []
    end = 0
    for number, piece in enumerate(pieces):
        touching = piece.start() == end
        end = piece.end()
        if number:
            unspaced = piece["unspaced"] or pieces[number - 1]["unspaced"]
            parts.append("\\s*" if touching and (exact or unspaced) else "\\s+" if exact else _BETWEEN)
        if piece["unspaced"]:
            parts.append("\\s*".join(map(re.escape, piece["unspaced"])))
        elif piece["other"]:
            parts.append(re.escape(piece["other"]))
        else:
            parts.append(_word(piece["word"], bool(piece["more"]), words_by_stem, language))
    return parts


def _word(word: str, more: bool, words_by_stem: dict[tuple[str, ...], set[str]], language: str) -> str:
    spellings = {word}
    if not more:
        spellings |= words_by_stem.get(_stems(word, language), set())
    # The longest first, since the first alternative that matches is taken.
    ordered = sorted(spellings, key=len, reverse=True)
    patterns = [
        (_BROKEN if len(spelling) <= MAX_BROKEN_WORD else "").join(map(re.escape, spelling)) for spelling in ordered
    ]
    ending = rf"(?:{_HYPHEN}\n(?={_LETTER})|{_LETTER})*" if more else rf"(?!{_LETTER}|[.,]\d)"
    return rf"(?<!{_LETTER})(?<!\d[.,])(?:{'|'.join(patterns)}){ending}"
