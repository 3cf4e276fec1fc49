"""Candidates of a question, with features that are cached between questions."""

from __future__ import annotations

import gc
import weakref

import pytest

from thumbindex import Library
from thumbindex.search import candidates
from thumbindex.search.candidates import CandidateCache, find_candidates
from thumbindex.search.features import Candidate, Part, extract_features
from thumbindex.store.index import IndexedPassage, PassageKey


def candidate(number: int, length: int) -> Candidate:
    tokens = ("word",) * length
    part = Part(None, 1, tokens, {"word": length}, 0, 0, frozenset(), (), 0.0)
    return Candidate(number, "a", str(number), "1", True, 0.0, frozenset(), frozenset(), (part,), ())


def test_the_cache_is_bounded_by_candidates_and_tokens() -> None:
    """The latest are kept, and at least one, even if it is longer than the limit."""
    cache = CandidateCache(limit=5, tokens=100)

    def cached() -> list[int]:
        return [number for number in range(20) if cache.get([PassageKey(number, 0)])[0]]

    for number in range(4):
        cache.put(PassageKey(number, 0), candidate(number, 30))
    assert cached() == [1, 2, 3]
    for number in range(4, 10):
        cache.put(PassageKey(number, 0), candidate(number, 1))
    assert cached() == [5, 6, 7, 8, 9]
    cache.put(PassageKey(10, 0), candidate(10, 500))
    assert cached() == [10]
    cache.put(PassageKey(11, 0), candidate(11, 1))
    assert cached() == [11]


def test_features_are_extracted_once_for_each_revision(monkeypatch: pytest.MonkeyPatch) -> None:
    """A revised document is read again, though its passages may have the same numbers."""
    extracted: list[int] = []

    def counted(passage: IndexedPassage) -> Candidate:
        extracted.append(passage.number)
        return extract_features(passage)

    monkeypatch.setattr(candidates, "extract_features", counted)
    with Library() as library:
        info = library.add(b"# Mill\n\nA stone grinds corn.\n", name="mill.md")
        for _ in range(2):
            (found,) = find_candidates(library._store, ["stone", "brick"], [info.doc_id], limit=5).found
            assert "corn" in found.parts[0].counts
        library.add(b"# Mill\n\nA stone grinds rye.\n", name="mill.md")
        result = find_candidates(library._store, ["stone", "brick"], [info.doc_id], limit=5)
        assert "rye" in result.found[0].parts[0].counts
        assert result.frequencies == {"stone": 1, "brick": 0}
    assert len(extracted) == 2


def test_the_cache_of_a_library_ends_with_it() -> None:
    """A program that opens libraries one after another does not fill its memory."""
    library = Library()
    library.add(b"# Mill\n\nA stone.\n", name="mill.md")
    assert library.retrieve("stone").evidence
    cache = weakref.ref(candidates._caches[library._store])
    library.close()
    del library
    gc.collect()
    assert cache() is None
