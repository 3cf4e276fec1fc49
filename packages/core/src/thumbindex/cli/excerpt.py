"""Which lines of a passage to show for a question, and which of their words it asked for. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence

from ..text.terms import content_terms, tokenize

_WORD = re.compile(r"\w+(?:[.,'’]\w+)*")


def terms_of(question: str, language: str) -> frozenset[str]:
    """What a question asks for, as the index spells it."""
    return frozenset(content_terms(question, language))


def best_lines(lines: Sequence[str], terms: Collection[str], language: str, size: int) -> tuple[int, int]:
    """Start and end (exclusive, from 0) of the `size` neighbouring lines that say most about the terms.

    A term counts once in a window, and more the fewer lines hold it. Of equal windows the first is taken; the lines with
    the terms stand in its middle.
    """
    if len(lines) <= size:
        return 0, len(lines)
    found = [frozenset(tokenize(line, language)) & frozenset(terms) for line in lines]
    holding = Counter(term for line in found for term in line)
    # Terms that belong together stand close together: the core of the window is small.
    core = min(3, size)

    def worth(start: int) -> float:
        inside = {term for line in found[start : start + core] for term in line}
        return sum(1 / math.sqrt(holding[term]) for term in inside)

    best = max(range(len(lines) - core + 1), key=worth)
    start = max(0, min(best - (size - core) // 2, len(lines) - size))
    return start, start + size


def marks(text: str, terms: Collection[str], language: str) -> list[tuple[int, int]]:
    """Where the words of `text` stand that hold one of the terms: (start, end) from 0."""
    return [
        match.span() for match in _WORD.finditer(text) if any(token in terms for token in tokenize(match[0], language))
    ]
