"""Relations between the nodes that other frameworks make of a document: parent and children, previous and next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ..evidence import Evidence, EvidenceId, PassageId
from ..pages import LineRange, PageRange
from .model import Tree

ENCLOSING_SUFFIX = "#whole"
"""Ends the id of a node that holds a section with all of its subsections; the section's own text has the plain id."""
PAGE_SUFFIX = "#p"
"""Stands before the page number in the id of a node that holds one page of a section."""


@dataclass(frozen=True, slots=True)
class Relations:
    """Ids of the nodes around a node. Texts that follow one another are neighbours; enclosing nodes have none."""

    parent: str | None = None
    children: tuple[str, ...] = ()
    previous: str | None = None
    next: str | None = None


@dataclass(frozen=True, slots=True)
class NodeGraph:
    """The nodes of one document and their relations; made by `build_node_graph`.

    Args:
        leaves: Ids of the nodes that together hold every line once, in reading order.
        relations: Relations of all nodes, by id.
        enclosing: Ids of the sections that have an enclosing node, in reading order.
    """

    leaves: tuple[str, ...]
    relations: Mapping[str, Relations]
    enclosing: tuple[str, ...]


def build_node_graph(tree: Tree, passages: Sequence[Evidence], *, by_page: bool = False) -> NodeGraph:
    """Relates the passages of a document by its section tree.

    A section of more than one piece (parts, its own text and subsections) gets a node that encloses them.

    Args:
        passages: All passages of the document in reading order, as `LibraryView.passages` gives them.
        by_page: Makes a passage that covers several pages the parent of one node per page.
    """
    children: dict[str, Sequence[str]] = {}
    pieces: dict[str, list[str]] = {}  # by section, what is directly inside it
    for passage in passages:
        section = PassageId.parse(passage.node_id, sections=tree).section
        pieces.setdefault(section, []).append(passage.id)
        pages = split_pages(tree, passage) if by_page else (passage,)
        if len(pages) > 1:
            children[passage.id] = [page.id for page in pages]
    subsections: dict[str, list[str]] = {}  # last first, as sections come before the section that holds them
    enclosing: list[str] = []
    for node in reversed(tree.nodes):
        inside = [*pieces.get(node.id, ()), *reversed(subsections.get(node.id, ()))]
        if not inside:
            continue
        top = inside[0]
        if len(inside) > 1:
            top = str(EvidenceId(passages[0].doc_id, node.id + ENCLOSING_SUFFIX))
            children[top] = inside
            enclosing.append(node.id)
        parent = tree.parent(node)
        if parent is not None:
            subsections.setdefault(parent.id, []).append(top)
    leaves = tuple(leaf for passage in passages for leaf in children.get(passage.id, [passage.id]))
    return NodeGraph(leaves, _relations(leaves, children), tuple(reversed(enclosing)))


def _relations(leaves: Sequence[str], children: Mapping[str, Sequence[str]]) -> dict[str, Relations]:
    parents = {child: parent for parent, inside in children.items() for child in inside}
    following = dict(pairwise(leaves))
    previous = {after: before for before, after in following.items()}
    return {
        node: Relations(parents.get(node), tuple(children.get(node, ())), previous.get(node), following.get(node))
        for node in dict.fromkeys((*leaves, *children))
    }


def related_nodes(
    tree: Tree, passages: Sequence[Evidence], *, by_page: bool = False
) -> Iterator[tuple[Evidence, Relations]]:
    """All nodes of a document with their relations: the leaves in reading order, then the nodes that have children.

    Args:
        passages: As for `build_node_graph`.
        by_page: As for `build_node_graph`.
    """
    graph = build_node_graph(tree, passages, by_page=by_page)
    pages = [page for passage in passages for page in split_pages(tree, passage)] if by_page else []
    texts = {evidence.id: evidence for evidence in (*passages, *pages)}
    for leaf in graph.leaves:
        yield texts[leaf], graph.relations[leaf]
    split = (passage for passage in passages if graph.relations[passage.id].children)
    for parent in (*split, *(enclosing_section(tree, section, passages[0]) for section in graph.enclosing)):
        yield parent, graph.relations[parent.id]


def split_pages(tree: Tree, passage: Evidence) -> tuple[Evidence, ...]:
    """Cuts a passage into its pages, in page order, each with its own label; a passage on one page comes back as it is."""
    if passage.pages is None or len(passage.pages) == 1:
        return (passage,)
    return tuple(_cut(tree, passage, passage.pages)) or (passage,)


def _cut(tree: Tree, passage: Evidence, pages: PageRange) -> Iterator[Evidence]:
    for number in pages:
        lines = tree.page(number).lines
        if lines is None:
            continue
        first, last = max(lines.first, passage.lines.first), min(lines.last, passage.lines.last)
        if first > last or not (text := tree.text(LineRange(first, last))).strip():
            continue
        page = PageRange(number, number)
        yield replace(
            passage,
            node_id=f"{passage.node_id}{PAGE_SUFFIX}{number}",
            pages=page,
            page_labels=tree.page_labels(page),
            text=text,
            lines=LineRange(first, last),
            boxes=tuple(placed for placed in passage.boxes if placed[0] == number),
            best_page=number,
        )


def enclosing_section(tree: Tree, section: str, passage: Evidence) -> Evidence:
    """A section with all of its subsections as evidence.

    Args:
        section: Id of the section.
        passage: Any passage of the same document, which gives the document's name, source and metadata.
    """
    node = tree.node(section)
    return replace(
        passage,
        node_id=section + ENCLOSING_SUFFIX,
        section_path=tree.path(node),
        pages=node.pages,
        page_labels=None if node.pages is None else tree.page_labels(node.pages),
        text=tree.section_text(node),
        lines=node.span,
        boxes=tree.boxes_of(node.span),
        anchor=tree.anchor_of(node.span),
        best_page=None,
    )
