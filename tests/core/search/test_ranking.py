"""Ranking of passages, by the arithmetic alone."""

from __future__ import annotations

import random

from thumbindex.search.candidates import Candidates
from thumbindex.search.features import Candidate, extract_features
from thumbindex.search.query import Query
from thumbindex.search.ranking import rank
from thumbindex.store.index import LINE_END, IndexedPassage

TERMS = [first + second for first in "bcdfg" for second in "aeiou"]


def passages(chance: random.Random) -> tuple[Candidate, ...]:
    indexed = (
        IndexedPassage(
            number=number,
            doc_id="doc",
            node_id=f"s{number}",
            section=f"s{number}",
            position=number / 20,
            first_page=number // 2,
            language="english",
            title=chance.choice(TERMS),
            path=chance.choice(TERMS),
            body=LINE_END.join(" ".join(chance.choices([*TERMS, "12"], k=9)) for _ in range(12)),
            pointers=(),
        )
        for number in range(20)
    )
    return tuple(map(extract_features, indexed))


def test_scores_do_not_depend_on_the_order_of_frequencies() -> None:
    """They come from sets of strings, which have another order in every process; sums of floats depend on it."""
    chance = random.Random(3)
    found = passages(chance)
    query = Query(dict.fromkeys(TERMS, 1.0), needed=frozenset(TERMS))
    frequencies = [(term, chance.randrange(1, 900)) for term in TERMS]
    scores = set()
    for _ in range(50):
        chance.shuffle(frequencies)
        ranked = rank(query, Candidates(found, {}, scope_frequencies=dict(frequencies)))
        scores.add(tuple(passage.score for passage in ranked))
    assert len(scores) == 1
