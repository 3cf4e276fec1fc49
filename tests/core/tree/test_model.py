"""What a tree refuses to be, and what can be looked up in one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from thumbindex.errors import InvalidTree, PageOutOfRange, SectionNotFound
from thumbindex.outline import MAX_LEVEL
from thumbindex.pages import LineRange, Page, PageRange
from thumbindex.tree import Node, Tree


def node(name, level, first, last, **more):
    return Node(name, name.title(), level, LineRange(first, last), first + 1, **more)


@pytest.fixture
def tree():
    """A book of four pages: the second is blank, and two running heads are headers."""
    lines = ("THE BOOK", "Wheat", "Grows.", "Sowing", "In March.", "THE BOOK", "Still sowing.", "Rye", "Grows too.")
    pages = (
        Page(1, LineRange(1, 5), "i"),
        Page(2, None, "ii"),
        Page(3, LineRange(6, 7), "1"),
        Page(4, LineRange(8, 9), None),
    )
    nodes = (
        node("wheat", 1, 1, 7, pages=PageRange(1, 3)),
        node("sowing", 2, 4, 7, pages=PageRange(1, 3)),
        node("rye", 1, 8, 9, pages=PageRange(4, 4)),
    )
    return Tree("book.pdf", "pdf", "layout", nodes, lines, pages, headers_footers=frozenset({1, 6}))


def titles(nodes):
    return [item.title for item in nodes]


@pytest.mark.parametrize(
    ("nodes", "what"),
    [
        pytest.param([node("a", 1, 1, 4), node("a", 1, 5, 9)], "two sections have the id 'a'", id="an id twice"),
        pytest.param([node("a", 0, 1, 9)], "level 0", id="a level below 1"),
        pytest.param([node("a", MAX_LEVEL + 1, 1, 9)], f"level {MAX_LEVEL + 1}", id="a level over the deepest"),
        pytest.param([node("a", 1, 1, 10)], "lines 1-10, outside lines 1-9", id="a span past the last line"),
        pytest.param([node("a", 1, 1, 5), node("b", 1, 5, 9)], "outside lines 6-9", id="neighbours that overlap"),
        pytest.param([node("a", 1, 5, 9), node("b", 1, 1, 4)], "outside lines 10-9", id="sections out of order"),
        pytest.param([node("a", 1, 1, 5), node("b", 2, 4, 6)], "outside lines 1-5", id="a child past its parent's end"),
        pytest.param([node("a", 1, 3, 5), node("b", 2, 2, 4)], "outside lines 3-5", id="a child before its parent"),
        pytest.param(
            [node("a", 1, 1, 9), node("b", 2, 2, 5), node("c", 3, 3, 5), node("d", 2, 4, 9)],
            "outside lines 6-9",
            id="a section inside the last one of its level",
        ),
        pytest.param([node("a", 1, 1, 3), node("b", 3, 2, 4)], "outside lines 1-3", id="also where levels jump"),
    ],
)
def test_inconsistent_sections_are_refused(tree, nodes, what):
    """The error names the document and the section, and says what is wrong."""
    with pytest.raises(InvalidTree, match=what) as caught:
        replace(tree, nodes=tuple(nodes))
    assert str(caught.value).startswith("book.pdf: ")


@pytest.mark.parametrize(("first", "last"), [(0, 1), (3, 2), (-1, -1)])
@pytest.mark.parametrize("kind", [LineRange, PageRange])
def test_ranges_start_at_one_and_do_not_run_backwards(kind, first, last):
    """So no span and no page range can."""
    with pytest.raises(ValueError, match="1 <= first <= last"):
        kind(first, last)


def test_a_range_counts_holds_and_prints():
    """Both ends belong to it."""
    pages = PageRange(3, 5)
    assert (len(pages), list(pages), 5 in pages, 6 in pages, "5" in pages) == (3, [3, 4, 5], True, False, False)
    assert (str(pages), str(PageRange(3, 3))) == ("3-5", "3")


def test_gaps_and_jumps_are_allowed(tree):
    """Lines between sections may belong to none, and a level may be left out."""
    kept = replace(tree, nodes=(node("a", 1, 2, 5), node("b", 3, 3, 4), node("c", 2, 5, 5), node("d", 1, 8, 9)))
    assert [kept.path(item) for item in kept.walk()] == ["A", "A › B", "A › C", "D"]


def test_relatives(tree):
    """Parents, children, ancestors from the top, all descendants in reading order."""
    wheat, sowing, rye = tree.nodes
    assert tree.children() == (wheat, rye)
    assert (tree.children(wheat), tree.children(sowing)) == ((sowing,), ())
    assert (tree.parent(sowing), tree.parent(rye)) == (wheat, None)
    assert (tree.ancestors(sowing), tree.ancestors(wheat)) == ((wheat,), ())
    assert (tree.descendants(wheat), tree.descendants(rye)) == ((sowing,), ())
    assert tree.path(sowing) == "Wheat › Sowing"


def test_a_section_is_found_by_its_id(tree):
    """An unknown one is an error that is also a KeyError and reads as a sentence."""
    assert tree.node("rye") is tree.nodes[2]
    assert ("rye" in tree, "oats" in tree) == (True, False)
    with pytest.raises(SectionNotFound, match=r"^book\.pdf has no section 'oats'\. Use an id") as caught:
        tree.node("oats")
    assert isinstance(caught.value, KeyError)


def test_the_text_of_a_section_is_its_own_without_furniture(tree):
    """Its subsections count in; `own_span` ends before the first of them."""
    wheat, sowing, _ = tree.nodes
    assert tree.section_text(wheat) == "Wheat\nGrows.\nSowing\nIn March.\nStill sowing."
    assert tree.section_text(sowing) == "Sowing\nIn March.\nStill sowing."
    assert (tree.own_span(wheat), tree.own_span(sowing)) == (LineRange(1, 3), LineRange(4, 7))


def test_the_text_of_a_page_is_as_read(tree):
    """Furniture included; a page without text has an empty one."""
    assert [tree.page_text(page) for page in (2, 3)] == ["", "THE BOOK\nStill sowing."]


@pytest.mark.parametrize(("line", "page"), [(1, 1), (5, 1), (6, 3), (7, 3), (8, 4), (9, 4)])
def test_the_page_of_a_line(tree, line, page):
    """Pages without text hold no line."""
    assert tree.page_of_line(line) == page


@pytest.mark.parametrize(
    ("lines", "pages"),
    [
        pytest.param(LineRange(2, 7), PageRange(1, 3), id="from the first to the last page with text of them"),
        pytest.param(LineRange(4, 6), PageRange(1, 1), id="a footer at the end is no text"),
        pytest.param(LineRange(6, 8), PageRange(3, 4), id="a footer at the start neither"),
        pytest.param(LineRange(6, 6), PageRange(3, 3), id="a header alone stands where it stands"),
    ],
)
def test_the_pages_of_some_lines(tree, lines, pages):
    """Those that hold their text."""
    assert tree.pages_of(lines) == pages


def test_page_labels_come_in_pairs_or_not_at_all(tree):
    """Half a printed range would be read as a whole one."""
    assert tree.page_labels(PageRange(1, 3)) == ("i", "1")
    assert tree.page_labels(PageRange(3, 4)) is None


@pytest.mark.parametrize("page", [0, 5, -1])
def test_a_page_that_does_not_exist(tree, page):
    """The error knows how many there are and is also an IndexError; page 0 is not the last one."""
    with pytest.raises(PageOutOfRange, match="numbered 1 to 4") as caught:
        tree.page(page)
    assert (caught.value.page, caught.value.page_count) == (page, 4)
    assert isinstance(caught.value, IndexError)


def test_a_tree_counts_its_pages_and_those_without_text(tree):
    """A blank page counts as a page."""
    assert (tree.page_count, tree.pages_without_text) == (4, (2,))


def test_a_format_without_pages_has_none(tree):
    """Every question about them says so."""
    text = replace(tree, pages=None, kind="markdown")
    assert (text.page_count, text.pages_without_text, text.page_of_line(3)) == (0, (), None)
    assert text.pages_of(LineRange(1, 3)) is None
    with pytest.raises(PageOutOfRange):
        text.page(1)
