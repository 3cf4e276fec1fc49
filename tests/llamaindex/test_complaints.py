"""Problems that users of LlamaIndex reported about retrievers, pages and sources do not occur here.

The first line of each test describes the problem, with its number among the issues of run-llama/llama_index.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Settings
from llama_index.core.callbacks import CallbackManager, TokenCountingHandler
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.postprocessor import PrevNextNodePostprocessor, SimilarityPostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine, SubQuestionQueryEngine
from llama_index.core.question_gen.types import BaseQuestionGenerator, SubQuestion
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.retrievers import AutoMergingRetriever, QueryFusionRetriever
from llama_index.core.schema import Document, MetadataMode, QueryBundle
from llama_index.core.tools import QueryEngineTool
from llama_index.core.tools.types import ToolMetadata
from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from llama_index.retrievers.thumbindex import ThumbIndexRetriever
from scripted_llama import ScriptedLLM
from thumbindex import Library

PAGES = [
    "# Offshore wind\n\nThe wind farm stands twelve miles off the coast.",
    "It has forty turbines of eight megawatts.\n\n# Onshore wind\n\nThe hills carry thirty small turbines.",
    "# Debt\n\n## Bonds\n\nThe green bond pays 3.1 percent.",
    "## Loans\n\nThe bridge loan pays 5.6 percent and ends in 2027.",
]
LABELS = ["i", "1", "2", "3"]
QUESTION = "What does the bridge loan pay?"


def pages(**metadata: Any) -> list[Document]:
    """As a PDF reader gives them: a document a page, with the label that is printed."""
    return [
        Document(
            text=text, metadata={"file_name": "wind.pdf", "file_path": "in/wind.pdf", "page_label": label, **metadata}
        )
        for text, label in zip(PAGES, LABELS, strict=True)
    ]


@pytest.fixture(scope="module")
def wind() -> ThumbIndexRetriever:
    return ThumbIndexRetriever.from_documents(pages(), similarity_top_k=3)


# Sources


@pytest.mark.parametrize("navigator", ["lexical", "select", "walk"])
def test_a_tree_names_its_sources(wind: ThumbIndexRetriever, navigator: Any) -> None:
    """A tree index answers, and its list of sources is empty (#21441)."""
    llm = ScriptedLLM(lines=['{"sections": [{"number": 1, "reason": "first"}]}'])
    retriever = ThumbIndexRetriever(wind.library, 2, navigator=navigator, llm=llm)
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM())  # type: ignore[arg-type]
    response = engine.query(QUESTION)
    assert response.source_nodes
    assert all(source.get_content() and source.node.ref_doc_id for source in response.source_nodes)


def test_a_tree_scores_what_it_finds(wind: ThumbIndexRetriever) -> None:
    """Nodes that a tree retrieved have None for a score, so that nothing can be cut by it (#11587)."""
    scores = [found.get_score(raise_error=True) for found in wind.retrieve(QUESTION)]
    assert all(0 < score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)


def test_a_cut_by_score_keeps_the_best(wind: ThumbIndexRetriever) -> None:
    """The similarity cut drops the most relevant node, or all of them: no score, or none above 0.7 (#12497, #724)."""
    found = wind.retrieve(QUESTION)
    kept = SimilarityPostprocessor(similarity_cutoff=0.7).postprocess_nodes(found)
    assert kept[0].node.node_id == found[0].node.node_id
    assert "5.6 percent" in kept[0].get_content()


def test_a_source_says_file_and_page(wind: ThumbIndexRetriever) -> None:
    """Users ask for the file name and the page number of an answer (#1291, #15321)."""
    best = wind.as_query_engine(llm=MockLLM()).query(QUESTION).source_nodes[0]
    assert (best.metadata["file_name"], best.metadata["page_label"]) == ("wind.pdf", "3")
    assert (best.metadata["page_start"], best.metadata["page_end"]) == (4, 4)


def test_the_page_is_the_one_that_the_text_stands_on(wind: ThumbIndexRetriever) -> None:
    """The source node's page is another than that of its text (#15318)."""
    by_page = ThumbIndexRetriever(wind.library, 8, granularity="page")
    labels = {label: " ".join(text.split()) for label, text in zip(LABELS, PAGES, strict=True)}
    found = by_page.retrieve("turbines loan bond wind")
    assert len(found) > 4
    for hit in found:
        assert " ".join(hit.get_content().split()) in labels[hit.node.metadata["page_label"]]


