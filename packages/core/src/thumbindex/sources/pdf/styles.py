"""Styles of characters: what their fonts' names and flags and their text matrices mean."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pypdfium2.raw as raw

from ...pages import Style

MAX_SIZE = 1000.0
"""Largest size in points: a text matrix may scale by any number."""
_SIZE_STEPS = 2
"""Steps per point to which sizes are rounded, so that fractions of a point make no new style."""

_SUBSET_PREFIX = re.compile(r"^[A-Z]{6}\+")
_BOLD_NAME = re.compile(
    r"bold|black|heavy|semib|demi|medi(?!um)|(?:cm|sf|ec|lm|t1-?)\w{0,20}bx|bx\d|[-,.](?:bd|b|bi|dm|hv|blk)\b|-bo\b|[a-z]BoldMT",
    re.IGNORECASE,
)
_ITALIC_NAME = re.compile(r"ital|obliq|slant|kursiv|[-,.](?:i|it|bi|ita)\b|(?:cm|sf|ec)(?:ti|sl)\d|cmmi", re.IGNORECASE)
# Font descriptor flags (PDF 32000-1:2008, table 123).
_FLAG_ITALIC, _FLAG_FORCE_BOLD = 1 << 6, 1 << 18
_STROKED_MODES = (raw.FPDF_TEXTRENDERMODE_FILL_STROKE, raw.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP)


@dataclass(frozen=True, slots=True)
class CharacterStyle:
    """Style of a character as it stands on a page.

    Args:
        number: Position of its `Style` in `StyleTable.styles`.
        size: Size in points.
        angle: Direction of writing in degrees counter-clockwise: 0, 90, 180 or 270.
    """

    number: int
    size: float
    angle: int


class StyleTable:
    """The styles of one document, each stored once.

    Attributes:
        styles: The styles, in the order in which they first occur.
        unknown: Style of a character without a text object: a space that PDFium inserted.
    """

    def __init__(self) -> None:
        self.styles: list[Style] = []
        self._numbers: dict[Style, int] = {}
        self._fonts: dict[tuple[bytes, int], tuple[str, bool, bool]] = {}
        self.unknown = self._character_style(Style(0.0), 0)

    def find(self, font: tuple[bytes, int], mode: int, shape: tuple[float, ...]) -> CharacterStyle:
        """Returns the style of characters.

        Args:
            font: Name and flags.
            mode: Text rendering mode.
            shape: Font size, then a, b, c and d of the text matrix.
        """
        facts = self._fonts.get(font)
        if facts is None:
            facts = self._fonts[font] = _read_font(*font)
        name, bold, italic = facts
        size, a, b, c, d = shape
        size *= (c**2 + d**2) ** 0.5
        angle = 0
        if abs(b) > abs(a):
            angle = 90 if b > 0 else 270
        elif a < 0 and d < 0:
            angle = 180
        size = min(round(size * _SIZE_STEPS) / _SIZE_STEPS, MAX_SIZE)
        return self._character_style(Style(size, name, bold or mode in _STROKED_MODES, italic), angle)

    def _character_style(self, style: Style, angle: int) -> CharacterStyle:
        number = self._numbers.setdefault(style, len(self.styles))
        if number == len(self.styles):
            self.styles.append(style)
        return CharacterStyle(number, style.size, angle)


def _read_font(base_name: bytes, flags: int) -> tuple[str, bool, bool]:
    """Returns the font's name without the subset prefix, whether it is bold, and whether it is italic."""
    name = _SUBSET_PREFIX.sub("", base_name.decode("utf-8", errors="replace"))
    bold = bool(_BOLD_NAME.search(name)) or bool(flags & _FLAG_FORCE_BOLD)
    italic = bool(_ITALIC_NAME.search(name)) or bool(flags & _FLAG_ITALIC)
    return name, bold, italic
