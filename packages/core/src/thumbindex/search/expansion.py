"""Other forms in which a document writes the words of a question that it does not hold: apart, in full, with another ending.

`cashflow` is found as "cash flow", `capex` as "capital expenditures", `geographies` as "geographic", and the last part of
a compound as the compound. All of it is read off the document itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ..store import Candidate, Part
from .ranking import places_of

LEAST_LETTERS = 5
"""Shorter words are too much like others by chance."""
LEAST_PART = 4
"""Letters of a word that is taken for a part of a compound."""
LEAST_TIMES = 3
"""How often two words must stand side by side before an unknown word is taken for both run together."""
ENDING = 2
"""Letters at the end of a stem that may differ."""
FORMS = 4


def other_forms(terms: Sequence[str], candidates: Sequence[Candidate]) -> dict[str, tuple[str, ...]]:
    """For terms that none of the candidates holds, the tokens of theirs that may stand for it, likeliest first."""
    terms = [term for term in terms if len(term) >= LEAST_LETTERS and term.isalpha()]
    if not terms:
        return {}
    parts = [part for one in candidates for part in one.parts]
    vocabulary = _Vocabulary(parts)
    found = {term: _run_together(term, parts, vocabulary) or _alike(term, parts, vocabulary) for term in terms}
    return {term: forms for term, forms in found.items() if forms}


class _Vocabulary:
    """The tokens of some parts in one text, each between line feeds, where neighbours in spelling are found by a search."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._tokens: set[str] = set()
        self._tokens.update(*(part.counts for part in parts))
        self._text = "\n".join(("", *self._tokens, ""))

    def __contains__(self, token: str) -> bool:
        return token in self._tokens

    def starting(self, letters: str) -> list[str]:
        """The tokens that begin with these letters, sorted."""
        return sorted(self._text[at + 1 : self._text.index("\n", at + 1)] for at in self._find("\n" + letters))

    def ending(self, letters: str) -> list[str]:
        """The tokens that end with these letters, sorted."""
        last = len(letters)
        return sorted(self._text[self._text.rindex("\n", 0, at) + 1 : at + last] for at in self._find(letters + "\n"))

    def _find(self, text: str) -> Iterator[int]:
        at = self._text.find(text)
        while at >= 0:
            yield at
            at = self._text.find(text, at + 1)


def _alike(term: str, parts: Sequence[Part], vocabulary: _Vocabulary) -> tuple[str, ...]:
    """Tokens that differ in their ending, or are a part of the term, or have it as their last part; most frequent first."""
    stem = term[: max(LEAST_LETTERS, len(term) - ENDING)]
    found = [token for token in vocabulary.starting(stem) if len(token) <= len(term) + ENDING]
    if not found:
        cuts = range(LEAST_PART, len(term) - 1)
        found = [half for cut in cuts for half in (term[:cut], term[-cut:]) if half in vocabulary]
        found += vocabulary.ending(term)
    times: Counter[str] = Counter()
    for token in found:
        times[token] = sum(part.counts.get(token, 0) for part in parts)
    return tuple(token for token, _ in times.most_common(FORMS))


def _run_together(term: str, parts: Sequence[Part], vocabulary: _Vocabulary) -> tuple[str, ...]:
    """The two neighbours whose beginnings make up the term, if they stand together often."""
    firsts = frozenset(vocabulary.starting(term[:3]))
    cuts = [cut for cut in range(3, len(term) - 1) if any(first.startswith(term[:cut]) for first in firsts)]
    seconds = frozenset(token for cut in cuts for token in vocabulary.starting(term[cut:]))
    found: Counter[tuple[str, str]] = Counter()
    for part in parts:
        if not part.counts.keys().isdisjoint(seconds):
            for first in sorted(firsts & part.counts.keys()):
                for at in places_of(part.tokens, first):
                    if at + 1 < len(part.tokens) and part.tokens[at + 1] in seconds:
                        found[first, part.tokens[at + 1]] += 1
    made = [(pair, times) for pair, times in found.most_common() if _is_made_of(term, *pair)]
    return made[0][0] if made and made[0][1] >= LEAST_TIMES else ()


def _is_made_of(term: str, first: str, second: str) -> bool:
    return any(first.startswith(term[:cut]) and second.startswith(term[cut:]) for cut in range(3, len(term) - 1))
