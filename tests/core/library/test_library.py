"""The library as its user sees it: identity of documents, lookups, reading, and what errors leave behind."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest

from thumbindex import AsyncLibrary, Library, Scope, build_tree
from thumbindex.errors import (
    DocumentNotFound,
    EmptySource,
    InvalidPageSpec,
    PageOutOfRange,
    SectionNotFound,
    SourceIsDirectory,
    SourceNotFound,
)
from thumbindex.testing import MANUAL, sample_library

MILL = b"# Mill\n\nThe miller grinds corn.\n"
REBUILT = b"# Mill\n\nThe miller grinds corn and barley.\n"


def test_the_same_bytes_are_the_same_document(tmp_path: Path) -> None:
    """Under another name, from a path or an open file: nothing is read again and the first record comes back."""
    library = Library()
    first = library.add(MILL, name="mill.md")
    path = tmp_path / "copy.md"
    path.write_bytes(MILL)
    assert library.add(MILL, name="other.md") == library.add(path) == library.add(io.BytesIO(MILL)) == first
    assert library.list() == [first]


def test_a_changed_file_is_a_new_revision_under_the_same_id(tmp_path: Path) -> None:
    """The path says that it is the same document; the old text is gone."""
    path = tmp_path / "mill.md"
    path.write_bytes(MILL)
    library = Library()
    first = library.add(path)
    path.write_bytes(REBUILT)
    second = library.add(path)
    assert (second.doc_id, first.revision, second.revision) == (first.doc_id, 1, 2)
    assert library.retrieve("barley").evidence
    assert [info.revision for info in library.list()] == [2]


def test_bytes_are_told_apart_by_their_name() -> None:
    """The same name with other bytes is a revision; another name is another document."""
    library = Library()
    first = library.add(MILL, name="mill.md")
    assert library.add(REBUILT, name="mill.md").doc_id == first.doc_id
    assert library.add(b"# Mill\n\nIt burned down.\n", name="old-mill.md").doc_id != first.doc_id


def test_bytes_that_a_revision_left_behind_are_a_document_again() -> None:
    """Their id is taken by the revised document, so they get another one."""
    library = Library()
    first = library.add(MILL, name="mill.md")
    library.add(REBUILT, name="mill.md")
    other = library.add(MILL, name="the-mill-of-old.md")
    again = library.add(MILL, name="mill.md")
    assert other == again
    assert {info.doc_id for info in library.list()} == {first.doc_id, other.doc_id}


def test_ids_are_made_of_the_name_and_the_contents() -> None:
    """ASCII, and the same in every library."""
    ids = [Library().add(MILL, name="Mühle, Teil 2.md").doc_id for _ in range(2)]
    assert ids[0] == ids[1]
    assert ids[0].startswith("muhle-teil-2-")


def test_metadata_given_are_stronger_than_those_of_the_file() -> None:
    """What the file says of itself stays where nothing else is given."""
    info = Library().add(MANUAL.encode(), name="lantern.md", metadata={"year": 2025, "tags": ["light", "oil"]})
    assert dict(info.metadata) == {"title": "Lantern manual", "year": 2025, "tags": ["light", "oil"]}


def test_metadata_of_a_known_document_change_only_for_its_own_source() -> None:
    """Someone else who adds the same bytes must not move a document into another filter."""
    library = Library()
    library.add(MILL, name="mill.md", metadata={"owner": "anna"})
    assert library.add(MILL, name="stolen.md", metadata={"owner": "ben"}).metadata == {"owner": "anna"}
    assert library.add(MILL, name="mill.md", metadata={"owner": "carl"}).metadata == {"owner": "carl"}
    assert library.retrieve("corn", scope=Scope(where={"owner": "carl"})).evidence
    assert not library.retrieve("corn", scope=Scope(where={"owner": "anna"})).evidence


def test_a_document_is_found_by_id_name_or_source(tmp_path: Path) -> None:
    """`in` and `get` agree."""
    path = tmp_path / "mill.md"
    path.write_bytes(MILL)
    library = Library()
    info = library.add(path)
    for key in (info.doc_id, "mill.md", str(path)):
        assert key in library
        assert library.get(key) == info
    assert "ship.md" not in library


def test_a_name_of_two_documents_is_answered_with_their_ids(tmp_path: Path) -> None:
    """The caller chooses one of them."""
    library = Library()
    ids = []
    for folder, text in (("a", MILL), ("b", REBUILT)):
        path = tmp_path / folder / "mill.md"
        path.parent.mkdir()
        path.write_bytes(text)
        ids.append(library.add(path).doc_id)
    with pytest.raises(DocumentNotFound) as error:
        library.get("mill.md")
    assert all(doc_id in str(error.value) for doc_id in ids)


def test_an_unknown_document_is_answered_with_those_there_are() -> None:
    """An empty library says that it is empty."""
    with pytest.raises(DocumentNotFound, match=r"'ship\.md'.*lantern\.md"):
        sample_library().get("ship.md")
    with pytest.raises(DocumentNotFound, match="empty"):
        Library().get("ship.md")


def test_a_removed_document_is_gone() -> None:
    """From lists and from searches; it can be added again."""
    library = sample_library()
    library.remove("harbour.md")
    assert [info.name for info in library.list()] == ["lantern.md"]
    assert not any(e.document == "harbour.md" for e in library.retrieve("ships in the harbour", k=9).evidence)
    with pytest.raises(DocumentNotFound):
        library.remove("harbour.md")


@pytest.mark.parametrize(
    ("source", "error"),
    [("missing.md", SourceNotFound), (".", SourceIsDirectory), (b"  \n", EmptySource)],
)
def test_a_source_that_cannot_be_read_leaves_the_library_as_it_was(source: str | bytes, error: type[Exception]) -> None:
    """The reader's own error, and no trace of the document."""
    library = sample_library()
    before = library.list()
    with pytest.raises(error):
        library.add(source, name="bad.md" if isinstance(source, bytes) else None)
    assert library.list() == before


