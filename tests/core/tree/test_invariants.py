"""Invariants are checked on every tree that is built; a violation is our fault, and the tree is not used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from thumbindex import Library, Scope, build_tree
from thumbindex.ingest import reading
from thumbindex.pages import LineRange, Link, PageRange
from thumbindex.tree import Reference, Tree, build
from thumbindex.tree.check import check
from thumbindex.tree.invariants import violations
from thumbindex.tree.model import Merged

SOUND = build_tree(
    ["# Quay\n\nMoor here.\n\n## Dues\n\nPay there.", "# Mill\n\nSee page 1.", "# Mast\n\nHigh."], name="quay"
)


def changed(at: int, **fields: object) -> Tree:
    nodes = list(SOUND.nodes)
    nodes[at] = replace(nodes[at], **fields)
    return replace(SOUND, nodes=tuple(nodes))


def without(at: int) -> Tree:
    return replace(SOUND, nodes=(*SOUND.nodes[:at], *SOUND.nodes[at + 1 :]))


def paged(at: int, **fields: object) -> Tree:
    pages = list(SOUND.pages or ())
    pages[at] = replace(pages[at], **fields)
    return replace(SOUND, pages=tuple(pages))


BROKEN: dict[str, tuple[Callable[[], Tree], str]] = {
    "text at the end": (lambda: without(3), "2 lines of text lie in no section, from line 11 on"),
    "text in the middle": (lambda: without(2), "2 lines of text lie in no section, from line 8 on"),
    "a page at the end": (lambda: without(3), "the sections end with page 2 of 3"),
    "a page in the middle": (lambda: without(2), "pages 2 to 2 lie in no section"),
    "a page with another number": (lambda: paged(1, number=7), "page 2 has the number 7"),
    "a page with lines of another": (lambda: paged(1, lines=LineRange(7, 10)), "page 2 begins with line 7"),
    "pages beyond the text": (lambda: replace(SOUND, lines=SOUND.lines[:-1], nodes=()), "the pages end with line 13"),
    "a section without pages": (lambda: changed(0, pages=None), "section 'Quay' has no pages"),
    "a section outside its parent's pages": (lambda: changed(1, pages=PageRange(1, 2)), "lies in one on pages 1"),
    "pages that go back": (
        lambda: changed(1, pages=PageRange(3, 3)),
        "a section of pages 3 comes before a section of pages 2",
    ),
    "text before its heading": (lambda: changed(2, body=1), "begins on line 1, before its heading"),
    "a merged section from elsewhere": (
        lambda: changed(1, merged=(Merged("a", "Oar", LineRange(1, 2)),)),
        "whose lines 1-2 lie outside",
    ),
    "a reference from elsewhere": (lambda: changed(2, references=(Reference("x", 1),)), "stands on line 1"),
    "a reference to nothing": (lambda: changed(2, references=(Reference("x", 8, "gone"),)), "leads to 'gone'"),
    "a reference to no page": (lambda: changed(2, references=(Reference("x", 8, page=9),)), "leads to page 9 of 3"),
    "a link to no line": (lambda: replace(SOUND, links=(Link(1, 0, 1, 99, 1),)), "to line 99, and there are 13"),
    "a link to no page": (lambda: replace(SOUND, links=(Link(1, 0, 1, 1, 9),)), "a link leads to page 9 of 3"),
    "a place on no line": (lambda: replace(SOUND, anchors={"dues": 99}), "the place 'dues' is on line 99"),
    "a header on no line": (
        lambda: replace(SOUND, headers_footers=frozenset({0, 99})),
        "line 99 counts as header or footer",
    ),
}


@pytest.mark.parametrize(("make", "told"), BROKEN.values(), ids=BROKEN)
def test_a_violation_is_reported(make: Callable[[], Tree], told: str) -> None:
    """In a sentence that says where."""
    assert any(told in broken for broken in violations(make()))


def test_a_sound_tree_breaks_none() -> None:
    """With the sections, pages and references of the examples above."""
    assert [node.title for node in SOUND.nodes] == ["Quay", "Dues", "Mill", "Mast"]
    assert list(violations(SOUND)) == []


def test_furniture_and_blank_lines_need_no_section() -> None:
    """They are no text."""
    tree = without(3)
    assert not [
        broken
        for broken in violations(replace(tree, pages=None, headers_footers=frozenset({11, 13})))
        if "no section" in broken
    ]


def test_a_tree_that_leaves_text_out_is_replaced_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """By one whose sections are chunks of pages: all text is there, can be searched, and `check` says whose fault it is."""

    def forgets(document, outline, **options):
        tree = build(document, outline, **options)
        return replace(tree, nodes=tree.nodes[:-1]) if outline.origin == "markup" else tree

    monkeypatch.setattr(reading, "build", forgets)
    tree = build_tree(["# Quay\n\nMoor here.", "# Mast\n\nHigh."], name="quay")
    assert list(violations(tree)) == []
    assert check(tree).findings[0].kind == "fault"
    assert "2 lines of text lie in no section, from line 4 on" in check(tree).findings[0].text
    with Library() as library:
        info = library.import_tree(tree)
        assert "High." in library.retrieve("Which is high?", scope=Scope(documents=[info.doc_id])).evidence[0].text
