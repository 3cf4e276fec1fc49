"""Every mention of some words in a document, in reading order: complete by definition, not the best few by rank.

What counts as a mention:

- the words in their order, whatever stands between them of white space, line ends, page breaks and page furniture;
- each word in any inflection (the stems of the document's language agree), whatever its case and diacritics; numbers by
  value (`1,234` is `1234`), never a part of a longer one;
- a word broken by a hyphen at the end of a line, and `long-term` for `long term`;
- a word that ends in `*`, with any ending;
- Chinese, Japanese, Korean and Thai by letters, since there are no spaces between words;
- with `exact`, the words as they are written, and punctuation too.

Running heads, page numbers and printed contents pages are no mentions.
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

SNIPPET = 80
"""Letters of context before and after a mention."""
AT_ONCE = 200
"""Words and gaps in one regular expression. Who looks for a chapter asks for thousands, and to compile them takes seconds:
the first are looked for, and where they stand the next ones."""
LONGEST_WORD = 200
"""Letters of a word that may be broken at the end of a line."""

_LETTER = rf"[^\W{UNSPACED}]"
_WORD = re.compile(rf"\d+(?:[.,]\d+)*{_LETTER}*|{_LETTER}+")
_PIECE = re.compile(rf"(?P<unspaced>[{UNSPACED}]+)|(?P<word>{_WORD.pattern})(?P<more>\*)?|(?P<other>[^\w\s])")
_HYPHEN = "[-\u2010\u00ad\ufffe]"
_BROKEN = rf"(?:{_HYPHEN}\n)?"
_BETWEEN = r"(?:\s*[-\u2010-\u2013'’&/()\[\]\"“”]\s*|\s+)"


@dataclass(frozen=True, slots=True)
class Found:
    """One mention: its first and last line, and the words around it on one line."""

    line: int
    last_line: int
    snippet: str


def find_mentions(tree: Tree, text: str, language: str, *, exact: bool = False) -> Iterator[Found]:
    """All mentions of `text` in a tree, in reading order; none for white space."""
    stream = _Stream(tree)
    parts = _parts(text, stream, language, exact)
    first, *others = ["".join(parts[at : at + AT_ONCE]) for at in range(0, len(parts), AT_ONCE)] or [""]
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
            yield stream.found(match.start(), end)


class _Stream:
    """The text of a document without furniture, folded, and where each line begins in it."""

    def __init__(self, tree: Tree) -> None:
        self._lines = tree.lines
        self._numbers = [n for n, line in enumerate(tree.lines, 1) if n not in tree.headers_footers and line.strip()]
        pieces = [_plain(tree.lines[n - 1]) for n in self._numbers]
        self._starts: list[int] = []
        length = 0
        for piece in pieces:
            self._starts.append(length)
            length += len(piece) + 1
        self.text = "\n".join(pieces)

    def forms(self, language: str) -> dict[tuple[str, ...], set[str]]:
        """The words of the document by what their stems are."""
        joined = re.sub(rf"{_HYPHEN}\n", "", self.text)
        found: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for word in {*_WORD.findall(self.text), *_WORD.findall(joined)}:
            found[_stems(word, language)].add(word)
        return found

    def found(self, start: int, end: int) -> Found:
        first, last = bisect_right(self._starts, start) - 1, bisect_right(self._starts, end - 1) - 1
        before = " ".join(self._lines[n - 1] for n in self._numbers[max(0, first - 1) : first])
        inside = " ".join(self._lines[n - 1].strip() for n in self._numbers[first : last + 1])
        after = " ".join(self._lines[n - 1] for n in self._numbers[last + 1 : last + 2])
        whole = f"{before} {inside} {after}"
        at = len(before) + 1 + start - self._starts[first]
        left, right = max(0, at - SNIPPET), min(len(whole), at + (end - start) + SNIPPET)
        # Whole words at both ends.
        if left and " " in whole[left:at]:
            left = whole.index(" ", left) + 1
        if right < len(whole) and " " in whole[at:right]:
            right = max(whole.rindex(" ", at, right), at + (end - start))
        snippet = " ".join(whole[left:right].split())
        return Found(
            self._numbers[first],
            self._numbers[last],
            ("…" if left else "") + snippet + ("…" if right < len(whole) else ""),
        )


@lru_cache(maxsize=1 << 16)
def _stems(word: str, language: str) -> tuple[str, ...]:
    return tuple(tokenize(word, language))


def _plain(text: str) -> str:
    return fold(" ".join(unicodedata.normalize("NFKC", text).split()).casefold())


def _parts(text: str, stream: _Stream, language: str, exact: bool) -> list[str]:
    """Regular expressions over the stream for one word or gap after the other; none for white space."""
    wanted = _plain(text)
    pieces = list(_PIECE.finditer(wanted))
    # Signs mean nothing beside words; alone they are what is looked for.
    if not exact and any(piece.lastgroup != "other" for piece in pieces):
        pieces = [piece for piece in pieces if piece.lastgroup != "other"]
    forms = {} if exact else stream.forms(language)
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
            parts.append(_word(piece["word"], bool(piece["more"]), forms, language))
    return parts


def _word(word: str, more: bool, forms: dict[tuple[str, ...], set[str]], language: str) -> str:
    spellings = {word}
    if not more:
        spellings |= forms.get(_stems(word, language), set())
    # The longest first, since the first that fits is taken.
    ordered = sorted(spellings, key=len, reverse=True)
    ways = [(_BROKEN if len(one) <= LONGEST_WORD else "").join(map(re.escape, one)) for one in ordered]
    ending = rf"(?:{_HYPHEN}\n(?={_LETTER})|{_LETTER})*" if more else rf"(?!{_LETTER}|[.,]\d)"
    return rf"(?<!{_LETTER})(?<!\d[.,])(?:{'|'.join(ways)}){ending}"
