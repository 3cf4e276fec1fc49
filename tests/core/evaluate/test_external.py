"""Retrievers of the user's own: functions, and retrievers of LangChain or LlamaIndex."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from thumbindex import Library
from thumbindex.evaluate import Question, RetrieverError, make_retriever, run
from thumbindex.evaluate.external import ExternalRetriever
from thumbindex.evaluate.protocol import EVALUATION_BUDGET
from thumbindex.testing import ScriptedModel


@dataclass
class Node:
    """A document of LangChain or a node of LlamaIndex, with the attributes that retrievers rely on."""

    metadata: dict[str, object]
    page_content: str | None = None
    text: str = field(default="", repr=False)

    def get_content(self) -> str:
        return self.text


def function(question: str) -> list[dict[str, object]]:
    return [{"document": "boats.pdf", "pages": [1, 2], "text": "The hire"}]


async def async_function(question: str, documents: list[str]) -> list[dict[str, object]]:
    return [{"document": documents[0], "page": 2, "text": "The hire"}]


class LangChainLike:
    async def ainvoke(self, question: str) -> list[Node]:
        return [Node({"source": "/data/boats.pdf", "page": 1}, page_content="The hire")]


class LlamaIndexLike:
    def retrieve(self, question: str) -> list[Node]:
        return [Node({"file_name": "boats.pdf", "page_label": "2"}, text="The hire")]


class WithOurKeys:
    def invoke(self, question: str) -> list[Node]:
        return [Node({"source": "boats.pdf", "page_start": 2, "page_end": 2}, page_content="The hire")]


def external(library: Library, target: object) -> ExternalRetriever:
    return ExternalRetriever(library, "mine", target, 10, EVALUATION_BUDGET)


@pytest.mark.parametrize(
    ("target", "rank"),
    [
        pytest.param(function, 2, id="function"),
        pytest.param(async_function, 1, id="async function that takes the documents"),
        pytest.param(LangChainLike(), 1, id="LangChain, with pages from 0"),
        pytest.param(LlamaIndexLike(), 1, id="LlamaIndex, with page labels"),
        pytest.param(WithOurKeys(), 1, id="our own metadata"),
    ],
)
async def test_any_retriever_can_be_evaluated(paged: Library, hire: Question, target: object, rank: int) -> None:
    """Whatever the form of its passages."""
    (record,) = await run(paged, [hire], [external(paged, target)])
    assert (record.page_rank, record.tokens) == (rank, 2)


async def test_a_model_answers_from_external_passages(paged: Library, hire: Question) -> None:
    """With the same prompt and the same check of citations."""
    model = ScriptedModel(["It is 36,500 crowns [boats.pdf, p. 2]."])
    (record,) = await run(paged, [hire], [external(paged, async_function)], model=model)
    assert record.answer is not None
    assert record.answer.holds


async def test_passages_of_unknown_documents_are_misses(paged: Library, hire: Question) -> None:
    """Whatever their pages."""
    retriever = external(paged, lambda question: [{"document": "x.pdf", "page": 2, "text": "hire"}])
    (record,) = await run(paged, [hire], [retriever])
    assert record.page_rank is None


def test_a_retriever_is_named_by_module_and_name(
    paged: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module may be in the current folder; a retriever that cannot be used is an error at once."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_search_xyz.py").write_text("class A:\n    def find(question): return []\nthing = 3\n")
    before = list(sys.path)
    assert make_retriever("my_search_xyz:A.find", paged).name == "my_search_xyz:A.find"
    assert sys.path == before
    for spec, message in [
        ("my_search_xyz:nothing", "cannot be loaded"),
        ("my_search_xyz:thing", "neither a function"),
        ("nowhere_xyz:find", "cannot be loaded"),
        ("magic", "There is no retriever 'magic'"),
        ("walk", "needs a model"),
    ]:
        with pytest.raises(RetrieverError, match=message):
            make_retriever(spec, paged)


@pytest.mark.parametrize("returned", ["text", 3, [3]])
async def test_a_result_that_is_not_a_list_of_passages_is_an_error(
    paged: Library, hire: Question, returned: object
) -> None:
    """It does not count as nothing found."""
    with pytest.raises(RetrieverError, match="returned"):
        await run(paged, [hire], [external(paged, lambda question: returned)])
