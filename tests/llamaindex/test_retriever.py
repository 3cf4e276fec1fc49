"""The LlamaIndex retriever: what it returns, what it takes, and the steps it reports."""

from __future__ import annotations

import asyncio
import pickle
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.span_handlers import SimpleSpanHandler
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode
from llama_index.core.tools import RetrieverTool
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from llama_index.retrievers.thumbindex import ThumbIndexRetriever, TreeStepEvent, TreeTrailEvent
from scripted_llama import Listener
from thumbindex import Library
from thumbindex.conformance import QUESTION, Result, RetrieverContract, sample_library


def as_result(found: NodeWithScore) -> Result:
    return Result(found.node.node_id, found.node.get_content(), found.node.metadata, found.score, found)


class TestThumbIndexRetriever(RetrieverContract):
    """The contract of every adapter."""

    def retriever(self, library: Library, k: int) -> ThumbIndexRetriever:
        return ThumbIndexRetriever(library, similarity_top_k=k)

    def retrieve(self, retriever: ThumbIndexRetriever, question: str) -> Sequence[Result]:
        return [as_result(found) for found in retriever.retrieve(question)]

    async def aretrieve(self, retriever: ThumbIndexRetriever, question: str) -> Sequence[Result]:
        return [as_result(found) for found in await retriever.aretrieve(question)]


@pytest.fixture(scope="module")
def retriever() -> ThumbIndexRetriever:
    return ThumbIndexRetriever(sample_library(), similarity_top_k=3)


def term_loan(retriever: ThumbIndexRetriever) -> NodeWithScore:
    (found,) = [f for f in retriever.retrieve(QUESTION) if f.node.metadata["section_path"] == "Borrowings › Term loan"]
    return found


def test_a_section_with_pages_has_the_keys_of_the_file_readers(retriever: ThumbIndexRetriever) -> None:
    """`file_name`, `file_path` and `page_label`, which is text and counts from 1."""
    node = term_loan(retriever).node
    assert node.metadata == {
        "file_name": "loans",
        "file_path": "loans",
        "page_label": "2",
        "page_start": 2,
        "page_end": 2,
        "total_pages": 4,
        "section_id": node.node_id,
        "doc_id": node.ref_doc_id,
        "section_path": "Borrowings › Term loan",
    }
    assert type(node) is TextNode
    assert "4.25 percent" in node.get_content()


def test_prompts_show_where_a_section_stands_but_no_bookkeeping(retriever: ThumbIndexRetriever) -> None:
    """A model reads path, page and file; an embedding only the path."""
    node = term_loan(retriever).node
    assert {line.split(":")[0] for line in node.get_metadata_str(MetadataMode.LLM).splitlines()} == {
        "section_path",
        "page_label",
        "file_name",
    }
    assert node.get_metadata_str(MetadataMode.EMBED) == "section_path: Borrowings › Term loan"


def test_prompts_show_what_the_owner_says_of_a_document_but_not_what_wrote_its_file() -> None:
    """A year or a title helps a model to choose; the name of a PDF library does not."""
    library = Library()
    library.add(b"# Guide\n\nText.\n", name="guide.md", metadata={"year": 2024, "producer": "Writer 7"})
    (found,) = ThumbIndexRetriever(library).retrieve("text")
    shown = found.node.get_metadata_str(MetadataMode.LLM)
    assert "year: 2024" in shown
    assert "Writer 7" not in shown
    assert found.node.metadata["producer"] == "Writer 7"


def test_a_node_knows_its_document(retriever: ThumbIndexRetriever) -> None:
    """`ref_doc_id` is the library's id of the document."""
    assert term_loan(retriever).node.ref_doc_id == retriever.library.get("loans").doc_id


def test_documents_and_filters_narrow_the_search() -> None:
    """By name or id, by a mapping or by LlamaIndex's own filters."""
    library = sample_library()
    filters = MetadataFilters(
        filters=[MetadataFilter(key="title", value=["Treasury guide"], operator=FilterOperator.IN)]
    )
    for narrowed in (
        ThumbIndexRetriever(library, documents=["treasury.md"]),
        ThumbIndexRetriever(library, filters={"title": "Treasury guide"}),
        ThumbIndexRetriever(library, filters=filters),
    ):
        assert {found.node.metadata["file_name"] for found in narrowed.retrieve(QUESTION)} == {"treasury.md"}


