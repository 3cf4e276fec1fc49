"""From an outline to a tree: spans, pages, front matter and ids."""

from __future__ import annotations

import pytest

from thumbindex.outline import Heading, Outline
from thumbindex.pages import Document, Line, LineRange, Page
from thumbindex.tree import build
from thumbindex.tree.build import FRONT_MATTER, node_id


def document(*pages):
    """A document of these pages, each a text with one line a line, or None."""
    lines: list[Line] = []
    made: list[Page] = []
    for number, text in enumerate(pages, 1):
        first = len(lines) + 1
        lines += [Line(line) for line in (text or "").splitlines()]
        made.append(Page(number, LineRange(first, len(lines)) if len(lines) >= first else None))
    return Document("book.pdf", "pdf", tuple(lines), tuple(made))


def heading(title, level, line, last_line=None):
    return Heading(title, level, None, line, "test", last_line=last_line)


def tree_of(pages, *headings, headers_footers=()):
    return build(document(*pages), Outline("layout", headings, headers_footers=frozenset(headers_footers)))


def places(tree):
    return [(node.title, node.level, str(node.span), str(node.pages)) for node in tree.nodes]


def test_a_section_runs_to_the_line_before_the_next_of_its_level_or_higher():
    """Subsections lie inside; two neighbours share a page only if the second starts in the middle of it."""
    pages = ["Wheat\na\nSowing\nb", "c\nReaping\nd", "Rye\ne"]
    tree = tree_of(
        pages, heading("Wheat", 1, 1), heading("Sowing", 2, 3), heading("Reaping", 2, 6), heading("Rye", 1, 8)
    )
    assert places(tree) == [
        ("Wheat", 1, "1-7", "1-2"),
        ("Sowing", 2, "3-5", "1-2"),
        ("Reaping", 2, "6-7", "2"),
        ("Rye", 1, "8-9", "3"),
    ]


def test_the_text_begins_below_the_heading_s_own_lines():
    """A title over two lines has its body on the third; one without lines of its own has it at once."""
    tree = tree_of(["A long\ntitle\nText\nMore"], heading("A long title", 1, 1, 2), heading("Pages", 1, 4, 3))
    assert [node.body for node in tree.nodes] == [3, 4]


@pytest.mark.parametrize(
    ("pages", "line", "headers_footers", "front"),
    [
        pytest.param(["Cover", "Wheat\na"], 2, (), "1", id="a cover"),
        pytest.param(["Cover", None, "Wheat\na"], 2, (), "1-2", id="a cover and its blank back"),
        pytest.param(["Imprint\nWheat\na"], 2, (), "1", id="text above the first heading of the page"),
        pytest.param(["BOOK\nWheat\na"], 2, {1}, None, id="not a running head"),
        pytest.param(["BOOK", "BOOK\nWheat\na"], 3, {1, 2}, "1", id="a page with a running head alone is a page"),
        pytest.param([None, "Wheat\na"], 1, (), None, id="a blank page before the first section is the section's"),
        pytest.param([None, "BOOK\nWheat\na"], 2, {1}, None, id="also if its own page opens with a running head"),
    ],
)
def test_front_matter(pages, line, headers_footers, front):
    """What stands before the first heading is a section of its own, so that every page belongs to one."""
    tree = tree_of(pages, heading("Wheat", 1, line), headers_footers=headers_footers)
    found = {node.title: str(node.pages) for node in tree.nodes}
    assert found.get(FRONT_MATTER) == front
    assert {page for node in tree.nodes for page in node.pages} == set(range(1, len(pages) + 1))


