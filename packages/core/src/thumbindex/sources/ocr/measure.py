"""Measuring recognised lines in the image of their page: slope, baseline, type size, and thickness of stems.

Engines draw their boxes roughly, so the ink itself is measured: how far it reaches above the baseline, given the characters of
the line, and how thick its stems are. Pure, with the standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import atan2, cos, degrees, radians, sin, tan
from statistics import median

from ..image import POINTS_PER_INCH, PageImage
from .recognized import RecognizedLine

CAP_HEIGHT, X_HEIGHT, FULL_HEIGHT = 0.69, 0.485, 0.95
"""Heights of capitals and of small letters above the baseline, and of a Chinese character, in sizes of the type: the means of
Times and Helvetica by their AFM files, and a usual value for Song."""
FULL_DESCENT = 0.12
"""Depth of a Chinese character below the baseline, in sizes."""
BASELINE_INK = 0.4
"""Share of the ink of small letters below which a row of pixels is under the baseline: few letters reach there."""
STEM_INK = 0.15
"""Share of that ink that the stems of tall letters have, if all letters of the line are tall."""
FULL_INK = 0.08
"""Share of ink at the edges of a line of Chinese characters."""
PLAUSIBLE = 0.5, 1.5
"""Range of the measured size over the height of the box, outside of which the line is specks or no text."""
BOX_SIZE, BOX_BASELINE = 0.8, 0.3
"""Type size, and distance of the baseline from the middle, of a line that cannot be measured, in heights of its box."""

_TALL = re.compile(r"[A-Z0-9bdfhkl!?()\[\]{}|/\\%&$€£#ÄÖÜÀÁÂÉÈÊßА-ЯΑ-Ω]")
_FULL_HEIGHT = re.compile(r"[\u2e80-\uffef]")
_LOST_SPACE = re.compile(
    r"^((?:(?:Item|Note|Part|Chapter|Section|Appendix|Annex)\s?)\d{1,2}[A-Z]?|(?:\d{1,2}[A-Z]?|[A-Z])(?:\.\d{1,2}){1,3}\.?|\d{1,2}\.?)"
    r"(?=[^\W\d_a-z][^\W\d_A-Z])"
)
"""A number that engines join to the title after its wide gap: "2.1Condition", "Item 3Legal"."""


@dataclass(frozen=True, slots=True)
class MeasuredLine:
    """A line in points, in coordinates in which the page's text reads upright, origin at the bottom left.

    Args:
        text: Its text.
        left: Left edge.
        right: Right edge.
        baseline: Height of its baseline.
        size: Type size.
        weight: Thickness of stems, in sizes of the type.
        confidence: Confidence of the engine, 0 to 1.
    """

    text: str
    left: float
    right: float
    baseline: float
    size: float
    weight: float
    confidence: float


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page that was read.

    Args:
        lines: Its lines.
        turned: Rotation of the lines against the page as shown, in degrees counter-clockwise.
        confidence: Mean confidence of the engine per character.
    """

    lines: tuple[MeasuredLine, ...]
    turned: float
    confidence: float


def measure(lines: Sequence[RecognizedLine], image: PageImage, quarters: int) -> ReadPage:
    """Measures lines in the image of their page, which shows it after `quarters` quarter turns clockwise."""
    angle = tilt(lines, image)
    measured = [_measure_line(line, image, radians(angle)) for line in lines]
    characters = sum(len(line.text) for line in lines)
    confidence = sum(line.confidence * len(line.text) for line in lines) / max(characters, 1)
    return ReadPage(tuple(measured), 90.0 * quarters - round(angle, 2), round(confidence, 3))


