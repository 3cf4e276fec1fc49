"""A changed document: its sections are recognised by their text, and what was said of them stays with them."""

from __future__ import annotations

import pytest

from thumbindex import Library
from thumbindex.errors import SectionNotFound, SectionRevised
from thumbindex.tools import ToolError, catalogue

BOOK = """\
# Mill

## Wheel

The wheel turns by water.

## Stones

Two stones grind the corn.

### Dressing

Stones are dressed each month.

# House

## Roof

The roof is thatch.
"""


def ids(library: Library) -> dict[str, str]:
    return {node.title: node.id for node in library.tree("book.md").nodes}


def revise(library: Library, text: str) -> None:
    library.add(text.encode(), name="book.md")


@pytest.fixture
def library() -> Library:
    library = Library()
    revise(library, BOOK)
    return library


def test_sections_with_the_same_text_keep_their_ids_and_are_counted(library: Library) -> None:
    """One paragraph is changed: its section and the one above are not as before, the other four are."""
    before = ids(library)
    revise(library, BOOK.replace("by water", "by wind"))
    assert ids(library) == before
    info = library.get("book.md")
    assert (info.revision, info.section_count, info.reused_sections) == (2, 6, 4)


def test_a_section_that_moved_under_another_title_is_the_same_section(library: Library) -> None:
    """The text says so, not the title path; its subsection comes along."""
    before = ids(library)
    stones = BOOK[BOOK.index("## Stones") : BOOK.index("# House")]
    revise(library, "# Preface\n\nNew.\n\n" + BOOK.replace(stones, "") + "\n" + stones)
    after = ids(library)
    assert {title: after[title] for title in ("Stones", "Dressing", "Wheel", "Roof")} == {
        title: before[title] for title in ("Stones", "Dressing", "Wheel", "Roof")
    }
    tree = library.tree("book.md")
    assert tree.path(tree.node(before["Stones"])) == "House › Stones"


def test_line_ends_and_broken_words_are_no_change(library: Library) -> None:
    """The text is the letters and not how they are set."""
    revise(library, BOOK.replace("Two stones grind the corn.", "Two\nstones   grind the\ncorn."))
    assert library.get("book.md").reused_sections == 6


def test_of_sections_with_equal_texts_each_keeps_its_own_id() -> None:
    """ "None." stands under many headings."""
    library = Library()
    text = "".join(f"# Part {n}\n\n## Claims\n\nNone.\n\n" for n in (1, 2, 3))
    revise(library, text)
    before = [node.id for node in library.tree("book.md").nodes]
    revise(library, text + "# Part 4\n\n## Claims\n\nNone.\n")
    assert [node.id for node in library.tree("book.md").nodes][:6] == before


def test_an_id_is_never_given_to_two_sections(library: Library) -> None:
    """ "Mill › Wheel" moves away, and another section takes its title path."""
    before = ids(library)
    wheel = "## Wheel\n\nThe wheel turns by water.\n\n"
    text = BOOK.replace(wheel, "## Wheel\n\nThere is none any more.\n\n") + "\n" + wheel
    revise(library, text)
    tree = library.tree("book.md")
    assert tree.path(tree.node(before["Wheel"])) == "House › Wheel"
    assert len({node.id for node in tree.nodes}) == len(tree.nodes) == 7


def test_a_stale_id_is_answered_with_the_nearest_section(library: Library) -> None:
    """Over several revisions, from the library and from the tools."""
    before = ids(library)
    revise(library, BOOK.replace("### Dressing\n\nStones are dressed each month.\n\n", ""))
    with pytest.raises(SectionRevised, match=r"revised.*nearest section is") as error:
        library.read("book.md", node=before["Dressing"])
    assert error.value.nearest == before["Stones"]
    revise(library, "# Mill\n\n## Wheel\n\nThe wheel turns by water.\n")
    with pytest.raises(SectionRevised) as error:
        library.read("book.md", node=f"{before['Dressing']}.2")
    assert error.value.nearest == before["Mill"]
    tools = {tool.name: tool for tool in catalogue(library)}
    with pytest.raises(ToolError, match=f"nearest section is '{before['Mill']}'"):
        tools["read_section"].run(document="book.md", node=before["Stones"])
    with pytest.raises(SectionNotFound, match="outline or a search"):
        library.read("book.md", node="never-there")


def test_a_section_that_comes_back_is_read_again(library: Library) -> None:
    """Its id is not stale any more."""
    before = ids(library)
    revise(library, BOOK.replace("## Roof\n\nThe roof is thatch.\n", "More to come.\n"))
    assert before["Roof"] not in ids(library).values()
    revise(library, BOOK)
    assert "thatch" in library.read("book.md", node=before["Roof"]).text


def test_summaries_stay_with_the_text_they_describe(library: Library) -> None:
    """A summary of changed text would be wrong; all others cost nothing again."""
    before = ids(library)
    library.summarize("book.md", summaries={before[title]: f"On {title}." for title in ("Wheel", "Dressing", "Roof")})
    revise(library, BOOK.replace("by water", "by wind").replace("# House", "# Cottage"))
    tree = library.tree("book.md")
    assert {node.title: node.summary for node in tree.nodes if node.summary} == {
        "Dressing": "On Dressing.",
        "Roof": "On Roof.",
    }
    with pytest.raises(SectionNotFound):
        library.summarize("book.md", summaries={"nonsense": "?"})


def test_metadata_that_were_given_stay_over_revisions() -> None:
    """What the file says of itself is read anew."""
    library = Library()
    library.add(b"---\ntitle: Old\n---\n# A\n\na\n", name="book.md", metadata={"owner": "anna"})
    info = library.add(b"---\ntitle: New\n---\n# A\n\na\n", name="book.md", metadata={"year": 2024})
    assert dict(info.metadata) == {"title": "New", "owner": "anna", "year": 2024}
