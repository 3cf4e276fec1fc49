"""Headings by their type: lines larger, bolder or otherwise set apart from the text around them."""

from __future__ import annotations

from .blocks import TYPOGRAPHY, find_blocks
from .layout import Layout
from .rules import Candidates, Rule


def _find(layout: Layout) -> Candidates:
    blocks = layout.once(find_blocks)
    return Candidates(blocks=tuple(block for block in blocks if block.alone and block.why != "number"))


RULE = Rule(
    TYPOGRAPHY,
    "A line is larger than the text, bold, in capitals, italic or in another font, and has white space around it.",
    _find,
)