def _measure_line(line: RecognizedLine, image: PageImage, angle: float) -> MeasuredLine:
    scale = POINTS_PER_INCH / image.dpi
    xs, ys = zip(*line.corners, strict=True)
    if line.is_sideways:  # up or down the margin of an upright page: no line to measure
        size = (max(xs) - min(xs)) * BOX_SIZE * scale
        baseline = (image.height - max(ys)) * scale
        return MeasuredLine(line.text, min(xs) * scale, max(xs) * scale, baseline, size, 0.0, line.confidence)
    middle_x, middle_y = sum(xs) / 4, sum(ys) / 4
    half = line.length / 2
    ink = _Ink(image, middle_x - half * cos(angle), middle_x + half * cos(angle), middle_y, line.height, tan(angle))
    tall = len(_TALL.findall(line.text))
    # Pixels below the middle of the line.
    if _FULL_HEIGHT.search(line.text):
        top, bottom = ink.reach(FULL_INK, FULL_INK)
        size = (bottom - top) / FULL_HEIGHT
        baseline = bottom - FULL_DESCENT * size
    else:
        # A share of the ink of small letters that a stem of each tall letter exceeds.
        top, baseline = ink.reach(STEM_INK * tall / len(line.text) if tall else BASELINE_INK, BASELINE_INK)
        size = (baseline - top) / (CAP_HEIGHT if tall else X_HEIGHT)
    smallest, largest = PLAUSIBLE
    if not smallest * line.height < size < largest * line.height:
        size, baseline = line.height * BOX_SIZE, line.height * BOX_BASELINE
    # Rotated about the middle of the image, then counted from its bottom, in points.
    dx, dy = middle_x - image.width / 2, middle_y + baseline - image.height / 2
    across, down = dx * cos(angle) + dy * sin(angle), -dx * sin(angle) + dy * cos(angle)
    centre = (across + image.width / 2) * scale
    return MeasuredLine(
        _LOST_SPACE.sub(r"\1 ", " ".join(line.text.split())),
        centre - half * scale,
        centre + half * scale,
        (image.height / 2 - down) * scale,
        size * scale,
        # At half the height of small letters, and a little above and below.
        ink.stem(baseline - X_HEIGHT * size / 2, X_HEIGHT * size / 6) / max(size, 1.0),
        line.confidence,
    )


# Slope

TILT_STEP, TILT_STEPS = 0.1, 12
"""Degrees between the slopes that are tried, and their number on each side of the guess: boxes are right to about a degree."""
LONG_LINE = 6
"""Length of a line over its height from which its slope can be measured."""
_LONGEST_LINES = 10
"""Lines in which the slope is measured, the longest ones."""


def tilt(lines: Sequence[RecognizedLine], image: PageImage) -> float:
    """Returns the slope of the lines, in degrees clockwise.

    Boxes give it to about a degree. Near that, it is the slope along which the ink of the longest lines is in the fewest rows
    (projection profiles: Postl 1986).
    """
    long = sorted(
        (line for line in lines if line.length > LONG_LINE * line.height and not line.is_sideways),
        key=lambda line: line.length,
    )[-_LONGEST_LINES:]
    if not long:
        return 0.0
    guess = median(degrees(atan2(line.corners[1][1] - line.corners[0][1], _width(line))) for line in long)
    strips = [_Strip(line, image, guess) for line in long]
    steps = range(-TILT_STEPS, TILT_STEPS + 1)
    sharpness = [sum(strip.sharpness(guess + step * TILT_STEP) for strip in strips) for step in steps]
    best = max(range(1, len(steps) - 1), key=sharpness.__getitem__)
    previous, current, following = sharpness[best - 1 : best + 2]
    curvature = previous - 2 * current + following
    # Between the steps, the vertex of a parabola through three of them.
    offset = 0.5 * (previous - following) / curvature if curvature < 0 else 0.0
    return guess + (steps[best] + offset) * TILT_STEP


def _width(line: RecognizedLine) -> float:
    return line.corners[1][0] - line.corners[0][0]


class _Strip:
    """The darkness of a long line, in columns of `COLUMN` pixels, summed along slopes near the guess."""

    COLUMN = 32

    def __init__(self, line: RecognizedLine, image: PageImage, guess: float) -> None:
        xs, ys = zip(*line.corners, strict=True)
        start, end = max(0, round(min(xs))), min(image.width, round(max(xs)))
        centre = (start + end) / 2
        self._slope = tan(radians(guess))
        margin = tan(radians(TILT_STEP * TILT_STEPS)) * (end - start) / 2
        self._half = round(line.height / 2 + margin) + 2
        middle = sum(ys) / 4
        self._columns: list[tuple[float, list[int]]] = []
        for x in range(start, end - self.COLUMN, self.COLUMN):
            offset = x + self.COLUMN / 2 - centre
            first_row = round(middle + offset * self._slope) - self._half
            rows = range(first_row, first_row + 2 * self._half + 1)
            darkness = [
                self.COLUMN * 255 - sum(image.pixels[row * image.width + x : row * image.width + x + self.COLUMN])
                if 0 <= row < image.height
                else 0
                for row in rows
            ]
            self._columns.append((offset, darkness))

    def sharpness(self, angle: float) -> float:
        """Returns the sum of the squares of its rows along a slope in degrees."""
        extra = tan(radians(angle)) - self._slope
        margin = max((abs(round(offset * extra)) for offset, _ in self._columns), default=0)
        size = 2 * self._half + 1
        rows = [0] * (size + 2 * margin)
        for offset, darkness in self._columns:
            first = margin - round(offset * extra)
            for index, value in enumerate(darkness, first):
                rows[index] += value
        return float(sum(value * value for value in rows))


# Ink

