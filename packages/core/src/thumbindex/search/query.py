"""A question as terms to search for, with their weights, pairs of neighbours, and the kind of answer that it asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ..text.terms import content_terms, may_be_in_name, squash, tokenize
from .low_weight import weigh_terms

# Words with which texts of any field ask for a number or for its change, by language.
_FIGURE = re.compile(
    r"(?<!\w)(?:how (?:much|many|often|long|far|old)|ratio|percent\w*|amount|total|sum|rate|average|[mb]illions?|decimals?"
    r"|growth|value|number|quantity|wie ?viele?|betrag|anteil|prozent|summe|durchschnitt\w*|anzahl|combien|montant|taux"
    r"|pourcentage|nombre|moyenne|cu[aá]nt[oa]s?|importe|porcentaje|n[uú]mero|promedio|quant[oiae]s?|percentuale|importo"
    r"|сколько|процент\w*|сумма"
    r"|chang\w+|increas\w+|decreas\w+|drop\w*|declin\w+|improv\w+|reduc\w+|grew|grown?|compar\w+|difference|gap|fluctuat\w+"
    r"|veränder\w+|gestiegen|gesunken|zunahme|abnahme|vergleich\w*|unterschied\w*|augment\w+|diminu\w+|baiss\w+|hausse"
    r"|évol\w+|différence|aument\w+|disminu\w+|diferencia|cambi\w+|varia\w+|вырос\w*|снизи\w*|измени\w*)(?!\w)|%|多少|几|幾|いくら|何人",
    re.IGNORECASE,
)
EXPANSION_WEIGHT = 0.6
"""Weight of a token that stands for a word of the question which the documents do not contain, as a share of that word's."""
NAME_WORD_WEIGHT = 0.3
"""Weight of a word in the name of the only document that is searched."""
PUNCTUATION = ".,;:!?¿¡()[]\"“”„«»'’"


@dataclass(frozen=True, slots=True)
class Query:
    """A question as terms.

    Args:
        weights: Weight of each term, 1 for a plain word of the question.
        pairs: Weight of each pair of neighbouring terms.
        needed: Terms that an answer should contain.
        words: The question's own word for each of its terms.
        absent: Terms that the searched documents do not contain.
        wants_figure: Whether it asks for an amount, a rate or a ratio, or for a change of one.
    """

    weights: Mapping[str, float]
    pairs: Mapping[tuple[str, str], float] = field(default_factory=dict)
    needed: frozenset[str] = frozenset()
    words: Mapping[str, str] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    wants_figure: bool = False

    @property
    def terms(self) -> tuple[str, ...]:
        """All terms in the order of the question."""
        return tuple(self.weights)


def read_question(question: str, language: str, name: str = "") -> Query:
    """Returns the question's content words as terms of one language.

    Args:
        name: Name of the document, where only one is searched. Its words have a low weight, since they identify the document
            and not a place in it.
    """
    terms = content_terms(question, language)
    squashed = squash(name)
    weights = {
        term: NAME_WORD_WEIGHT if weight == 1.0 and may_be_in_name(term) and term in squashed else weight
        for term, weight in weigh_terms(question, language).items()
    }
    words: dict[str, str] = {}
    for word in question.split():
        for term in tokenize(word, language):
            if term in weights:
                words.setdefault(term, word.strip(PUNCTUATION))
    return Query(
        weights,
        pairs={pair: min(weights[pair[0]], weights[pair[1]]) for pair in pairwise(terms) if pair[0] != pair[1]},
        needed=frozenset(term for term, weight in weights.items() if weight == 1.0) or frozenset(weights),
        words=words,
        wants_figure=_FIGURE.search(question) is not None,
    )


def expand(query: Query, expansions: Mapping[str, tuple[str, ...]]) -> Query:
    """Returns the query with further tokens for some of its terms: see `find_expansions`."""
    weights, pairs = dict(query.weights), dict(query.pairs)
    for term, tokens in expansions.items():
        for token in tokens:
            weights.setdefault(token, EXPANSION_WEIGHT * query.weights[term])
        if len(tokens) == 2:
            pairs.setdefault((tokens[0], tokens[1]), query.weights[term])
    return replace(query, weights=weights, pairs=pairs)
