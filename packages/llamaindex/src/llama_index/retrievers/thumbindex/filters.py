"""LlamaIndex's metadata filters as the library's."""

from __future__ import annotations

from collections.abc import Mapping

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilters


def to_filters(filters: MetadataFilters | Mapping[str, object] | None) -> Mapping[str, object] | None:
    """What `Library.retrieve` takes: a value for each key, or a list of values of which any will do.

    Raises:
        ValueError: an operator or a condition that the library cannot answer.
    """
    if not isinstance(filters, MetadataFilters):
        return filters
    if filters.condition not in (FilterCondition.AND, None):
        raise ValueError(f"Filters can only be joined by AND, got {filters.condition.value!r}: retrieve once for each.")
    wanted: dict[str, object] = {}
    for item in filters.filters:
        if isinstance(item, MetadataFilters):
            parts = to_filters(item) or {}
        elif item.operator in (FilterOperator.EQ, FilterOperator.IN):
            if (item.operator is FilterOperator.IN) is not isinstance(item.value, list):
                raise ValueError(f"The filter on {item.key!r} needs one value for '==' and a list of values for 'in'.")
            parts = {item.key: item.value}
        else:
            raise ValueError(
                f"The filter on {item.key!r} uses {item.operator.value!r}: only '==' and 'in' are supported. "
                "Choose the documents yourself and pass their ids as `documents`."
            )
        for key, value in parts.items():
            if wanted.setdefault(key, value) != value:
                raise ValueError(f"Two filters on {key!r}: join them into one.")
    return wanted
