"""Relations between the nodes of a document: reading order, enclosing sections, pages of a section."""

from __future__ import annotations

import pytest

from thumbindex import Evidence, Library, Tree, build_tree
from thumbindex.pages import LineRange
from thumbindex.tree.node_graph import NodeGraph, build_node_graph, enclosing_section, related_nodes, split_pages

PAGES = [
    "# Loans\n\nThe term loan is fixed.",
    "The loan is repaid in 2031.\n\n# Leases\n\nTen years.\n\n## Ships\n\nTwo ships.",
]


@pytest.fixture(scope="module")
def document() -> tuple[Tree, tuple[Evidence, ...]]:
    library = Library()
    library.import_tree(build_tree(PAGES, name="loans"), source="loans")
    tree = library.tree("loans")
    return tree, library.passages("loans", LineRange(1, len(tree.lines)))


def titles(graph: NodeGraph, tree: Tree) -> dict[str, str]:
    """A readable name of each node: its title, with the rest of its id."""
    names = {}
    for node in graph.relations:
        section, _, suffix = node.partition("#")[2].partition("#")
        names[node] = tree.node(section).title + (f" {suffix}" if suffix else "")
    return names


def test_texts_are_leaves_and_a_section_of_several_pieces_encloses_them(
    document: tuple[Tree, tuple[Evidence, ...]],
) -> None:
    """Own text and subsections; a section with one piece needs no second node."""
    tree, passages = document
    graph = build_node_graph(tree, passages)
    names = titles(graph, tree)
    assert [names[leaf] for leaf in graph.leaves] == ["Loans", "Leases", "Ships"]
    assert [tree.node(section).title for section in graph.enclosing] == ["Leases"]
    related = {names[node]: relations for node, relations in graph.relations.items()}
    assert [names[child] for child in related["Leases whole"].children] == ["Leases", "Ships"]
    assert names[related["Ships"].parent or ""] == "Leases whole"
    assert related["Loans"].parent is None


def test_neighbours_follow_the_text_both_ways(document: tuple[Tree, tuple[Evidence, ...]]) -> None:
    """Enclosing nodes have none."""
    tree, passages = document
    graph = build_node_graph(tree, passages)
    assert [graph.relations[leaf].next for leaf in graph.leaves] == [*graph.leaves[1:], None]
    assert [graph.relations[leaf].previous for leaf in graph.leaves] == [None, *graph.leaves[:-1]]
    (whole,) = [relations for relations in graph.relations.values() if relations.children]
    assert (whole.previous, whole.next) == (None, None)


def test_by_page_a_passage_of_two_pages_is_the_parent_of_both(document: tuple[Tree, tuple[Evidence, ...]]) -> None:
    """The pages take its place among the leaves; together they hold its text."""
    tree, passages = document
    graph = build_node_graph(tree, passages, by_page=True)
    names = titles(graph, tree)
    assert [names[leaf] for leaf in graph.leaves] == ["Loans p1", "Loans p2", "Leases", "Ships"]
    pages = split_pages(tree, passages[0])
    assert [page.id for page in pages] == list(graph.relations[passages[0].id].children)
    assert [str(page.pages) for page in pages] == ["1", "2"]
    assert "\n".join(page.text for page in pages) == passages[0].text


def test_a_passage_on_one_page_is_not_cut(document: tuple[Tree, tuple[Evidence, ...]]) -> None:
    """It comes back as it is."""
    tree, passages = document
    assert split_pages(tree, passages[-1]) == (passages[-1],)


def test_an_enclosing_section_holds_the_text_of_all_that_is_inside(
    document: tuple[Tree, tuple[Evidence, ...]],
) -> None:
    """With its own path, pages and lines, whichever passage names the document."""
    tree, passages = document
    (section,) = build_node_graph(tree, passages).enclosing
    whole = enclosing_section(tree, section, passages[0])
    assert (whole.section_path, whole.text) == ("Leases", tree.section_text(tree.node(section)))
    assert (whole.document, whole.lines) == ("loans", tree.node(section).span)


def test_all_nodes_come_with_their_relations(document: tuple[Tree, tuple[Evidence, ...]]) -> None:
    """Leaves in reading order, then passages that were split, then enclosing sections."""
    tree, passages = document
    graph = build_node_graph(tree, passages, by_page=True)
    nodes = list(related_nodes(tree, passages, by_page=True))
    names = titles(graph, tree)
    assert [names[evidence.id] for evidence, _ in nodes] == [
        "Loans p1",
        "Loans p2",
        "Leases",
        "Ships",
        "Loans",
        "Leases whole",
    ]
    assert {evidence.id: relations for evidence, relations in nodes} == graph.relations


def test_a_document_without_passages_has_no_nodes() -> None:
    """There is nothing to relate."""
    tree = build_tree(PAGES, name="loans")
    assert build_node_graph(tree, []) == NodeGraph((), {}, ())
    assert list(related_nodes(tree, [])) == []
