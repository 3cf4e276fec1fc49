"""Fewer, fuller sections: thin neighbours become one, and nothing of them is lost. Pure, and on request only.

Lists of terms, of products, of short rules give hundreds of sections of two lines, which say little alone. Their titles,
pages and spans stay in `Node.merged`, where their ids still lead. Sections that are too long need no change of the tree:
their text is cut into parts at pages and paragraphs when it is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..pages import LineRange, PageRange
from ..text.tokens import estimate_tokens
from .model import Merged, Node, Tree
from .references import labels_of_title

THIN = 60
"""Tokens below which a section is thin: about four lines."""
FULL = 300
"""Tokens that merged sections hold together at most, less than half a page."""
_TITLE = 120


def balance(tree: Tree, *, thin: int = THIN, full: int = FULL) -> Tree:
    """The tree with runs of thin sections merged: leaves of one parent and level that follow one another.

    A section whose title bears a number or letter is left alone, since references name it; so is one with a summary, and a
    run that would go over a page's end in the middle of a section stays in two.
    """
    nodes = [run[0] if len(run) == 1 else _merge(run) for run in _runs(tree, thin, full)]
    now = {part.id: node.id for node in nodes for part in node.merged}
    return replace(tree, nodes=tuple(_following(node, now) for node in nodes))


def _following(node: Node, now: Mapping[str, str]) -> Node:
    """The section with references to where their sections are now; one to itself is none."""
    targets = [(found, now.get(found.target or "", found.target)) for found in node.references]
    kept = tuple(replace(found, target=target) for found, target in targets if target is None or target != node.id)
    return node if kept == node.references else replace(node, references=kept)


def _runs(tree: Tree, thin: int, full: int) -> Iterator[list[Node]]:
    run: list[Node] = []
    size = length = 0
    for node in tree.nodes:
        tokens = estimate_tokens(tree.section_text(node))
        is_thin = tokens < thin and _is_free(tree, node)
        fits = size + tokens <= full and length + len(node.title) <= _TITLE
        if run and not (is_thin and fits and _are_neighbours(run[-1], node) and _is_free(tree, run[-1])):
            yield run
            run, size, length = [], 0, 0
        if not is_thin:
            # Its size keeps whatever follows apart.
            size = full
        run.append(node)
        size, length = size + tokens, length + len(node.title) + 2
    if run:
        yield run


def _is_free(tree: Tree, node: Node) -> bool:
    return not (tree.descendants(node) or node.summary or node.merged or any(labels_of_title(node.title)))


def _are_neighbours(first_node: Node, second_node: Node) -> bool:
    return (
        first_node.level == second_node.level
        and first_node.span.last + 1 == second_node.span.first
        and (first_node.pages is None or second_node.pages is None or first_node.pages.last == second_node.pages.first)
    )


def _merge(run: Sequence[Node]) -> Node:
    first, last = run[0], run[-1]
    span = LineRange(first.span.first, last.span.last)
    pages = PageRange(first.pages.first, last.pages.last) if first.pages and last.pages else None
    return replace(
        first,
        title="; ".join(node.title for node in run),
        span=span,
        pages=pages,
        lines=None if first.lines is None else span,
        references=tuple(reference for node in run for reference in node.references),
        confidence=min(node.confidence for node in run),
        merged=tuple(Merged(node.id, node.title, node.span, node.pages) for node in run),
    )
