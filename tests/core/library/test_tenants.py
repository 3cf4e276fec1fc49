"""One library for several tenants: the same name, path or bytes in two namespaces are two documents."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thumbindex import Library, Scope
from thumbindex.errors import DocumentNotFound, ThumbIndexError
from thumbindex.store.records import SourceKey
from thumbindex.tools import ToolError, catalogue

NORTH = b"# Pay\n\nThe northern rate is 7 marks.\n"
SOUTH = b"# Pay\n\nThe southern rate is 9 crowns.\n"


@pytest.fixture
def library() -> Library:
    """Two tenants with a document of one name, and one of no tenant."""
    library = Library()
    library.add(NORTH, name="pay.md", tenant="north", metadata={"year": 1})
    library.add(SOUTH, name="pay.md", tenant="south", metadata={"year": 2})
    library.add(b"# Pay\n\nNobody is paid.\n", name="pay.md")
    return library


def text_of(library: Library, tenant: str) -> str:
    return library.view(Scope(tenant=tenant)).read("pay.md").text


def test_the_same_name_in_two_tenants_is_two_documents(library: Library) -> None:
    """Each with its own text, metadata and revisions."""
    assert len(library) == 3
    assert "northern" in text_of(library, "north")
    assert "southern" in text_of(library, "south")
    assert "Nobody" in text_of(library, "")
    revised = library.add(b"# Pay\n\nNow 8 marks.\n", name="pay.md", tenant="north")
    assert (revised.revision, revised.tenant, revised.metadata["year"]) == (2, "north", 1)
    assert "southern" in text_of(library, "south")
    assert library.view(Scope(tenant="south")).get("pay.md").revision == 1


def test_the_same_bytes_in_two_tenants_are_two_documents(library: Library) -> None:
    """Neither takes the other's name or metadata, and no id tells that another has the file."""
    copied = library.add(NORTH, name="copy.md", tenant="south", metadata={"year": 5})
    original = library.view(Scope(tenant="north")).get("pay.md")
    assert (copied.name, copied.metadata["year"], copied.tenant) == ("copy.md", 5, "south")
    assert (original.name, original.metadata["year"]) == ("pay.md", 1)
    assert library.add(NORTH, name="other.md", tenant="south").doc_id == copied.doc_id
    same = library.add(SOUTH, name="pay.md", tenant="north-2")
    assert same.doc_id.count("-") == 1


def test_a_folder_is_kept_in_step_for_one_tenant(tmp_path: Path) -> None:
    """What another tenant added from the same folder stays."""
    (tmp_path / "a.md").write_text("# A\n\nOne.\n")
    library = Library()
    for tenant in ("north", "south"):
        assert [result.what for result in library.sync(tmp_path, tenant=tenant)] == ["added"]
    (tmp_path / "a.md").rename(tmp_path / "b.md")
    assert [result.what for result in library.sync(tmp_path, tenant="north")] == ["moved"]
    (tmp_path / "b.md").unlink()
    assert [result.what for result in library.sync(tmp_path, tenant="north")] == ["removed"]
    assert [(info.name, info.tenant) for info in library.list()] == [("a.md", "south")]


def test_scopes_of_two_tenants_have_no_document_in_common(library: Library) -> None:
    """Joined, or one inside the other."""
    north, south = Scope(tenant="north"), Scope(tenant="south")
    assert library.list(scope=north & south) == []
    assert len(library.view(north).view(south)) == 0
    assert library.view(north).list(scope=south) == []
    assert len(library.view(north).view(Scope(["pay.md"]))) == 1
    assert (north & Scope(where={"year": 1})).tenant == "north"


def test_a_view_of_a_tenant_is_pickled_with_it(tmp_path: Path) -> None:
    """As processes of a server are given it."""
    with Library(tmp_path / "library.db") as library:
        library.add(NORTH, name="pay.md", tenant="north")
        library.add(SOUTH, name="pay.md", tenant="south")
        reopened = pickle.loads(pickle.dumps(library.view(Scope(tenant="south"))))
        assert [info.tenant for info in reopened.list()] == ["south"]


