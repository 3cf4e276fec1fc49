"""The order of looks: which of two ways to set a heading stands above the other, in this document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from .blocks import Block, TextStyle

STACKED = 3.0
"""Weight of a heading that stands right above another, against one for coming first in a section."""


CLEAR = 5.0
"""Observations by which one look must lead another before they count against custom."""

Rank = tuple[float, bool, bool, bool]
Wins = Counter[tuple[Rank, Rank]]


def style_order(blocks: Sequence[Block], frame: Collection[int]) -> dict[TextStyle, int]:
    """A rank for each look, 0 the highest; looks that cannot be told apart share one.

    Size decides first. Among looks of one size the document does: a heading that is followed by another without text
    between them stands above it, and so does the look that comes first after a heading of the frame (`frame` holds the
    lines of those headings). What is left undecided follows custom: bold, capitals, upright.
    """
    wins = _wins(blocks, frame) if frame else Counter()
    merged: dict[tuple[float, bool, bool, bool], int] = {}
    groups: dict[float, list[TextStyle]] = {}
    for look in {block.look for block in blocks}:
        groups.setdefault(look.size, []).append(look)
    rank = 0
    result: dict[TextStyle, int] = {}
    for size in sorted(groups, reverse=True):
        keys = sorted({look.rank() for look in groups[size]})
        score = {key: sum(_above(wins, key, other) for other in keys if other != key) for key in keys}
        for key in sorted(keys, key=lambda key: (-score[key], key)):
            merged[key] = rank
            rank += 1
        result.update((look, merged[look.rank()]) for look in groups[size])
    return result


def _above(wins: Wins, one: Rank, other: Rank) -> int:
    """1 if `one` was clearly seen above `other`, -1 if below, else what custom says."""
    difference, total = wins[one, other] - wins[other, one], wins[one, other] + wins[other, one]
    if abs(difference) >= max(CLEAR, 0.5 * total):
        return 1 if difference > 0 else -1
    return 1 if one < other else -1


def _wins(blocks: Sequence[Block], frame: Collection[int]) -> Wins:
    """How often one look was seen above another."""
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
        key = block.look.rank()
        if frame and first is None:
            first, beaten = block, set()
        elif first is not None and key != first.look.rank() and key not in beaten:
            wins[first.look.rank(), key] += 1
            beaten.add(key)
        if previous is not None and block.first == previous.last + 1 and key != previous.look.rank():
            wins[previous.look.rank(), key] += STACKED  # type: ignore[assignment]
        previous = block
    return wins
