"""An embedding as a second opinion: any kind, joined by rank, and off unless asked for."""

from __future__ import annotations

import pytest

from thumbindex import Lexical, Library
from thumbindex.search.vectors import Vectors, fuse
from thumbindex.testing import sample_library

TOPICS = {"clean": ("glass", "wash", "wipe", "spotless"), "fuel": ("oil", "fill", "litres"), "ships": ("ship", "dues")}


def embed(texts: list[str]) -> list[list[float]]:
    """How often each topic is touched: an embedding that knows that `wipe` is near `wash`."""
    return [[0.01 + sum(text.lower().count(word) for word in words) for words in TOPICS.values()] for text in texts]


class Topics:
    """The same with LangChain's names."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return embed(texts)

    def embed_query(self, text: str) -> list[float]:
        return embed([text])[0]


class IndexTopics:
    """And with those of LlamaIndex."""

    def get_text_embedding_batch(self, texts: list[str]) -> list[list[float]]:
        return embed(texts)

    def get_query_embedding(self, query: str) -> list[float]:
        return embed([query])[0]


@pytest.mark.parametrize("embedding", [embed, Topics(), IndexTopics()], ids=["function", "langchain", "llamaindex"])
def test_what_no_word_finds_an_embedding_may(embedding: object) -> None:
    """The words decide alone without it."""
    library = sample_library()
    question = "keep it spotless: wipe, wipe"
    assert library.retrieve(question).evidence == ()
    found = library.retrieve(question, navigator=Lexical(embedding=embedding))
    assert found.evidence[0].title == "4.1 Glass"
    assert found.evidence[0].why == "close in meaning"


def test_both_rankings_count() -> None:
    """A section that both find comes before one that only one finds; the reasons of both are told."""
    found = sample_library().retrieve("Wipe the glass", k=1, navigator=Lexical(embedding=embed))
    assert "matches glass" in found.evidence[0].why
    assert "close in meaning" in found.evidence[0].why


def test_texts_are_embedded_once() -> None:
    """Later questions embed themselves alone."""
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


def test_ranks_are_joined_by_their_reciprocals() -> None:
    """Twice second is better than once first."""
    assert list(fuse(["a", "b"], ["c", "b"])) == ["b", "a", "c"]


def test_what_is_no_embedding_is_refused() -> None:
    """With what would be one."""
    with pytest.raises(TypeError, match="a function from a list of texts"):
        Library().retrieve("x", navigator=Lexical(embedding=7))
    with pytest.raises(ValueError, match="one each is needed"):
        Vectors(lambda texts: [[1.0]]).rank("x", {"a": "a", "b": "b"})
