"""Pictures of pages, as rows of pixels and as PNG: what OCR reads, and what people and models that see are shown.

Nothing but the standard library is needed: rows are joined and compressed in C, so a page takes some tenths of a second.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..pages import Box

MARK = (255, 214, 0)
"""Colour of the boxes that mark evidence: red, green and blue, 0 to 255. It darkens paper and leaves black letters alone."""
_EDGE = (214, 120, 0)
"""Colour of their edges."""


MAX_PIXELS = 25_000_000
"""Of one picture: an A3 page at 300 dpi has 17 million. A file may ask for pages of 5 metres."""


@dataclass(frozen=True, slots=True)
class View:
    """How a page is to be pictured.

    Args:
        page: Physical, 1-based.
        dpi: Pixels in an inch; fewer are taken where the picture would have more than `max_pixels`.
        quarters: Quarter turns clockwise.
        grey: One channel, instead of red, green and blue.
        exact: Refuse, instead of taking fewer pixels in an inch.
    """

    page: int
    dpi: float
    quarters: int = 0
    grey: bool = False
    max_pixels: int = MAX_PIXELS
    exact: bool = False


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as a picture.

    Args:
        width: Pixels in a row.
        height: Rows.
        dpi: Pixels in an inch (72 points) of the page.
        pixels: Rows from the top, without padding: a byte a pixel (0 is black), or three (red, green, blue).
    """

    width: int
    height: int
    dpi: float
    pixels: bytes

    def __post_init__(self) -> None:
        if min(self.width, self.height) < 1 or len(self.pixels) not in (self._area, 3 * self._area):
            raise ValueError(f"{len(self.pixels)} bytes are no picture of {self.width} by {self.height} pixels.")

    @property
    def _area(self) -> int:
        return self.width * self.height

    @property
    def channels(self) -> int:
        """1 for shades of grey, 3 for colours."""
        return len(self.pixels) // self._area

    def png(self) -> bytes:
        """The picture as a PNG file."""
        stride = self.width * self.channels
        # Each row begins with the number of its filter; 0 is none (PNG, third edition, section 9).
        rows = b"".join(b"\0" + self.pixels[at : at + stride] for at in range(0, len(self.pixels), stride))
        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 2 if self.channels == 3 else 0, 0, 0, 0)
        per_metre = round(self.dpi / 0.0254)
        chunks = (
            (b"IHDR", head),
            (b"pHYs", struct.pack(">IIB", per_metre, per_metre, 1)),
            (b"IDAT", zlib.compress(rows, 6)),
            (b"IEND", b""),
        )
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)

    def marked(self, boxes: Iterable[Box]) -> PageImage:
        """The picture (of three channels) with these boxes marked; points, origin at the bottom left of the page."""
        pixels = bytearray(self.pixels)
        for left, top, right, bottom in self._in_pixels(boxes):
            for row in range(top, bottom):
                is_edge = row < top + 2 or row >= bottom - 2
                if is_edge:
                    self._paint(pixels, row, left, right)
                else:
                    self._tint(pixels, row, left, right)
                    self._paint(pixels, row, left, left + 2)
                    self._paint(pixels, row, right - 2, right)
        return PageImage(self.width, self.height, self.dpi, bytes(pixels))

    def _in_pixels(self, boxes: Iterable[Box]) -> Iterator[tuple[int, int, int, int]]:
        """Left, top, right and bottom of boxes, a little wider, inside the picture; boxes outside it are left out."""
        scale, room = self.dpi / 72, 3
        for box in boxes:
            left = max(0, int(box.left * scale) - room)
            right = min(self.width, int(box.right * scale) + room)
            top = max(0, self.height - int(box.top * scale) - room)
            bottom = min(self.height, self.height - int(box.bottom * scale) + room)
            if right - left > 4 and bottom - top > 4:
                yield left, top, right, bottom

    def _paint(self, pixels: bytearray, row: int, left: int, right: int) -> None:
        at = 3 * (row * self.width)
        pixels[at + 3 * left : at + 3 * right] = bytes(_EDGE) * (right - left)

    def _tint(self, pixels: bytearray, row: int, left: int, right: int) -> None:
        start, end = 3 * (row * self.width + left), 3 * (row * self.width + right)
        for channel, table in enumerate(_TINTS):
            pixels[start + channel : end : 3] = pixels[start + channel : end : 3].translate(table)


# Of each channel: every value darkened by half of what the mark's colour takes, like a marker pen.
_TINTS = tuple(bytes(value * (255 + part) // 510 for value in range(256)) for part in MARK)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
