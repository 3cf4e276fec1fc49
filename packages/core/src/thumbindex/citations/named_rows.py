"""The rows of tables that a sentence and its context name, with a measure of how well. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..text.languages import STOP_WORDS
from .table_rows import Row, label_terms

_LEAST_MEANT = 0.3
"""A label of which less is named is not what a pair of words means, even where no other row has them."""
_WORDS_BETWEEN = 2
"""Words that may stand between those of a label."""
_INITIALS = re.compile(r"(?<![\w&])[^\W\d_a-zß-ÿ](?:[^\W\d_a-zß-ÿ]|&){1,6}(?![\w&])")


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A row and how it is named.

    Args:
        share: How well, 0 to 1: the weight of the named terms of its label, raised where it is the row that is meant.
        position: Of its first term among those of the words; infinite where none stands there.
    """

    share: float
    row: Row
    position: float = math.inf


def named_rows(tables: Sequence[Sequence[Row]], words: str, language: str) -> list[NamedRow]:
    """Returns each row with the share of its label that stands close together in the words, the best named first.

    A term weighs the more the fewer rows have it. Where two terms or more are named together, the row that has most of them
    in its label is the one that is meant, however long its label.
    """
    rows = list(
        {(row.terms, tuple(figure.value for figure in row.figures)): row for table in tables for row in table}.values()
    )
    positions: dict[str, list[int]] = {}
    for position, term in enumerate(label_terms(words, language)):
        positions.setdefault(term, []).append(position)
    counts = Counter(term for row in rows for term in row.terms)
    weights = {term: math.log(1 + len(rows) / count) for term, count in counts.items()}
    initials = _INITIALS.findall(words)
    found: list[tuple[Row, float, frozenset[str]]] = []
    largest_share: dict[frozenset[str], float] = {}
    for row in rows:
        named = max(
            (_named_together(row, positions), *_abbreviated(row, initials, language)),
            key=lambda terms: _weight(weights, terms),
            default=frozenset[str](),
        )
        share = _weight(weights, named) / _weight(weights, row.terms)
        found.append((row, share, named))
        largest_share[named] = max(largest_share.get(named, 0.0), share)
    result = []
    for row, share, named in found:
        is_meant = (
            len(named) > 1
            and share >= max(_LEAST_MEANT, largest_share[named])
            and all(not named < other or more < share for other, more in largest_share.items())
        )
        first = min((float(positions[term][0]) for term in named if term in positions), default=math.inf)
        result.append(NamedRow((1 + share) / 2 if is_meant else share, row, first))
    return sorted(result, key=lambda named_row: -named_row.share)


def _named_together(row: Row, positions: Mapping[str, Sequence[int]]) -> frozenset[str]:
    """Returns the most terms of a row's label that stand close together."""
    hits = sorted((position, term) for term in row.terms for position in positions.get(term, ()))
    best: frozenset[str] = frozenset()
    first = 0
    for last, (position, _) in enumerate(hits):
        while position - hits[first][0] >= len(row.terms) + _WORDS_BETWEEN:
            first += 1
        terms = frozenset(term for _, term in hits[first : last + 1])
        best = max(best, terms, key=len)
    return best


def _abbreviated(row: Row, initials: Iterable[str], language: str) -> Iterator[frozenset[str]]:
    """Yields terms of a label whose initials the words have: "R&D" for research and development, "COGS" for cost of goods sold."""
    words = [word.casefold() for word in re.findall(r"[^\W\d_]+", row.label)]
    content_words = [word for word in words if word not in STOP_WORDS.get(language, ())]
    for abbreviation in initials:
        letters = [letter.casefold() for letter in abbreviation if letter.isalpha()]
        for label in (content_words, words):
            for start in range(len(label) - len(letters) + 1):
                spelled = label[start : start + len(letters)]
                if [word[0] for word in spelled] == letters:
                    yield frozenset(label_terms(" ".join(spelled), language)) & row.terms


def _weight(weights: Mapping[str, float], terms: Iterable[str]) -> float:
    return math.fsum(weights[term] for term in terms)
