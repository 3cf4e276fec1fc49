"""The order of styles: which of two heading styles stands above the other in this document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from .blocks import Block, TextStyle

STACKED = 3.0
"""Weight of a heading that stands right above another, against one for coming first in a section."""


CLEAR = 5.0
"""Observations by which one style must lead another before they overrule custom."""

Rank = tuple[float, bool, bool, bool]
Wins = Counter[tuple[Rank, Rank]]


def style_order(blocks: Sequence[Block], frame: Collection[int]) -> dict[TextStyle, int]:
    """Returns a rank for each style, 0 the highest; styles that cannot be told apart share one.

    Size decides first. Among styles of one size the document does: a heading that is followed by another without text
    between them stands above it, and so does the style that comes first after a heading of the frame (`frame` holds the
    lines of those headings). What is left undecided follows custom: bold, capitals, upright.
    """
    wins = _wins(blocks, frame) if frame else Counter()
    merged: dict[tuple[float, bool, bool, bool], int] = {}
    groups: dict[float, list[TextStyle]] = {}
    for style in {block.style for block in blocks}:
        groups.setdefault(style.size, []).append(style)
    rank = 0
    result: dict[TextStyle, int] = {}
    for size in sorted(groups, reverse=True):
        keys = sorted({style.rank() for style in groups[size]})
        score = {key: sum(_above(wins, key, second_rank) for second_rank in keys if second_rank != key) for key in keys}
        for key in sorted(keys, key=lambda key: (-score[key], key)):
            merged[key] = rank
            rank += 1
        result.update((style, merged[style.rank()]) for style in groups[size])
    return result


def _above(wins: Wins, first_rank: Rank, second_rank: Rank) -> int:
    """1 if `one` was clearly seen above `other`, -1 if below, else what custom says."""
    difference, total = (
        wins[first_rank, second_rank] - wins[second_rank, first_rank],
        wins[first_rank, second_rank] + wins[second_rank, first_rank],
    )
    if abs(difference) >= max(CLEAR, 0.5 * total):
        return 1 if difference > 0 else -1
    return 1 if first_rank < second_rank else -1


def _wins(blocks: Sequence[Block], frame: Collection[int]) -> Wins:
    """Counts how often one style was seen above another."""
    wins: Wins = Counter()
    borders = sorted(frame)
    position = 0
    first: Block | None = None
    beaten: set[tuple[float, bool, bool, bool]] = set()
    previous: Block | None = None
    for block in blocks:
        while position < len(borders) and borders[position] <= block.first:
            position += 1
            first, previous = None, None
        key = block.style.rank()
        if frame and first is None:
            first, beaten = block, set()
        elif first is not None and key != first.style.rank() and key not in beaten:
            wins[first.style.rank(), key] += 1
            beaten.add(key)
        if previous is not None and block.first == previous.last + 1 and key != previous.style.rank():
            wins[previous.style.rank(), key] += STACKED  # type: ignore[assignment]
        previous = block
    return wins
