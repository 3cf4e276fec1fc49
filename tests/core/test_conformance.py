"""The library keeps the contract of its adapters, and the contract notices who breaks it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from thumbindex import AsyncLibrary, Library
from thumbindex.conformance import QUESTION, Result, RetrieverContract, sample_library
from thumbindex.evidence import Evidence


def as_result(evidence: Evidence) -> Result:
    return Result(evidence.id, evidence.text, evidence.flat_metadata(), evidence.score, evidence)


class Contract(RetrieverContract):
    """The library itself, without any framework; k is what the retriever holds."""

    def retriever(self, library: Library, k: int) -> tuple[Library, int]:
        return library, k

    def retrieve(self, retriever: tuple[Library, int], question: str) -> Sequence[Result]:
        library, k = retriever
        return [as_result(evidence) for evidence in library.retrieve(question, k=k).evidence]

    async def aretrieve(self, retriever: tuple[Library, int], question: str) -> Sequence[Result]:
        library, k = retriever
        return [as_result(evidence) for evidence in (await AsyncLibrary(library).retrieve(question, k=k)).evidence]


class TestLibrary(Contract):
    """Every promise holds for the library."""


class Blocking(Contract):
    """An adapter whose async method runs the search on the event loop."""

    async def aretrieve(self, retriever: tuple[Library, int], question: str) -> Sequence[Result]:
        return self.retrieve(retriever, question)


def test_a_search_on_the_event_loop_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mistake that sync tests never show."""
    monkeypatch.setattr("thumbindex.conformance._PATIENCE", 0.2)
    with pytest.raises(AssertionError, match="ran on the event loop"):
        Blocking().test_the_loop_is_free_while_a_search_runs()


class Noting(Contract):
    """An adapter that writes the question into the metadata."""

    def retrieve(self, retriever: tuple[Library, int], question: str) -> Sequence[Result]:
        found = super().retrieve(retriever, question)
        return [Result(r.id, r.text, {**r.metadata, "query": question}, r.score, r.original) for r in found]


def test_metadata_that_depends_on_the_question_is_noticed() -> None:
    """Frameworks would show the same section twice."""
    with pytest.raises(AssertionError):
        Noting().test_a_section_is_the_same_for_two_questions()


class Sharing(Contract):
    """An adapter that hands out the same objects again."""

    kept: dict[str, Sequence[Result]] = {}  # noqa: RUF012

    def retrieve(self, retriever: tuple[Library, int], question: str) -> Sequence[Result]:
        return self.kept.setdefault(question, super().retrieve(retriever, question))


def test_shared_objects_are_noticed() -> None:
    """A reranker would change the next answer."""
    with pytest.raises(AssertionError):
        Sharing().test_each_call_returns_new_objects()


def test_flat_metadata_leaves_lists_out_and_keeps_our_own_keys() -> None:
    """A document cannot say that its sections stand elsewhere, and no list reaches a vector store."""
    library = Library()
    library.add(b"---\nsection_id: forged\ntags: [a, b]\nauthor: A. Writer\n---\n# Guide\n\nText.\n", name="guide.md")
    (evidence,) = library.retrieve("text", k=1).evidence
    assert evidence.flat_metadata()["section_id"] == evidence.id
    assert evidence.flat_metadata()["author"] == "A. Writer"
    assert "tags" not in evidence.flat_metadata()
    assert sample_library().retrieve(QUESTION).evidence
