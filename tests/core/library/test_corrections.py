"""A person's corrections of a tree, and that they last."""

from __future__ import annotations

import pytest

from thumbindex import Library, Tree
from thumbindex.errors import SectionNotFound, SectionRevised
from thumbindex.tree.corrections import Correction, Drop, Move, Relevel, Rename

TEXT = """\
# Mill

It grinds.

## Wheel

It turns.
Speed is even.

### Axle

Oak.

## Important:

Not a heading.

# House

A roof.
"""


def outline(tree: Tree) -> list[tuple[str, int, int, int]]:
    return [(node.title, node.level, node.span.first, node.span.last) for node in tree.nodes]


@pytest.fixture
def library() -> Library:
    library = Library()
    library.add(TEXT.encode(), name="mill.md")
    return library


def id_of(library: Library, title: str) -> str:
    return next(node.id for node in library.tree("mill.md").nodes if node.title == title)


@pytest.mark.parametrize(
    ("title", "make", "expected"),
    [
        pytest.param(
            "Wheel",
            lambda one: Rename(one, "The water wheel"),
            [
                ("Mill", 1, 1, 17),
                ("The water wheel", 2, 5, 13),
                ("Axle", 3, 10, 13),
                ("Important:", 2, 14, 17),
                ("House", 1, 18, 20),
            ],
            id="rename",
        ),
        pytest.param(
            "Wheel",
            lambda one: Relevel(one, 1),
            [
                ("Mill", 1, 1, 4),
                ("Wheel", 1, 5, 17),
                ("Axle", 2, 10, 13),
                ("Important:", 2, 14, 17),
                ("House", 1, 18, 20),
            ],
            id="relevel, with what is below",
        ),
        pytest.param(
            "Axle",
            lambda one: Move(one, 8),
            [
                ("Mill", 1, 1, 17),
                ("Wheel", 2, 5, 13),
                ("Axle", 3, 8, 13),
                ("Important:", 2, 14, 17),
                ("House", 1, 18, 20),
            ],
            id="move",
        ),
        pytest.param(
            "Important:",
            Drop,
            [("Mill", 1, 1, 17), ("Wheel", 2, 5, 17), ("Axle", 3, 10, 17), ("House", 1, 18, 20)],
            id="drop",
        ),
    ],
)
def test_a_correction_is_made_and_lasts(
    library: Library, title: str, make: type[Correction], expected: list[tuple[str, int, int, int]]
) -> None:
    """At once, over reading the same bytes again, and in a revision of the file whose lines moved."""
    ids = {node.id for node in library.tree("mill.md").nodes}
    info = library.correct("mill.md", make(id_of(library, title)))
    assert info.revision == 2
    assert outline(library.tree("mill.md")) == expected
    assert {node.id for node in library.tree("mill.md").nodes} <= ids
    assert library.add(TEXT.encode(), name="mill.md").revision == 2
    longer = TEXT.replace("It grinds.", "It grinds.\nAll day.")
    library.add(longer.encode(), name="mill.md")
    moved = [(title, level, first + (first > 1), last + 1) for title, level, first, last in expected]
    assert outline(library.tree("mill.md")) == moved
    assert library.add((longer + "\nMore.\n").encode(), name="mill.md").revision == 4
    assert [node.title for node in library.tree("mill.md").nodes] == [title for title, *_ in expected]


def test_search_and_paths_use_the_corrected_tree(library: Library) -> None:
    """What was said of sections stays with them."""
    wheel = id_of(library, "Wheel")
    library.summarize("mill.md", summaries={wheel: "On turning."})
    library.correct("mill.md", Rename(wheel, "Turbine"))
    assert library.retrieve("Which turbine turns?").evidence[0].section_path == "Mill › Turbine"
    assert library.tree("mill.md").node(wheel).summary == "On turning."


def test_a_dropped_heading_is_answered_with_the_section_that_has_its_text(library: Library) -> None:
    """Its id is stale."""
    gone = id_of(library, "Important:")
    library.correct("mill.md", Drop(gone))
    with pytest.raises(SectionRevised) as error:
        library.read("mill.md", node=gone)
    assert error.value.nearest in library.tree("mill.md")


def test_what_cannot_be_corrected_changes_nothing(library: Library) -> None:
    """A section that is not there, or a place behind another heading."""
    before = library.list()
    with pytest.raises(SectionNotFound):
        library.correct("mill.md", Drop("nonsense"))
    with pytest.raises(ValueError, match="past another one"):
        library.correct("mill.md", Move(id_of(library, "Axle"), 19))
    assert library.list() == before


def test_metadata_stay_over_a_correction() -> None:
    """Those of the file and those that were given."""
    library = Library()
    library.add(b"---\ntitle: Mills\n---\n" + TEXT.encode(), name="mill.md", metadata={"year": 1850})
    before = library.get("mill.md").metadata
    after = library.correct("mill.md", Drop(id_of(library, "Important:"))).metadata
    assert dict(after) == dict(before) == {"title": "Mills", "year": 1850}
