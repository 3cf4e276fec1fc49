"""Reasons why a passage was chosen, in the question's own words: for the trail and for readers of the evidence."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from .query import Query
from .ranking import PAIR_DISTANCE, RankedPassage

MATCHED_WORDS, TITLE_WORDS, ROW_WORDS, PAIRS = 8, 4, 4, 3
"""Words, and pairs of them, that an explanation lists at most."""


def coverage(query: Query, passage: RankedPassage) -> float:
    """Returns the share of the question's words in a passage's text, title and path, 0 to 1."""
    return len(query.needed & _tokens(passage)) / max(1, len(query.needed))


def pairs_together(query: Query, passage: RankedPassage) -> float:
    """Returns the share of the question's pairs of neighbours that stand together in a passage, 0 to 1."""
    return sum(_stand_together(passage, pair) for pair in query.pairs) / max(1, len(query.pairs))


def explain(query: Query, passage: RankedPassage) -> str:
    """Returns why a passage was chosen."""
    matched = _in_words(query, _tokens(passage))
    row_labels = {term for part in passage.candidate.parts for term in part.labels}
    together = [pair for pair in query.pairs if set(pair) <= query.words.keys() and _stand_together(passage, pair)]
    listed = ", ".join(matched[:MATCHED_WORDS])
    reasons = [f"matches {listed}" if matched else "other forms of the question's words"]
    if in_title := _in_words(query, passage.candidate.title):
        reasons.append(f"in the title: {', '.join(in_title[:TITLE_WORDS])}")
    if in_rows := _in_words(query, row_labels):
        reasons.append(f"in rows of a table: {', '.join(in_rows[:ROW_WORDS])}")
    if together:
        reasons.append("together: " + ", ".join(f"{query.words[a]} {query.words[b]}" for a, b in together[:PAIRS]))
    if passage.pointed_from:
        reasons.append(f"{passage.pointed_from} refers to it")
    return "; ".join(reasons)


def _tokens(passage: RankedPassage) -> set[str]:
    candidate = passage.candidate
    return {token for part in candidate.parts for token in part.counts} | candidate.title | candidate.path


def _in_words(query: Query, tokens: Collection[str]) -> list[str]:
    return [word for term, word in query.words.items() if term in tokens]


def _stand_together(passage: RankedPassage, pair: tuple[str, str]) -> bool:
    for part in passage.candidate.parts:
        if pair[0] in part.counts and pair[1] in part.counts:
            positions = [(at, token) for at, token in enumerate(part.tokens) if token in pair]
            if any(a != b and right - left <= PAIR_DISTANCE for (left, a), (right, b) in pairwise(positions)):
                return True
    return False
