"""A view of some documents: whatever a call asks for, it sees nothing outside the view."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thumbindex import Library, Scope
from thumbindex.errors import DocumentNotFound, LibraryError
from thumbindex.library_view import LibraryView


@pytest.fixture(scope="module")
def library() -> Library:
    library = Library()
    for tenant, year in (("north", 2023), ("north", 2024), ("south", 2024)):
        text = f"# Rates\n\nThe rate is set by {tenant} in {year}.\n"
        library.add(text.encode(), name=f"{tenant}-{year}.md", metadata={"tenant": tenant, "year": year})
    library.add(b"# Rates\n\nThe rate that all share.\n", name="both.md", metadata={"tenant": ["north", "south"]})
    return library


NORTH = Scope(where={"tenant": "north"})
NORTHERN = {"north-2023.md", "north-2024.md", "both.md"}


def names(view: LibraryView, scope: Scope | None = None) -> set[str]:
    return {info.name for info in view.list(scope=scope)}


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        pytest.param(Scope(), None, NORTHERN | {"south-2024.md"}, id="everything"),
        pytest.param(Scope(), Scope(where={"tenant": "south"}), {"south-2024.md", "both.md"}, id="the call's alone"),
        pytest.param(NORTH, None, NORTHERN, id="the view's alone"),
        pytest.param(NORTH, Scope(where={"year": 2024}), {"north-2024.md"}, id="another key"),
        pytest.param(NORTH, Scope(where={"tenant": "south"}), {"both.md"}, id="the same key"),
        pytest.param(
            Scope(where={"year": {"min": 2024}}),
            Scope(where={"year": {"max": 2023}}),
            set(),
            id="two ranges that do not meet",
        ),
        pytest.param(Scope(["north-2023.md", "both.md"]), Scope(["both.md"]), {"both.md"}, id="a document inside"),
        pytest.param(NORTH, Scope(["both.md"], {"tenant": "south"}), {"both.md"}, id="names and a condition"),
        pytest.param(Scope(), Scope([]), set(), id="no document at all"),
    ],
)
def test_a_scope_narrows_a_view(library: Library, outer: Scope, inner: Scope | None, expected: set[str]) -> None:
    """For one call and as a view inside the view alike."""
    view = library.view(outer)
    assert names(view, inner) == expected
    assert names(view.view(inner or Scope())) == expected


@pytest.mark.parametrize("outer", [Scope(["north-2023.md"]), NORTH])
def test_a_document_outside_does_not_exist(library: Library, outer: Scope) -> None:
    """Not even its name shows in the error."""
    view = library.view(outer)
    for unknown in ("south-2024.md", "no-such.md"):
        for call in (view.get, view.tree, view.read, view.check, lambda name: names(view, Scope([name]))):
            with pytest.raises(DocumentNotFound) as error:
                call(unknown)
            assert "south" not in str(error.value).replace(unknown, "")
    assert {found.document for found in view.retrieve("rate", k=9).evidence} <= NORTHERN
    assert {mention.document for mention in view.find_all("rate")} <= NORTHERN


def test_views_inside_views_keep_every_condition(library: Library) -> None:
    """What was left out once does not come back."""
    assert names(library.view(NORTH).view(Scope(where={"tenant": "south"})).view(NORTH)) == {"both.md"}


def test_a_view_by_condition_sees_documents_added_later() -> None:
    """A view by names does not: its documents are resolved when it is made."""
    library = Library()
    library.add(b"# One\n\nfirst\n", name="one.md", metadata={"tenant": "north"})
    by_condition, by_name = library.view(NORTH), library.view(Scope(["one.md"]))
    library.add(b"# Two\n\nsecond\n", name="two.md", metadata={"tenant": "north"})
    assert names(by_condition) == {"one.md", "two.md"}
    assert names(by_name) == {"one.md"}


def test_one_name_without_a_list_is_refused() -> None:
    """Its letters would be taken for names."""
    with pytest.raises(TypeError, match="list"):
        Scope(documents="both.md")


def test_a_view_may_leave_out_documents_that_are_missing(library: Library) -> None:
    """Lists of users' documents outlive the documents; what is outside the view stays outside."""
    listed = Scope(["north-2023.md", "gone.md", "south-2024.md", "both.md"])
    with pytest.raises(DocumentNotFound):
        library.view(listed)
    assert names(library.view(listed, missing_ok=True)) == {"north-2023.md", "south-2024.md", "both.md"}
    assert names(library.view(NORTH).view(listed, missing_ok=True)) == {"north-2023.md", "both.md"}
    assert names(library.view(Scope(["gone.md"]), missing_ok=True)) == set()


def test_a_view_is_pickled_with_its_scope(tmp_path: Path) -> None:
    """For worker processes and caches; a library in memory says why it cannot be."""
    with Library(tmp_path / "my.db") as library:
        library.add(b"# One\n\nfirst\n", name="one.md", metadata={"tenant": "north"})
        library.add(b"# Two\n\nsecond\n", name="two.md", metadata={"tenant": "south"})
        for view in (library.view(NORTH), library.view(Scope(["one.md"]))):
            assert names(pickle.loads(pickle.dumps(view))) == {"one.md"}
        assert names(pickle.loads(pickle.dumps(library))) == {"one.md", "two.md"}
    with pytest.raises(LibraryError, match="in memory"):
        pickle.dumps(Library().view(NORTH))


def test_a_view_says_what_it_shows(library: Library) -> None:
    """Without the names of other documents."""
    assert repr(library.view(Scope(["both.md"]))) == "<view of 1 named documents of None>"


@pytest.mark.parametrize("scope", [{"tenant": "north"}, ["both.md"], "both.md"])
def test_what_is_no_scope_is_refused(library: Library, scope: Any) -> None:
    """Names and conditions go into a Scope, and the message says how."""
    calls: list[Callable[[], object]] = [
        lambda: library.view(scope),
        lambda: library.list(scope=scope),
        lambda: library.retrieve("rate", scope=scope),
        lambda: library.find_all("rate", scope=scope),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r"scope takes a Scope, such as Scope\(\['report.pdf'\]\) or Scope\(where="):
            call()


def test_numbers_that_make_no_sense_are_refused(library: Library) -> None:
    """The message names the argument."""
    with pytest.raises(ValueError, match="max_tokens is the length of a part, at least 1, got 0"):
        library.sections("both.md", max_tokens=0)
    for numbers in ({"start": -1}, {"limit": -1}):
        with pytest.raises(ValueError, match="start and limit are numbers of mentions, at least 0"):
            library.find_all("rate", **numbers)