HALF_HEIGHT = 0.62
"""Half the height of the rows that are examined, in heights of the line's box: descenders may reach below the box."""
_SHORTEST_PIECE, _LONGEST_PIECE, _PIECE_DROP = 12, 96, 0.8
"""Pixels of the pieces in which a line is followed, and pixels that the text may descend within one."""
_SAMPLE_STEP = 3
"""Rows between those that are sampled for the greys of paper and ink."""
_EXTREMES = 50
"""The greys of paper and ink are the ones that a fiftieth of the sample exceeds."""
INK_START, INK_SPAN = 0.25, 0.6
"""Position between paper and ink, 0 to 1, up to which grey is noise, and distance from there to full ink."""
_UNMEASURED_TOP, _UNMEASURED_BOTTOM = 1.6, 2.4
"""Top and bottom of a line without ink, as fractions of half its height."""


class _Ink:
    """The ink of one line: rows of the image, followed down the slope of the text in pieces that are nearly level."""

    def __init__(self, image: PageImage, left: float, right: float, middle: float, height: float, slope: float) -> None:
        self._image = image
        self._left, self._right = max(0, round(left)), min(image.width, round(right))
        self._middle, self._slope = middle, slope
        self._half = max(3, round(height * HALF_HEIGHT))
        self._piece = max(_SHORTEST_PIECE, min(_LONGEST_PIECE, int(_PIECE_DROP / max(abs(slope), 1e-4))))
        self._table = self._darkness()

    def _pieces(self) -> Iterator[tuple[int, int, float]]:
        """Yields start and end of each piece, and the row of the line's middle there."""
        centre = (self._left + self._right) / 2
        for start in range(self._left, self._right, self._piece):
            end = min(start + self._piece, self._right)
            yield start, end, self._middle + ((start + end) / 2 - centre) * self._slope

    def _row(self, start: int, end: int, row: int) -> bytes:
        if not 0 <= row < self._image.height:
            return b""
        at = row * self._image.width
        return self._image.pixels[at + start : at + end]

    def _darkness(self) -> bytes:
        """Returns a table from grey to ink, 0 to 255."""
        sample = sorted(
            b"".join(
                self._row(start, end, round(middle) + offset)
                for start, end, middle in self._pieces()
                for offset in range(-self._half, self._half + 1, _SAMPLE_STEP)
            )
        )
        if not sample:
            return bytes(256)
        low, high = sample[len(sample) // _EXTREMES], sample[-1 - len(sample) // _EXTREMES]
        most = sample[len(sample) // 2]
        paper, ink = (high, low) if high - most <= most - low else (low, high)
        span = (ink - paper) or 1
        shares = (((value - paper) / span - INK_START) / INK_SPAN for value in range(256))
        return bytes(min(255, max(0, round(255 * share))) for share in shares)

    def reach(self, top: float, bottom: float) -> tuple[float, float]:
        """Returns how far the ink reaches up and down, in pixels below the line's middle.

        Args:
            top: Share of the ink of the middle rows below which a row is above the text.
            bottom: Share of that ink below which a row is below the text.
        """
        sums = [0] * (2 * self._half + 1)
        for start, end, middle in self._pieces():
            first = round(middle) - self._half
            for index in range(len(sums)):
                sums[index] += sum(self._row(start, end, first + index).translate(self._table))
        third = len(sums) // 3
        middle_sums = sorted(sums[third : len(sums) - third])
        full = middle_sums[len(middle_sums) * 3 // 4]
        if full == 0:
            return -self._half / _UNMEASURED_TOP, self._half / _UNMEASURED_BOTTOM
        fullest = max(range(third, len(sums) - third), key=sums.__getitem__)
        return (
            -_crossing(sums[fullest::-1], top * full) + fullest - self._half,
            _crossing(sums[fullest:], bottom * full) + fullest - self._half,
        )

    def stem(self, height: float, around: float) -> float:
        """Returns the thickness of stems in pixels: the median of runs of ink.

        Args:
            height: Row that is measured, in pixels below the line's middle.
            around: Distance of two more rows, above and below it.
        """
        runs: list[int] = []
        for start, end, middle in self._pieces():
            for row in (height - around, height, height + around):
                ink = self._row(start, end, round(middle + row)).translate(self._table)
                # The first and the last run of a piece may continue in the next piece.
                runs.extend(sum(run) for run in ink.split(b"\0")[1:-1] if run)
        return median(runs) / 255 if runs else 0.0


def _crossing(sums: Sequence[int], level: float) -> float:
    """Returns the interpolated index at which numbers first fall to a level; their count if they never do."""
    for index in range(1, len(sums)):
        if sums[index] <= level:
            previous, current = sums[index - 1], sums[index]
            return index - 1 + (previous - level) / max(previous - current, 1)
    return float(len(sums))
