"""Outlines as prompts print them: a small number before each section, within a budget, and everything reachable.

Numbers are given out once, in the order of printing, and stand for the same section to the end. What does not fit is
counted under the section that holds it; siblings too many to print become stretches that can be opened in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..text.tokens import TokenCounter, estimate_tokens
from ..text.untrusted import one_line
from ..tree.model import Node, Tree
from ..tree.render import location
from .opened import OpenedDocument, Target

TITLE_LENGTH = 90
SUMMARY_LENGTH = 200
_STRETCHES = 24
"""At most so many stretches stand for siblings that are too many to print."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """The target that each number stands for; numbers begin at 1."""

    targets: tuple[Target, ...] = ()

    def get(self, number: int) -> Target | None:
        """The target of a number; None if it was never printed."""
        return self.targets[number - 1] if 1 <= number <= len(self.targets) else None

    def give(self, target: Target) -> tuple[int, Numbers]:
        """The number of a target: the one it has, else the next."""
        if target in self.targets:
            return self.targets.index(target) + 1, self
        return len(self.targets) + 1, replace(self, targets=(*self.targets, target))


def outline(
    document: OpenedDocument,
    targets: Sequence[Target],
    numbers: Numbers,
    budget: int,
    *,
    count: TokenCounter = estimate_tokens,
) -> tuple[str, Numbers]:
    """The subsections of some targets, one line per section, as deep as the budget allows.

    Several targets share the budget; each is printed under a line that names it.
    """
    blocks: list[str] = []
    left = budget
    for position, target in enumerate(targets):
        share = left // (len(targets) - position)
        text, numbers = _inside(document, target, numbers, share, count)
        left -= count(text)
        blocks.append(text)
    return "\n".join(blocks), numbers


def label(document: OpenedDocument, target: Target) -> str:
    """A target in words, for trails: title and place."""
    if target.passages:
        return f"{target.title}, part"
    if not target.nodes:
        return document.info.name
    nodes = document.nodes(target)
    name = nodes[0].title if len(nodes) == 1 else f"{nodes[0].title} … {nodes[-1].title}"
    return f"{one_line(name, TITLE_LENGTH)} ({_span(nodes)})"


def section_line(document: OpenedDocument, target: Target, number: int) -> str:
    """One line for a target out of its place in the outline: number, path and pages."""
    nodes = document.nodes(target)
    path = one_line(document.tree.path(nodes[0]), 2 * TITLE_LENGTH)
    return f"{number}. {path}, {_span(nodes)}{_below(document.tree, nodes)}"


def _inside(
    document: OpenedDocument, target: Target, numbers: Numbers, budget: int, count: TokenCounter
) -> tuple[str, Numbers]:
    tree = document.tree
    if len(target.nodes) == 1:
        head = f"Inside {one_line(tree.node(target.nodes[0]).title, TITLE_LENGTH)}:"
        top = tree.children(tree.node(target.nodes[0]))
    else:
        size = f"{tree.page_count} pages" if tree.pages else f"{len(tree.lines)} lines"
        head = f"Document {one_line(document.info.name)} ({size}):" if not target.nodes else "These sections:"
        top = document.nodes(target)
    if not top:
        return f"{head} no subsections. Read it.", numbers
    room = budget - count(head)
    deepest = max((_depth(tree, node) for root in top for node in (root, *tree.descendants(root))), default=0)
    shallowest = _depth(tree, top[0])
    for summaries in (True, False):
        if summaries and not any(node.summary for node in top):
            continue
        # Summaries of the level in view say more than the titles two levels below.
        levels = range(deepest, shallowest - 1, -1)
        for depth in levels:
            lines, given = _lines(tree, top, numbers, depth, summaries)
            if sum(count(line) + 1 for line in lines) <= room:
                return "\n".join([head, *lines]), given
    lines, given = _stretches(top, numbers, room, count)
    return "\n".join([head, *lines]), given


def _lines(
    tree: Tree, top: Sequence[Node], numbers: Numbers, deepest: int, summaries: bool
) -> tuple[list[str], Numbers]:
    lines: list[str] = []
    first = _depth(tree, top[0])
    fresh: dict[Target, int] = {}
    known = {target: number for number, target in enumerate(numbers.targets, 1)}
    for node in (node for root in top for node in (root, *tree.descendants(root))):
        depth = _depth(tree, node)
        if depth > deepest:
            continue
        target = Target((node.id,))
        number = known.get(target) or fresh.setdefault(target, len(numbers.targets) + len(fresh) + 1)
        below = _below(tree, (node,)) if depth == deepest else ""
        summary = f" | {one_line(node.summary, SUMMARY_LENGTH)}" if summaries and node.summary else ""
        lines.append(
            f"{'  ' * (depth - first)}{number}. {one_line(node.title, TITLE_LENGTH)}, {location(node)}{below}{summary}"
        )
    return lines, Numbers((*numbers.targets, *fresh))


def _stretches(top: Sequence[Node], numbers: Numbers, room: int, count: TokenCounter) -> tuple[list[str], Numbers]:
    """Siblings that are too many to print, in stretches of equal length."""
    lines: list[str] = []
    for pieces in range(min(_STRETCHES, len(top)), 0, -1):
        lines, given = [], numbers
        for piece in range(pieces):
            nodes = top[piece * len(top) // pieces : (piece + 1) * len(top) // pieces]
            number, given = given.give(Target(tuple(node.id for node in nodes)))
            first, last = one_line(nodes[0].title, TITLE_LENGTH // 2), one_line(nodes[-1].title, TITLE_LENGTH // 2)
            lines.append(f"{number}. {first} … {last}, {_span(nodes)} ({len(nodes)} sections)")
        if sum(count(line) + 1 for line in lines) <= room:
            break
    return lines, given


def _depth(tree: Tree, node: Node) -> int:
    return len(tree.ancestors(node))


def _below(tree: Tree, nodes: Iterable[Node]) -> str:
    hidden = sum(len(tree.descendants(node)) for node in nodes)
    return f" (+{hidden})" if hidden else ""


def _span(nodes: Sequence[Node]) -> str:
    if len(nodes) == 1:
        return location(nodes[0])
    first, last = nodes[0], nodes[-1]
    if first.pages and last.pages:
        return f"p. {first.pages.first}-{last.pages.last}"
    return f"lines {first.span.first}-{last.span.last}"