class _Twice(BaseQuestionGenerator):
    """Makes two questions of each."""

    def generate(self, tools: Any, query: QueryBundle) -> list[SubQuestion]:
        return [SubQuestion(sub_question=query.query_str, tool_name="wind")] * 2

    async def agenerate(self, tools: Any, query: QueryBundle) -> list[SubQuestion]:
        return self.generate(tools, query)

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: dict[str, Any]) -> None:
        pass


def test_sub_questions_keep_page_numbers(wind: ThumbIndexRetriever) -> None:
    """With sub-questions there is no way to the page numbers of the sources (#9543)."""
    llm = MockLLM()
    tool = QueryEngineTool(
        query_engine=wind.as_query_engine(llm=llm), metadata=ToolMetadata(name="wind", description="A report.")
    )
    engine = SubQuestionQueryEngine.from_defaults(
        [tool], llm=llm, question_gen=_Twice(), response_synthesizer=get_response_synthesizer(llm=llm), verbose=False
    )
    sources = [hit for hit in engine.query(QUESTION).source_nodes if "5.6 percent" in hit.get_content()]
    assert {hit.metadata["page_label"] for hit in sources if "page_label" in hit.metadata} == {"3"}


def test_a_section_goes_over_the_end_of_a_page(wind: ThumbIndexRetriever) -> None:
    """A file of many pages comes as a list of documents, one per page, and its sections are torn apart (#16768)."""
    (found, *_) = wind.retrieve("How many turbines has the offshore wind farm?")
    assert found.node.metadata["section_path"] == "Offshore wind"
    assert "twelve miles" in found.get_content()
    assert "forty turbines" in found.get_content()


def test_metadata_do_not_crowd_out_the_text() -> None:
    """Metadata longer than the chunk size end the run, with paths and dates that no model needs (#12200, #7980)."""
    crowded = {"creation_date": "2024-01-01", "file_path": "/a/very" + "/long" * 60 + "/wind.pdf", "file_size": 12345}
    (found, *_) = ThumbIndexRetriever.from_documents(pages(**crowded)).retrieve(QUESTION)
    shown = found.node.get_metadata_str(MetadataMode.LLM)
    assert {line.partition(":")[0] for line in shown.splitlines()} == {"section_path", "page_label", "file_name"}
    assert SentenceSplitter(chunk_size=64, chunk_overlap=0).get_nodes_from_documents([found.node])  # type: ignore[list-item]


# Stores


def test_merging_finds_every_parent(wind: ThumbIndexRetriever) -> None:
    """Auto-merging ends with "doc_id not found" (#12115, #12603)."""
    merging = AutoMergingRetriever(wind, wind.storage_context())  # type: ignore[arg-type]
    for question in (QUESTION, "turbines", "Which bond and which loan pay what percent?"):
        assert merging.retrieve(question)


def test_neighbours_are_in_the_docstore(wind: ThumbIndexRetriever) -> None:
    """The postprocessor for previous and next nodes does not find their ids in the index's docstore (#14829)."""
    postprocessor = PrevNextNodePostprocessor(docstore=wind.docstore(), num_nodes=2, mode="both")
    found = postprocessor.postprocess_nodes(wind.retrieve("green bond")[:1])
    assert [hit.node.metadata["section_path"] for hit in found] == [
        "Offshore wind",
        "Onshore wind",
        "Debt › Bonds",
        "Debt › Loans",
    ]


def test_indexing_again_makes_no_duplicates(tmp_path: Path) -> None:
    """Fewer nodes than `similarity_top_k`: the same text was indexed twice under other ids (#17407)."""
    for _ in range(2):
        again = ThumbIndexRetriever.from_documents(pages(), similarity_top_k=4, path=tmp_path / "wind.db")
    found = again.retrieve("wind turbines loan bond percent")
    assert len({hit.get_content() for hit in found}) == len(found) == 4


def test_what_was_stored_is_found_after_loading(tmp_path: Path) -> None:
    """A retriever over an index that was loaded from disk raises KeyError (#18255)."""
    stored = ThumbIndexRetriever.from_documents(pages(), path=tmp_path / "wind.db")
    before = [hit.node.to_dict() for hit in stored.retrieve(QUESTION)]
    assert isinstance(stored.library, Library)
    stored.library.close()
    reloaded = ThumbIndexRetriever(Library(tmp_path / "wind.db"))
    assert [hit.node.to_dict() for hit in reloaded.retrieve(QUESTION)] == before
    assert reloaded.storage_context().docstore.docs


