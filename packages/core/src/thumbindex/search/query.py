"""A question as terms to search for: what its words are worth, which stand side by side, and what kind of answer it wants."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from ..text.terms import content_terms, squash, tokenize
from .low_weight import weigh_terms
from .ranking import Query

# Words with which any field asks for a number, or how one changed, by language.
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
FORM_WEIGHT = 0.6
"""Worth of a word that stands for one of the question which the document does not hold."""
NAME_WEIGHT = 0.3


def read_question(question: str, language: str, name: str = "") -> Query:
    """The question's content words in one language's stems.

    Words of instruction and of the calendar weigh little, and so do those of `name`, the name of the only document that is
    searched: they say which document is meant and not where in it to look.
    """
    terms = content_terms(question, language)
    squashed = squash(name)
    weights = {
        term: NAME_WEIGHT if weight == 1.0 and len(term) > 3 and term.isalpha() and term in squashed else weight
        for term, weight in weigh_terms(question, language).items()
    }
    words: dict[str, str] = {}
    for word in question.split():
        for term in tokenize(word, language):
            if term in weights:
                words.setdefault(term, word.strip(".,;:!?¿¡()[]\"“”„«»'’"))
    return Query(
        weights,
        pairs={pair: min(weights[pair[0]], weights[pair[1]]) for pair in pairwise(terms) if pair[0] != pair[1]},
        needed=frozenset(term for term, weight in weights.items() if weight == 1.0) or frozenset(weights),
        words=words,
        wants_figure=_FIGURE.search(question) is not None,
    )


def with_forms(query: Query, forms: Mapping[str, tuple[str, ...]]) -> Query:
    """The query with other forms of some of its terms: see `forms`."""
    weights, pairs = dict(query.weights), dict(query.pairs)
    for term, others in forms.items():
        for other in others:
            weights.setdefault(other, FORM_WEIGHT * query.weights[term])
        if len(others) == 2:
            pairs.setdefault((others[0], others[1]), query.weights[term])
    return replace(query, weights=weights, pairs=pairs)
