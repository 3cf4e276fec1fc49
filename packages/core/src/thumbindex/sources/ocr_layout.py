"""From the boxes that an OCR engine found to lines as a text layer would have them: rows, sizes, weight, reading order.

Engines draw their boxes roughly, so the type is measured in the picture: how far its ink reaches above the baseline, told by
the letters that the line has, and how thick its stems are. Sizes are then drawn together over the whole
document, since a book is set in few of them. Pure: no files, no engine; only the standard library.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import atan2, cos, degrees, hypot, radians, sin, tan
from statistics import median

from ..pages import Box, Line, Style
from .image import PageImage

Point = tuple[float, float]

ASCENT, X_HEIGHT, WHOLE = 0.69, 0.485, 0.95
"""How far capitals and small letters reach above the baseline, and all of a Chinese letter, in sizes of the type: the means
of Times and Helvetica, by their AFM files, and a usual value for Song."""
FEWEST_LINES = 4
"""Lines that each side of a gap must have to be a column."""
COLUMN_CHARS = 22
"""Letters from which a line is one of running text, as columns have them and cells of tables seldom."""
ALIKE = 0.04
"""Share by which sizes of one style may differ as measured: whole lines of one size lie within 0.02, single words within 0.04
(30 pages at 200 dpi)."""
BASE = 0.4
"""Share of the ink of small letters below which a row lies under the baseline: few letters reach there."""
BOLD = 1.28
"""Thickness of stems against that of the document's running text, from which type is bold.