# Requests


async def test_async_retrieval_leaves_the_loop_free(wind: ThumbIndexRetriever) -> None:
    """`aretrieve` does its work on the event loop and holds up all other requests (#21934)."""
    turns = 0
    search = asyncio.ensure_future(wind.aretrieve(QUESTION))
    while not search.done():
        turns += 1
        await asyncio.sleep(0)
    assert search.result()
    assert turns > 3  # a search on the loop itself would be done at its first turn


async def test_filters_are_given_with_each_request(wind: ThumbIndexRetriever) -> None:
    """Other filters need another pipeline, or change the one that all users share (#17106, #14802)."""
    library = Library()
    for user in ("ann", "bob"):
        library.add(f"# Notes\n\nThe plan of {user}.\n".encode(), name=f"{user}.md", metadata={"owner": user})
    retriever = ThumbIndexRetriever(library)
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM())  # type: ignore[arg-type]

    async def ask(user: str) -> list[str]:
        with retriever.within(filters={"owner": user}):
            response = await engine.aquery("What is the plan?")
            return [source.metadata["owner"] for source in response.source_nodes]

    assert await asyncio.gather(*(ask(user) for user in ("ann", "bob") * 4)) == [["ann"], ["bob"]] * 4


def test_filters_nest_and_join_by_or() -> None:
    """Nested filters, or two joined by OR, find nothing or raise (#16664, #9383, #16310)."""
    library = Library()
    for name, (fruit, year) in {"a": ("apple", 2), "b": ("banana", 1), "c": ("apple", 1)}.items():
        library.add(
            f"# {name}\n\nA crate of fruit {name}.\n".encode(), name=name, metadata={"fruit": fruit, "year": year}
        )
    new_apples = MetadataFilters(
        filters=[
            MetadataFilter(key="fruit", value="apple"),
            MetadataFilter(key="year", value=1, operator=FilterOperator.GT),
        ]
    )
    bananas = MetadataFilters(
        filters=[MetadataFilter(key="fruit", value=["banana", "kiwi"], operator=FilterOperator.IN)]
    )
    either = MetadataFilters(filters=[new_apples, bananas], condition=FilterCondition.OR)
    found = ThumbIndexRetriever(library).scoped(filters=either).retrieve("crate of fruit")
    assert {hit.node.metadata["file_name"] for hit in found} == {"a", "b"}


# Models


def test_no_key_is_needed_where_no_model_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Indexing, or an engine without text, asks for an OpenAI key though no model is wanted (#17434, #8573, #10740)."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(Settings, "_llm", None)
    retriever = ThumbIndexRetriever.from_documents(pages())
    assert retriever.retrieve(QUESTION)
    assert retriever.as_query_engine(response_mode="no_text").query(QUESTION).source_nodes
    assert "5.6 percent" in str(retriever.as_query_engine(response_mode="context_only").query(QUESTION))
    assert Settings._llm is None


async def test_tokens_of_the_navigating_model_are_counted(wind: ThumbIndexRetriever) -> None:
    """The token counter stays at zero (#12214, #9857)."""
    counter = TokenCountingHandler(tokenizer=str.split)
    llm = ScriptedLLM(lines=['{"sections": []}'], callback_manager=CallbackManager([counter]))
    retriever = ThumbIndexRetriever(wind.library, navigator="select", llm=llm)
    retriever.retrieve(QUESTION)
    await retriever.aretrieve(QUESTION)
    assert (counter.prompt_llm_token_count, counter.completion_llm_token_count) == (240, 18)


@pytest.mark.parametrize("mode", ["simple", "reciprocal_rerank", "relative_score", "dist_based_score"])
def test_fusion_keeps_one_node_for_a_section_found_twice(wind: ThumbIndexRetriever, mode: Any) -> None:
    """A node that two queries found comes twice, or with the lower of its scores (#11538)."""
    found = QueryFusionRetriever([wind, wind], llm=MockLLM(), num_queries=1, similarity_top_k=3, mode=mode).retrieve(
        QUESTION
    )
    assert [hit.node.node_id for hit in found] == [hit.node.node_id for hit in wind.retrieve(QUESTION)]