def test_from_files_makes_a_retriever_in_one_line(tmp_path: Path) -> None:
    """From a path to a passage."""
    guide = tmp_path / "guide.md"
    guide.write_text("# Guide\n\n## Install\n\nRun the installer.\n\n## Remove\n\nDelete the folder.\n")
    retriever = ThumbIndexRetriever.from_files([guide], similarity_top_k=1, verbose=False)
    (found,) = retriever.retrieve("How do I install it?")
    assert (found.node.metadata["file_name"], found.node.metadata["file_path"]) == ("guide.md", str(guide))
    assert found.score == 1.0


def test_the_wrapping_of_a_retriever_tool_does_not_change_the_answer(retriever: ThumbIndexRetriever) -> None:
    """`RetrieverTool` adds line ends, and "input is" where the question came by name."""
    tool = RetrieverTool.from_defaults(retriever)
    plain = [found.node.node_id for found in retriever.retrieve(QUESTION)]
    assert [found.node.node_id for found in tool.call(QUESTION).raw_output] == plain
    assert [found.node.node_id for found in tool.call(input=QUESTION).raw_output] == plain
    assert [found.node.node_id for found in retriever.retrieve(f"  {QUESTION}\n\n")] == plain


async def test_the_async_method_takes_its_query_by_name(retriever: ThumbIndexRetriever) -> None:
    """The base class calls it so; any other name breaks async code only."""
    assert await retriever._aretrieve(query_bundle=QueryBundle(QUESTION))


def test_each_step_is_an_event(retriever: ThumbIndexRetriever, listener: Listener) -> None:
    """A handler on the root dispatcher hears the steps of the trail, in order."""
    retriever.retrieve(QUESTION)
    trail = retriever.library.retrieve(QUESTION, k=3).trail
    steps = [event for event in listener.events if isinstance(event, TreeStepEvent)]
    assert [(event.action, event.target) for event in steps] == [(s.action, s.target) for s in trail.steps]
    assert listener.named("TreeStepEvent") == steps


def test_the_end_of_a_search_is_an_event_with_its_whole_trail(
    retriever: ThumbIndexRetriever, listener: Listener
) -> None:
    """Printable, with what came next; and whether anything fits well, which scores relative to the best do not say."""
    for question, weak in ((QUESTION, False), ("Which whale swallowed the prophet on Tuesday?", True)):
        listener.events.clear()
        retriever.retrieve(question)
        (end,) = [event for event in listener.events if isinstance(event, TreeTrailEvent)]
        assert end.trail == re.sub(r"\d+\.\d+ s", "", retriever.library.retrieve(question, k=3).trail.render())
        assert end.weak is weak


async def test_each_step_is_a_span_of_its_own_search(retriever: ThumbIndexRetriever, listener: Listener) -> None:
    """Two searches at once: the spans of steps lie inside that of their own retrieval, though a thread raised them."""
    root, spans = get_dispatcher(), SimpleSpanHandler()
    root.add_span_handler(spans)
    try:
        await asyncio.gather(retriever.aretrieve(QUESTION), retriever.aretrieve("How often is interest paid?"))
    finally:
        root.span_handlers.remove(spans)
    by_id = {span.id_: span for span in spans.completed_spans}
    steps = [by_id[event.span_id] for event in listener.named("TreeStepEvent")]
    assert all(span.id_.startswith("tree_step-") for span in steps)
    inside = [by_id[str(span.parent_id)] for span in steps]
    assert {span.id_.partition("-")[0] for span in inside} == {"ThumbIndexRetriever.aretrieve"}
    searches = [span.id_ for span in inside]
    assert sorted(searches.count(search) for search in set(searches)) == [len(steps) / 2] * 2


def test_a_retriever_goes_through_pickle(tmp_path: Path) -> None:
    """Ingestion and evaluation send retrievers to other processes; a library in a file is opened there again."""
    library = Library(tmp_path / "library.db")
    library.add(b"# Guide\n\nRun the installer.\n", name="guide.md")
    sent = pickle.loads(pickle.dumps(ThumbIndexRetriever(library)))
    assert [found.node.metadata["file_name"] for found in sent.retrieve("installer")] == ["guide.md"]


def test_the_class_is_a_retriever_by_name() -> None:
    """LlamaIndex requires this test of an integration."""
    assert "BaseRetriever" in [base.__name__ for base in ThumbIndexRetriever.__mro__]
