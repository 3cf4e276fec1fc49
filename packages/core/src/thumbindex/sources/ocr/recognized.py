"""Lines as an OCR engine recognises them."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import Literal

Point = tuple[float, float]

Side = Literal[0, 1, 2, 3]
"""Quarter turns clockwise after which a page is upright."""

SIDEWAYS = 1.5
"""Height of a box over its width from which its line runs up or down the page."""
_MIN_SIDEWAYS = 3
"""Characters of such a line: the boxes of shorter ones, such as page numbers, may be taller than wide."""


@dataclass(frozen=True, slots=True)
class RecognizedLine:
    """A line of text, or a part of one, as an engine recognised it.

    Args:
        text: The recognised text.
        corners: Corners of its box in pixels from the top left of the image: top left, top right, bottom right, bottom left,
            as the text reads.
        confidence: Confidence of the engine, 0 to 1.
    """

    text: str
    corners: tuple[Point, Point, Point, Point]
    confidence: float = 1.0

    @classmethod
    def upright(
        cls, text: str, left: float, top: float, right: float, bottom: float, confidence: float = 1.0
    ) -> RecognizedLine:
        """Returns a line whose box is parallel to the image; in pixels from the top left."""
        return cls(text, ((left, top), (right, top), (right, bottom), (left, bottom)), confidence)

    @property
    def length(self) -> float:
        """Length of its box along the text, in pixels."""
        (a, b), (c, d) = self.corners[:2]
        return hypot(c - a, d - b)

    @property
    def height(self) -> float:
        """Height of its box across the text, in pixels."""
        (a, b), (c, d) = self.corners[0], self.corners[3]
        return hypot(c - a, d - b)

    @property
    def is_sideways(self) -> bool:
        """True if it runs up or down the image."""
        xs, ys = zip(*self.corners, strict=True)
        return (max(ys) - min(ys)) > SIDEWAYS * (max(xs) - min(xs)) and len(self.text) >= _MIN_SIDEWAYS
