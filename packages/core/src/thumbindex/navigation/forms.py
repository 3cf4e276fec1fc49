"""Other forms in which a document writes the words of a question that it does not hold: apart, in full, with another ending.

`cashflow` is found as "cash flow", `capex` as "capital expenditures", `geographies` as "geographic", and the last part of
a compound as the compound. All of it is read off the document itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

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
    vocabulary: set[str] = set()
    vocabulary.update(*(part.counts for part in parts))
    found = {term: _run_together(term, parts, vocabulary) or _alike(term, parts, vocabulary) for term in terms}
    return {term: forms for term, forms in found.items() if forms}


def _alike(term: str, parts: Sequence[Part], vocabulary: set[str]) -> tuple[str, ...]:
    """Tokens that differ in their ending, or are a part of the term, or have it as their last part; most frequent first."""
    stem = term[: max(LEAST_LETTERS, len(term) - ENDING)]
    endings = [token for token in vocabulary if token.startswith(stem) and len(token) <= len(term) + ENDING]
    cuts = range(LEAST_PART, len(term) - 1)
    halves = [half for cut in cuts for half in (term[:cut], term[-cut:]) if half in vocabulary]
    halves += [token for token in vocabulary if token.endswith(term)]
    times: Counter[str] = Counter()
    for token in endings or halves:
        times[token] = sum(part.counts.get(token, 0) for part in parts)
    return tuple(token for token, _ in times.most_common(FORMS))


def _run_together(term: str, parts: Sequence[Part], vocabulary: set[str]) -> tuple[str, ...]:
    """The two neighbours whose beginnings make up the term, if they stand together often."""
    firsts = {token for token in vocabulary if token.startswith(term[:3])}
    cuts = [cut for cut in range(3, len(term) - 1) if any(first.startswith(term[:cut]) for first in firsts)]
    ends = tuple(term[cut:] for cut in cuts)
    seconds = {token for token in vocabulary if ends and token.startswith(ends)}
    found: Counter[tuple[str, str]] = Counter()
    for part in parts:
        if not seconds.isdisjoint(part.counts):
            for first in firsts & part.counts.keys():
                for at in places_of(part.tokens, first):
                    if at + 1 < len(part.tokens) and part.tokens[at + 1] in seconds:
                        found[first, part.tokens[at + 1]] += 1
    made = [(pair, times) for pair, times in found.most_common() if _is_made_of(term, *pair)]
    return made[0][0] if made and made[0][1] >= LEAST_TIMES else ()


def _is_made_of(term: str, first: str, second: str) -> bool:
    return any(first.startswith(term[:cut]) and second.startswith(term[cut:]) for cut in range(3, len(term) - 1))
