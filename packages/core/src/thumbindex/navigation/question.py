"""A question as terms to search for: what its words are worth, and which stand side by side."""

from __future__ import annotations

import re
from itertools import pairwise

from ..store.terms import content_terms, squash, tokenize
from .ranking import Query
from .vocabulary import other_words

# What people say to whoever answers, and the calendar of reports: both stand everywhere, or nowhere.
_ASIDES = frozenset(
    tokenize(
        "answer question round rounded decimal place respond response provide calculate compute explain describe state "
        "based basis assume using use utilize relying rely information detail shown resource available define defined "
        "following primarily solely context document report fy usd fiscal year end ended january february march april june july "
        "august september october november december",
        "english",
    )
)
_FIGURE = re.compile(
    r"(?<!\w)(?:how (?:much|many)|ratio|percent\w*|amount|total|rate|margin|average|[mb]illions?|decimals?|growth|turnover"
    r"|value|number|wie ?viele?|betrag|anteil|prozent|combien|montant|taux|cu[aá]nt[oa]s?|importe|quant[oiae]s?|сколько)(?!\w)"
    r"|多少|几|幾|いくら",
    re.IGNORECASE,
)
ASIDE_WEIGHT = 0.2
OTHER_WORD_WEIGHT = 1.0
NAME_WEIGHT = 0.3


def read_question(question: str, language: str, name: str = "") -> Query:
    """The question's content words in one language's stems, and other words for what it asks.

    Words of instruction and of the calendar weigh little, and so do those of `name`, the name of the only document that is searched: they
    say which document is meant and not where in it to look.
    """
    terms = content_terms(question, language)
    squashed = squash(name)
    weights: dict[str, float] = {}
    for term in terms:
        is_name = len(term) > 3 and not term[0].isdigit() and term in squashed
        weights[term] = ASIDE_WEIGHT if term in _ASIDES else NAME_WEIGHT if is_name else 1.0
    pairs = {pair: min(weights[pair[0]], weights[pair[1]]) for pair in pairwise(terms) if pair[0] != pair[1]}
    words: dict[str, str] = {}
    for word in question.split():
        for term in tokenize(word, language):
            if term in weights:
                words.setdefault(term, word.strip(".,;:!?¿¡()[]\"“”„«»'’"))
    needed = frozenset(term for term, weight in weights.items() if weight == 1.0) or frozenset(weights)
    for phrase in other_words(question) if language == "english" else ():
        others = content_terms(phrase, language)
        for term in others:
            weights.setdefault(term, OTHER_WORD_WEIGHT)
        for pair in pairwise(others):
            pairs.setdefault(pair, OTHER_WORD_WEIGHT)
    return Query(weights, pairs, needed, words, _FIGURE.search(question) is not None)
