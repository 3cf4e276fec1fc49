"""LlamaIndex's metadata filters become the library's, or are refused with the reason."""

from __future__ import annotations

import pytest
from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from llama_index.retrievers.thumbindex.filters import to_filters


def one(key: str, value: object, operator: FilterOperator = FilterOperator.EQ) -> MetadataFilter:
    return MetadataFilter(key=key, value=value, operator=operator)


def test_equal_and_in_are_joined_by_and() -> None:
    """A value for each key; a list means any of its values."""
    filters = MetadataFilters(filters=[one("year", 2024), one("unit", ["north", "south"], FilterOperator.IN)])
    assert to_filters(filters) == {"year": 2024, "unit": ["north", "south"]}


def test_nested_filters_are_laid_flat() -> None:
    """An AND inside an AND is one AND."""
    filters = MetadataFilters(filters=[one("year", 2024), MetadataFilters(filters=[one("unit", "north")])])
    assert to_filters(filters) == {"year": 2024, "unit": "north"}


def test_a_mapping_or_nothing_goes_through_as_it_is() -> None:
    """The library's own form is accepted too."""
    assert to_filters({"year": [2023, 2024]}) == {"year": [2023, 2024]}
    assert to_filters(None) is None


@pytest.mark.parametrize(
    ("filters", "reason"),
    [
        pytest.param(
            MetadataFilters(filters=[one("year", 2020, FilterOperator.GT)]), "'year' uses '>'", id="greater than"
        ),
        pytest.param(
            MetadataFilters(filters=[one("a", 1), one("b", 2)], condition=FilterCondition.OR), "by AND", id="or"
        ),
        pytest.param(MetadataFilters(filters=[one("a", ["x"])]), "one value for '=='", id="a list for =="),
        pytest.param(MetadataFilters(filters=[one("a", 1), one("a", 2)]), "Two filters on 'a'", id="one key twice"),
    ],
)
def test_what_the_library_cannot_answer_is_refused_with_the_reason(filters: MetadataFilters, reason: str) -> None:
    """At the retriever's birth, not in the middle of a run."""
    with pytest.raises(ValueError, match=reason):
        to_filters(filters)
