"""Revisions of a document: the sections of its old tree are found again in the new one. Pure.

Sections are recognised by their text, wherever they moved, and keep their id, summary and key items.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import defaultdict, deque
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
        for agreement in (_id, _title, _nothing):
            # By hashes: a document may have thousands of sections of one text, such as empty ones.
            waiting: dict[str, deque[Node]] = defaultdict(deque)
            for later in right:
                waiting[agreement(later)].append(later)
            missing: list[Node] = []
            for earlier in left:
                if found_later := waiting[agreement(earlier)]:
                    yield earlier.id, found_later.popleft().id
                else:
                    missing.append(earlier)
            remaining = {later.id for queue in waiting.values() for later in queue}
            left, right = missing, [later for later in right if later.id in remaining]
            if not left or not right:
                break


def _id(node: Node) -> str:
    return node.id


def _title(node: Node) -> str:
    return node.title


def _nothing(_: Node) -> str:
    return ""


def _nearest(old: Tree, new: Tree, gone: Iterable[Node]) -> Iterator[tuple[str, str]]:
    """Yields for each removed section the nearest one: of the same title, else its parent, else the section before."""
    if not new.nodes:
        return
    titles: dict[str, Node] = {}
    inside: dict[tuple[str, str], Node] = {}
    for node in new.nodes:
        title = normalize_title(node.title)
        titles.setdefault(title, node)
        for up in new.ancestors(node):
            inside.setdefault((title, up.id), node)
    previous: dict[str, str] = {}
    last = new.nodes[0].id
    for node in old.nodes:
        previous[node.id] = last
        last = node.id if node.id in new else last
    for node in gone:
        parent = old.parent(node)
        title = normalize_title(node.title)
        named = (inside.get((title, parent.id)) if parent is not None else None) or titles.get(title)
        if named is not None:
            yield node.id, named.id
            continue
        above = next((up.id for up in reversed(old.ancestors(node)) if up.id in new), None)
        yield node.id, above or previous[node.id]
