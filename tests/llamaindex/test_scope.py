"""The documents that a search sees are set at construction, per call or by another retriever; narrowed, never widened."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from llama_index.retrievers.thumbindex import ThumbIndexRetriever
from thumbindex import Library
from thumbindex.errors import DocumentNotFound

NAMES = ("a.md", "b.md", "c.md")


@pytest.fixture(scope="module")
def library() -> Iterator[Library]:
    with Library() as library:
        for number, name in enumerate(NAMES):
            text = f"# Pump {name}\n\nThe pump of {name} turns slowly.\n"
            library.add(text.encode(), name=name, metadata={"year": 2020 + number})
        yield library


@pytest.fixture
def retriever(library: Library) -> ThumbIndexRetriever:
    return ThumbIndexRetriever(library)


def seen(retriever: BaseRetriever) -> list[str]:
    return sorted(str(found.node.metadata["file_name"]) for found in retriever.retrieve("Which pump turns?"))


def of_year(year: int) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key="year", value=year)])


def test_a_scoped_copy_narrows_and_leaves_the_first_as_it_is(retriever: ThumbIndexRetriever) -> None:
    """By documents, filters and number; what it was not given stays."""
    scoped = retriever.scoped(documents=["a.md", "b.md"], similarity_top_k=1)
    assert (scoped.similarity_top_k, retriever.similarity_top_k) == (1, 4)
    assert len(seen(scoped)) == 1
    assert seen(retriever.scoped(documents=["a.md", "b.md"])) == ["a.md", "b.md"]
    assert seen(retriever.scoped(filters=of_year(2021))) == ["b.md"]
    assert seen(retriever) == list(NAMES)


def test_a_scope_cannot_be_widened(retriever: ThumbIndexRetriever) -> None:
    """No call brings back a document that the retriever cannot see, and no message names one."""
    narrow = retriever.scoped(documents=["a.md", "b.md"])
    assert seen(narrow.scoped(filters=of_year(2022))) == []
    with pytest.raises(DocumentNotFound) as caught:
        narrow.scoped(documents=["x.md"]).retrieve("pump")
    assert "a.md, b.md" in str(caught.value)
    assert "c.md" not in str(caught.value)
    with pytest.raises(DocumentNotFound):
        narrow.scoped(documents=["b.md", "c.md"]).retrieve("pump")
    with pytest.raises(DocumentNotFound, match=r"c\.md"), narrow.within(documents=["c.md"]):
        pass


def test_a_block_leaves_out_documents_of_other_retrievers_without_an_error(retriever: ThumbIndexRetriever) -> None:
    """A retriever made before the block may be about other documents; one that is made inside names documents of the block."""
    other = retriever.scoped(documents=["c.md"])
    with retriever.within(documents=["a.md", "b.md"]):
        assert seen(other) == []
        with pytest.raises(DocumentNotFound) as caught:
            retriever.scoped(documents=["c.md"]).retrieve("pump")
        assert "a.md, b.md" in str(caught.value)
        inside = retriever.scoped(documents=["a.md"])
    assert seen(inside) == ["a.md"]
    assert seen(other) == ["c.md"]


def test_within_narrows_the_searches_of_a_block(retriever: ThumbIndexRetriever) -> None:
    """In an engine that was made before; blocks inside of others narrow further."""
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM())
    with retriever.within(documents=["a.md", "b.md"]):
        found = engine.query("Which pump turns?").source_nodes
        assert sorted(str(hit.node.metadata["file_name"]) for hit in found) == ["a.md", "b.md"]
        with retriever.within(filters=of_year(2021)):
            assert seen(retriever) == ["b.md"]
        assert seen(retriever) == ["a.md", "b.md"]
    assert seen(retriever) == list(NAMES)


async def test_requests_side_by_side_do_not_see_each_other_s_documents(retriever: ThumbIndexRetriever) -> None:
    """One engine, two users; searches in threads count as well."""

    async def request(name: str) -> set[object]:
        with retriever.within(documents=[name]):
            found = await retriever.aretrieve("Which pump turns?")
            found += await asyncio.to_thread(retriever.retrieve, "Which pump turns?")
            return {hit.node.metadata["file_name"] for hit in found}

    answers = await asyncio.gather(*(request(name) for name in NAMES * 5))
    assert answers == [{name} for name in NAMES * 5]


def test_another_library_is_not_narrowed(retriever: ThumbIndexRetriever) -> None:
    """A fusion of two retrievers keeps the other arm as it is."""
    other = Library()
    other.add(b"# Pump\n\nThe pump turns.\n", name="z.md")
    with retriever.within(documents=["a.md"]):
        assert seen(ThumbIndexRetriever(other)) == ["z.md"]


def test_an_unknown_document_is_an_error(retriever: ThumbIndexRetriever) -> None:
    """A misspelt name must not look like an empty result; neither must a text in the place of a list."""
    with pytest.raises(DocumentNotFound, match=r"x\.md"):
        retriever.scoped(documents=["x.md"]).retrieve("pump")
    with pytest.raises(DocumentNotFound, match=r"x\.md"), retriever.within(documents=["x.md"]):
        pass
    with pytest.raises(TypeError, match="takes a list"):
        retriever.scoped(documents="a.md")


class FirstStage(BaseRetriever):
    """A retriever that returns the nodes that it was made with."""

    def __init__(self, *nodes: TextNode) -> None:
        super().__init__()
        self.nodes = nodes

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=node, score=0.5) for node in self.nodes]


@pytest.mark.parametrize("by", ["file_name", "file_path", "doc_id", "source"])
async def test_a_first_stage_chooses_the_documents(library: Library, by: str) -> None:
    """Any retriever: a node is recognised by its metadata or source; a node of an unknown document is ignored."""
    node = TextNode(text="whatever")
    doc_id = library.get("b.md").doc_id
    if by == "source":
        node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=doc_id)
    else:
        node.metadata[by] = doc_id if by == "doc_id" else "b.md"
    stranger = TextNode(text="pump", metadata={"file_name": "stranger.md"})
    retriever = ThumbIndexRetriever(library, first_stage=FirstStage(node, stranger))
    assert seen(retriever) == ["b.md"]
    assert {found.node.metadata["file_name"] for found in await retriever.aretrieve("pump")} == {"b.md"}
    assert seen(retriever.scoped(documents=["a.md"])) == []  # which the first stage did not choose


def test_a_first_stage_that_finds_nothing_leaves_nothing_to_search(library: Library) -> None:
    """It may be the part of the application that enforces permissions."""
    assert seen(ThumbIndexRetriever(library, first_stage=FirstStage())) == []


def test_an_argument_that_would_be_passed_over_is_refused(retriever: ThumbIndexRetriever) -> None:
    """`doc_ids` narrows a vector index: silence here would search everything."""
    for make in (retriever.as_query_engine, retriever.as_chat_engine):
        with pytest.raises(TypeError, match=r"takes no doc_ids\. The search is narrowed by documents"):
            make(llm=MockLLM(), doc_ids=["a"])
    with pytest.raises(ValueError, match=r"'react' is none of .*FunctionAgent"):
        retriever.as_chat_engine(chat_mode="react", llm=MockLLM())


def test_an_engine_follows_what_is_changed_in_its_retriever(retriever: ThumbIndexRetriever) -> None:
    """Unless it was narrowed, it holds the retriever itself."""
    engine = retriever.as_query_engine(llm=MockLLM())
    retriever.similarity_top_k = 1
    assert len(engine.query("pump").source_nodes) == 1
