"""Thin sections become one, and nothing of them is lost."""

from __future__ import annotations

from thumbindex import Library, build_tree
from thumbindex.tree.balance import balance
from thumbindex.tree.exchange import from_json, to_json
from thumbindex.tree.references import with_references

LONG = "It is a long story that is told in many words. " * 20
GLOSSARY = f"# Terms\n\n## Axle\n\nA beam.\n\n## Bin\n\nA box.\n\n## Cog\n\nA tooth.\n\n## Mill\n\n{LONG}\n\n## Oar\n\nA blade.\n"


def test_thin_neighbours_are_merged_and_a_full_one_keeps_them_apart() -> None:
    """Their text is one section's now."""
    tree = balance(build_tree(GLOSSARY.encode(), name="t.md"))
    assert [node.title for node in tree.nodes] == ["Terms", "Axle; Bin; Cog", "Mill", "Oar"]
    assert tree.section_text(tree.nodes[1]) == "## Axle\n\nA beam.\n\n## Bin\n\nA box.\n\n## Cog\n\nA tooth.\n"[:-1]


def test_what_was_merged_stays_addressable() -> None:
    """Titles, spans and ids; also in JSON, and in a library."""
    whole = build_tree(GLOSSARY.encode(), name="t.md")
    tree = balance(whole)
    assert from_json(to_json(tree)) == tree
    cog = next(node for node in whole.nodes if node.title == "Cog")
    kept = tree.merged(cog.id)
    assert kept is not None
    assert (kept.title, kept.span, kept.pages) == (cog.title, cog.span, cog.pages)
    library = Library()
    library.import_tree(tree)
    assert library.read("t.md", node=cog.id).text == "## Cog\n\nA tooth.\n"[:-1]
    assert "Cog" in library.retrieve("Which tooth?").evidence[0].title


def test_sections_that_references_name_are_left_alone() -> None:
    """A number in the title would be lost."""
    text = "# A\n\n" + "".join(f"## {n}. Rule\n\nShort, see Section 2.\n\n" for n in (1, 2, 3))
    tree = build_tree(text.encode(), name="t.md")
    assert balance(tree) == tree


def test_pages_are_not_run_together() -> None:
    """A section that begins on another page begins a new run."""
    tree = balance(build_tree(["# T\n\n## A\n\nx\n\n## B\n\ny", "## C\n\nz\n\n## D\n\nw"], name="p"))
    assert [(node.title, str(node.pages)) for node in tree.nodes] == [("T", "1-2"), ("A; B", "1"), ("C; D", "2")]


def test_parents_and_their_order_stay() -> None:
    """Only leaves are merged."""
    text = "# A\n\n## X\n\nx\n\n### Y\n\ny\n\n## Z\n\nz\n\n## W\n\nw\n"
    assert [(node.level, node.title) for node in balance(build_tree(text.encode(), name="t.md")).nodes] == [
        (1, "A"),
        (2, "X"),
        (3, "Y"),
        (2, "Z; W"),
    ]


def test_references_follow_their_sections() -> None:
    """A link to a section that was merged leads to the one that holds it; one inside the merged section is none."""
    page = (
        '<h1>A</h1><p>See <a href="#rope">the rope</a>.</p><h2 id="mast">Mast</h2><p>x</p>'
        '<h2 id="rope">Rope</h2><p>Under <a href="#mast">the mast</a>.</p><h1>B</h1>'
    )
    linked = with_references(build_tree(page.encode(), name="t.html", isolation="none"))
    assert [one.target for one in linked.references] == [linked.nodes[2].id, linked.nodes[1].id]
    merged = balance(linked)
    assert [node.title for node in merged.nodes] == ["A", "Mast; Rope", "B"]
    assert [(node.title, one.target) for node in merged.nodes for one in node.references] == [("A", merged.nodes[1].id)]
