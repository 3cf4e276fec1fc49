"""Conditions on documents as SQL.

The table `metadata` has a row (document, key, value) for each value of a document's metadata, and for each item of a value
that is a list; `value` is JSON. Equality uses the table's index. All else is decided by functions in Python, which
`register` makes known to a connection: SQLite reads numbers of over 15 digits inexactly and knows case in ASCII alone.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import TypeAlias, assert_never

from ...pages import Metadata
from ...scope import DOCUMENT_FIELDS, AllOf, AnyOf, Compare, Condition, Not, Scalar
from ...text.characters import replace_surrogates

Sql: TypeAlias = tuple[str, list[str]]
"""An SQL expression, and the values of its parameters."""

_FIELD_COLUMNS = dict(zip(DOCUMENT_FIELDS, ("doc_id", "name", "source", "nullif(page_count, 0)"), strict=True))
_EMPTY = ("null", '""')


def to_sql(condition: Condition) -> Sql:
    """The condition as an SQL expression about a row of `documents`, and the values of its parameters."""
    match condition:
        case AllOf():
            return _joined("AND", "1", map(to_sql, condition.conditions))
        case AnyOf():
            return _joined("OR", "0", map(to_sql, condition.conditions))
        case Not():
            return _negated(to_sql(condition.condition))
        case Compare():
            return _comparison(condition)
        case _:
            assert_never(condition)


def _comparison(compare: Compare) -> Sql:
    key, value, values = compare.key, compare.value, compare.values
    match compare.operator:
        case "==" | "in":
            return _has_value(key, values)
        case "!=" | "not in":
            return _negated(_has_value(key, values))
        case "contains all":
            return _joined("AND", "1", (_has_value(key, [item]) for item in values))
        case "contains":
            listed = _has_value(key, values)
            if not isinstance(value, str):
                return listed
            return _joined("OR", "0", [listed, _has(key, "holds_text(value, ?)", [value], in_lists=False)])
        case "contains text":
            return _has(key, "holds_text(value, ?)", [str(value)])
        case "contains text ignoring case":
            return _has(key, "holds_folded_text(value, ?)", [str(value).casefold()])
        case "is empty":
            return _negated(_has(key, "value NOT IN (?, ?)", list(_EMPTY)))
        case "<" | "<=" | ">" | ">=":
            # An order of None, where there is no order, makes the comparison false.
            return _has(key, f"order_of(value, ?) {compare.operator} 0", [encode_value(values[0])])
        case "between":
            # One value within both bounds, not one within each.
            bounds = [encode_value(value) for value in values]
            return _has(key, "order_of(value, ?) >= 0 AND order_of(value, ?) <= 0", bounds)
        case _:
            assert_never(compare.operator)


def _has_value(key: str, values: Iterable[Scalar]) -> Sql:
    encoded = [encode_value(value) for value in values]
    return _has(key, "value IN (SELECT value FROM json_each(?))", [json.dumps(encoded)])


def _has(key: str, expression: str, values: list[str], *, in_lists: bool = True) -> Sql:
    """A document has a value under this key for which the expression over `value` holds.

    Args:
        in_lists: Whether the items of lists count as values.
    """
    own = f"id IN (SELECT document FROM metadata WHERE key = ? AND {expression})", [key, *values]
    if not in_lists:
        is_item = "is_list((SELECT metadata FROM documents WHERE id = document), key)"
        own = own[0].removesuffix(")") + f" AND NOT {is_item})", own[1]
    column = _FIELD_COLUMNS.get(key)
    if column is None:
        return own
    fields = f"SELECT id AS document, to_json({column}) AS value FROM documents WHERE {column} IS NOT NULL"
    field = f"id IN (SELECT document FROM ({fields}) WHERE {expression})", values
    if key == "doc_id":
        return field
    unnamed = "NOT id IN (SELECT document FROM metadata WHERE key = ?)", [key]
    return _joined("OR", "0", [own, _joined("AND", "1", [unnamed, field])])


def _negated(sql: Sql) -> Sql:
    return f"NOT {sql[0]}", sql[1]


def _joined(word: str, of_none: str, parts: Iterable[Sql]) -> Sql:
    """The expressions joined by AND or OR, in pairs: SQLite limits the depth of expressions, and a row of them is as deep as long."""
    level: Sequence[Sql] = list(parts)
    if not level:
        return f"({of_none})", []
    while len(level) > 1:
        level = [
            (f"({f' {word} '.join(text for text, _ in pair)})", [value for _, values in pair for value in values])
            for pair in (level[at : at + 2] for at in range(0, len(level), 2))
        ]
    return level[0]


def encode_value(value: object) -> str:
    """A value of metadata as JSON, the same for 1 and 1.0 but not for 1, True and "1"."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return to_json(value)


def to_json(value: object) -> str:
    """A value as JSON that SQLite stores: without lone surrogates."""
    return replace_surrogates(json.dumps(value, ensure_ascii=False, sort_keys=True, default=str))


def metadata_rows(metadata: Metadata) -> set[tuple[str, str]]:
    """Metadata as conditions find them: keys with each of their values."""
    return {
        (key, encode_value(item))
        for key, value in metadata.items()
        for item in (value if isinstance(value, list) else [value])
    }


def register(connection: sqlite3.Connection) -> None:
    """Define the functions that conditions use."""
    for function in (holds_text, holds_folded_text, is_list, order_of, to_json):
        connection.create_function(function.__name__, function.__code__.co_argcount, function, deterministic=True)


def holds_text(value: str, part: str) -> bool:
    """Returns whether a value, given as JSON, is a text that has this part."""
    text = json.loads(value)
    return isinstance(text, str) and part in text


def holds_folded_text(value: str, part: str) -> bool:
    """Returns whether a value, given as JSON, is a text that has this case-folded part in any case."""
    text = json.loads(value)
    return isinstance(text, str) and part in text.casefold()


def is_list(metadata: str, key: str) -> bool:
    """Returns whether the value under a key of metadata, given as JSON, is a list."""
    return isinstance(json.loads(metadata).get(key), list)


def order_of(value: str, bound: str) -> int | None:
    """Order of two values that are given as JSON: -1, 0 or 1, or None where they have none."""
    match json.loads(value), json.loads(bound):
        case (bool(), _) | (_, bool()):
            return None
        case (str(left), str(right)):
            return (left > right) - (left < right)
        case (int() | float() as number, int() | float() as limit) if number == number and limit == limit:
            return (number > limit) - (number < limit)
    return None
