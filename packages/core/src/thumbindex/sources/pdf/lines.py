"""Lines of a page: PDFium's own, split where it joined two, with position and style.

A line's style is read from three of its characters, because asking for every character costs ten times the extraction of
the text (measured on 4,765 pages). Distances are given as shares of the type size ("em").
"""

from __future__ import annotations

import ctypes
from collections import Counter

import pypdfium2.raw as raw

from ..columns import Row
from .calls import (
    Slots,
    get_box,
    get_char_index,
    get_font,
    get_font_flags,
    get_font_name,
    get_font_size,
    get_matrix,
    get_origin,
    get_render_mode,
    get_text_object,
)
from .strings import clean_line
from .styles import CharacterStyle, StyleTable

SMALLEST_SIZE = 4.0
"""Size in points that type is taken to have at least where distances are measured in em: some fonts report size 1."""
DESCENT, ASCENT = 0.22, 0.75
"""Depth and height of a line's box below and above its baseline, in em: about those of Latin text fonts. The exact box
of every character would take as long as its style does."""
BASELINE_SHIFT = 0.45
"""Distance between the baselines of a line's first and last characters, in em, up to which they are one line: superscripts
and subscripts are shifted by a third of an em."""
MIN_SHIFT = 0.3
"""Shift of the baseline within a line, in em, from which the line is examined for a second one."""
LINE_SHIFT = 0.8
"""Shift of the baseline, in em, that starts another line wherever its text stands."""
RETURN_SHIFT = 1.5
"""Step back along the line, in em, that starts another line if the baseline shifts by `MIN_SHIFT` as well."""
JOINED_SHIFT = 0.25
"""Distance between the baselines of two pieces, in em, up to which they may be one line."""
MAX_OVERLAP, WORD_GAP = 0.3, 0.9
"""Overlap and gap between two pieces of one line, in em: kerning makes the former, a space between words the latter."""
CLIMB = 1.0
"""Points by which a line must begin higher than the one before it to count as climbing the page."""

# Plain tuples, since some four are made for each line.
_Glyph = tuple[float, float, float, float, CharacterStyle, int | None]
"""A character: x and y of its origin, low and high edge of its box along the line, its style, and its text object."""
_Piece = tuple[str, _Glyph, _Glyph, CharacterStyle]
"""Text on one baseline: its first and last characters, and the style of one in the middle."""

# For each direction of writing: coordinate along the line (0 is x), coordinate across it, and sign along it.
_AXES = {0: (0, 1, 1), 90: (1, 0, 1), 180: (0, 1, -1), 270: (1, 0, -1)}


