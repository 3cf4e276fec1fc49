"""The node parser: sections as nodes, wherever a splitter stands in LlamaIndex."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.node_parser import NodeParser, get_leaf_nodes
from llama_index.core.schema import BaseNode, Document
from llama_index.core.storage.docstore import SimpleDocumentStore

from llama_index.retrievers.thumbindex import ThumbIndexNodeParser, ThumbIndexRetriever

FILE = {"file_name": "report.pdf", "file_path": "/reports/report.pdf"}
PAGES = [
    Document(text="# Loans\n\nThe term loan is fixed.", id_="page-one", metadata={**FILE, "page_label": "1"}),
    Document(text="It ends in 2031.\n\n# Leases\n\nTen years.", id_="page-two", metadata={**FILE, "page_label": "2"}),
    Document(text="## Ships\n\nTwo ships.", id_="page-three", metadata={**FILE, "page_label": "3"}),
]


def paths(nodes: Sequence[BaseNode]) -> list[str]:
    return [str(node.metadata["section_path"]) for node in nodes]


def test_a_node_for_each_section_over_the_ends_of_pages() -> None:
    """In reading order, linked from page to page; each belongs to the document that its section begins in."""
    nodes = ThumbIndexNodeParser().get_nodes_from_documents(PAGES)
    assert paths(nodes) == ["Loans", "Leases", "Leases › Ships"]
    assert [node.ref_doc_id for node in nodes] == ["page-one", "page-two", "page-three"]
    assert (nodes[0].metadata["page_start"], nodes[0].metadata["page_end"]) == (1, 2)
    assert "ends in 2031" in nodes[0].get_content()
    assert [node.next_node.node_id if node.next_node else None for node in nodes] == [
        nodes[1].node_id,
        nodes[2].node_id,
        None,
    ]
    assert all(node.parent_node is None for node in nodes)


def test_they_are_the_nodes_of_the_retriever() -> None:
    """Same ids and texts, so that a vector index and the tree speak of the same sections; twice the same."""
    first, second = (ThumbIndexNodeParser().get_nodes_from_documents(PAGES) for _ in range(2))
    assert [node.node_id for node in first] == [node.node_id for node in second]
    docstore = ThumbIndexRetriever.from_documents(PAGES).docstore()
    assert [docstore.get_node(node.node_id).get_content() for node in first] == [node.get_content() for node in first]


def test_the_hierarchy_comes_on_request() -> None:
    """As `HierarchicalNodeParser` returns it: LlamaIndex's own helper finds the leaves."""
    nodes = ThumbIndexNodeParser(hierarchy=True).get_nodes_from_documents(PAGES)
    assert paths(nodes) == ["Loans", "Leases", "Leases › Ships", "Leases"]
    assert paths(get_leaf_nodes(nodes)) == ["Loans", "Leases", "Leases › Ships"]
    assert [child.node_id for child in nodes[3].child_nodes or []] == [nodes[1].node_id, nodes[2].node_id]


def test_pages_of_sections_on_request() -> None:
    """Each with its own label."""
    nodes = ThumbIndexNodeParser(granularity="page").get_nodes_from_documents(PAGES)
    assert [(node.metadata["section_path"], node.metadata["page_label"]) for node in nodes] == [
        ("Loans", "1"),
        ("Loans", "2"),
        ("Leases", "2"),
        ("Leases › Ships", "3"),
    ]
    assert [node.ref_doc_id for node in nodes] == ["page-one", "page-two", "page-two", "page-three"]


@pytest.mark.parametrize("is_async", [False, True])
async def test_it_runs_in_an_ingestion_pipeline(is_async: bool) -> None:
    """With a docstore: unchanged documents are passed over, a changed one is parsed again."""
    pipeline = IngestionPipeline(
        transformations=[ThumbIndexNodeParser()],
        docstore=SimpleDocumentStore(),
        docstore_strategy=DocstoreStrategy.DUPLICATES_ONLY,
    )
    guide = Document(text="# Guide\n\n## Start\n\nPress.\n\n## Stop\n\nPull.", id_="guide.md")

    async def run(*documents: Document) -> list[str]:
        return paths(list(await pipeline.arun(documents=documents) if is_async else pipeline.run(documents=documents)))

    assert await run(guide) == ["Guide › Start", "Guide › Stop"]
    assert await run(guide) == []
    assert await run(Document(text="# Guide\n\nNew.", id_="guide.md")) == ["Guide"]


def test_an_index_over_its_nodes_cites_sections(tmp_path: Path) -> None:
    """For those who stay with vectors: as a transformation, persisted and loaded."""
    index = VectorStoreIndex.from_documents(
        PAGES, transformations=[ThumbIndexNodeParser()], embed_model=MockEmbedding(embed_dim=4)
    )
    found = index.as_retriever(similarity_top_k=3).retrieve("anything")
    assert {hit.node.metadata["section_path"] for hit in found} == {"Loans", "Leases", "Leases › Ships"}
    index.storage_context.persist(str(tmp_path))


def test_links_are_left_out_on_request() -> None:
    """The option that every node parser has."""
    nodes = ThumbIndexNodeParser(include_prev_next_rel=False).get_nodes_from_documents(PAGES)
    assert all(node.next_node is None and node.prev_node is None for node in nodes)


def test_a_document_without_text_has_no_nodes() -> None:
    """One that failed to load must not end the ingestion of the others."""
    nodes = ThumbIndexNodeParser().get_nodes_from_documents([Document(text="  ", id_="empty"), *PAGES])
    assert len(nodes) == 3
    assert ThumbIndexNodeParser().get_nodes_from_documents([]) == []


def test_it_is_a_component_like_any_other() -> None:
    """Pipelines tell by name and settings whether their cache still holds."""
    parser = ThumbIndexNodeParser(granularity="page", hierarchy=True)
    assert isinstance(parser, NodeParser)
    stored = parser.to_dict()
    assert (stored["class_name"], stored["granularity"], stored["hierarchy"]) == ("ThumbIndexNodeParser", "page", True)