Regular Times and Helvetica differ by 1.1 as measured, their bold cuts from their regular ones by 1.5 and more.
"""

_TALL = re.compile(r"[A-Z0-9bdfhkl!?()\[\]{}|/\\%&$€£#ÄÖÜÀÁÂÉÈÊßА-ЯΑ-Ω]")
_FULL_HEIGHT = re.compile(r"[\u2e80-\uffef]")
_LOST_SPACE = re.compile(
    r"^((?:(?:Item|Note|Part|Chapter|Section|Appendix|Annex)\s?)\d{1,2}[A-Z]?|(?:\d{1,2}[A-Z]?|[A-Z])(?:\.\d{1,2}){1,3}\.?|\d{1,2}\.?)"
    r"(?=[^\W\d_a-z][^\W\d_A-Z])"
)
"""A number that engines run together with the title behind its wide gap: "2.1Condition", "Item 3Legal"."""


@dataclass(frozen=True, slots=True)
class RecognizedLine:
    """A line of text, or a part of one, as an engine read it.

    Args:
        corners: In pixels from the top left of the picture: where the line's first letter begins at the top, where its last
            one ends at the top, and the same two at the bottom, last one first.
        confidence: How sure the engine is, 0 to 1.
    """

    text: str
    corners: tuple[Point, Point, Point, Point]
    confidence: float = 1.0

    @classmethod
    def upright(
        cls, text: str, left: float, top: float, right: float, bottom: float, confidence: float = 1.0
    ) -> RecognizedLine:
        """A line in a box whose sides are those of the picture; pixels from its top left."""
        return cls(text, ((left, top), (right, top), (right, bottom), (left, bottom)), confidence)

    @property
    def across(self) -> float:
        """Pixels along the line."""
        (a, b), (c, d) = self.corners[:2]
        return hypot(c - a, d - b)

    @property
    def tall(self) -> float:
        """Pixels from its top to its bottom."""
        (a, b), (c, d) = self.corners[0], self.corners[3]
        return hypot(c - a, d - b)

    @property
    def is_sideways(self) -> bool:
        """Whether the box is taller than wide, as lines are that run up or down the picture."""
        xs, ys = zip(*self.corners, strict=True)
        return (max(ys) - min(ys)) > 1.5 * (max(xs) - min(xs)) and len(self.text) > 2


@dataclass(frozen=True, slots=True)
class Measured:
    """A line in points, in coordinates in which the page's text reads upright; `weight` is the thickness of stems in sizes."""

    text: str
    left: float
    right: float
    baseline: float
    size: float
    weight: float
    confidence: float


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What was read on a page: its lines, how far they are turned against the page as shown (degrees counter-clockwise), and
    how sure the engine was of its letters on average."""

    lines: tuple[Measured, ...]
    turned: float
    confidence: float


def tilt(lines: Sequence[RecognizedLine], image: PageImage) -> float:
    """How far the lines go down to the right, in degrees.

    Boxes say it to about a degree. Near that, the right slope is the one along which the ink of the longest lines gathers in
    the fewest rows (projection profiles: Postl 1986).
    """
    long = sorted((line for line in lines if line.across > 6 * line.tall and not line.is_sideways), key=_length)[-10:]
    if not long:
        return 0.0
    guess = median(degrees(atan2(line.corners[1][1] - line.corners[0][1], _width(line))) for line in long)
    strips = [_Strip(line, image, guess) for line in long]
    steps = range(-_TILT_STEPS, _TILT_STEPS + 1)
    sharpness = [sum(strip.sharpness(guess + step * _TILT_STEP) for strip in strips) for step in steps]
    best = max(range(1, len(steps) - 1), key=sharpness.__getitem__)
    before, here, after = sharpness[best - 1 : best + 2]
    bend = before - 2 * here + after
    # Between the steps, a parabola through three of them.
    return guess + (steps[best] + (0.5 * (before - after) / bend if bend < 0 else 0.0)) * _TILT_STEP


_TILT_STEP, _TILT_STEPS = 0.1, 12


def _length(line: RecognizedLine) -> float:
    return line.across


def _width(line: RecognizedLine) -> float:
    return line.corners[1][0] - line.corners[0][0]


class _Strip:
    """The darkness of a long line in columns of rows, to add up along any slope near the guess."""

    PIECE = 32

    def __init__(self, line: RecognizedLine, image: PageImage, guess: float) -> None:
        xs, ys = zip(*line.corners, strict=True)
        start, end = max(0, round(min(xs))), min(image.width, round(max(xs)))
        self._centre = (start + end) / 2
        slope = tan(radians(guess))
        room = tan(radians(_TILT_STEP * _TILT_STEPS)) * (end - start) / 2
        self._half = round(line.tall / 2 + room) + 2
        middle = sum(ys) / 4
        self._columns: list[tuple[float, list[int]]] = []
        self._guess = slope
        for x in range(start, end - self.PIECE, self.PIECE):
            offset = x + self.PIECE / 2 - self._centre
            first_row = round(middle + offset * slope) - self._half
            rows = range(first_row, first_row + 2 * self._half + 1)
            shade = [
                self.PIECE * 255 - sum(image.pixels[row * image.width + x : row * image.width + x + self.PIECE])
                if 0 <= row < image.height
                else 0
                for row in rows
            ]
            self._columns.append((offset, shade))

    def sharpness(self, angle: float) -> float:
        """The sum of the squares of its rows along a slope, told in degrees."""
        extra = tan(radians(angle)) - self._guess
        room = max((abs(round(offset * extra)) for offset, _ in self._columns), default=0)
        size = 2 * self._half + 1
        rows = [0] * (size + 2 * room)
        for offset, shade in self._columns:
            at = room - round(offset * extra)
            for place, value in enumerate(shade, at):
                rows[place] += value
        return float(sum(value * value for value in rows))


def measure(lines: Sequence[RecognizedLine], image: PageImage, quarters: int) -> ReadPage:
    """The lines with their type measured in the picture, which shows the page after so many quarter turns clockwise."""
    angle = tilt(lines, image)
    found = [_measured(line, image, radians(angle)) for line in lines]
    letters = sum(len(line.text) for line in lines)
    sure = sum(line.confidence * len(line.text) for line in lines) / max(letters, 1)
    return ReadPage(tuple(found), 90.0 * quarters - round(angle, 2), round(sure, 3))


def _measured(line: RecognizedLine, image: PageImage, angle: float) -> Measured:
    scale = 72 / image.dpi
    xs, ys = zip(*line.corners, strict=True)
    if line.is_sideways:  # up or down the margin of a page that stands upright: no line to measure
        size = (max(xs) - min(xs)) * 0.8 * scale
        base = (image.height - max(ys)) * scale
        return Measured(line.text, min(xs) * scale, max(xs) * scale, base, size, 0.0, line.confidence)
    middle_x, middle_y = sum(xs) / 4, sum(ys) / 4
    half = line.across / 2
    ink = _Ink(image, middle_x - half * cos(angle), middle_x + half * cos(angle), middle_y, line.tall, tan(angle))
    tall = len(_TALL.findall(line.text))
    if _FULL_HEIGHT.search(line.text):
        above, below = ink.reach(0.08, 0.08)
        size = (below - above) / WHOLE
        base = below - 0.12 * size
    else:
        # A share of the ink of small letters that a stem for each tall one surpasses.
        above, base = ink.reach(0.15 * tall / len(line.text) if tall else BASE, BASE)
        size = (base - above) / (ASCENT if tall else X_HEIGHT)
    if not 0.5 * line.tall < size < 1.5 * line.tall:
        # Specks, or a box that holds no line of letters: the box is all there is to go by.
        size, base = line.tall * 0.8, line.tall * 0.3
    # Turned about the middle of the picture, then from its bottom, in points.
    dx, dy = middle_x - image.width / 2, middle_y + base - image.height / 2
    across, down = dx * cos(angle) + dy * sin(angle), -dx * sin(angle) + dy * cos(angle)
    centre = (across + image.width / 2) * scale
    return Measured(
        _LOST_SPACE.sub(r"\1 ", " ".join(line.text.split())),
        centre - half * scale,
        centre + half * scale,
        (image.height / 2 - down) * scale,
        size * scale,
        ink.stem(base - X_HEIGHT * size / 2, X_HEIGHT * size / 6) / max(size, 1.0),
        line.confidence,
    )


class _Ink:
    """The ink of one line: rows of the picture, followed down the slope of the text in pieces too short to notice it."""

    def __init__(self, image: PageImage, left: float, right: float, middle: float, tall: float, slope: float) -> None:
        self._image = image
        self._left, self._right = max(0, round(left)), min(image.width, round(right))
        self._middle, self._slope = middle, slope
        self._half = max(3, round(tall * 0.62))
        self._piece = max(12, min(96, int(0.8 / max(abs(slope), 1e-4))))
        self._table = self._darkness()

    def _pieces(self) -> Iterator[tuple[int, int, float]]:
        """Begin and end of each piece, and the height of the line's middle there."""
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
        """Table from grey to ink, 0 to 255: nothing up to a quarter of the way from paper to ink, where noise lives."""
        sample = sorted(
            b"".join(
                self._row(start, end, round(height) + offset)
                for start, end, height in self._pieces()
                for offset in range(-self._half, self._half + 1, 3)
            )
        )
        if not sample:
            return bytes(256)
        low, high, most = sample[len(sample) // 50], sample[-1 - len(sample) // 50], sample[len(sample) // 2]
        paper, ink = (high, low) if high - most <= most - low else (low, high)
        span = (ink - paper) or 1
        shares = (((value - paper) / span - 0.25) / 0.6 for value in range(256))
        return bytes(min(255, max(0, round(255 * share))) for share in shares)

    def reach(self, top: float, bottom: float) -> tuple[float, float]:
        """How far the ink reaches up and down, in pixels below the line's middle: to where a row holds less than these shares
        of what the rows in the middle hold."""
        sums = [0] * (2 * self._half + 1)
        for start, end, height in self._pieces():
            first = round(height) - self._half
            for place in range(len(sums)):
                sums[place] += sum(self._row(start, end, first + place).translate(self._table))
        third = len(sums) // 3
        core = sorted(sums[third : len(sums) - third])
        full = core[len(core) * 3 // 4]
        if full == 0:
            return -self._half / 1.6, self._half / 2.4
        middle = max(range(third, len(sums) - third), key=sums.__getitem__)
        return (
            -_crossing(sums[middle::-1], top * full) + middle - self._half,
            _crossing(sums[middle:], bottom * full) + middle - self._half,
        )

    def stem(self, height: float, around: float) -> float:
        """Thickness of the letters' stems near a height (pixels below the line's middle): the median of runs of ink."""
        runs: list[int] = []
        for start, end, middle in self._pieces():
            for row in (height - around, height, height + around):
                ink = self._row(start, end, round(middle + row)).translate(self._table)
                # The first and the last run of a piece may go on in the next one.
                runs.extend(sum(run) for run in ink.split(b"\0")[1:-1] if run)
        return median(runs) / 255 if runs else 0.0


def _crossing(sums: Sequence[int], level: float) -> float:
    """Where a row of numbers first falls to a level, between its places; its end where it does not."""
    for place in range(1, len(sums)):
        if sums[place] <= level:
            above, below = sums[place - 1], sums[place]
            return place - 1 + (above - level) / max(above - below, 1)
    return float(len(sums))


# From measured lines to a document's


def lay_out(pages: Sequence[ReadPage], styles: Sequence[Style] = ()) -> list[list[Line]]:
    """The lines of each page in reading order, in the few styles that the document has.

    Args:
        styles: Styles of the pages with a text layer, the most used one first: what looks like one of them is set in it.
    """
    known = _Styles([line for page in pages for line in page.lines], styles)
    return [[_line(row, known) for row in _reading_order(page.lines)] for page in pages]


class _Styles:
    """The sizes of type that a document has, and how thick the stems of its running text are."""

    def __init__(self, lines: Sequence[Measured], styles: Sequence[Style]) -> None:
        self._styles = [style for style in styles if style.size > 0 and not style.italic]
        self._font = self._styles[0].font if self._styles else ""
        self._sizes: list[float] = []
        rest = [(line.size, len(line.text)) for line in lines if line.size > 0]
        while rest:
            self._sizes.append(_densest(rest))
            rest = [one for one in rest if self._near(one[0]) is None]
        self._usual = _weighted_median(sorted((line.weight, len(line.text)) for line in lines if line.weight > 0))

    def _near(self, size: float) -> float | None:
        best = min(self._sizes, key=lambda one: abs(one - size), default=None)
        return best if best is not None and abs(best - size) <= ALIKE * best else None

    def style(self, line: Measured) -> Style:
        """The style of a line."""
        size = self._near(line.size) or line.size
        bold = self._usual > 0 and line.weight > BOLD * self._usual and len(line.text) > 1
        alike = (one for one in self._styles if one.bold == bold and abs(one.size - size) <= ALIKE * size)
        # A scanned page amid others is set as they are, and a font that it alone has would stand out.
        return next(alike, Style(round(size * 2) / 2, self._font, bold))


def _densest(sizes: list[tuple[float, int]]) -> float:
    """The size around which most letters lie."""
    ordered = sorted(sizes)
    best, best_weight = ordered[0][0], 0
    first = weight = 0
    for last, (size, letters) in enumerate(ordered):
        weight += letters
        while ordered[first][0] < size * (1 - 1.2 * ALIKE):
            weight -= ordered[first][1]
            first += 1
        if weight > best_weight:
            best_weight = weight
            best = _weighted_median(ordered[first : last + 1])
    return best


def _weighted_median(ordered: Sequence[tuple[float, int]]) -> float:
    half = sum(weight for _, weight in ordered) / 2
    for value, weight in ordered:
        half -= weight
        if half <= 0:
            return value
    return 0.0


Row = list[Measured]
"""Pieces of text on one baseline, from left to right."""


def _reading_order(lines: Sequence[Measured]) -> list[Row]:
    """Rows from top to bottom, column after column where the page has columns of running text."""
    gap = _gap(lines)
    if gap is None:
        return _joined(lines)
    ordered: list[Row] = []
    wide = sorted((line for line in lines if line.left < gap < line.right), key=lambda line: -line.baseline)
    rest = [line for line in lines if not line.left < gap < line.right]
    for bar in [*wide, None]:
        band = [line for line in rest if bar is None or line.baseline > bar.baseline]
        rest = [line for line in rest if bar is not None and line.baseline <= bar.baseline]
        ordered += _reading_order([line for line in band if line.right <= gap])
        ordered += _reading_order([line for line in band if line.left >= gap])
        if bar is not None:
            ordered.append([bar])
    return ordered


def _gap(lines: Sequence[Measured]) -> float | None:
    """Where a white gap parts two columns of running text, or None."""
    if len(lines) < 2 * FEWEST_LINES:
        return None
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    best: tuple[int, float] | None = None
    for step in range(20, 81, 2):
        place = left + (right - left) * step / 100
        crossing = sum(line.left < place < line.right for line in lines)
        if crossing > 0.25 * len(lines) or (best is not None and crossing >= best[0]):
            continue
        sides = [line for line in lines if line.right <= place], [line for line in lines if line.left >= place]
        if all(_is_running(side) for side in sides):
            best = crossing, place
    return None if best is None else best[1]


def _is_running(lines: Sequence[Measured]) -> bool:
    running = sum(len(line.text) >= COLUMN_CHARS for line in lines)
    return len(lines) >= FEWEST_LINES and running >= 0.6 * len(lines)


def _joined(lines: Iterable[Measured]) -> list[Row]:
    """The lines by their baselines: pieces on one baseline that do not cover each other are one row."""
    rows: list[Row] = []
    for line in sorted(lines, key=lambda line: (-line.baseline, line.left)):
        for row in reversed(rows[-3:]):
            nearest = min(row, key=lambda piece: abs(piece.left - line.left))
            same = abs(nearest.baseline - line.baseline) < 0.4 * min(nearest.size, line.size)
            if same and all(line.left > piece.right - 2 or line.right < piece.left + 2 for piece in row):
                row.append(line)
                break
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _line(row: Row, known: _Styles) -> Line:
    styles = [known.style(piece) for piece in row]
    heaviest = max(range(len(row)), key=lambda place: len(row[place].text))
    size = styles[heaviest].size
    baseline = row[heaviest].baseline
    # As for a text layer: from below the baseline to above the letters.
    box = Box(
        round(min(piece.left for piece in row), 1),
        round(baseline - 0.22 * size, 1),
        round(max(piece.right for piece in row), 1),
        round(baseline + 0.75 * size, 1),
    )
    return Line(" ".join(piece.text for piece in row), box, styles[heaviest], styles[0], styles[-1])
