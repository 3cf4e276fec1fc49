"""Revisions of a document: the sections of its old tree are found again in the new one. Pure.

Sections are recognised by their text, wherever they moved, and keep their id, summary and key items.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from ..text.characters import normalize_title
from .build import node_id
from .model import Node, Tree


@dataclass(frozen=True, slots=True)
class Revision:
    """The new tree with the ids of the old one, and how the two belong together.

    Args:
        same: Ids of sections whose text is unchanged.
        nearest: Ids of old sections that are gone, each with the id of the section nearest to it; empty where the new
            tree has no section.
    """

    tree: Tree
    same: frozenset[str]
    nearest: Mapping[str, str]


def fingerprint(tree: Tree, node: Node) -> str:
    """Returns a hash of a section's text with its subsections, the same however its lines and pages break.

    White space does not count, so that a word broken at the end of a line or a running head between two pages changes nothing.
    """
    text = unicodedata.normalize("NFKC", tree.text(node.span))
    return hashlib.sha256("".join(text.replace("\u00ad", "").replace("-\n", "").split()).encode()).hexdigest()


def revise(old: Tree, new: Tree) -> Revision:
    """Give the sections of `new` the ids of those of `old` that they are.

    A section with the same text keeps its id wherever it moved, even under another title path. One with another text
    keeps its id if its title path is the same: it is that section, revised.
    """
    before = {node.id: node for node in old.nodes}
    kept = {found: known for known, found in _pairs(old, new)}
    given = set(kept.values())
    nodes: list[Node] = []
    for node in new.nodes:
        if node.id in kept:
            known = before[kept[node.id]]
            summary, key_items = node.summary or known.summary, node.key_items or known.key_items
            nodes.append(replace(node, id=known.id, summary=summary, key_items=key_items))
            continue
        # Another section may have come from elsewhere with this id.
        free, ordinal = node.id, 1
        while free in given:
            ordinal += 1
            free = node_id([node.id], ordinal)
        given.add(free)
        nodes.append(replace(node, id=free))
    tree = replace(new, nodes=tuple(nodes))
    gone = [node for node in old.nodes if node.id not in tree]
    return Revision(tree, frozenset(kept.values()), dict(_nearest(old, tree, gone)))


def _pairs(old: Tree, new: Tree) -> Iterator[tuple[str, str]]:
    """Old and new ids of sections with equal text; of several with the same text, those with the same id, then title,
    then in their order."""
    before: dict[str, list[Node]] = defaultdict(list)
    after: dict[str, list[Node]] = defaultdict(list)
    for tree, found in ((old, before), (new, after)):
        for node in tree.nodes:
            found[fingerprint(tree, node)].append(node)
    for text, left in before.items():
        right = after.get(text, [])
        for agreement in range(3):
            for earlier in list(left):
                later = next((later for later in right if _agree(earlier, later)[agreement]), None)
                if later is not None:
                    left.remove(earlier)
                    right.remove(later)
                    yield earlier.id, later.id


def _agree(earlier: Node, later: Node) -> tuple[bool, bool, bool]:
    return earlier.id == later.id, earlier.title == later.title, True


def _nearest(old: Tree, new: Tree, gone: Iterable[Node]) -> Iterator[tuple[str, str]]:
    """Yields for each removed section the nearest one: of the same title, else its parent, else the section before."""
    if not new.nodes:
        return
    titles: dict[str, list[Node]] = defaultdict(list)
    for node in new.nodes:
        titles[normalize_title(node.title)].append(node)
    places = {node.id: position for position, node in enumerate(old.nodes)}
    for node in gone:
        parent = old.parent(node)
        named = titles.get(normalize_title(node.title), [])
        if named:
            within = [
                found for found in named if parent is not None and parent.id in {up.id for up in new.ancestors(found)}
            ]
            yield node.id, (within or named)[0].id
            continue
        above = next((up.id for up in reversed(old.ancestors(node)) if up.id in new), None)
        if above is None:
            kept = (other.id for other in reversed(old.nodes[: places[node.id]]) if other.id in new)
            above = next(kept, new.nodes[0].id)
        yield node.id, above
