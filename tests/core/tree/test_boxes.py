"""Positions of lines are stored in little room, and come back as blocks."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from thumbindex.pages import Box, Line
from thumbindex.tree.boxes import blocks, pack_boxes, unpack_boxes

COLUMN = [Box(72, 700 - 14 * n, 540, 710 - 14 * n) for n in range(200)]


def test_boxes_come_back_to_half_a_point() -> None:
    """Lines without a box, pages of a metre, and boxes that lie outside the page among them."""
    boxes = [Box(72.2, 700.4, 300.1, 711.0), None, Box(-20.0, 2900.0, 7000.0, 2950.5)]
    found = unpack_boxes(pack_boxes([Line("x", box) for box in boxes]))
    assert found == [(72.0, 700.5, 300.0, 711.0), None, (-20.0, 2900.0, 7000.0, 2950.5)]


def test_lines_without_boxes_take_no_room() -> None:
    """As in Markdown."""
    assert pack_boxes([Line("x"), Line("y")]) == ""
    assert unpack_boxes("") == []


def test_a_column_of_lines_takes_little_room() -> None:
    """They share their edges, so that what is left is a step."""
    assert len(pack_boxes([Line("x", box) for box in COLUMN])) < len(COLUMN)


def test_a_text_that_is_no_packed_boxes_is_refused() -> None:
    with pytest.raises(ValueError, match="packed boxes"):
        unpack_boxes("nonsense!!")


@pytest.mark.parametrize(
    ("boxes", "count"),
    [
        pytest.param(COLUMN, 1, id="lines of a paragraph are one"),
        pytest.param([Box(72, 700, 540, 710), Box(72, 660, 540, 670)], 2, id="white space parts them"),
        pytest.param([Box(72, 100, 290, 110), Box(310, 700, 540, 710)], 2, id="the next column is another"),
        pytest.param([Box(72, 700, 200, 710), Box(400, 701, 540, 711)], 1, id="cells of a row are one"),
        pytest.param([], 0, id="nothing is nothing"),
    ],
)
def test_blocks(boxes: list[Box], count: int) -> None:
    """Each holds its lines."""
    found = list(blocks(map(astuple, boxes)))
    assert len(found) == count
    for box in boxes:
        assert any(b.left <= box.left and b.bottom <= box.bottom and b.right >= box.right for b in found)