@given(st.text(), st.text(), st.text(), st.text())
def test_no_two_keys_are_written_alike(tenant: str, place: str, other_tenant: str, other_place: str) -> None:
    """Whatever stands in names and tenants; each is read as it was written."""
    key, other = SourceKey("name", place, tenant), SourceKey("name", other_place, other_tenant)
    assert SourceKey.parse(str(key)) == key
    assert (str(key) == str(other)) is (key == other)


@pytest.mark.parametrize("tenant", [None, 7, b"north"])
def test_a_tenant_is_a_string(tenant: object) -> None:
    with pytest.raises(TypeError, match="tenant takes a string"):
        Library().add(NORTH, name="pay.md", tenant=tenant)  # type: ignore[arg-type]


def test_a_tenant_without_a_written_form_is_refused() -> None:
    """Two of them would be one in the database."""
    with pytest.raises(ValueError, match="no Unicode text"):
        Scope(tenant="\udc80")


# Names that are made to be taken for others


def test_a_name_that_is_the_id_of_another_document_opens_only_itself() -> None:
    """In its tenant it is found as itself; where both can be seen, a scope takes it for neither."""
    library = Library()
    victim = library.add(NORTH, name="pay.md", tenant="north")
    hostile = library.add(SOUTH, name=victim.doc_id, tenant="south")
    assert library.view(Scope([victim.doc_id], tenant="south")).list() == [hostile]
    assert library.view(Scope([victim.doc_id], tenant="north")).list() == [victim]
    assert library.get(victim.doc_id) == victim
    with pytest.raises(DocumentNotFound, match="2 documents"):
        library.view(Scope([victim.doc_id]))
    assert len(library.view(Scope([victim.doc_id]), missing_ok=True)) == 0


def test_a_name_that_is_the_source_of_another_document_does_not_take_its_place(tmp_path: Path) -> None:
    """Neither in a scope nor in a call."""
    path = tmp_path / "pay.md"
    path.write_bytes(NORTH)
    library = Library()
    victim = library.add(path, tenant="north")
    library.add(SOUTH, name=str(path), tenant="south")
    assert library.view(Scope([str(path)], tenant="north")).list() == [victim]
    for call in (lambda: library.get(str(path)), lambda: library.list(scope=Scope([str(path)]))):
        with pytest.raises(DocumentNotFound, match="2 documents"):
            call()


LIBRARY = Library()
HIDDEN = LIBRARY.add(NORTH, name="pay.md", tenant="north")
NAMES = st.sampled_from([HIDDEN.doc_id, "pay.md", HIDDEN.sha256, "north", "name@north:pay.md", "", "*"])


@given(NAMES, st.sampled_from(["south", "", "north%", "NORTH"]))
def test_no_name_of_a_tenant_leads_to_another(name: str, tenant: str) -> None:
    """Whatever it calls its documents, and whatever it asks for; in calls of a view and in the tools of agents."""
    added = LIBRARY.add(SOUTH, name=name or "document", tenant=tenant)
    assert added.tenant == tenant
    assert LIBRARY.view(Scope(tenant="north")).list() == [HIDDEN]
    view = LIBRARY.view(Scope(tenant=tenant))
    shown = [repr(view.retrieve("rate marks", k=9)), repr(view.find_all("rate"))]
    for call in (view.read, view.export, lambda name: view.list(scope=Scope([name])), view.get):
        try:
            shown.append(repr(call(name)))
        except ThumbIndexError as error:
            shown.append(str(error))
    for tool in catalogue(view):
        arguments = {"document": name, "query": "rate", "node": "pay", "pages": "1", "reference": "Note 1"}
        try:
            shown.append(tool.run(**{k: v for k, v in arguments.items() if k in tool.arguments.model_fields}).text)
        except ToolError as error:
            shown.append(str(error))
    assert not any("northern" in text for text in shown)
