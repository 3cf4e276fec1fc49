"""Levels: the look decides first, numbers inside a look, and decimals go under the heading that carries their prefix."""

from __future__ import annotations

import pytest

from thumbindex.headings.nesting import Ranked, nest
from thumbindex.headings.numbering import parse_label
from thumbindex.outline import MAX_LEVEL


def levels(text):
    """Levels of headings written as "rank title", one a line."""
    items = [line.strip().split(" ", 1) for line in text.strip().splitlines()]
    return nest([Ranked(int(rank), parse_label(title)) for rank, title in items])


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        pytest.param("0 Land\n1 Soil\n1 Seed\n0 Water", [1, 2, 2, 1], id="looks alone"),
        pytest.param("1 Preface\n0 Land\n1 Soil", [1, 1, 2], id="a lighter look before the first heavy one"),
        pytest.param("0 Land\n2 Clay\n1 Soil\n2 Clay", [1, 2, 2, 3], id="levels without holes"),
        pytest.param(
            "0 Part I\n0 Chapter 1\n0 Chapter 2\n0 Part II\n0 Chapter 3", [1, 2, 2, 1, 2], id="words in one look"
        ),
        pytest.param(
            "0 1 Land\n0 1.1 Soil\n0 1.1.1 Clay\n0 1.2 Seed\n0 2 Water", [1, 2, 3, 2, 1], id="decimals in one look"
        ),
        pytest.param("0 I. Land\n0 A. Soil\n0 B. Seed\n0 II. Water", [1, 2, 2, 1], id="counters as they open"),
        pytest.param("0 1 Land\n1 1.1 Soil\n0 1.2 Seed", [1, 2, 2], id="a decimal set too heavy"),
        pytest.param("0 Chapter 2\n1 2.1 Soil\n1 2.2 Seed", [1, 2, 2], id="decimals under their chapter"),
        pytest.param("0 Appendix A\n1 A.1 Forms\n1 A.2 Lists", [1, 2, 2], id="decimals under their appendix"),
        pytest.param(
            "0 Preface\n0 1 Land\n0 2 Water\n0 Index", [1, 1, 1, 1], id="what has no number stands beside chapters"
        ),
        pytest.param("0 1 Land\n0 2 Water\n0 Appendix A", [1, 1, 1], id="appendices beside the chapters before them"),
        pytest.param(
            "0 Part I\n1 1 A\n1 2 B\n0 Part II\n1 1 C\n2 1.1 D", [1, 2, 2, 1, 2, 3], id="numbers that start again"
        ),
        pytest.param("0 第一章 总则\n0 第一节 目的\n0 第二章 水库", [1, 2, 1], id="Chinese chapters and sections"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_nest(headings, expected):
    """Level of each heading, 1 at the top."""
    assert levels(headings) == expected


def test_levels_end_at_the_deepest():
    """However many looks there are."""
    assert nest([Ranked(rank, None) for rank in range(50)]) == [min(rank + 1, MAX_LEVEL) for rank in range(50)]
