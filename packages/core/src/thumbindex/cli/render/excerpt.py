"""The lines of a passage that fit a question best, and the words of the question in them. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence

from ...text.terms import content_terms, tokenize

_WORD = re.compile(r"\w+(?:[.,'’]\w+)*")
_CORE_LINES = 3
"""Lines in which the terms should stand together: the rest of an excerpt is context around them."""


def terms_of(question: str, language: str) -> frozenset[str]:
    """The content words of a question, as the index spells them."""
    return frozenset(content_terms(question, language))


def best_lines(lines: Sequence[str], terms: Collection[str], language: str, size: int) -> tuple[int, int]:
    """Selects the `size` consecutive lines that fit the terms best.

    A term counts once per window, and more the fewer lines contain it. Among equal windows the first is taken; the lines
    with the terms are in its middle.

    Returns:
        Start and end (exclusive), 0-based.
    """
    if len(lines) <= size:
        return 0, len(lines)
    found = [frozenset(tokenize(line, language)) & frozenset(terms) for line in lines]
    line_counts = Counter(term for line_terms in found for term in line_terms)
    core = min(_CORE_LINES, size)

    def score(start: int) -> float:
        inside = {term for line_terms in found[start : start + core] for term in line_terms}
        return sum(1 / math.sqrt(line_counts[term]) for term in inside)

    best = max(range(len(lines) - core + 1), key=score)
    start = max(0, min(best - (size - core) // 2, len(lines) - size))
    return start, start + size


def matching_words(text: str, terms: Collection[str], language: str) -> list[tuple[int, int]]:
    """The words of `text` that contain one of the terms, as (start, end) offsets, 0-based."""
    return [
        match.span() for match in _WORD.finditer(text) if any(token in terms for token in tokenize(match[0], language))
    ]
