"""Recognition of questions that the documents do not answer, by the strength of the best passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..store import DocumentInfo
from .query import Query
from .ranking import RankedPassage
from .reasons import coverage, pairs_together

WEAK = 0.36
"""Strength below which nothing fits well.

Measured on 837 pairs of question and document, with the threshold from one half of the documents and the count from the
other: 87 % of the questions put to a wrong document fall below it, and 7 % of those whose answer was found. Counted again on
1,075 pairs, 232 of them with questions written later: 90 % and 8 %.
"""
TOGETHER_WEIGHT, ABSENT_WEIGHT = 0.25, 0.25
"""Weight of neighbouring words of the question that stand together in a passage, and of words that no document contains."""
JUDGED_PASSAGES, COVERING_PASSAGES = 5, 3
"""Best passages that are judged, and those among them with the most words of the question, over which the share is averaged."""


def is_weak(passages: Sequence[RankedPassage], queries: Mapping[str, Query], infos: Mapping[str, DocumentInfo]) -> bool:
    """Returns whether the best passages contain too little of the question to answer it.

    Args:
        passages: Best first.
        queries: The question in each language.
        infos: Documents of the passages, by id.
    """
    judged = [(queries[infos[passage.candidate.doc_id].language], passage) for passage in passages[:JUDGED_PASSAGES]]
    return not judged or _strength(judged) < WEAK


def _strength(judged: Sequence[tuple[Query, RankedPassage]]) -> float:
    """About 0 to 1."""
    covered = sorted((coverage(query, passage) for query, passage in judged), reverse=True)[:COVERING_PASSAGES]
    together = max(pairs_together(query, passage) for query, passage in judged[:COVERING_PASSAGES])
    query = judged[0][0]
    absent = len(query.absent & query.needed) / max(1, len(query.needed))
    return sum(covered) / len(covered) + TOGETHER_WEIGHT * together - ABSENT_WEIGHT * absent
