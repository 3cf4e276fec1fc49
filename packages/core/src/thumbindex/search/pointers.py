"""References between passages: a passage that refers to a section in a line about the question lends it some of its score."""

from __future__ import annotations

from collections.abc import Sequence

from ..store import Store, StoredPassage
from ..text.terms import tokenize
from .query import Query
from .ranking import RankedPassage

LENT_SHARE = 0.5
"""Share of the score of a passage that a section gains to which it refers, for a line with all words of the question."""
POINTING_PASSAGES = 8
"""Passages, from the best on, that lend some of their score."""
MIN_RELEVANCE = 0.3
"""Share of the question's words around a reference from which it counts."""
LINES_BEFORE, LINES_AFTER = 2, 1
"""Lines around a reference that are read with its own. The text of a passage lacks headers and footers, so that line numbers
may be off by the lines left out."""


def follow_pointers(store: Store, query: Query, ranked: Sequence[RankedPassage], language: str) -> list[RankedPassage]:
    """Returns the ranking after the best passages have lent some of their score to the sections that they refer to.

    Of each section the best passage gains, by the most that one reference lends.
    """
    passages_of: dict[tuple[str, str], list[RankedPassage]] = {}
    for passage in ranked:
        passages_of.setdefault((passage.candidate.doc_id, passage.candidate.section), []).append(passage)
    pointing = [
        (passage, line, targets)
        for passage in ranked[:POINTING_PASSAGES]
        for line, sections in passage.candidate.pointers
        if passage.candidate.section not in sections
        and (
            targets := [
                target for section in sections for target in passages_of.get((passage.candidate.doc_id, section), ())
            ]
        )
    ]
    wanted: dict[str, list[str]] = {}
    for passage, *_ in pointing:
        wanted.setdefault(passage.candidate.doc_id, []).append(passage.candidate.node_id)
    loaded = {doc_id: store.load(doc_id, node_ids) for doc_id, node_ids in wanted.items()}
    gains: dict[int, tuple[float, RankedPassage, StoredPassage]] = {}
    for passage, line, targets in pointing:
        stored = loaded[passage.candidate.doc_id][passage.candidate.node_id]
        relevance = _relevance(stored, line, query, language)
        if relevance < MIN_RELEVANCE:
            continue
        gain = LENT_SHARE * relevance * passage.score
        best = max(targets, key=lambda target: target.score)
        if gain > gains.get(best.candidate.number, (0.0,))[0]:
            gains[best.candidate.number] = (gain, best, stored)
    for gain, target, source in gains.values():
        target.score += gain
        target.pointed_from = source.passage.title
    return sorted(ranked, key=lambda passage: (-passage.score, passage.candidate.number))


def _relevance(stored: StoredPassage, line: int, query: Query, language: str) -> float:
    """Share of the question's words in and around a line, 0 to 1."""
    lines = stored.passage.text.splitlines()
    at = line - stored.passage.lines.first
    near = set(tokenize("\n".join(lines[max(0, at - LINES_BEFORE) : at + 1 + LINES_AFTER]), language))
    return len(near & query.needed) / max(1, len(query.needed))
