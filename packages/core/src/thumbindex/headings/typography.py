"""Headings by their type: lines larger, bolder or otherwise set apart from the text around them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from .blocks import TYPOGRAPHY, Block, find_blocks
from .layout import Layout
from .rules import Candidates, Rule

REPEATED = 3
"""Numbered lines in a row that all have the same number, from which the number counts something else than sections: the bytes of
a field, the pieces of a part. Books of papers have two in a row at most, where a paper of one section precedes another."""


def _find(layout: Layout) -> Candidates:
    blocks = [block for block in layout.once(find_blocks) if block.alone and block.why != "number"]
    repeated = _with_repeated_number(blocks)
    return Candidates(blocks=tuple(block for block in blocks if block not in repeated))


def _with_repeated_number(blocks: Sequence[Block]) -> set[Block]:
    """Returns the blocks of runs whose number stays the same from one numbered block to the next."""
    numbered = [block for block in blocks if block.label is not None and block.label.kind == "decimal"]
    runs = (list(run) for _, run in groupby(numbered, key=lambda block: block.label and block.label.value))
    return {block for run in runs if len(run) >= REPEATED for block in run}


RULE = Rule(
    TYPOGRAPHY,
    "A line is larger than the text, bold, in capitals, italic or in another font, and has white space around it.",
    _find,
)
