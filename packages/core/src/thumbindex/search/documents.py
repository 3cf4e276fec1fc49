"""Picking documents before sections: by what their names and metadata say, what they hold, and the years they speak of."""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ..store import Signs, Store, Surveyed
from ..store.names import TECHNICAL
from ..store.records import DocumentInfo
from ..store.sqlite.candidates import rarity
from .low_weight import weigh_terms

__all__ = ["TECHNICAL", "SelectedDocument", "order_documents", "rank_documents"]

CLOSELY, YEARLY = 64, 256
"""Documents whose true scores are found, and where a year is asked about, which may lift any of them; the others follow in
the order of bounds."""
SIGNS = Signs(best=6.0, throughout=7.0, front=5.0, some=0.05)
YEAR, NAME = 5.0, 3.0
"""What each sign that a document is meant adds to the logarithm of its odds: its best passages hold the question's words,
many of its passages do, its first ones do; it speaks most of the question's year, its name holds them."""
TOP = 6.0
"""What a document's best passage may add to that when sections are ranked."""
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
    store: Store, question: str, documents: Sequence[DocumentInfo], *, keep: int, by_passages: bool = False
) -> list[SelectedDocument]:
    """The `keep` documents that fit the question best, best first; one without any of its words is left out.

    With `by_passages`, those are kept whose best passage is likely to be among the best of all.
    """
    if len(documents) == 1:
        return [SelectedDocument(documents[0], 1.0)]
    signs = replace(SIGNS, top=TOP) if by_passages else SIGNS
    near, _ = _survey(store, question, documents, keep if by_passages else max(keep, CLOSELY), signs, far=False)
    near = heapq.nlargest(keep, near, key=lambda one: one.score + signs.top * one.top)
    near.sort(key=lambda one: (-one.score, one.doc_id))
    best = near[0].score if near else 0.0
    infos = {info.doc_id: info for info in documents}
    return [SelectedDocument(infos[one.doc_id], math.exp((one.score - best) / SOFTNESS)) for one in near]


def order_documents(store: Store, question: str, documents: Sequence[DocumentInfo]) -> list[DocumentInfo]:
    """All documents that hold a word of the question, best first; behind the first `CLOSELY` in the order of bounds."""
    if len(documents) == 1:
        return list(documents)
    near, far = _survey(store, question, documents, CLOSELY, SIGNS, far=True)
    infos = {info.doc_id: info for info in documents}
    return [infos[one.doc_id] for one in near] + [infos[doc_id] for _, doc_id in far]


def _survey(
    store: Store, question: str, documents: Sequence[DocumentInfo], closely: int, signs: Signs, *, far: bool
) -> tuple[list[Surveyed], list[tuple[float, str]]]:
    """The documents of all languages together: those with true scores, best first, and the others with theirs."""
    by_language: dict[str, list[str]] = {}
    for info in documents:
        by_language.setdefault(info.language, []).append(info.doc_id)
    weighed = {language: weigh_terms(question, language) for language in by_language}
    years = _years_around({term for terms in weighed.values() for term in terms})
    names = _names(store, weighed, years, documents)
    shares = _name_shares(names, years, len(documents))
    dated = {doc_id for doc_id, found in names.items() if years and years[0] in found}
    liked = {doc_id: NAME * share + YEAR * (doc_id in dated) for doc_id, share in shares.items()}
    closely = max(closely, YEARLY) if years else closely
    near: list[Surveyed] = []
    others: list[tuple[float, str]] = []
    for language, terms in weighed.items():
        found = store.survey(terms, by_language[language], signs=signs, liked=liked, closely=closely, far=far)
        own = _own_years(store, years, [one.doc_id for one in found.near if one.doc_id not in dated])
        near += (replace(one, score=one.score + YEAR * own.get(one.doc_id, 0.0)) for one in found.near)
        others += found.far
    near.sort(key=lambda one: (-one.score, one.doc_id))
    if len(by_language) > 1:
        others.sort(reverse=True)
    return near, others


def _years_around(terms: Collection[str]) -> tuple[str, ...]:
    """The latest year that is asked about first, then those around it; nothing where none is."""
    year = max((int(term) for term in terms if _YEAR.fullmatch(term)), default=0)
    near = sorted(range(-YEARS_AROUND, YEARS_AROUND + 1), key=abs)
    return tuple(str(year + distance) for distance in near) if year else ()


def _own_years(store: Store, years: Sequence[str], ids: Sequence[str]) -> dict[str, float]:
    """Whether the year that is asked about is a document's own, 0 to 1: by how often it is named, against those around it.

    A year that ends early in January bears the number of the one before: another year in the name proves nothing.
    """
    counts = store.count_passages(years, ids) if years and ids else {}
    return {doc_id: found.get(years[0], 0) / max(found.values()) for doc_id, found in counts.items()}


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
