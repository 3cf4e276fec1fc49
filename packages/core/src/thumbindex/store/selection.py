"""Picking documents before sections: by what their names and metadata say, what they hold, and the years they speak of."""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from . import DocumentMatch, Store
from .asides import weigh_terms
from .names import TECHNICAL
from .records import DocumentInfo
from .search import rarity

__all__ = ["TECHNICAL", "SelectedDocument", "rank_documents"]

CLOSELY = 64
"""Documents that are looked at closely: each word's passages are counted in each of them."""
FAR = 10.0
"""The others lie below these by up to so much."""
BEST, THROUGHOUT, FRONT, YEAR, NAME = 6.0, 7.0, 5.0, 5.0, 3.0
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
    languages = dict.fromkeys(info.language for info in documents)
    weighed = {language: weigh_terms(question, language) for language in languages}
    years = _years_around({term for terms in weighed.values() for term in terms})
    names = _names(store, weighed, years, documents)
    shares = _name_shares(names, years, len(documents))
    scores: dict[str, float] = {}
    for language, terms in weighed.items():
        ids = [info.doc_id for info in documents if info.language == language]
        if len(ids) > CLOSELY:
            first = store.document_weights(list(terms), ids)
            ids = heapq.nsmallest(CLOSELY, first, key=lambda one: (-first[one] * (1 + shares.get(one, 0.0)), one))
            far = max(first.values(), default=1.0)
            scores |= {one: FAR * first[one] / far - FAR for one in first}
        for doc_id, score in _scores(terms, years, names, store, ids).items():
            scores[doc_id] = score + NAME * shares.get(doc_id, 0.0)
    best = max(scores.values(), default=0.0)
    order = sorted(
        (info for info in documents if info.doc_id in scores), key=lambda info: (-scores[info.doc_id], info.doc_id)
    )
    return [SelectedDocument(info, math.exp((scores[info.doc_id] - best) / SOFTNESS)) for info in order[:keep]]


def _years_around(terms: Collection[str]) -> tuple[str, ...]:
    """The latest year that is asked about first, then those around it; nothing where none is."""
    year = max((int(term) for term in terms if _YEAR.fullmatch(term)), default=0)
    near = sorted(range(-YEARS_AROUND, YEARS_AROUND + 1), key=abs)
    return tuple(str(year + distance) for distance in near) if year else ()


def _scores(
    terms: Mapping[str, float],
    years: Sequence[str],
    names: Mapping[str, Collection[str]],
    store: Store,
    ids: Sequence[str],
) -> dict[str, float]:
    """How well each document that holds any of the terms fits them."""
    matches = store.document_matches({**dict.fromkeys(years, 0.0), **terms}, ids)
    holding = Counter(term for match in matches for term in match.holding)
    rare = {term: weight * rarity(holding[term], len(ids)) for term, weight in terms.items() if holding[term]}
    whole = sum(rare.values()) or 1.0
    scores: dict[str, float] = {}
    for match in matches:
        if match.best:
            shares = {term: match.holding.get(term, 0) / match.passages for term in rare}
            throughout = sum(rare[term] * share / (share + SOME) for term, share in shares.items()) / whole
            own_year = _own_year(match, years, names.get(match.doc_id, ()))
            scores[match.doc_id] = BEST * match.best + THROUGHOUT * throughout + FRONT * match.front + YEAR * own_year
    return scores


def _own_year(match: DocumentMatch, years: Sequence[str], name: Collection[str]) -> float:
    """Whether the year that is asked about is the document's own, 0 to 1: by its name, else by how often it is named."""
    if not years:
        return 0.0
    # A year that ends early in January bears the number of the one before: another year in the name proves nothing.
    if years[0] in name:
        return 1.0
    most = max(match.holding.get(year, 0) for year in years)
    return match.holding.get(years[0], 0) / most if most else 0.0


def _names(
    store: Store, weighed: Mapping[str, Collection[str]], years: Sequence[str], documents: Sequence[DocumentInfo]
) -> dict[str, set[str]]:
    """Which words of the question, and which of the years, the name and metadata of each document hold."""
    asked = {term for terms in weighed.values() for term in terms}
    return store.naming(sorted(asked.union(years)), [info.doc_id for info in documents])


def _name_shares(names: Mapping[str, set[str]], years: Sequence[str], documents: int) -> dict[str, float]:
    """How much of the question's words that name documents each document's name and metadata hold, 0 to 1.

    A word that names nearly all of the documents tells none of them apart and counts little. Years count apart.
    """
    holding = Counter(word for found in names.values() for word in found.difference(years))
    rare = {word: rarity(count, documents) for word, count in holding.items()}
    whole = sum(rare.values()) or 1.0
    return {doc_id: sum(rare.get(word, 0.0) for word in found) / whole for doc_id, found in names.items()}
