"""Picking documents before sections: by what their names and metadata say, what they hold, and the years they speak of."""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import DocumentMatch, Store
from .asides import weigh_terms
from .names import TECHNICAL
from .records import DocumentInfo
from .search import rarity
from .terms import content_terms

__all__ = ["TECHNICAL", "SelectedDocument", "rank_documents"]

CLOSELY = 64
"""Documents that are looked at closely: each word's passages are counted in each of them."""
FAR = 10.0
"""The others lie below these by up to so much."""
BEST, THROUGHOUT, FRONT, YEAR, NAME = 6.0, 7.0, 5.0, 5.0, 8.0
"""What each sign that a document is meant adds to the logarithm of its odds: its best passages hold the question's words,
many of its passages do, its first ones do, it speaks most of the question's year, its name holds them."""
SOME = 0.05
"""Share of its passages that must hold a word before a document is half about it."""
YEARS_AROUND = 4
"""A report names the years before its own too: a year is its own where none of its neighbours is named as often."""
SOFTNESS = 3.0
"""As in the ranking of sections, whose scores the liking multiplies."""

_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class SelectedDocument:
    """A document to search and how well it fits against the best one, in (0, 1]: its sections' scores are multiplied
    with that."""

    info: DocumentInfo
    liking: float


def rank_documents(
    store: Store, question: str, documents: Sequence[DocumentInfo], *, keep: int
) -> list[SelectedDocument]:
    """The `keep` documents that fit the question best, best first; one without any of its words is left out.

    Among many documents, those whose names and best passages fit are looked at closely, and the others follow in that order.
    """
    if len(documents) == 1:
        return [SelectedDocument(documents[0], 1.0)]
    named = _name_shares(store, question, documents)
    scores: dict[str, float] = {}
    for language in dict.fromkeys(info.language for info in documents):
        terms = weigh_terms(question, language)
        ids = [info.doc_id for info in documents if info.language == language]
        if len(ids) > CLOSELY:
            first = store.document_weights(list(terms), ids)
            ids = heapq.nsmallest(CLOSELY, first, key=lambda one: (-first[one] * (1 + named.get(one, 0.0)), one))
            far = max(first.values(), default=1.0)
            scores |= {one: FAR * first[one] / far - FAR for one in first}
        for doc_id, score in _scores(terms, store, ids).items():
            scores[doc_id] = score + NAME * named.get(doc_id, 0.0)
    best = max(scores.values(), default=0.0)
    order = sorted(
        (info for info in documents if info.doc_id in scores), key=lambda info: (-scores[info.doc_id], info.doc_id)
    )
    return [SelectedDocument(info, math.exp((scores[info.doc_id] - best) / SOFTNESS)) for info in order[:keep]]


def _scores(terms: Mapping[str, float], store: Store, ids: Sequence[str]) -> dict[str, float]:
    """How well each document that holds any of the terms fits them."""
    year = max((int(term) for term in terms if _YEAR.fullmatch(term)), default=0)
    years = [str(one) for one in range(year - YEARS_AROUND, year + YEARS_AROUND + 1)] if year else []
    matches = store.document_matches({**dict.fromkeys(years, 0.0), **terms}, ids)
    holding = Counter(term for match in matches for term in match.holding)
    rare = {term: weight * rarity(holding[term], len(ids)) for term, weight in terms.items() if holding[term]}
    return {match.doc_id: _score(match, rare, year, years) for match in matches if match.best}


def _score(match: DocumentMatch, rare: Mapping[str, float], year: int, years: Sequence[str]) -> float:
    shares = {term: match.holding.get(term, 0) / match.passages for term in rare}
    throughout = sum(rare[term] * share / (share + SOME) for term, share in shares.items()) / (sum(rare.values()) or 1)
    most_named = max((match.holding.get(one, 0) for one in years), default=0)
    own_year = match.holding.get(str(year), 0) / most_named if most_named else 0.0
    return BEST * match.best + THROUGHOUT * throughout + FRONT * match.front + YEAR * own_year


def _name_shares(store: Store, question: str, documents: Sequence[DocumentInfo]) -> dict[str, float]:
    """How much of the question's words that name documents each document's name and metadata hold, 0 to 1.

    A word that names nearly all of the documents tells none of them apart and counts little.
    """
    asked = {term for language in {info.language for info in documents} for term in content_terms(question, language)}
    words = store.naming(sorted(asked), [info.doc_id for info in documents])
    holding = Counter(word for found in words.values() for word in found)
    rare = {word: rarity(count, len(documents)) for word, count in holding.items()}
    whole = sum(rare.values()) or 1.0
    return {doc_id: sum(rare[word] for word in found) / whole for doc_id, found in words.items()}
