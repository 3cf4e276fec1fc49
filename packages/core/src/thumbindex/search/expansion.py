"""Query expansion: tokens of the searched documents for words of a question that they do not contain.

`cashflow` is found as "cash flow", `capex` as "capital expenditures", `geographies` as "geographic", and the last part of
a compound as the compound. All of it is read off the documents themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .features import Candidate, Part
from .ranking import positions_of

MIN_LETTERS = 5
"""Letters of a word that is expanded: shorter ones resemble others by chance."""
MIN_PART_LETTERS = 4
"""Letters of a word that is taken for a part of a compound."""
MIN_BEGINNING_LETTERS, MIN_REST_LETTERS = 3, 2
"""Letters of the two beginnings that an abbreviation is made of: `cap` and `ex`."""
MIN_PAIRS = 3
"""Occurrences of two words side by side from which an unknown word is taken for both run together."""
ENDING_LETTERS = 2
"""Letters at the end of a stem that may differ."""
MAX_TOKENS = 4
"""Tokens that stand for one word, at most."""


def find_expansions(terms: Sequence[str], candidates: Sequence[Candidate]) -> dict[str, tuple[str, ...]]:
    """Returns tokens of the candidates that may stand for terms which none of them contains, likeliest first."""
    terms = [term for term in terms if len(term) >= MIN_LETTERS and term.isalpha()]
    if not terms:
        return {}
    parts = [part for candidate in candidates for part in candidate.parts]
    vocabulary = _Vocabulary(parts)
    expansions = {term: _run_together(term, parts, vocabulary) or _similar(term, parts, vocabulary) for term in terms}
    return {term: tokens for term, tokens in expansions.items() if tokens}


class _Vocabulary:
    """The tokens of some parts in one string, each between line feeds, so that a string search finds similar spellings."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._tokens: set[str] = set()
        self._tokens.update(*(part.counts for part in parts))
        self._text = "\n".join(("", *self._tokens, ""))

    def __contains__(self, token: str) -> bool:
        return token in self._tokens

    def starting_with(self, letters: str) -> list[str]:
        """Returns the tokens that begin with these letters, sorted."""
        return sorted(self._text[at + 1 : self._text.index("\n", at + 1)] for at in self._find("\n" + letters))

    def ending_with(self, letters: str) -> list[str]:
        """Returns the tokens that end with these letters, sorted."""
        last = len(letters)
        return sorted(self._text[self._text.rindex("\n", 0, at) + 1 : at + last] for at in self._find(letters + "\n"))

    def _find(self, text: str) -> Iterator[int]:
        at = self._text.find(text)
        while at >= 0:
            yield at
            at = self._text.find(text, at + 1)


def _similar(term: str, parts: Sequence[Part], vocabulary: _Vocabulary) -> tuple[str, ...]:
    """Tokens with another ending, parts of the term, and tokens that end with the term; most frequent first."""
    stem = term[: max(MIN_LETTERS, len(term) - ENDING_LETTERS)]
    found = [token for token in vocabulary.starting_with(stem) if len(token) <= len(term) + ENDING_LETTERS]
    if not found:
        cuts = range(MIN_PART_LETTERS, len(term) - 1)
        found = [half for cut in cuts for half in (term[:cut], term[-cut:]) if half in vocabulary]
        found += vocabulary.ending_with(term)
    counts: Counter[str] = Counter()
    for token in found:
        counts[token] = sum(part.counts.get(token, 0) for part in parts)
    return tuple(token for token, _ in counts.most_common(MAX_TOKENS))


def _run_together(term: str, parts: Sequence[Part], vocabulary: _Vocabulary) -> tuple[str, ...]:
    """The two words whose beginnings make up the term, if they often stand side by side."""
    firsts = frozenset(vocabulary.starting_with(term[:MIN_BEGINNING_LETTERS]))
    cuts = [cut for cut in _cuts(term) if any(first.startswith(term[:cut]) for first in firsts)]
    seconds = frozenset(token for cut in cuts for token in vocabulary.starting_with(term[cut:]))
    counts: Counter[tuple[str, str]] = Counter()
    for part in parts:
        if not part.counts.keys().isdisjoint(seconds):
            for first in sorted(firsts & part.counts.keys()):
                for at in positions_of(part.tokens, first):
                    if at + 1 < len(part.tokens) and part.tokens[at + 1] in seconds:
                        counts[first, part.tokens[at + 1]] += 1
    pairs = [(pair, count) for pair, count in counts.most_common() if _is_made_of(term, *pair)]
    return pairs[0][0] if pairs and pairs[0][1] >= MIN_PAIRS else ()


def _is_made_of(term: str, first: str, second: str) -> bool:
    return any(first.startswith(term[:cut]) and second.startswith(term[cut:]) for cut in _cuts(term))


def _cuts(term: str) -> range:
    """Where a term may be cut into two beginnings."""
    return range(MIN_BEGINNING_LETTERS, len(term) - MIN_REST_LETTERS + 1)
