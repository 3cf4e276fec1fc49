"""A question as terms to search for: what its words are worth, and which stand side by side."""

from __future__ import annotations

from itertools import pairwise

from ..store.terms import content_terms, tokenize
from .ranking import Query

# What people say to whoever answers, and not about the document.
_INSTRUCTIONS = frozenset(
    tokenize(
        "answer question round rounded decimal place respond response provide calculate compute explain describe state "
        "based basis assume using use utilize relying rely information detail shown resource available define defined "
        "following primarily solely context document report fy usd",
        "english",
    )
)
INSTRUCTION_WEIGHT = 0.2


def read_question(question: str, language: str) -> Query:
    """The question's content words in one language's stems; words of instruction weigh little."""
    terms = content_terms(question, language)
    weights = {term: INSTRUCTION_WEIGHT if term in _INSTRUCTIONS else 1.0 for term in terms}
    pairs = tuple(dict.fromkeys(pair for pair in pairwise(terms) if pair[0] != pair[1]))
    needed = frozenset(term for term, weight in weights.items() if weight == 1.0) or frozenset(weights)
    return Query(weights, pairs, needed)
