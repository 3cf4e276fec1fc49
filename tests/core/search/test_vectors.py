"""Ranking by an embedding of any kind, fused with the ranking by words."""

from __future__ import annotations

import pytest

from thumbindex import Lexical, Library
from thumbindex.search.vectors import Vectors, fuse
from thumbindex.testing import sample_library

TOPICS = {"clean": ("glass", "wash", "wipe", "spotless"), "fuel": ("oil", "fill", "litres"), "ships": ("ship", "dues")}


def embed(texts: list[str]) -> list[list[float]]:
    """Counts the words of each topic: an embedding in which `wipe` is near `wash`."""
    return [[0.01 + sum(text.lower().count(word) for word in words) for words in TOPICS.values()] for text in texts]


class Topics:
    """The same with the methods of LangChain."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return embed(texts)

    def embed_query(self, text: str) -> list[float]:
        return embed([text])[0]


class IndexTopics:
    """The same with the methods of LlamaIndex."""

    def get_text_embedding_batch(self, texts: list[str]) -> list[list[float]]:
        return embed(texts)

    def get_query_embedding(self, query: str) -> list[float]:
        return embed([query])[0]


@pytest.mark.parametrize("embedding", [embed, Topics(), IndexTopics()], ids=["function", "langchain", "llamaindex"])
def test_an_embedding_finds_what_no_word_finds(embedding: object) -> None:
    """Without it, words alone decide."""
    library = sample_library()
    question = "keep it spotless: wipe, wipe"
    assert library.retrieve(question).evidence == ()
    found = library.retrieve(question, navigator=Lexical(embedding=embedding))
    assert found.evidence[0].title == "4.1 Glass"
    assert found.evidence[0].why == "close in meaning"


def test_both_rankings_count() -> None:
    """A section that both find ranks above one that only one of them finds; both reasons are given."""
    found = sample_library().retrieve("Wipe the glass", k=1, navigator=Lexical(embedding=embed))
    assert "matches glass" in found.evidence[0].why
    assert "close in meaning" in found.evidence[0].why


def test_texts_are_embedded_once() -> None:
    """Later questions embed only themselves."""
    calls: list[int] = []

    def counting(texts: list[str]) -> list[list[float]]:
        calls.append(len(texts))
        return embed(texts)

    library = sample_library()
    library.retrieve("glass", navigator=Lexical(embedding=counting))
    first = sum(calls)
    library.retrieve("oil", navigator=Lexical(embedding=counting))
    assert first > 2
    assert sum(calls) == first + 1


def test_rankings_are_fused_by_reciprocal_ranks() -> None:
    """Second in both rankings beats first in one."""
    assert list(fuse(["a", "b"], ["c", "b"])) == ["b", "a", "c"]


def test_an_invalid_embedding_is_refused() -> None:
    """The message names the valid ones."""
    with pytest.raises(TypeError, match="a function from a list of texts"):
        Library().retrieve("x", navigator=Lexical(embedding=7))
    with pytest.raises(ValueError, match="one per text"):
        Vectors(lambda texts: [[1.0]]).rank("x", {"a": "a", "b": "b"})
