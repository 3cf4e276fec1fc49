"""LlamaIndex's metadata filters, held against what is known of a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from thumbindex.evidence import SECTION_KEYS
from thumbindex.library import DocumentInfo

Filters: TypeAlias = MetadataFilters | Mapping[str, object]
"""LlamaIndex's own, or a mapping as `Library.retrieve` takes it: key to value, list of values, or `{"min": …, "max": …}`."""

_LISTS = frozenset({FilterOperator.IN, FilterOperator.NIN, FilterOperator.ANY, FilterOperator.ALL})
_ORDER = frozenset({FilterOperator.GT, FilterOperator.GTE, FilterOperator.LT, FilterOperator.LTE})
_TEXTS = frozenset({FilterOperator.TEXT_MATCH, FilterOperator.TEXT_MATCH_INSENSITIVE})


def check(filters: Filters) -> None:
    """Refuse filters that cannot be held against documents.

    Raises:
        ValueError: a key that differs between the sections of one document, or a value that its operator does not take.
    """
    for item in _conditions(filters):
        if isinstance(item, MetadataFilters):
            check(item)
            continue
        key, operator, value = item.key, item.operator, item.value
        if key in SECTION_KEYS:
            raise ValueError(
                f"The filter on {key!r} cannot be answered: filters choose documents, and {key!r} differs between the sections "
                "of one. Filter the nodes in a postprocessor instead."
            )
        if (operator in _LISTS) is not isinstance(value, list) and operator is not FilterOperator.IS_EMPTY:
            takes = "a list of values" if operator in _LISTS else "one value"
            raise ValueError(f"The filter on {key!r} with {operator.value!r} takes {takes}, not {value!r}.")
        if operator in _ORDER and value is None:
            raise ValueError(f"The filter on {key!r} with {operator.value!r} takes a number or a text to compare with.")
        if operator in _TEXTS and not isinstance(value, str):
            raise ValueError(f"The filter on {key!r} with {operator.value!r} takes a text, not {value!r}.")


def passes(info: DocumentInfo, filters: Filters) -> bool:
    """Whether a document passes: its metadata, and `doc_id`, `file_name`, `file_path` and `total_pages` as its nodes have them.

    Operators mean what they mean in LlamaIndex's `SimpleVectorStore`; where a document has a list of values, one of them has
    to fit. Filters may be nested.
    """
    known: dict[str, object] = {
        **info.metadata,
        "doc_id": info.doc_id,
        "file_name": info.name,
        "file_path": info.source,
        "total_pages": info.page_count or None,
    }
    return _all_pass(known, filters)


def _all_pass(known: Mapping[str, object], filters: Filters) -> bool:
    results = (
        _all_pass(known, item) if isinstance(item, MetadataFilters) else _fits(item, known.get(item.key))
        for item in _conditions(filters)
    )
    match filters.condition if isinstance(filters, MetadataFilters) else None:
        case FilterCondition.OR:
            return any(results)
        case FilterCondition.NOT:
            return not any(results)
        case _:
            return all(results)


def _conditions(filters: Filters) -> list[MetadataFilter | MetadataFilters]:
    if isinstance(filters, MetadataFilters):
        return list(filters.filters)
    found: list[MetadataFilter | MetadataFilters] = []
    for key, value in filters.items():
        if isinstance(value, Mapping):
            if not value or not value.keys() <= {"min", "max"}:
                raise ValueError(
                    f"The filter on {key!r} is a range {{'min': …, 'max': …}} or one of both, not {value!r}."
                )
            bounds = {"min": FilterOperator.GTE, "max": FilterOperator.LTE}
            found += [_condition(key, bound, bounds[name]) for name, bound in value.items() if bound is not None]
        elif isinstance(value, list | tuple | set | frozenset):
            found.append(_condition(key, list(value), FilterOperator.IN))
        else:
            found.append(_condition(key, value, FilterOperator.EQ))
    return found


def _condition(key: str, value: object, operator: FilterOperator) -> MetadataFilter:
    # LlamaIndex's own class takes no truth values, and documents have them.
    return MetadataFilter.model_construct(key=key, value=value, operator=operator)


def _fits(item: MetadataFilter, has: object) -> bool:
    """Whether a document's value (None where it has none) fits a filter."""
    held = list(has) if isinstance(has, list) else [] if has is None else [has]
    value: object = item.value
    values = value if isinstance(value, list) else [value]
    match item.operator:
        case FilterOperator.IS_EMPTY:
            return held in ([], [""])
        case FilterOperator.EQ | FilterOperator.IN | FilterOperator.ANY:
            return any(_equal(one, other) for one in held for other in values)
        case FilterOperator.NE | FilterOperator.NIN:
            return not any(_equal(one, other) for one in held for other in values)
        case FilterOperator.ALL:
            return all(any(_equal(one, other) for one in held) for other in values)
        case FilterOperator.CONTAINS:
            return any(_equal(one, value) or (not isinstance(has, list) and _holds(one, value)) for one in held)
        case FilterOperator.TEXT_MATCH:
            return any(_holds(one, value) for one in held)
        case FilterOperator.TEXT_MATCH_INSENSITIVE:
            return any(_holds(one, value, ignore_case=True) for one in held)
        case order:
            return any(_compares(one, order, value) for one in held)


def _equal(one: object, other: object) -> bool:
    return one == other and isinstance(one, bool) is isinstance(other, bool)


def _holds(text: object, part: object, *, ignore_case: bool = False) -> bool:
    if not isinstance(text, str) or not isinstance(part, str):
        return False
    return part.casefold() in text.casefold() if ignore_case else part in text


def _compares(one: object, operator: FilterOperator, other: object) -> bool:
    match one, other:
        case (str(left), str(right)):
            order = (left > right) - (left < right)
        case (int() | float() as number, int() | float() as bound):
            order = (number > bound) - (number < bound)
        case _:
            return False
    match operator:
        case FilterOperator.GT:
            return order > 0
        case FilterOperator.GTE:
            return order >= 0
        case FilterOperator.LT:
            return order < 0
        case _:
            return order <= 0
