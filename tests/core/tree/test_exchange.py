"""A tree as JSON: what goes out comes back equal, and nothing else comes in."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest

from thumbindex import build_tree
from thumbindex.errors import InvalidTree
from thumbindex.pages import Link
from thumbindex.tree import from_json, to_json
from thumbindex.tree.exchange import unpack

VERSION_1 = Path(__file__).parent / "version-1" / "loans.json"
"""A tree as the code wrote it before its fields were renamed."""


@pytest.fixture(scope="module")
def tree():
    text = "---\ntitle: Korn\ntags: [a, b]\n---\n# Weizen\n\nText – und „mehr“\n\n## 小麦\n"
    return build_tree(text.encode(), name="korn.md")


def test_a_tree_comes_back_equal(tree):
    """With its text, its headers and footers and its metadata."""
    assert from_json(to_json(tree)) == tree
    assert from_json(to_json(tree).encode()) == tree


def test_the_json_is_plain_and_says_what_it_is(tree):
    """A flat list of sections: deep nesting breaks JSON parsers."""
    file = json.loads(to_json(tree))
    assert (file["format"], file["version"]) == ("thumbindex-tree", 2)
    assert [node["title"] for node in file["tree"]["nodes"]] == ["Weizen", "小麦"]


@pytest.mark.parametrize("read", [from_json, lambda text: unpack(zlib.compress(text.encode()))], ids=["JSON", "stored"])
def test_a_tree_of_version_1_opens_with_all_that_it_holds(read):
    """Headers, footers and links had other names then; library files still hold such trees."""
    tree = read(VERSION_1.read_text(encoding="utf-8"))
    assert tree.headers_footers == {1, 5}
    assert tree.links == (Link(4, 0, 14, target_line=6, target_page=2),)
    assert [(reference.text, reference.target) for reference in tree.references] == [
        ("Section 2", tree.nodes[1].id),
        ("See the rates.", tree.nodes[1].id),
    ]
    assert from_json(to_json(tree)) == tree


def changed(whole, **changes):
    file = json.loads(to_json(whole))
    return json.dumps(file | changes)


def changed_node(tree, **changes):
    file = json.loads(to_json(tree))
    file["tree"]["nodes"][1] |= changes
    return json.dumps(file)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(lambda tree: "", "not JSON", id="nothing"),
        pytest.param(lambda tree: to_json(tree)[:-20], "not JSON", id="a file cut short"),
        pytest.param(lambda tree: "[" * 100_000, "not JSON", id="brackets without end"),
        pytest.param(lambda tree: "[]", "its format is not", id="other JSON"),
        pytest.param(lambda tree: "null", "its format is not", id="null"),
        pytest.param(lambda tree: '{"nodes": []}', "its format is not", id="a tree of another program"),
        pytest.param(lambda tree: changed(tree, version=3), "its version is 3", id="a later version"),
        pytest.param(lambda tree: changed(tree, tree=None), "tree", id="no tree in it"),
        pytest.param(lambda tree: changed(tree, tree={}), "Field required", id="a tree without sections"),
        pytest.param(lambda tree: changed_node(tree, level="deep"), "nodes.1.level", id="a level that is no number"),
        pytest.param(lambda tree: changed_node(tree, level=0), "level 0", id="a level out of range"),
        pytest.param(
            lambda tree: changed_node(tree, span={"first": 9, "last": 99}), "outside lines", id="a span past the end"
        ),
        pytest.param(lambda tree: changed_node(tree, span={"first": 9, "last": 1}), "LineRange", id="a span backwards"),
    ],
)
def test_anything_else_is_refused_with_its_reason(tree, text, why):
    """The message says what to do."""
    with pytest.raises(InvalidTree, match=f"not a tree in the format.*{why}.*Build the tree again"):
        from_json(text(tree))
