"""What spoke for a passage, in the question's own words: for the trail and for whoever reads the evidence."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from .ranking import PAIR_REACH, Query, Scored


def coverage(query: Query, one: Scored) -> float:
    """Share of the question's words that a passage's text, title and path hold, 0 to 1."""
    return len(query.needed & _held(one)) / max(1, len(query.needed))


def pairs_together(query: Query, one: Scored) -> float:
    """Share of the question's pairs of neighbours that stand together in a passage, 0 to 1."""
    return sum(_stand_together(one, pair) for pair in query.pairs) / max(1, len(query.pairs))


def explain(query: Query, one: Scored) -> str:
    """Why a passage was chosen."""
    matched = _in_words(query, _held(one))
    in_rows = {term for part in one.candidate.parts for term in part.labels}
    together = [pair for pair in query.pairs if set(pair) <= query.words.keys() and _stand_together(one, pair)]
    reasons = [f"matches {', '.join(matched[:8])}" if matched else "other forms of the question's words"]
    if in_title := _in_words(query, one.candidate.title):
        reasons.append(f"in the title: {', '.join(in_title[:4])}")
    if rows := _in_words(query, in_rows):
        reasons.append(f"in rows of a table: {', '.join(rows[:4])}")
    if together:
        reasons.append("together: " + ", ".join(f"{query.words[a]} {query.words[b]}" for a, b in together[:3]))
    if one.pointed_from:
        reasons.append(f"{one.pointed_from} refers to it")
    return "; ".join(reasons)


def _held(one: Scored) -> set[str]:
    return {token for part in one.candidate.parts for token in part.counts} | one.candidate.title | one.candidate.path


def _in_words(query: Query, tokens: Collection[str]) -> list[str]:
    return [word for term, word in query.words.items() if term in tokens]


def _stand_together(one: Scored, pair: tuple[str, str]) -> bool:
    for part in one.candidate.parts:
        if pair[0] in part.counts and pair[1] in part.counts:
            places = [(at, token) for at, token in enumerate(part.tokens) if token in pair]
            if any(a != b and after - at <= PAIR_REACH for (at, a), (after, b) in pairwise(places)):
                return True
    return False