def test_a_tree_built_elsewhere_can_be_added() -> None:
    """Pages of a parser of the user's own, for example."""
    library = Library()
    tree = build_tree(["# One\n\nfirst page", "## Two\n\nsecond page"], name="parsed")
    info = library.import_tree(tree, source="parsed.pdf")
    assert (info.kind, info.page_count, info.name, info.source) == ("pages", 2, "parsed", "parsed.pdf")
    assert library.import_tree(tree, source="parsed.pdf") == info
    assert library.tree("parsed").lines == tree.lines


def test_reading_a_section_gives_its_subsections_too() -> None:
    """A part of a long section is read alone."""
    library = sample_library()
    tree = library.tree("lantern.md")
    care = next(node for node in tree.walk() if node.title == "4 Care")
    reading = library.read("lantern.md", node=care.id)
    assert reading.section_path == "Lantern manual › 4 Care"
    assert "Wash the glass" in reading.text
    assert "Trim the wick" in reading.text
    assert reading.citation == "[lantern.md, § 4 Care]"
    with pytest.raises(SectionNotFound, match="outline or a search"):
        library.read("lantern.md", node="nonsense")


def test_reading_pages_takes_a_page_list() -> None:
    """Each page once, in order; the citation says which."""
    library = Library()
    library.import_tree(build_tree([f"page number {n}" for n in range(1, 10)], name="pages"), source="pages")
    reading = library.read("pages", pages="7, 2-3")
    assert reading.text == "page number 2\n\npage number 3\n\npage number 7"
    assert reading.citation == "[pages, p. 2-3, 7]"
    with pytest.raises(PageOutOfRange):
        library.read("pages", pages="10")
    with pytest.raises(InvalidPageSpec):
        library.read("pages", pages="two")


def test_every_evidence_can_be_read_by_its_id() -> None:
    """Text and place agree with what the search returned."""
    library = sample_library()
    for evidence in library.retrieve("wick oil ships dues", k=20).evidence:
        reading = library.read(evidence.doc_id, node=evidence.node_id)
        assert evidence.text in reading.text


def test_find_all_gives_every_line_in_reading_order() -> None:
    """Case and white space make no difference; a mention over a line's end counts once."""
    library = Library()
    library.add(b"# A\n\nThe term\nloan and the Term  Loan.\n\n## B\n\nno TERM LOAN here\n", name="a.md")
    found = library.find_all("term loan")
    assert [(one.section_path, one.line) for one in found] == [("A", 3), ("A", 4), ("A › B", 8)]
    assert library.find_all("   ") == []


def test_follow_leads_to_the_section_that_is_named() -> None:
    """By the text of the reference."""
    library = sample_library()
    target = library.follow("lantern.md", "see Section 4.2").target
    assert target is not None
    assert library.tree("lantern.md").node(target).title == "4.2 Wick"
    with pytest.raises(SectionNotFound, match="Appendix G"):
        library.follow("lantern.md", "Chapter 99")


async def test_every_twin_does_the_same() -> None:
    """Async code gets the same values."""
    library = Library()
    info = await AsyncLibrary(library).add(MILL, name="mill.md")
    assert await AsyncLibrary(library).list() == library.list() == [info]
    assert await AsyncLibrary(library).get("mill.md") == info
    assert await AsyncLibrary(library).tree("mill.md") == library.tree("mill.md")
    assert await AsyncLibrary(library).read("mill.md") == library.read("mill.md")
    assert await AsyncLibrary(library).find_all("corn") == library.find_all("corn")
    both = await asyncio.gather(AsyncLibrary(library).retrieve("corn"), AsyncLibrary(library).retrieve("corn"))
    assert both[0].evidence == both[1].evidence == library.retrieve("corn").evidence
    await AsyncLibrary(library).remove("mill.md")
    assert library.list() == []


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"year": {"min": 2020}}, ["b.md", "c.md"]),
        ({"year": {"min": 2019, "max": 2020}}, ["a.md", "b.md"]),
        ({"day": {"max": "2020-06-30"}}, ["a.md", "b.md"]),
        ({"year": {"min": "2020"}}, []),
        ({"year": {"min": 2020}, "kind": "mill"}, ["b.md"]),
        ({"unknown": {"min": 0}}, []),
    ],
)
def test_filters_take_ranges_too(filters: dict[str, object], names: list[str]) -> None:
    """Of numbers, or of texts such as dates; a number is no text."""
    library = Library()
    for name, year, day, kind in (
        ("a", 2019, "2019-12-31", "mill"),
        ("b", 2020, "2020-06-30", "mill"),
        ("c", 2021, "2021-01-01", "ship"),
    ):
        library.add(
            f"# {name}\n\ncorn\n".encode(), name=f"{name}.md", metadata={"year": year, "day": day, "kind": kind}
        )
    assert sorted(one.document for one in library.retrieve("corn", k=9, scope=Scope(where=filters)).evidence) == names
    with pytest.raises(ValueError, match="range"):
        library.retrieve("corn", scope=Scope(where={"year": {"above": 1}}))
