"""LlamaIndex's metadata filters become conditions of a scope, by all operators, or are refused with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from llama_index.retrievers.thumbindex import ThumbIndexRetriever
from llama_index.retrievers.thumbindex.filters import Filters, to_condition
from thumbindex import Library, Scope
from thumbindex.pages import MetadataValue
from thumbindex.scope import AnyOf, Compare, Not, Where

DOCUMENTS: Mapping[str, Mapping[str, MetadataValue]] = {
    "north": {"year": 2022, "unit": "north", "topics": ["coal", "gas"], "note": "Final Report"},
    "south": {"year": 2024, "unit": "south", "topics": ["gas"], "is_draft": True},
    "west": {"year": 2024.0, "unit": "west", "is_draft": False, "note": ""},
}


@pytest.fixture(scope="module")
def library() -> Library:
    library = Library()
    for name, metadata in DOCUMENTS.items():
        library.add(f"# {name}\n\nOutput of the {name} mine.\n".encode(), name=f"{name}.md", metadata=metadata)
    return library


def only(key: str, value: object, operator: FilterOperator = FilterOperator.EQ) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key=key, value=value, operator=operator)])


def chosen(library: Library, filters: Filters) -> list[str]:
    infos = library.list(scope=Scope(where=to_condition(filters)))
    return [info.name.removesuffix(".md") for info in infos]


@pytest.mark.parametrize(
    ("operator", "key", "value", "expected"),
    [
        pytest.param("==", "year", 2024, ["south", "west"], id="equal, whatever kind of number"),
        pytest.param("==", "year", "2024", [], id="a text is no number"),
        pytest.param("==", "topics", "gas", ["north", "south"], id="equal to one of a list"),
        pytest.param("!=", "unit", "north", ["south", "west"], id="unequal"),
        pytest.param("!=", "topics", "gas", ["west"], id="unequal holds where there is no value"),
        pytest.param(">", "year", 2022, ["south", "west"], id="greater leaves the bound out"),
        pytest.param(">=", "year", 2022, ["north", "south", "west"], id="at least has the bound"),
        pytest.param("<", "year", 2024, ["north"], id="less leaves the bound out"),
        pytest.param("<=", "year", 2022, ["north"], id="at most has the bound"),
        pytest.param("<", "unit", "p", ["north"], id="texts in the order of letters"),
        pytest.param(">", "unit", 1, [], id="a text is not compared with a number"),
        pytest.param("in", "unit", ["south", "west"], ["south", "west"], id="in"),
        pytest.param("nin", "unit", ["south", "west"], ["north"], id="not in"),
        pytest.param("any", "topics", ["coal", "oil"], ["north"], id="any of a list"),
        pytest.param("all", "topics", ["coal", "gas"], ["north"], id="all of a list"),
        pytest.param("contains", "topics", "coal", ["north"], id="a list contains"),
        pytest.param("contains", "note", "Final", ["north"], id="a text contains"),
        pytest.param("text_match", "note", "final", [], id="text match minds case"),
        pytest.param("text_match_insensitive", "note", "final", ["north"], id="unless case is ignored"),
        pytest.param("is_empty", "note", None, ["south", "west"], id="missing or empty"),
        pytest.param("==", "file_name", "west.md", ["west"], id="by the file's name, as nodes have it"),
    ],
)
def test_every_operator(library: Library, operator: str, key: str, value: object, expected: Sequence[str]) -> None:
    """They mean what they mean in LlamaIndex's own vector store."""
    assert chosen(library, only(key, value, FilterOperator(operator))) == expected


def test_every_operator_is_tested() -> None:
    """A new operator of LlamaIndex must not get an answer by chance."""
    (mark,) = [mark for mark in test_every_operator.pytestmark if mark.name == "parametrize"]  # type: ignore[attr-defined]
    assert {operator.value for operator in FilterOperator} == {case.values[0] for case in mark.args[1]}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (FilterCondition.AND, ["south"]),
        (FilterCondition.OR, ["south", "west"]),
        (FilterCondition.NOT, ["north"]),
        (None, ["south"]),
    ],
)
def test_conditions_join_filters(library: Library, condition: FilterCondition, expected: Sequence[str]) -> None:
    """All, any, or none of them."""
    both = [*only("year", 2024).filters, *only("unit", "south").filters]
    assert chosen(library, MetadataFilters(filters=both, condition=condition)) == expected


def test_filters_may_be_nested(library: Library) -> None:
    """2024, and one of two units."""
    units = MetadataFilters(
        filters=[*only("unit", "south").filters, *only("unit", "north").filters], condition=FilterCondition.OR
    )
    assert chosen(library, MetadataFilters(filters=[*only("year", 2024).filters, units])) == ["south"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"year": 2024}, ["south", "west"]),
        ({"unit": ("south", "west")}, ["south", "west"]),
        ({"is_draft": True}, ["south"]),
        ({"is_draft": 1}, []),
        ({"year": {"min": 2020, "max": 2023}, "unit": "north"}, ["north"]),
        ({}, ["north", "south", "west"]),
        (Compare("topics", "contains", "coal"), ["north"]),
        (AnyOf({"unit": "north"}, Not({"year": 2022})), ["north", "south", "west"]),
    ],
)
def test_the_librarys_own_conditions_are_taken_too(library: Library, filters: Where, expected: Sequence[str]) -> None:
    """A mapping or a condition, as `Scope` takes it."""
    assert chosen(library, filters) == expected


@pytest.mark.parametrize(
    ("filters", "reason"),
    [
        pytest.param(only("page_label", "7"), "'page_label' differs between the sections", id="of a section"),
        pytest.param(only("a", ["x"]), "takes one value, not", id="a list for =="),
        pytest.param(only("a", "x", FilterOperator.IN), "takes a list of values, not 'x'", id="one value for in"),
        pytest.param(only("a", None, FilterOperator.GT), "takes a number or a string", id="nothing to compare with"),
        pytest.param(only("a", 3, FilterOperator.TEXT_MATCH), "takes a string, not 3", id="a number for text_match"),
        pytest.param(
            MetadataFilters(filters=[MetadataFilters(filters=[*only("section_path", "A").filters])]),
            "section_path",
            id="nested",
        ),
        pytest.param({"year": {"from": 1}}, "is a range", id="no range"),
        pytest.param({"page_start": 3}, "'page_start' differs between the sections", id="of a section, in a mapping"),
        pytest.param(Not(Compare("anchor", "==", "a")), "'anchor' differs", id="of a section, in a condition"),
    ],
)
def test_what_documents_cannot_answer_is_refused_with_the_reason(filters: Filters, reason: str) -> None:
    """When the retriever is made, not in the middle of a run."""
    with pytest.raises(ValueError, match=reason):
        to_condition(filters)
    with pytest.raises(ValueError, match=reason):
        ThumbIndexRetriever(Library(), filters=filters)


def test_a_retriever_sees_only_documents_that_pass(library: Library) -> None:
    """The filter reaches the search."""
    retriever = ThumbIndexRetriever(library, filters=only("year", 2024))
    assert {found.node.metadata["unit"] for found in retriever.retrieve("the mine")} == {"south", "west"}
