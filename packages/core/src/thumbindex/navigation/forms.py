"""Other forms in which a document writes the words of a question that it does not hold: apart, in full, with another ending.

`cashflow` is found as "cash flow", `capex` as "capital expenditures", `geographies` as "geographic", and the last part of
a compound as the compound. All of it is read off the document itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ..store import Candidate

LEAST_LETTERS = 5
"""Shorter words are too much like others by chance."""
LEAST_PART = 4
"""Letters of a word that is taken for a part of a compound."""
LEAST_TIMES = 3
"""How often two words must stand side by side before an unknown word is taken for both run together."""
ENDING = 2
"""Letters at the end of a stem that may differ."""
FORMS = 4


def other_forms(term: str, candidates: Sequence[Candidate]) -> tuple[str, ...]:
    """Tokens of the candidates that may stand for a term which none of them holds, likeliest first."""
    if len(term) < LEAST_LETTERS or not term.isalpha():
        return ()
    together = _run_together(term, candidates)
    if together:
        return together
    found: Counter[str] = Counter()
    stem = term[: max(LEAST_LETTERS, len(term) - ENDING)]
    for token, times in _vocabulary(candidates):
        if token.startswith(stem) and len(token) <= len(term) + ENDING:
            found[token] += 2 * times
        elif len(token) >= LEAST_PART and (term.startswith(token) or term.endswith(token) or token.endswith(term)):
            found[token] += times
    return tuple(token for token, _ in found.most_common(FORMS))


def _vocabulary(candidates: Sequence[Candidate]) -> Iterable[tuple[str, int]]:
    for one in candidates:
        for part in one.parts:
            yield from part.counts.items()


def _run_together(term: str, candidates: Sequence[Candidate]) -> tuple[str, ...]:
    """The two neighbours whose beginnings make up the term, if they stand together often."""
    found: Counter[tuple[str, str]] = Counter()
    for one in candidates:
        for part in one.parts:
            for token in part.counts:
                if token[0] == term[0] and token[:3] == term[:3]:
                    for at, other in enumerate(part.tokens[:-1]):
                        if other is token or other == token:
                            following = part.tokens[at + 1]
                            if _is_made_of(term, token, following):
                                found[token, following] += 1
    if not found:
        return ()
    pair, times = found.most_common(1)[0]
    return pair if times >= LEAST_TIMES else ()


def _is_made_of(term: str, first: str, second: str) -> bool:
    return any(first.startswith(term[:cut]) and second.startswith(term[cut:]) for cut in range(3, len(term) - 1))
