"""LlamaIndex's metadata filters as conditions of a scope."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from thumbindex.evidence import SECTION_KEYS
from thumbindex.scope import AllOf, AnyOf, Compare, Condition, Not, Operator, Where

Filters: TypeAlias = MetadataFilters | Where
"""LlamaIndex's own filters, or a condition or mapping as `thumbindex.Scope` takes it."""

_OPERATORS: dict[FilterOperator, Operator] = {
    FilterOperator.EQ: "==",
    FilterOperator.NE: "!=",
    FilterOperator.GT: ">",
    FilterOperator.GTE: ">=",
    FilterOperator.LT: "<",
    FilterOperator.LTE: "<=",
    FilterOperator.IN: "in",
    FilterOperator.NIN: "not in",
    FilterOperator.ANY: "in",
    FilterOperator.ALL: "contains all",
    FilterOperator.CONTAINS: "contains",
    FilterOperator.TEXT_MATCH: "contains text",
    FilterOperator.TEXT_MATCH_INSENSITIVE: "contains text ignoring case",
    FilterOperator.IS_EMPTY: "is empty",
}


def to_condition(filters: Filters) -> Condition:
    """Translates filters; they mean what they mean in LlamaIndex's `SimpleVectorStore`.

    Raises:
        TypeError: a value of a type that metadata cannot have.
        ValueError: a key that differs between the sections of one document, an unknown operator, or a value that the operator
            does not take.
    """
    condition = _translated(filters) if isinstance(filters, MetadataFilters) else AllOf(filters)
    for key in _keys(condition):
        if key in SECTION_KEYS:
            raise ValueError(
                f"The filter on {key!r} cannot be answered: filters choose documents, and {key!r} differs between the sections "
                "of one. Filter the nodes in a postprocessor instead."
            )
    return condition


def _translated(filters: MetadataFilters) -> Condition:
    parts = [_translated(item) if isinstance(item, MetadataFilters) else _compare(item) for item in filters.filters]
    match filters.condition:
        case FilterCondition.OR:
            return AnyOf(*parts)
        case FilterCondition.NOT:
            return Not(AnyOf(*parts))
        case _:
            return AllOf(*parts)


def _compare(item: MetadataFilter) -> Compare:
    if item.operator not in _OPERATORS:
        raise ValueError(f"The filter on {item.key!r} has an unknown operator {item.operator.value!r}.")
    operator = _OPERATORS[item.operator]
    return Compare(item.key, operator, None if operator == "is empty" else item.value)


def _keys(condition: Condition) -> Iterator[str]:
    match condition:
        case Compare():
            yield condition.key
        case Not():
            yield from _keys(condition.condition)
        case _:
            for part in condition.conditions:
                yield from _keys(part)
