"""LangChain's arguments for choosing documents, as a scope of the library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from thumbindex.scope import AllOf, AnyOf, Compare, Condition, Not, Operator, Scope, Where

Filters: TypeAlias = Mapping[str, Any]
"""Conditions on the metadata of documents, joined with *and*: a value, a list for any of its values, `{"min": …, "max": …}` for a
range, or the operators of LangChain's vector stores: `{"year": {"$gte": 2023}}`, `{"$or": [{"unit": "north"}, {"year": 2024}]}`."""

_OPERATORS: dict[str, Operator] = {
    "$eq": "==",
    "$ne": "!=",
    "$gt": ">",
    "$gte": ">=",
    "$lt": "<",
    "$lte": "<=",
    "$in": "in",
    "$nin": "not in",
}
_KNOWN = ", ".join([*_OPERATORS, "$and", "$or", "$not"])


def to_scope(documents: Sequence[str] | None, filters: Filters | None) -> Scope:
    """Returns the scope of both arguments.

    Raises:
        TypeError: a single name for `documents`, or filters, a key or a value of a wrong type.
        ValueError: an unknown operator, or a value that the operator does not take; the message names it.
    """
    return Scope(documents, None if filters is None else _condition(filters))


def _condition(filters: Where) -> Where:
    if not isinstance(filters, Mapping):
        return filters
    return AllOf(*(_entry(key, wanted) for key, wanted in filters.items()))


def _entry(key: object, wanted: Any) -> Where:
    if not isinstance(key, str):
        raise TypeError(f"The key of a filter is a text, the name of a metadata value, not {key!r}.")
    if key in ("$and", "$or"):
        if not isinstance(wanted, list | tuple) or not wanted:
            raise ValueError(f"The operator {key!r} takes a list of filters, not {wanted!r}.")
        return (AllOf if key == "$and" else AnyOf)(*map(_condition, wanted))
    if key == "$not":
        return Not(_condition(wanted))
    if key.startswith("$"):
        raise _unknown(key, "in the filters")
    if isinstance(wanted, Mapping) and any(str(name).startswith("$") for name in wanted):
        return AllOf(*(_compare(key, name, value) for name, value in wanted.items()))
    return {key: wanted}


def _compare(key: str, name: object, value: Any) -> Condition:
    if name == "$not" and isinstance(value, Mapping):
        return Not(_entry(key, value))
    if name not in _OPERATORS:
        raise _unknown(name, f"in the filter on {key!r}")
    return Compare(key, _OPERATORS[str(name)], value)


def _unknown(name: object, place: str) -> ValueError:
    return ValueError(f"Unknown operator {name!r} {place}. Use {_KNOWN}.")
