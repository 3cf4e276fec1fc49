"""Nodes are related as the tree relates sections, and LlamaIndex's stores of them serve what looks up neighbours."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from llama_index.core.postprocessor import PrevNextNodePostprocessor
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import BaseNode, NodeRelationship, NodeWithScore

from llama_index.retrievers.thumbindex import ThumbIndexRetriever
from thumbindex import Library, build_tree

MANUAL = b"""# Manual

Read this first.

## Setup

### Power

Plug the cable into the wall socket.

### Network

Plug the network cable into the router socket.

## Use

Press the button.
"""

PAGES = [
    "# Loans\n\nThe term loan is fixed.",
    "The loan is repaid in 2031.",
    "# Leases\n\nLeases have a loan rate too.",
]


@pytest.fixture(scope="module")
def manual() -> ThumbIndexRetriever:
    library = Library()
    library.add(MANUAL, name="manual.md")
    return ThumbIndexRetriever(library, similarity_top_k=2)


def paged(granularity: str, k: int = 3) -> ThumbIndexRetriever:
    library = Library()
    library.import_tree(build_tree(PAGES, name="loans"), source="loans")
    return ThumbIndexRetriever(library, k, granularity=granularity)  # type: ignore[arg-type]


def by_title(nodes: Sequence[BaseNode]) -> dict[str, BaseNode]:
    return {
        str(node.metadata["section_path"]).rsplit(" › ", 1)[-1] + (" (whole)" if node.child_nodes else ""): node
        for node in nodes
    }


def titles(nodes: Sequence[NodeWithScore]) -> list[str]:
    return [str(found.node.metadata["section_path"]).rsplit(" › ", 1)[-1] for found in nodes]


def test_parents_and_children_agree_with_the_tree(manual: ThumbIndexRetriever) -> None:
    """A section of several pieces encloses them: its own text, its subsections and their enclosing nodes."""
    nodes = by_title(list(manual.docstore().docs.values()))
    assert list(nodes) == ["Manual", "Power", "Network", "Use", "Manual (whole)", "Setup (whole)"]
    names = {node.node_id: title for title, node in nodes.items()}
    inside = {
        title: [names[child.node_id] for child in node.child_nodes] for title, node in nodes.items() if node.child_nodes
    }
    assert inside == {
        "Manual (whole)": ["Manual", "Setup (whole)", "Use"],
        "Setup (whole)": ["Power", "Network"],
    }
    above = {title: names[node.parent_node.node_id] for title, node in nodes.items() if node.parent_node}
    assert above == {child: parent for parent, children in inside.items() for child in children}
    assert "router socket" in nodes["Setup (whole)"].get_content()
    assert nodes["Manual"].get_content() == "# Manual\n\nRead this first."


def test_neighbours_follow_the_text(manual: ThumbIndexRetriever) -> None:
    """Each text once, in reading order, both ways; nodes that enclose others are not among them."""
    docstore = manual.docstore()
    order = [node for node in docstore.docs.values() if not node.child_nodes]
    for before, after in itertools.pairwise(order):
        assert before.next_node is not None
        assert before.next_node.node_id == after.node_id
        assert after.prev_node is not None
        assert after.prev_node.node_id == before.node_id
    assert order[0].prev_node is None
    assert order[-1].next_node is None
    assert all(not node.next_node and not node.prev_node for node in docstore.docs.values() if node.child_nodes)


def test_what_is_found_is_what_the_docstore_holds(manual: ThumbIndexRetriever) -> None:
    """Text, metadata and relations, so that either may stand for the other."""
    docstore = manual.docstore()
    for found in manual.retrieve("Which cable goes into which socket?"):
        assert docstore.get_node(found.node.node_id).to_dict() == found.node.to_dict()


def test_auto_merging_puts_the_whole_section_in_the_place_of_its_parts(manual: ThumbIndexRetriever) -> None:
    """Both parts of "Setup" were found: LlamaIndex's retriever merges them, and their scores."""
    question = "Which cable goes into which socket?"
    parts = manual.retrieve(question)
    assert set(titles(parts)) == {"Power", "Network"}
    merging = AutoMergingRetriever(manual, manual.storage_context())  # type: ignore[arg-type]
    (merged,) = merging.retrieve(question)
    assert merged.node.metadata["section_path"] == "Manual › Setup"
    assert "wall socket" in merged.node.get_content()
    assert "router socket" in merged.node.get_content()
    assert merged.score == pytest.approx(sum(part.get_score() for part in parts) / 2)


