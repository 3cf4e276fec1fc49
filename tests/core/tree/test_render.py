"""The outline as text: whole where it fits, and never without saying what was left out."""

from __future__ import annotations

import pytest

from thumbindex import build_tree
from thumbindex.text.tokens import estimate_tokens

MARKDOWN = "# Wheat\n\n## Sowing\n\n### In spring\n\n### In autumn\n\n## Reaping\n\n# Rye\n\nText.\n"


@pytest.fixture(scope="module")
def tree():
    return build_tree(MARKDOWN.encode(), name="corn.md")


def test_one_line_a_section(tree):
    """A line about the document, then titles indented by depth, with their place."""
    assert tree.render() == (
        "corn.md · 13 lines · 6 sections · from the markup\n"
        "Wheat  lines 1-10\n"
        "  Sowing  lines 3-8\n"
        "    In spring  lines 5-6\n"
        "    In autumn  lines 7-8\n"
        "  Reaping  lines 9-10\n"
        "Rye  lines 11-13"
    )


def test_pages_are_shown_where_there_are_any():
    """One page, or the first and the last."""
    tree = build_tree(["# Wheat\na", "b", "# Rye\nc"], name="corn")
    assert tree.render().splitlines()[1:] == ["Wheat  p. 1-2", "Rye  p. 3"]


def test_explained_it_says_where_each_section_comes_from():
    """Origin, confidence, notes, and the rule of each heading."""
    shown = build_tree(["one page", "another"], name="plain").render(explain=True).splitlines()
    assert shown[0] == "plain · 2 pages · 1 section · no headings found: fixed-size chunks of pages · confidence 0.10"
    assert shown[1].startswith("note: No headings found")
    assert shown[2] == "Pages 1-2  p. 1-2  [chunk 0.10]"


def test_over_its_budget_the_deepest_levels_go_first_and_are_counted(tree):
    """The reader sees under which section something was left out."""
    whole = estimate_tokens(tree.render())
    assert tree.render(whole) == tree.render()
    assert tree.render(whole - 1).splitlines()[1:] == [
        "Wheat  lines 1-10",
        "  Sowing  lines 3-8  (+2 below)",
        "  Reaping  lines 9-10",
        "Rye  lines 11-13",
    ]


def test_a_depth_cuts_the_outline_and_counts_what_lies_below(tree):
    """Levels deeper than asked for are counted under the section that holds them."""
    assert tree.render(depth=1).splitlines()[1:] == ["Wheat  lines 1-10  (+4 below)", "Rye  lines 11-13"]
    assert tree.render(depth=9) == tree.render()


def test_a_top_level_over_the_budget_is_cut_with_a_count():
    """And stays within the budget."""
    tree = build_tree("\n".join(f"# Field {n}" for n in range(500)).encode(), name="fields.md")
    shown = tree.render(200)
    head, *titles, rest = shown.splitlines()
    assert head.startswith("fields.md")
    assert rest == f"(+{500 - len(titles)} more sections)"
    assert 10 < len(titles) < 60
    assert estimate_tokens(shown) <= 200


@pytest.mark.parametrize("budget", [0, 1, 10, 30, 50, 100, 1000])
def test_any_budget_gives_a_text(tree, budget):
    """At least what the document is, and how much of it is not shown."""
    shown = tree.render(budget)
    assert shown.startswith("corn.md")
    assert "Rye" in shown or "more sections" in shown
