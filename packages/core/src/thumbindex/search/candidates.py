"""The candidates of a question: passages that the store selects, with their features, which are cached for the next question."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from ..concurrency.forks import ForkSafeLock
from ..store import Store
from ..store.index import PassageKey
from .features import Candidate, extract_features

CACHED_CANDIDATES, CACHED_TOKENS = 2500, 700_000
"""Candidates and their tokens that are cached for each library. A token takes about 46 bytes (measured on a report of 500
pages), so that a cache takes at most some 30 MB."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates in one language.

    Args:
        found: In ascending order of their numbers.
        frequencies: Number of passages of the searched documents that contain each term.
        scope_frequencies: The same among the documents that these were chosen from, empty where they were not chosen: all
            documents chosen from thousands contain the words of the question, which says nothing of how rare the words are.
    """

    found: tuple[Candidate, ...]
    frequencies: Mapping[str, int]
    scope_frequencies: Mapping[str, int] = field(default_factory=dict)


class CandidateCache:
    """Keeps the candidates that were used last, up to a number of candidates and of tokens. Thread-safe."""

    def __init__(self, limit: int = CACHED_CANDIDATES, tokens: int = CACHED_TOKENS) -> None:
        self._limit = limit
        self._tokens = tokens
        self._size = 0
        self._candidates: OrderedDict[PassageKey, Candidate] = OrderedDict()
        self._lock = ForkSafeLock()

    def get(self, keys: Sequence[PassageKey]) -> list[Candidate | None]:
        """Returns the candidate of each key; None where it is not cached."""
        with self._lock.held():
            for key in keys:
                if key in self._candidates:
                    self._candidates.move_to_end(key)
            return [self._candidates.get(key) for key in keys]

    def put(self, key: PassageKey, candidate: Candidate) -> None:
        """Adds a candidate, in place of those that were not used for longest; the latest is kept whatever its length."""
        with self._lock.held():
            if key in self._candidates:
                return
            self._candidates[key] = candidate
            self._size += _token_count(candidate)
            while len(self._candidates) > self._limit or (self._size > self._tokens and len(self._candidates) > 1):
                self._size -= _token_count(self._candidates.popitem(last=False)[1])


def _token_count(candidate: Candidate) -> int:
    return sum(len(part.tokens) for part in candidate.parts)


_caches: WeakKeyDictionary[Store, CandidateCache] = WeakKeyDictionary()
"""The cache of each open store, which ends with it."""


def find_candidates(
    store: Store, terms: Sequence[str], documents: Sequence[str], *, limit: int, scope: Sequence[str] = ()
) -> Candidates:
    """Find up to `limit` passages of these documents that contain any of the terms, those with the rarest terms first.

    Args:
        scope: Ids of the documents that `documents` were chosen from.
    """
    cache = _caches.get(store) or _caches.setdefault(store, CandidateCache())
    with store.snapshot():
        selection = store.select_passages(terms, documents, limit=limit, scope=scope)
        cached = cache.get(selection.keys)
        missing = [key for key, candidate in zip(selection.keys, cached, strict=True) if candidate is None]
        indexed = store.indexed([key.number for key in missing]) if missing else []
    extracted = {passage.number: extract_features(passage) for passage in indexed}
    for key in missing:
        cache.put(key, extracted[key.number])
    found = tuple(candidate or extracted[key.number] for key, candidate in zip(selection.keys, cached, strict=True))
    return Candidates(found, selection.frequencies, selection.scope_frequencies)