@pytest.mark.parametrize(
    ("pages", "headers_footers", "wheat", "rye"),
    [
        pytest.param(["Wheat", None, "Rye"], (), "1-2", "3", id="a blank page"),
        pytest.param(["Wheat", "BOOK", "Rye"], {2}, "1-2", "3", id="a page with a running head alone"),
        pytest.param(["Wheat", None, "BOOK\nRye"], {2}, "1-2", "3", id="a running head above the next heading"),
        pytest.param(["Wheat\na", None, "a\nRye"], (), "1-3", "3", id="in the midst of a section"),
        pytest.param(["Wheat", "Rye", None, None], (), "1", "2-4", id="at the end of the document"),
    ],
)
def test_pages_without_text_belong_to_the_section_before_them(pages, headers_footers, wheat, rye):
    """A blank page is the back of what was read last."""
    lines = [line.text for line in document(*pages).lines]
    tree = tree_of(
        pages, heading("Wheat", 1, 1), heading("Rye", 1, lines.index("Rye") + 1), headers_footers=headers_footers
    )
    assert [(node.title, str(node.pages)) for node in tree.nodes] == [("Wheat", wheat), ("Rye", rye)]


def test_headings_come_in_any_order_and_outside_the_document():
    """They are sorted; those on lines that do not exist and those on a taken line are dropped."""
    tree = tree_of(
        ["Wheat\na\nRye\nb"], heading("Rye", 1, 3), heading("Wheat", 1, 1), heading("Again", 1, 3), heading("Far", 1, 9)
    )
    assert [node.title for node in tree.nodes] == ["Wheat", "Rye"]


def test_a_document_without_headings_is_one_section_under_its_name():
    """The reader still gets at its text."""
    tree = tree_of(["a\nb", "c"])
    assert places(tree) == [("book.pdf", 1, "1-3", "1-2")]


def test_a_document_without_lines_has_no_sections():
    """And is a tree all the same."""
    assert build(Document("a.md", "markdown", ()), Outline("markup", ())).nodes == ()


def test_formats_without_pages_show_lines():
    """Spans are then what a reader can look up."""
    text = Document("a.md", "markdown", (Line("# A"), Line("b")))
    (node,) = build(text, Outline("markup", (heading("A", 1, 1),))).nodes
    assert (node.pages, node.lines) == (None, LineRange(1, 2))


def test_an_id_is_the_hash_of_the_title_path():
    """Case and white space aside; the same in every run and on every machine."""
    assert node_id(["Wheat", "Sowing"], 1) == node_id(["WHEAT", " sowing "], 1) == "9350258d51"
    assert node_id(["Wheat", "Sowing"], 2) == "9350258d51-2"
    assert node_id(["Wheat"], 1) != node_id(["Sowing"], 1)


def test_equal_titles_get_ordinals_and_keep_their_ids_when_others_change():
    """A section added elsewhere renames nobody."""
    before = tree_of(
        ["Wheat\nNotes\nRye\nNotes\nNotes"],
        *[
            heading(t, n, i)
            for i, (t, n) in enumerate([("Wheat", 1), ("Notes", 2), ("Rye", 1), ("Notes", 2), ("Notes", 2)], 1)
        ],
    )
    after = tree_of(
        ["New\nRye\nNotes\nNotes"],
        heading("New", 1, 1),
        heading("Rye", 1, 2),
        heading("Notes", 2, 3),
        heading("Notes", 2, 4),
    )
    ids = [node.id for node in before.nodes]
    assert ids[4] == f"{ids[3]}-2"
    assert ids[1] != ids[3]
    assert [node.id for node in after.nodes][1:] == ids[2:]


def test_what_is_known_of_the_reading_comes_along():
    """Origin, notes, rule and confidence of the outline; the pages without text as a note."""
    outline = Outline("hybrid", (Heading("Wheat", 1, 1, 1, "typography", 0.5),), 0.9, notes=("A remark.",))
    tree = build(document("Wheat", None), outline)
    assert (tree.origin, tree.confidence, tree.nodes[0].rule, tree.nodes[0].confidence) == (
        "hybrid",
        0.9,
        "typography",
        0.5,
    )
    assert tree.notes == ("A remark.", "Pages without text (blank or drawn): 2.")
