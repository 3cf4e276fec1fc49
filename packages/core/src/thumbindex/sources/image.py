"""Images of pages, as rows of pixels and as PNG: for OCR, for people, and for models that accept images.

Only the standard library is needed: rows are joined and compressed in C, so a page takes some tenths of a second.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..pages import Box

POINTS_PER_INCH = 72
"""PDF's unit of length: 1/72 inch (PDF 32000-1:2008, 8.3.2.3)."""
METRES_PER_INCH = 0.0254

MARK = (255, 214, 0)
"""Colour of the boxes that mark evidence: red, green and blue, 0 to 255. It darkens paper and leaves black text alone."""
_EDGE = (214, 120, 0)
"""Colour of their edges."""
_EDGE_WIDTH = 2
"""Pixels of an edge."""
_MARGIN = 3
"""Pixels by which a mark is wider than its box on each side, so that its edge does not touch the text."""

MAX_PIXELS = 25_000_000
"""Most pixels of an image: an A3 page at 300 dpi has 17 million. A file may declare pages of 5 metres."""
_COMPRESSION = 6
"""Level of zlib's compression, its default."""


@dataclass(frozen=True, slots=True)
class View:
    """A page to render, and how.

    Args:
        page: Physical page number, 1-based.
        dpi: Pixels per inch; reduced where the image would have more than `max_pixels`.
        quarters: Quarter turns clockwise.
        grey: One channel, instead of red, green and blue.
        max_pixels: Most pixels of the image.
        exact: Raise an error instead of reducing the resolution.
    """

    page: int
    dpi: float
    quarters: int = 0
    grey: bool = False
    max_pixels: int = MAX_PIXELS
    exact: bool = False


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page rendered as an image.

    Args:
        width: Pixels per row.
        height: Number of rows.
        dpi: Pixels per inch (72 points) of the page.
        pixels: Rows from the top, without padding: one byte per pixel (0 is black), or three (red, green, blue).
    """

    width: int
    height: int
    dpi: float
    pixels: bytes

    def __post_init__(self) -> None:
        if min(self.width, self.height) < 1 or len(self.pixels) not in (self._area, 3 * self._area):
            raise ValueError(f"{len(self.pixels)} bytes are not an image of {self.width} by {self.height} pixels.")

    @property
    def _area(self) -> int:
        return self.width * self.height

    @property
    def channels(self) -> int:
        """Bytes per pixel: 1 for shades of grey, 3 for colours."""
        return len(self.pixels) // self._area

    def png(self) -> bytes:
        """Returns the image as a PNG file."""
        stride = self.width * self.channels
        # Each row begins with the number of its filter; 0 is no filter (PNG, third edition, section 9).
        rows = b"".join(b"\0" + self.pixels[at : at + stride] for at in range(0, len(self.pixels), stride))
        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 2 if self.channels == 3 else 0, 0, 0, 0)
        per_metre = round(self.dpi / METRES_PER_INCH)
        chunks = (
            (b"IHDR", head),
            (b"pHYs", struct.pack(">IIB", per_metre, per_metre, 1)),
            (b"IDAT", zlib.compress(rows, _COMPRESSION)),
            (b"IEND", b""),
        )
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)

    def marked(self, boxes: Iterable[Box]) -> PageImage:
        """Returns the image, of three channels, with boxes marked; in points, origin at the bottom left of the page."""
        pixels = bytearray(self.pixels)
        for left, top, right, bottom in self._in_pixels(boxes):
            for row in range(top, bottom):
                is_edge = row < top + _EDGE_WIDTH or row >= bottom - _EDGE_WIDTH
                if is_edge:
                    self._paint(pixels, row, left, right)
                else:
                    self._tint(pixels, row, left, right)
                    self._paint(pixels, row, left, left + _EDGE_WIDTH)
                    self._paint(pixels, row, right - _EDGE_WIDTH, right)
        return PageImage(self.width, self.height, self.dpi, bytes(pixels))

    def _in_pixels(self, boxes: Iterable[Box]) -> Iterator[tuple[int, int, int, int]]:
        """Yields left, top, right and bottom of boxes, a little wider, inside the image; boxes outside it are left out."""
        scale = self.dpi / POINTS_PER_INCH
        for box in boxes:
            left = max(0, int(box.left * scale) - _MARGIN)
            right = min(self.width, int(box.right * scale) + _MARGIN)
            top = max(0, self.height - int(box.top * scale) - _MARGIN)
            bottom = min(self.height, self.height - int(box.bottom * scale) + _MARGIN)
            if right - left > 2 * _EDGE_WIDTH and bottom - top > 2 * _EDGE_WIDTH:
                yield left, top, right, bottom

    def _paint(self, pixels: bytearray, row: int, left: int, right: int) -> None:
        at = 3 * (row * self.width)
        pixels[at + 3 * left : at + 3 * right] = bytes(_EDGE) * (right - left)

    def _tint(self, pixels: bytearray, row: int, left: int, right: int) -> None:
        start, end = 3 * (row * self.width + left), 3 * (row * self.width + right)
        for channel, table in enumerate(_TINTS):
            pixels[start + channel : end : 3] = pixels[start + channel : end : 3].translate(table)


# For each channel: every value darkened by half of what the mark's colour takes, like a marker pen.
_TINTS = tuple(bytes(value * (255 + part) // 510 for value in range(256)) for part in MARK)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
