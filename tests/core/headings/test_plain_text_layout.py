"""Page texts without any marks: a contents page and numbers are read as in a PDF."""

from __future__ import annotations

from thumbindex import Tree, build_tree

CONTENTS = """Boat manual
Contents
1 Mooring ........ 2
1.1 Lines ........ 2
2 Fenders ........ 3
3 Anchors ........ 4
Index ........ 5"""
PAGES = [
    CONTENTS,
    "1 Mooring\nTie the bow line first.\n1.1 Lines\nUse three lines on each side.\n2",
    "2 Fenders\nHang two fenders on each side.\n1,204 were sold last year.\n3",
    "3 Anchors\nPay out five times the depth.\n4",
    "Index\nanchor 4\nbow 2\nfender 3\n5",
]


def outline(tree: Tree) -> list[tuple[int, str, int]]:
    return [(node.level, node.title, node.pages.first) for node in tree.nodes if node.pages]


def test_a_contents_page_frames_the_tree() -> None:
    assert outline(build_tree(PAGES))[-5:] == [
        (1, "1 Mooring", 2),
        (2, "1.1 Lines", 2),
        (1, "2 Fenders", 3),
        (1, "3 Anchors", 4),
        (1, "Index", 5),
    ]


def test_entries_in_pieces_are_put_together() -> None:
    """As programs give them that take the text in the order of the file."""
    leaders = ". . . . . . . . . . . ."
    pieces = ["Boat manual", "Contents"]
    for title, page in (("1 Mooring", 2), ("1.1 Lines", 2), ("2 Fenders", 3), ("3 Anchors", 4), ("Index", 5)):
        pieces += [title, str(page), leaders] if page % 2 else [title, leaders, str(page)]
    assert outline(build_tree(["\n".join(pieces), *PAGES[1:]]))[-5:] == outline(build_tree(PAGES))[-5:]


def test_the_text_stays_as_it_was_given() -> None:
    """Places on paper are made up for the rules alone."""
    tree = build_tree(PAGES)
    assert "\n".join(tree.lines) == "\n".join(PAGES)
    assert tree.page(2).width == 0.0


def test_the_marks_of_markdown_come_first() -> None:
    pages = ["# Guide\n\n## 1 Mooring\n\nTie up.", "## 2 Fenders\n\nHang two."]
    assert outline(build_tree(pages)) == [(1, "Guide", 1), (2, "1 Mooring", 1), (2, "2 Fenders", 2)]


def test_a_comment_in_a_program_is_no_heading_among_many_sections() -> None:
    """A line that begins with "#" is Markdown's mark of a heading, and many languages' mark of a comment."""
    pages = [CONTENTS, "\n".join([PAGES[1], "# moor the boat", "tie(bow)"]), *PAGES[2:]]
    assert outline(build_tree(pages)) == outline(build_tree(PAGES))


def test_pages_without_any_structure_stay_chunks_of_pages() -> None:
    tree = build_tree(["Some words about boats.", "More words about the sea."])
    assert tree.origin == "pages"