def test_auto_merging_fills_a_gap_between_two_found_sections() -> None:
    """The section between two that were found comes along."""
    library = Library()
    library.add(b"# A\n\nThe red pump.\n\n# B\n\nNothing.\n\n# C\n\nThe red pump again, a pump.\n", name="abc.md")
    retriever = ThumbIndexRetriever(library, 2)
    found = retriever.retrieve("red pump")
    ordered = sorted(found, key=lambda hit: str(hit.node.metadata["section_path"]))
    merging = AutoMergingRetriever(retriever, retriever.storage_context())  # type: ignore[arg-type]
    filled, changed = merging._fill_in_nodes(ordered)
    assert changed
    assert titles(filled) == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("next", ["Network", "Use"]), ("previous", ["Power", "Network"]), ("both", ["Power", "Network", "Use"])],
)
def test_a_postprocessor_brings_the_sections_before_and_after(
    manual: ThumbIndexRetriever, mode: str, expected: list[str]
) -> None:
    """In the order of the text."""
    (found,) = manual.scoped(similarity_top_k=1).retrieve("router")
    postprocessor = PrevNextNodePostprocessor(docstore=manual.docstore(), num_nodes=1, mode=mode)
    assert titles(postprocessor.postprocess_nodes([found])) == expected


def test_a_section_of_several_pages_gives_a_node_for_each_with_its_own_label() -> None:
    """Ids contain the page; the text is that of the page alone; scores fall within the section and between sections."""
    found = paged("page").retrieve("Until when is the term loan fixed?")
    loans = [hit for hit in found if hit.node.metadata["section_path"] == "Loans"]
    assert [(hit.node.metadata["page_label"], hit.node.metadata["page_start"]) for hit in loans] == [("1", 1), ("2", 2)]
    assert [hit.node.get_content() for hit in loans] == ["# Loans\n\nThe term loan is fixed.", PAGES[1]]
    (section,) = {hit.node.metadata["section_id"] for hit in loans}
    assert [hit.node.node_id for hit in loans] == [f"{section}#p1", f"{section}#p2"]
    scores = [hit.get_score() for hit in found]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)


def test_the_page_that_fits_best_comes_first() -> None:
    """Of the pages of one section, which share its score."""
    found = paged("page", k=1).retrieve("repaid in 2031")
    assert [hit.node.metadata["page_label"] for hit in found] == ["2", "1"]


def test_pages_are_the_children_of_their_section() -> None:
    """So that merging gives the section back, and neighbours are pages."""
    retriever = paged("page", k=1)
    docstore = retriever.docstore()
    assert [node.metadata["page_label"] for node in docstore.docs.values() if not node.child_nodes] == ["1", "2", "3"]
    merging = AutoMergingRetriever(retriever, retriever.storage_context())  # type: ignore[arg-type]
    (merged,) = merging.retrieve("term loan")
    assert merged.node.node_id == merged.node.metadata["section_id"]
    assert (merged.node.metadata["page_start"], merged.node.metadata["page_end"]) == (1, 2)


def test_a_document_without_pages_is_not_split(manual: ThumbIndexRetriever) -> None:
    """There is nothing to split by."""
    by_page = ThumbIndexRetriever(manual.library, 2, granularity="page")
    question = "Which cable?"
    assert [hit.node.node_id for hit in by_page.retrieve(question)] == [
        hit.node.node_id for hit in manual.retrieve(question)
    ]


def test_a_docstore_holds_what_its_retriever_may_see(manual: ThumbIndexRetriever) -> None:
    """And of that what is asked for."""
    library = Library()
    library.add(MANUAL, name="manual.md")
    library.add(b"# Other\n\nText.\n", name="other.md")
    retriever = ThumbIndexRetriever(library)
    assert {node.ref_doc_id for node in retriever.docstore().docs.values()} == {i.doc_id for i in library.list()}
    for narrow in (retriever.scoped(documents=["other.md"]).docstore(), retriever.docstore(documents=["other.md"])):
        assert {node.metadata["file_name"] for node in narrow.docs.values()} == {"other.md"}


def test_relations_follow_a_revision() -> None:
    """A changed document has other neighbours, at the next search."""
    library = Library()
    library.add(b"# A\n\nFirst pump.\n\n# B\n\nSecond.\n", name="abc.md")
    retriever = ThumbIndexRetriever(library, 1)
    (before,) = retriever.retrieve("pump")
    library.add(b"# A\n\nFirst pump.\n\n# New\n\nBetween.\n\n# B\n\nSecond.\n", name="abc.md")
    (after,) = retriever.retrieve("pump")
    assert before.node.node_id == after.node.node_id
    assert before.node.relationships[NodeRelationship.NEXT] != after.node.relationships[NodeRelationship.NEXT]
    (new,) = [node for node in retriever.docstore().docs.values() if node.metadata["section_path"] == "New"]
    assert after.node.next_node is not None
    assert after.node.next_node.node_id == new.node_id
