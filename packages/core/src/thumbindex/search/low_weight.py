"""Low-weight words of a question, by language: words of instruction, which say how to answer, and the calendar.

They stay searchable, but hardly count. The lists are short on purpose: a word that may be what is asked for is left out.
"""

from __future__ import annotations

from functools import lru_cache

from ..text.terms import content_terms, tokenize

LOW_WEIGHT = 0.2
"""Weight of such a word; all others have 1."""

LOW_WEIGHT_WORDS: dict[str, str] = {
    "english": "answer question round rounded decimal place respond response provide write format string integer int float "
    "calculate compute explain describe state based basis assume using use utilize relying rely information detail shown "
    "resource available define defined following primarily solely context document report year end ended january february "
    "march april june july august september october november december",
    "german": "antwort antworte beantworte frage runde gerundet dezimalstelle nenne gib angeben schreibe berechne erkläre "
    "beschreibe basierend annahme verwende nutze information angabe folgende definiert dokument bericht jahr ende januar "
    "februar märz april mai juni juli august september oktober november dezember",
    "french": "réponse réponds répondez question arrondi arrondis arrondissez décimale donne donnez écris écrivez calcule "
    "calculez explique expliquez décris décrivez basé suppose supposez utilise utilisez information suivante suivant défini "
    "document rapport année fin janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "spanish": "respuesta responde responda pregunta redondea redondee redondeado decimal proporciona escribe escriba calcula "
    "calcule explica explique describe describa basado supone usa usando información siguiente definido documento informe "
    "año fin enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
}


@lru_cache(maxsize=64)
def low_weight_terms(language: str) -> frozenset[str]:
    """Returns the terms of a language that have a low weight in a question."""
    return frozenset(tokenize(LOW_WEIGHT_WORDS.get(language, ""), language))


def weigh_terms(question: str, language: str) -> dict[str, float]:
    """Returns the weight of each content term of the question, in order."""
    low = low_weight_terms(language)
    return {term: LOW_WEIGHT if term in low else 1.0 for term in content_terms(question, language)}
