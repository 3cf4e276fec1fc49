"""Passages returned with a chosen section on request: those inside it, and those that it refers to."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from ..pages import LineRange
from ..store import Passage, Store
from ..tree.model import Tree

Include = Literal["parts", "subsections", "references"]
"""`parts`: further parts of a long section that fit the question better than the next section does. `subsections`: all other
parts of the section and all sections below it. `references`: sections that its text refers to."""

MAX_REFERENCES = 3
"""References of one passage that are followed, in the order of its text."""


def surroundings(
    store: Store, doc_id: str, tree: Tree, passage: Passage, include: Collection[Include]
) -> Iterator[tuple[Passage, str]]:
    """Yields the passages that belong to a chosen one, each with a reason."""
    if "subsections" in include:
        for other in _passages(store, doc_id, tree.node(passage.section).span):
            yield other, f"inside {passage.title}" if other.section != passage.section else f"part of {passage.title}"
    if "references" in include:
        targets = dict.fromkeys(sections[0] for _, sections in passage.pointers)
        for target in list(targets)[:MAX_REFERENCES]:
            for other in _passages(store, doc_id, tree.own_span(tree.node(target))):
                yield other, f"{passage.title} refers to it"


def _passages(store: Store, doc_id: str, span: LineRange) -> list[Passage]:
    stored = store.passages(doc_id, lines=span)
    return [item.passage for item in stored if item.passage.lines.first in span]
