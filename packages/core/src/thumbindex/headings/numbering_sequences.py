"""Outline grammars below the contents page: I / A / 1 / a / (1), also in the body's own type.

A number in body type is weak evidence: list items, footnotes and quotations carry it too. A heading shows in its
sequence: the counter opens at one under a heading, goes on by one, and text stands between its members.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..outline import Heading
from .blocks import Block, find_blocks
from .layout import Layout
from .numbering import Label, parse_label, parse_labels
from .rules import Candidates, Rule

NAME = "numbering"
MIN_MEMBERS = 2
TEXT_BETWEEN = 3
"""Lines from one member to the next, on average, from which they are headings and no list."""


@dataclass(slots=True)
class _Run:
    """A counter that is open: its kind, where it stands, and its members so far."""

    kind: str
    reached: int
    members: list[Block] = field(default_factory=list)


def numbered_runs(frame: Sequence[Heading], blocks: Sequence[Block]) -> list[Block]:
    """The blocks whose numbers run in sequence under the frame's headings, by counters that the frame does not use."""
    used = {label.kind for heading in frame if (label := parse_label(heading.title)) is not None}
    borders = sorted(heading.line for heading in frame)
    finished: list[_Run] = []
    stack: list[_Run] = []
    position = 0
    for block in blocks:
        while position < len(borders) and borders[position] <= block.first:
            position += 1
            finished += stack
            stack = []
        for label in parse_labels(block.text):
            if label.kind in used or not label.title or label.kind == "decimal":
                continue
            depth = next((n for n, run in enumerate(stack) if run.kind == label.kind), None)
            # One member may be missing where type speaks for the others: its words may have failed a test.
            slack = 1 if block.why == "number" else 2
            if depth is not None and 1 <= label.ordinal - stack[depth].reached <= slack:
                finished += stack[depth + 1 :]
                del stack[depth + 1 :]
            elif depth is None and label.ordinal == 1:
                stack.append(_Run(label.kind, 0))
                depth = len(stack) - 1
            else:
                continue
            stack[depth].reached = label.ordinal
            stack[depth].members.append(_with_label(block, label))
            break
    finished += stack
    kept = [member for run in finished if _is_heading_run(run) for member in run.members]
    return sorted(kept, key=lambda block: block.first)


def _with_label(block: Block, label: Label) -> Block:
    return replace(block, label=label, rule=NAME)


def _is_heading_run(run: _Run) -> bool:
    if len(run.members) < MIN_MEMBERS:
        return False
    gaps = [after.first - before.last for before, after in zip(run.members, run.members[1:], strict=False)]
    return sum(gaps) >= TEXT_BETWEEN * len(gaps) and all(gap > 1 for gap in gaps)


def _find(layout: Layout) -> Candidates:
    return Candidates(numbered=tuple(block for block in layout.once(find_blocks) if block.sequential))


RULE = Rule(NAME, "Its number goes on from the number of the heading before it, with text between the two.", _find)