class PageLines:
    """Reads the lines of one text page.

    Args:
        text_page: PDFium's handle, open for as long as this object is used.
        width: Width of the page as shown, in points.
        height: Height of the page as shown, in points.
        corner: Lower left corner of the visible part of the page, in the page's own coordinates.
        rotation: Quarter turns clockwise by which the page is shown.
        styles: Styles of the document; those of the page are added.

    Attributes:
        turned: Rotation of the text against the page as shown, in degrees counter-clockwise; known after `rows`.
    """

    def __init__(
        self,
        text_page: object,
        width: float,
        height: float,
        corner: tuple[float, float],
        rotation: int,
        styles: StyleTable,
    ) -> None:
        self.turned = 0
        self._text_page = ctypes.cast(text_page, ctypes.c_void_p)  # type: ignore[arg-type]
        self._width, self._height = width, height
        self._corner = corner
        self._rotation = rotation
        self._styles = styles
        self._glyph_slots = Slots("d", 6, read=6)
        self._shape_slots = Slots("f", 7, read=5)
        # By address, which is valid for as long as the page is open.
        self._objects: dict[int | None, CharacterStyle] = {None: styles.unknown}
        self._fonts: dict[int | None, tuple[bytes, int]] = {None: (b"", 0)}
        self._shapes: dict[tuple[int | None, int, tuple[float, ...]], CharacterStyle] = {}
        count = max(0, raw.FPDFText_CountChars(text_page))
        buffer = (ctypes.c_ushort * (count * 2 + 2))()
        written = raw.FPDFText_GetText(text_page, 0, count, buffer) if count else 0
        self._text = bytes(memoryview(buffer).cast("B")[: max(0, written - 1) * 2]).decode(
            "utf-16-le", errors="replace"
        )
        # On some pages PDFium's text omits or adds characters; positions then need its own map.
        self._is_mapped = len(self._text) != count

    def rows(self) -> list[Row]:
        """Returns the page's lines in the order in which the file shows them."""
        pieces = self._pieces()
        if not pieces:
            return []
        angle = _main_angle(pieces)
        rows = [self._row(piece, angle) for piece in pieces]
        self.turned = (angle - 90 * self._rotation) % 360
        return _reverse_climbing(rows) if self.turned == 270 else rows

    def _pieces(self) -> list[_Piece]:
        pieces: list[_Piece] = []
        position = 0
        # PDFium ends its lines with CR LF; a lone LF is a glyph of the file's own, usually a space.
        for run in self._text.split("\r\n"):
            text = run.strip()
            if text:
                start = position + run.index(text[0])
                end = start + len(text)
                first = self._glyph(start)
                last = self._glyph(end - 1) if len(text) > 1 else first
                if _share_baseline(first, last):
                    self._add(pieces, text, start, first, last)
                else:
                    for part_start, part_end in self._split(start, end, first, last):
                        first = self._glyph(part_start)
                        last = self._glyph(part_end - 1) if part_end - part_start > 1 else first
                        self._add(pieces, self._text[part_start:part_end], part_start, first, last)
            position += len(run) + 2
        return pieces

    def _add(self, pieces: list[_Piece], text: str, start: int, first: _Glyph, last: _Glyph) -> None:
        """Adds a piece, or appends its text to the last piece where it continues that one."""
        clean = clean_line(text)
        if not clean:
            return
        middle = first[4]
        if middle.number != last[4].number:  # else two of three decide without it
            place = (len(text) - 1) // 2
            while place > 0 and text[place].isspace():
                place -= 1
            middle = self._style(self._char(start + place))
        if pieces:
            previous, previous_first, previous_last, previous_middle = pieces[-1]
            if _continues(previous_last, first):
                longer = previous_middle if len(previous) >= len(clean) else middle
                pieces[-1] = (f"{previous} {clean}", previous_first, last, longer)
                return
        pieces.append((clean, first, last, middle))

    def _split(self, start: int, end: int, first: _Glyph, last: _Glyph) -> list[tuple[int, int]]:
        """Returns the bounds of the lines that PDFium joined, such as a heading and the last words of a paragraph."""
        angle, current_object = first[4].angle, first[5]
        along, across, sign = _AXES[angle]
        size = max(first[4].size, last[4].size, SMALLEST_SIZE)
        text, text_page = self._text, self._text_page
        parts, part_start, baseline, previous = [], start, first[:2][across], start
        for index in range(start + 1, end):
            if text[index].isspace():
                continue
            char = self._char(index) if self._is_mapped else index
            item = get_text_object(text_page, char)
            if item != current_object:  # a text object lies on one baseline
                current_object = item
                origin = self._origin(char)
                shift = abs(origin[across] - baseline)
                if shift > MIN_SHIFT * SMALLEST_SIZE:
                    style = self._style(char)
                    own_size = max(style.size, SMALLEST_SIZE)
                    if style.angle != angle:  # a running head, and the table that is turned below it
                        parts.append((part_start, index))
                        angle, size = style.angle, own_size
                        along, across, sign = _AXES[angle]
                        part_start, previous, baseline = index, index, origin[across]
                        continue
                    reached = self._origin(self._char(previous))[along]
                    returns = (origin[along] - reached) * sign < -RETURN_SHIFT * own_size
                    if shift > LINE_SHIFT * max(size, own_size) or (returns and shift > MIN_SHIFT * own_size):
                        parts.append((part_start, index))
                        part_start, baseline = index, origin[across]
            previous = index
        parts.append((part_start, end))
        return [(a, b) for a, b in (self._trim(a, b) for a, b in parts) if a < b]

    def _trim(self, start: int, end: int) -> tuple[int, int]:
        while start < end and self._text[start].isspace():
            start += 1
        while end > start and self._text[end - 1].isspace():
            end -= 1
        return start, end

    def _char(self, index: int) -> int:
        """Returns PDFium's number of the character at an index of the text."""
        return max(get_char_index(self._text_page, index), 0) if self._is_mapped else index

    def _origin(self, char: int) -> tuple[float, ...]:
        x, y, *_ = self._glyph_slots.addresses
        get_origin(self._text_page, char, x, y)
        return self._glyph_slots.read()[:2]

    def _glyph(self, index: int) -> _Glyph:
        char = self._char(index) if self._is_mapped else index
        text_page, slots = self._text_page, self._glyph_slots
        x, y, left, right, bottom, top = slots.addresses
        get_origin(text_page, char, x, y)
        get_box(text_page, char, left, right, bottom, top)
        item = get_text_object(text_page, char)
        style = self._objects.get(item) or self._object_style(item, char)
        x_origin, y_origin, left_edge, right_edge, bottom_edge, top_edge = slots.read()
        if style.angle % 180 == 0:
            return x_origin, y_origin, left_edge, right_edge, style, item
        return x_origin, y_origin, bottom_edge, top_edge, style, item

    def _style(self, char: int) -> CharacterStyle:
        item = get_text_object(self._text_page, char)
        return self._objects.get(item) or self._object_style(item, char)

    def _object_style(self, address: int, char: int) -> CharacterStyle:
        item = ctypes.c_void_p(address)
        size, matrix, *_ = self._shape_slots.addresses
        get_font_size(item, size)
        get_matrix(self._text_page, char, matrix)
        key = (get_font(item), get_render_mode(item), self._shape_slots.read())
        style = self._shapes.get(key)
        if style is None:
            font, mode, shape = key
            style = self._shapes[key] = self._styles.find(self._font(font), mode, shape)
        self._objects[address] = style
        return style

    def _font(self, address: int | None) -> tuple[bytes, int]:
        """Returns name and flags of a font."""
        facts = self._fonts.get(address)
        if facts is None:
            font = ctypes.c_void_p(address)
            facts = self._fonts[address] = (get_font_name(font), max(0, get_font_flags(font)))
        return facts

    def _row(self, piece: _Piece, angle: int) -> Row:
        """Returns a line with its box in coordinates in which text of `angle` reads upright, origin at the bottom left."""
        text, (x, y, low, high, start, _), (_, _, last_low, last_high, end, _), style = piece
        if start.number == end.number:
            style = start
        # Small capitals are set in two sizes: the larger one is the heading's.
        elif style.number != start.number and start.size > style.size:
            start_style, middle_style = self._styles.styles[start.number], self._styles.styles[style.number]
            if start_style.font == middle_style.font and start_style.bold == middle_style.bold:
                style = start
        size = max(style.size, 1.0)
        if last_low < low:
            low = last_low
        if last_high > high:
            high = last_high
        below, above = DESCENT * size, ASCENT * size
        if start.angle in (90, 180):  # characters stand towards the smaller numbers
            below, above = above, below
        if start.angle % 180 == 0:
            x0, y0, x1, y1 = low, y - below, high, y + above
        else:
            x0, y0, x1, y1 = x - below, low, x + above, high
        dx, dy = self._corner
        x0, x1, y0, y1 = x0 - dx, x1 - dx, y0 - dy, y1 - dy
        if angle:
            # Width and height are those of the page as shown; turned text reads along the other one.
            shown_width, shown_height = self._width, self._height
            width, height = (shown_height, shown_width) if self._rotation % 2 else (shown_width, shown_height)
            if angle == 90:
                x0, y0, x1, y1 = y0, width - x1, y1, width - x0
            elif angle == 270:
                x0, y0, x1, y1 = height - y1, x0, height - y0, x1
            elif angle == 180:
                x0, y0, x1, y1 = width - x1, height - y1, width - x0, height - y0
        # To tenths. `round(x, 1)` goes through a decimal string and takes five times as long.
        left, bottom = round(x0 * 10) / 10, round(y0 * 10) / 10
        right, top = round(max(x0, x1) * 10) / 10, round(max(y0, y1) * 10) / 10
        return text, left, bottom, right, top, style.number, start.number, end.number


