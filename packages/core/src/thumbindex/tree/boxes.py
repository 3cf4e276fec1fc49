"""Positions of a tree's lines on their pages: packed for storage, and merged into blocks of text. Pure.

After reading, boxes of lines are needed only to show where a passage stands. They are stored to half a point, as differences
from line to line, since lines of a column share their edges: three bytes a line on the documents of the structure benchmark.
"""

from __future__ import annotations

import base64
import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import sub
from typing import TypeAlias

from ..pages import Box, Line

SCALE = 2
"""Units in a point."""
LARGEST = 16_000
"""Units at which a place is cut off: differences of two places fit into 16 bits."""
APART = 1.85
"""Distance of two baselines, in heights of the taller line, from which they belong to two blocks: rows of tables lie up to 1.8
apart, paragraphs from 1.9."""

Edges: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, right and top of a line: a `Box` as a tuple, which is faster to make for thousands of lines."""
PlacedBox: TypeAlias = tuple[int, Box]
"""Physical page, and a box on it as it is shown: points, origin at the bottom left."""


def pack_boxes(lines: Sequence[Line]) -> str:
    """Returns the boxes of all lines as ASCII text that needs no escaping in JSON; empty where no line has one."""
    if not any(line.box for line in lines):
        return ""
    # A line without a box is one of no width and no height.
    nowhere = Box(0.0, 0.0, 0.0, 0.0)
    boxes = [line.box or nowhere for line in lines]
    columns = (
        [round(box.left * SCALE) for box in boxes],
        [round(box.bottom * SCALE) for box in boxes],
        [round((box.right - box.left) * SCALE) for box in boxes],
        [round((box.top - box.bottom) * SCALE) for box in boxes],
    )
    data = array("h")
    for column in columns:
        if min(column) < -LARGEST or max(column) > LARGEST:
            column = [max(-LARGEST, min(LARGEST, value)) for value in column]
        data.extend(map(sub, column, [0, *column[:-1]]))
    if sys.byteorder == "big":
        data.byteswap()
    return base64.b85encode(zlib.compress(data.tobytes(), 6)).decode("ascii")


def unpack_boxes(packed: str) -> list[Edges | None]:
    """Returns the boxes that `pack_boxes` packed, one for each line.

    Raises:
        ValueError: the text is not packed boxes.
    """
    if not packed:
        return []
    data = array("h")
    try:
        data.frombytes(zlib.decompress(base64.b85decode(packed)))
    except zlib.error as error:
        raise ValueError(f"These are not packed boxes: {error}") from None
    if sys.byteorder == "big":
        data.byteswap()
    count = len(data) // 4
    left, bottom, width, height = (
        [value / SCALE for value in accumulate(data[at : at + count])] for at in range(0, 4 * count, count)
    )
    return [
        (x, y, x + wide, y + tall) if wide > 0 and tall > 0 else None
        for x, y, wide, tall in zip(left, bottom, width, height, strict=True)
    ]


def blocks(lines: Iterable[Edges]) -> Iterator[Box]:
    """Yields boxes around runs of lines that follow one another down a column."""
    run: Edges | None = None
    above: Edges | None = None
    for line in lines:
        if run is None or above is None:
            run = line
        elif _follows(above, line, run):
            run = (min(run[0], line[0]), min(run[1], line[1]), max(run[2], line[2]), max(run[3], line[3]))
        else:
            yield Box(*run)
            run = line
        above = line
    if run is not None:
        yield Box(*run)


def _follows(above: Edges, below: Edges, run: Edges) -> bool:
    height = max(above[3] - above[1], below[3] - below[1])
    drop = above[1] - below[1]
    # Cells of a row stand side by side; the next line of a column stands below some of the block.
    in_row = abs(drop) < 0.5 * height
    under = 0 <= drop < APART * height and below[0] < run[2] and below[2] > run[0]
    return in_row or under
