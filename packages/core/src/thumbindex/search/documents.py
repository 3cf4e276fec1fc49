"""Ranking of documents for a question: by their names and metadata, their text, and the years that they are about."""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ..store import Store
from ..store.index import idf
from ..store.records import DocumentInfo
from .document_scores import ScoredDocument, count_passages, score_documents
from .low_weight import weigh_terms
from .ranking import LOGIT_SCALE
from .weights import DOCUMENT_WEIGHTS, NAME_WEIGHT, TOP_WEIGHT, YEAR_WEIGHT, DocumentWeights

EXACT_SCORES, EXACT_SCORES_BY_YEAR = 64, 256
"""Documents with exact scores, and the same where a year is asked about, which may lift any of them; the others follow in the
order of their bounds."""
YEARS_AROUND = 4
"""Years before and after the question's year that are counted too: a report also names the years before its own, so a year is
its own where none of those around it is named more often."""

_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class SelectedDocument:
    """A document whose sections are searched.

    Args:
        prior: How well it fits against the best document, in (0, 1]: a factor of its sections' scores.
    """

    info: DocumentInfo
    prior: float


def rank_documents(
    store: Store, question: str, documents: Sequence[DocumentInfo], *, keep: int, by_passages: bool = False
) -> list[SelectedDocument]:
    """Return the `keep` documents that fit the question best, best first; those without any of its words are left out.

    Args:
        by_passages: Prefer documents whose best passage is likely to be among the best of all.
    """
    if len(documents) == 1:
        return [SelectedDocument(documents[0], 1.0)]
    weights = replace(DOCUMENT_WEIGHTS, top=TOP_WEIGHT) if by_passages else DOCUMENT_WEIGHTS
    exact = keep if by_passages else max(keep, EXACT_SCORES)
    scored, _ = _score(store, question, documents, exact, weights, with_others=False)
    scored = heapq.nlargest(keep, scored, key=lambda document: document.score + weights.top * document.top)
    scored.sort(key=lambda document: (-document.score, document.doc_id))
    best = scored[0].score if scored else 0.0
    infos = {info.doc_id: info for info in documents}
    return [
        SelectedDocument(infos[document.doc_id], math.exp((document.score - best) / LOGIT_SCALE)) for document in scored
    ]


def order_documents(store: Store, question: str, documents: Sequence[DocumentInfo]) -> list[DocumentInfo]:
    """Return all documents with a word of the question, best first; behind `EXACT_SCORES`, in the order of their bounds."""
    if len(documents) == 1:
        return list(documents)
    scored, others = _score(store, question, documents, EXACT_SCORES, DOCUMENT_WEIGHTS, with_others=True)
    infos = {info.doc_id: info for info in documents}
    return [infos[document.doc_id] for document in scored] + [infos[doc_id] for _, doc_id in others]


def _score(
    store: Store,
    question: str,
    documents: Sequence[DocumentInfo],
    exact: int,
    weights: DocumentWeights,
    *,
    with_others: bool,
) -> tuple[list[ScoredDocument], list[tuple[float, str]]]:
    """Documents of all languages: those with exact scores, best first, and the others with their bounds."""
    by_language: dict[str, list[str]] = {}
    for info in documents:
        by_language.setdefault(info.language, []).append(info.doc_id)
    terms_of = {language: weigh_terms(question, language) for language in by_language}
    asked = {term for terms in terms_of.values() for term in terms}
    years = _years_around(asked)
    in_names = store.terms_in_names(sorted(asked.union(years)), [info.doc_id for info in documents])
    shares = name_shares(in_names, years, len(documents))
    dated = {doc_id for doc_id, terms in in_names.items() if years and years[0] in terms}
    priors = {doc_id: NAME_WEIGHT * share + YEAR_WEIGHT * (doc_id in dated) for doc_id, share in shares.items()}
    exact = max(exact, EXACT_SCORES_BY_YEAR) if years else exact
    scored: list[ScoredDocument] = []
    others: list[tuple[float, str]] = []
    for language, terms in terms_of.items():
        with store.search_view(by_language[language]) as view:
            found = score_documents(view, terms, weights, priors, exact=exact, with_others=with_others)
        by_year = _year_shares(
            store, years, [document.doc_id for document in found.best if document.doc_id not in dated]
        )
        scored += (
            replace(document, score=document.score + YEAR_WEIGHT * by_year.get(document.doc_id, 0.0))
            for document in found.best
        )
        others += found.others
    scored.sort(key=lambda document: (-document.score, document.doc_id))
    if len(by_language) > 1:
        others.sort(reverse=True)
    return scored, others


def _years_around(terms: Collection[str]) -> tuple[str, ...]:
    """The latest year among the terms first, then the years around it, nearest first; empty where there is none."""
    year = max((int(term) for term in terms if _YEAR.fullmatch(term)), default=0)
    distances = sorted(range(-YEARS_AROUND, YEARS_AROUND + 1), key=abs)
    return tuple(str(year + distance) for distance in distances) if year else ()


def _year_shares(store: Store, years: Sequence[str], ids: Sequence[str]) -> dict[str, float]:
    """By document, how often the question's year is named against the most frequent of those around it, 0 to 1.

    Another year in the name proves nothing: a fiscal year that ends early in January bears the number of the one before.
    """
    if not years or not ids:
        return {}
    with store.search_view(ids) as view:
        counts = count_passages(view, years)
    return {doc_id: found.get(years[0], 0) / max(found.values()) for doc_id, found in counts.items()}


def name_shares(in_names: Mapping[str, set[str]], years: Sequence[str], documents: int) -> dict[str, float]:
    """Returns by document the share of the question's words, by idf among names, that its name and metadata contain, 0 to 1.

    Words that are in no name do not count, nor do years, which are counted separately.
    """
    frequencies = Counter(word for words in in_names.values() for word in words.difference(years))
    weights = {word: idf(frequency, documents) for word, frequency in frequencies.items()}
    # Exact sums, since sets of strings have a different order in every process.
    total = math.fsum(weights.values()) or 1.0
    return {doc_id: math.fsum(weights.get(word, 0.0) for word in words) / total for doc_id, words in in_names.items()}
