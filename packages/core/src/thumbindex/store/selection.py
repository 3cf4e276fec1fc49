"""Picking documents before sections: by what their names and metadata say, and by their best sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from . import Store
from .names import TECHNICAL
from .records import DocumentInfo
from .search import rarity
from .terms import content_terms

__all__ = ["TECHNICAL", "SelectedDocument", "rank_documents"]

NAME_SHARE = 1.2
"""How much more a document counts whose name says all that the question says of documents."""


@dataclass(frozen=True, slots=True)
class SelectedDocument:
    """A document to search and how well it fits against the best one, in (0, 1]: its sections' scores are multiplied
    with that."""

    info: DocumentInfo
    liking: float


def rank_documents(
    store: Store, question: str, documents: Sequence[DocumentInfo], *, keep: int
) -> list[SelectedDocument]:
    """The `keep` documents that fit the question best, best first."""
    if len(documents) == 1:
        return [SelectedDocument(documents[0], 1.0)]
    named = _name_shares(store, question, documents)
    weights: dict[str, float] = {}
    for language in dict.fromkeys(info.language for info in documents):
        terms = content_terms(question, language)
        ids = [info.doc_id for info in documents if info.language == language]
        weights |= store.document_weights(terms, ids)
    scores = {doc_id: weight * (1.0 + NAME_SHARE * named.get(doc_id, 0.0)) for doc_id, weight in weights.items()}
    best = max(scores.values(), default=1.0)
    order = sorted(
        (info for info in documents if info.doc_id in scores), key=lambda info: (-scores[info.doc_id], info.doc_id)
    )
    return [SelectedDocument(info, scores[info.doc_id] / best) for info in order[:keep]]


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