def _share_baseline(first: _Glyph, last: _Glyph) -> bool:
    """Returns whether the last character of a line stands on the baseline of the first one, and not before it."""
    x, y, _, _, style, _ = first
    last_x, last_y, _, _, last_style, _ = last
    tolerance = BASELINE_SHIFT * max(style.size, last_style.size, SMALLEST_SIZE)
    if style.angle == 0:
        return -tolerance < last_y - y < tolerance and last_x >= x
    if style.angle == 180:
        return -tolerance < last_y - y < tolerance and last_x <= x
    return -tolerance < last_x - x < tolerance and (last_y >= y if style.angle == 90 else last_y <= y)


def _continues(last: _Glyph, first: _Glyph) -> bool:
    """Returns whether a piece that begins with `first` continues the line that ends with `last`, one space apart."""
    _, y, _, high, style, _ = last
    _, next_y, low, _, next_style, _ = first
    size = max(style.size, next_style.size, 1.0)
    return (
        abs(next_y - y) < JOINED_SHIFT * size
        and -MAX_OVERLAP * size < low - high < WORD_GAP * size
        and style.angle == next_style.angle
        and style.angle % 180 == 0
    )


def _main_angle(pieces: list[_Piece]) -> int:
    """Returns the direction of most of the page's text in degrees counter-clockwise, before the page's own rotation."""
    weights: Counter[int] = Counter()
    for text, (_, _, _, _, style, _), _, _ in pieces:
        weights[style.angle] += len(text)
    return weights.most_common(1)[0][0]


def _reverse_climbing(rows: list[Row]) -> list[Row]:
    """Returns the lines of a page whose text runs downwards as shown, with each run of climbing lines reversed.

    PDFium sorts lines that begin at one height from left to right, which is from the last of them to the first.
    """
    runs: list[list[Row]] = []
    height = 0.0
    for row in rows:
        bottom = row[2]
        if runs and bottom > height + CLIMB:
            runs[-1].append(row)
        else:
            runs.append([row])
        height = bottom
    return [row for run in runs for row in reversed(run)]
