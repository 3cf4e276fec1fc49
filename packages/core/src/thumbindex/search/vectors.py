"""Ranking by an embedding, fused with the ranking by words."""

from __future__ import annotations

import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import mul
from typing import Protocol, TypeVar, runtime_checkable

Key = TypeVar("Key", bound=Hashable)
Embed = Callable[[list[str]], Sequence[Sequence[float]]]

RANK_CONSTANT = 60
"""k of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): the higher, the less the first ranks differ."""


@runtime_checkable
class LangChainEmbeddings(Protocol):
    """The methods of LangChain's `Embeddings`."""

    def embed_documents(self, texts: list[str], /) -> list[list[float]]: ...
    def embed_query(self, text: str, /) -> list[float]: ...


@runtime_checkable
class LlamaIndexEmbedding(Protocol):
    """The methods of LlamaIndex's `BaseEmbedding`."""

    def get_text_embedding_batch(self, texts: list[str], /) -> Sequence[Sequence[float]]: ...
    def get_query_embedding(self, query: str, /) -> Sequence[float]: ...


Embedding = Embed | LangChainEmbeddings | LlamaIndexEmbedding


class Vectors:
    """Vectors of texts by an embedding, cached in memory: make one and pass it with every question.

    Args:
        embedding: A function from a list of texts to their vectors, LangChain's `Embeddings`, or LlamaIndex's
            `BaseEmbedding`.
        limit: Vectors that are cached; the least recently used ones are dropped.

    Raises:
        TypeError: `embedding` is none of these.
    """

    def __init__(self, embedding: Embedding, *, limit: int = 50_000) -> None:
        self._embed_texts, self._embed_question = _functions(embedding)
        self._limit = limit
        self._cache: OrderedDict[bytes, tuple[float, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def rank(self, question: str, texts: Mapping[Key, str]) -> list[Key]:
        """Returns the keys of the texts, nearest to the question first."""
        asked = _unit(self._embed_question(question))
        vectors = self._vectors(list(texts.values()))
        similarities = {key: sum(map(mul, asked, vector)) for key, vector in zip(texts, vectors, strict=True)}
        return sorted(similarities, key=lambda key: -similarities[key])

    def _vectors(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        keys = [hashlib.sha256(text.encode(errors="replace")).digest() for text in texts]
        with self._lock:
            known = {key: self._cache[key] for key in keys if key in self._cache}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            made = self._embed_texts(list(missing.values()))
            if len(made) != len(missing):
                raise ValueError(
                    f"The embedding returned {len(made)} vectors for {len(missing)} texts; it must return one per text."
                )
            known |= {key: _unit(vector) for key, vector in zip(missing, made, strict=True)}
        with self._lock:
            for key in keys:
                self._cache[key] = known[key]
                self._cache.move_to_end(key)
            while len(self._cache) > self._limit:
                self._cache.popitem(last=False)
        return [known[key] for key in keys]


EMBEDDINGS_IN_MEMORY = 2
"""Embeddings whose vectors are remembered; those that were not used for longest make room."""


class VectorCache:
    """The vectors made by each embedding so far; safe to use from any thread."""

    def __init__(self, limit: int = EMBEDDINGS_IN_MEMORY) -> None:
        self._limit = limit
        self._made: OrderedDict[int, tuple[Embedding, Vectors]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, embedding: Embedding) -> Vectors:
        """The vectors of an embedding.

        Raises:
            TypeError: it is no embedding.
        """
        with self._lock:
            known = self._made.get(id(embedding))
            # An id may be used again when its object is gone, so the object is stored with it.
            if known is None or known[0] is not embedding:
                known = self._made[id(embedding)] = (embedding, Vectors(embedding))
            self._made.move_to_end(id(embedding))
            while len(self._made) > self._limit:
                self._made.popitem(last=False)
            return known[1]


def fuse(*rankings: Sequence[Key]) -> dict[Key, float]:
    """Returns all keys of some rankings, best first, each with the sum of its reciprocal ranks."""
    scores: dict[Key, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, 1):
            scores[key] = scores.get(key, 0.0) + 1 / (RANK_CONSTANT + rank)
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def _functions(
    embedding: Embedding,
) -> tuple[Embed, Callable[[str], Sequence[float]]]:
    if isinstance(embedding, LangChainEmbeddings):
        return embedding.embed_documents, embedding.embed_query
    if isinstance(embedding, LlamaIndexEmbedding):
        return embedding.get_text_embedding_batch, embedding.get_query_embedding
    if callable(embedding):
        return embedding, lambda question: embedding([question])[0]
    raise TypeError(
        f"{type(embedding).__name__} is not an embedding: pass a function from a list of texts to vectors, LangChain's "
        "Embeddings or LlamaIndex's BaseEmbedding."
    )


def _unit(vector: Sequence[float]) -> tuple[float, ...]:
    length = math.sqrt(sum(map(mul, vector, vector))) or 1.0
    return tuple(value / length for value in vector)
