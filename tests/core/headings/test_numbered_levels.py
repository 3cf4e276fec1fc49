"""Markup of one level whose headings carry numbers: the numbers order them."""

from __future__ import annotations

import pytest

from thumbindex import build_tree
from thumbindex.headings.numbered_levels import with_levels_by_number
from thumbindex.outline import Heading


def levels(*titles: str, level: int = 2) -> list[int]:
    headings = [Heading(title, level, None, line, "markup") for line, title in enumerate(titles, 1)]
    return [heading.level for heading in with_levels_by_number(headings)]


def test_numbers_nest_below_the_title():
    titles = [
        "Ferry rules",
        "Abstract",
        "1 Fares",
        "1.1 Adults",
        "1.1.1 Groups",
        "1.2 Children",
        "2 Freight",
        "Appendix A Forms",
    ]
    assert levels(*titles, "A.1 Ticket", "References") == [1, 2, 2, 3, 4, 3, 2, 2, 3, 2]


def test_each_text_bound_in_a_file_keeps_its_root():
    titles = ["Low water", "1 Tides", "1.1 Moon", "References", "High water", "Abstract", "1 Wind", "1.1 Storm"]
    assert levels(*titles) == [1, 2, 3, 2, 1, 2, 2, 3]


def test_an_excerpt_begins_at_any_number():
    assert levels("2.1.6 Fares", "2.1.7 Freight", "2.2 Crew", "2.2.1 Pay", "3 Ships") == [1, 1, 1, 2, 1]


def test_parts_are_above_chapters():
    assert levels("Part I", "Chapter 1", "Chapter 2", "Part II", "Chapter 3") == [1, 2, 2, 1, 2]


@pytest.mark.parametrize(
    "titles",
    [
        pytest.param(["1.2.0", "1.1.3", "1.1.2", "1.1.0", "1.0.0"], id="versions of a list of changes"),
        pytest.param(["1 Fares", "2 Freight", "3 Crew"], id="one level of numbers"),
        pytest.param(["Fares", "Freight", "1.1 Crew", "Ships", "Pay"], id="few numbers"),
    ],
)
def test_other_headings_of_one_level_keep_it(titles):
    assert levels(*titles) == [2] * len(titles)


def test_markup_that_uses_levels_keeps_them():
    headings = [Heading("1 Fares", 1, None, 1, "markup"), Heading("1.1 Adults", 3, None, 2, "markup")]
    assert with_levels_by_number(headings) == tuple(headings)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("## 1 Fares\n\nFour.\n\n## 1.1 Adults\n\nSix.\n", id="Markdown"),
        pytest.param(b"<html><h2>1 Fares</h2><p>Four.</p><h2>1.1 Adults</h2><p>Six.</p></html>", id="HTML"),
    ],
)
def test_markdown_and_html_alike(source):
    tree = build_tree(source.encode() if isinstance(source, str) else source, name="rules")
    assert [(node.title, node.level) for node in tree.nodes] == [("1 Fares", 1), ("1.1 Adults", 2)]
