"""How the nodes of one document belong together: the sections' own texts in reading order, and what encloses them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from thumbindex.evidence import Evidence, EvidenceId, PassageId
from thumbindex.pages import LineRange, PageRange
from thumbindex.tree.model import Tree

WHOLE = "#whole"
"""Ends the id of a section with all that is inside, beside the section's own text, which has the section's id."""
PAGE = "#p"
"""Before the number of a page, in the id of the part of a section that stands on it."""


@dataclass(frozen=True, slots=True)
class Kin:
    """Ids of the nodes around a node; texts that follow one another are neighbours, enclosing nodes have none."""

    parent: str | None = None
    children: tuple[str, ...] = ()
    previous: str | None = None
    next: str | None = None


@dataclass(frozen=True)
class Family:
    """The nodes of one document.

    Args:
        leaves: Ids of the nodes that hold each line once, in reading order.
        kin: By id, for all nodes.
        wholes: Ids of the sections that have a node with all that is inside.
    """

    leaves: tuple[str, ...]
    kin: Mapping[str, Kin]
    wholes: tuple[str, ...] = field(default=())


def find_family(tree: Tree, passages: Sequence[Evidence], *, by_page: bool) -> Family:
    """The family of a document's passages, as `Library.passages` gives them for all its lines.

    A section that has more than one piece (parts, own text and subsections) gets a node that encloses them; so does a
    passage of several pages, with `by_page`.
    """
    doc_id = passages[0].doc_id if passages else ""
    children: dict[str, list[str]] = {}
    pieces: dict[str, list[str]] = {}  # by section: what is directly inside it
    for passage in passages:
        pieces.setdefault(section_of(tree, passage), []).append(passage.id)
        if by_page and len(pages := split_pages(tree, passage)) > 1:
            children[passage.id] = [page.id for page in pages]
    below: dict[str, list[str]] = {}  # last first, since a subsection is met before the section that holds it
    wholes: list[str] = []
    for node in reversed(tree.nodes):
        inside = [*pieces.get(node.id, ()), *reversed(below.get(node.id, ()))]
        if not inside:
            continue
        inner = inside[0]
        if len(inside) > 1:
            inner = str(EvidenceId(doc_id, f"{node.id}{WHOLE}"))
            children[inner] = inside
            wholes.append(node.id)
        parent = tree.parent(node)
        if parent is not None:
            below.setdefault(parent.id, []).append(inner)
    leaves = tuple(leaf for passage in passages for leaf in children.get(passage.id, [passage.id]))
    return Family(leaves, _kin(leaves, children), tuple(reversed(wholes)))


def _kin(leaves: Sequence[str], children: Mapping[str, Sequence[str]]) -> dict[str, Kin]:
    kin = {
        leaf: Kin(
            previous=leaves[place - 1] if place else None,
            next=leaves[place + 1] if place + 1 < len(leaves) else None,
        )
        for place, leaf in enumerate(leaves)
    }
    for parent, inside in children.items():
        kin[parent] = replace(kin.get(parent, Kin()), children=tuple(inside))
    for parent, inside in children.items():
        for child in inside:
            kin[child] = replace(kin[child], parent=parent)
    return kin


def section_of(tree: Tree, passage: Evidence) -> str:
    """Id of the section whose text, or part of it, a passage is."""
    return PassageId.parse(passage.node_id, sections=tree).section


def split_pages(tree: Tree, passage: Evidence) -> tuple[Evidence, ...]:
    """A passage page by page, in the order of the pages, each with its own label; as it is where it stands on one page."""
    if passage.pages is None or len(passage.pages) == 1:
        return (passage,)
    return tuple(_on_pages(tree, passage, passage.pages)) or (passage,)


def _on_pages(tree: Tree, passage: Evidence, pages: Iterable[int]) -> Iterator[Evidence]:
    for number in pages:
        held = tree.page(number).lines
        if held is None:
            continue
        first, last = max(held.first, passage.lines.first), min(held.last, passage.lines.last)
        if first > last or not (text := tree.text(LineRange(first, last))).strip():
            continue
        here = PageRange(number, number)
        yield replace(
            passage,
            node_id=f"{passage.node_id}{PAGE}{number}",
            pages=here,
            page_labels=tree.page_labels(here),
            text=text,
            lines=LineRange(first, last),
            best_page=number,
        )


def enclosing(tree: Tree, section: str, passage: Evidence) -> Evidence:
    """A section with all that is inside, as evidence beside `passage`, which is of the same document."""
    node = tree.node(section)
    return replace(
        passage,
        node_id=f"{section}{WHOLE}",
        section_path=tree.path(node),
        pages=node.pages,
        page_labels=None if node.pages is None else tree.page_labels(node.pages),
        text=tree.section_text(node),
        lines=node.span,
        best_page=None,
    )
