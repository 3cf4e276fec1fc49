"""Picking documents before sections: by what their names and metadata say, and by their best sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from . import Store
from .records import DocumentInfo
from .search import rarity
from .terms import content_terms, tokenize

NAME_SHARE = 0.6
"""How much more a document counts whose name says all that the question says of documents."""


@dataclass(frozen=True, slots=True)
class SelectedDocument:
    """A document to search and what the scores of its sections are multiplied with, 1 or more."""

    info: DocumentInfo
    liking: float


def rank_documents(
    store: Store, question: str, documents: Sequence[DocumentInfo], *, keep: int
) -> list[SelectedDocument]:
    """The `keep` documents that fit the question best, best first."""
    if len(documents) == 1:
        return [SelectedDocument(documents[0], 1.0)]
    named = _name_shares(question, documents)
    liking = {info.doc_id: 1.0 + NAME_SHARE * named[info.doc_id] for info in documents}
    weights: dict[str, float] = {}
    for language in dict.fromkeys(info.language for info in documents):
        terms = content_terms(question, language)
        ids = [info.doc_id for info in documents if info.language == language]
        weights |= store.document_weights(terms, ids)
    order = sorted(
        (info for info in documents if info.doc_id in weights),
        key=lambda info: (-weights[info.doc_id] * liking[info.doc_id], info.doc_id),
    )
    return [SelectedDocument(info, liking[info.doc_id]) for info in order[:keep]]


def _name_shares(question: str, documents: Sequence[DocumentInfo]) -> dict[str, float]:
    """How much of the question's words that name documents each document's name and metadata hold, 0 to 1.

    A word that names nearly all of the documents tells none of them apart and counts little.
    """
    words = {info.doc_id: set(tokenize(_named(info), info.language)) for info in documents}
    asked = {term for language in {info.language for info in documents} for term in content_terms(question, language)}
    holding = Counter(word for found in words.values() for word in found & asked)
    rare = {word: rarity(count, len(documents)) for word, count in holding.items()}
    whole = sum(rare.values()) or 1.0
    return {doc_id: sum(rare[word] for word in found & asked) / whole for doc_id, found in words.items()}


def _named(info: DocumentInfo) -> str:
    values = (value for value in info.metadata.values() if isinstance(value, str | int | list))
    parts = [info.name, *(" ".join(value) if isinstance(value, list) else str(value) for value in values)]
    return " ".join(parts).replace("_", " ").replace(".", " ")
