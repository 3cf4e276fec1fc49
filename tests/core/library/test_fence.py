"""A fence around some documents: whatever a call asks for, it sees nothing outside."""

from __future__ import annotations

import pytest

from thumbindex import Library
from thumbindex.errors import DocumentNotFound
from thumbindex.fence import Fence


@pytest.fixture(scope="module")
def library() -> Library:
    library = Library()
    for tenant, year in (("north", 2023), ("north", 2024), ("south", 2024)):
        text = f"# Rates\n\nThe rate is set by {tenant} in {year}.\n"
        library.add(text.encode(), name=f"{tenant}-{year}.md", metadata={"tenant": tenant, "year": year})
    library.add(b"# Rates\n\nThe rate that all share.\n", name="both.md", metadata={"tenant": ["north", "south"]})
    return library


def names(library: Library, fence: Fence) -> set[str]:
    return {info.name for info in library.list(documents=fence.documents, filters=fence.filters)}


@pytest.mark.parametrize(
    ("fence", "documents", "filters", "expected"),
    [
        pytest.param(
            Fence(), None, None, {"north-2023.md", "north-2024.md", "south-2024.md", "both.md"}, id="no fence"
        ),
        pytest.param(Fence(), None, {"tenant": "south"}, {"south-2024.md", "both.md"}, id="filters of the call alone"),
        pytest.param(
            Fence(filters={"tenant": "north"}),
            None,
            None,
            {"north-2023.md", "north-2024.md", "both.md"},
            id="fence alone",
        ),
        pytest.param(Fence(filters={"tenant": "north"}), None, {"year": 2024}, {"north-2024.md"}, id="another key"),
        pytest.param(Fence(filters={"tenant": "north"}), None, {"tenant": "south"}, {"both.md"}, id="the same key"),
        pytest.param(
            Fence(filters={"year": {"min": 2024}}),
            None,
            {"year": {"max": 2023}},
            set(),
            id="two ranges that do not meet",
        ),
        pytest.param(Fence(["north-2023.md", "both.md"]), ["both.md"], None, {"both.md"}, id="a document inside"),
        pytest.param(
            Fence(filters={"tenant": "north"}), ["both.md"], {"tenant": "south"}, {"both.md"}, id="names and filters"
        ),
        pytest.param(Fence(), [], None, set(), id="no document at all"),
    ],
)
def test_a_call_narrows_a_fence(
    library: Library,
    fence: Fence,
    documents: list[str] | None,
    filters: dict[str, object] | None,
    expected: set[str],
) -> None:
    """What both the fence and the call let through."""
    assert names(library, fence.narrowed(library, documents, filters)) == expected


@pytest.mark.parametrize("fence", [Fence(["north-2023.md"]), Fence(filters={"tenant": "north"})])
def test_a_document_outside_does_not_exist_for_the_caller(library: Library, fence: Fence) -> None:
    """Not even its name is told."""
    for unknown in ("south-2024.md", "no-such.md"):
        with pytest.raises(DocumentNotFound) as told:
            fence.narrowed(library, [unknown])
        assert "south" not in str(told.value).replace(unknown, "")


def test_narrowing_again_keeps_every_condition(library: Library) -> None:
    """A fence inside a fence."""
    fence = Fence(filters={"tenant": "north"}).with_filters({"tenant": "south"}).with_filters({"tenant": "north"})
    assert names(library, fence) == {"both.md"}


def test_one_name_without_a_list_is_refused(library: Library) -> None:
    """Its letters would be taken for names."""
    with pytest.raises(TypeError, match="list of ids"):
        Fence().narrowed(library, "both.md")
