"""Conditions choose the same documents in SQL as a plain evaluation of each document's metadata does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from odd_texts import ODD_TEXTS
from thumbindex.pages import MetadataValue
from thumbindex.scope import DOCUMENT_FIELDS, AllOf, AnyOf, Compare, Condition, Not, Operator, Scope
from thumbindex.store.records import DocumentInfo, Prepared, SourceKey
from thumbindex.store.sqlite.store import SqliteStore
from thumbindex.text.characters import replace_surrogates


def prepared(number: int, metadata: Mapping[str, object], name: str = "", pages: int = 0) -> Prepared:
    """A document without text."""
    name = name or f"{number}.md"
    info = DocumentInfo(
        f"d{number}", name, f"docs/{name}", "markdown", "markup", pages, 0, (), 1, "", str(number), metadata
    )
    return Prepared(info, SourceKey("name", str(number)), b"", (), ())


def store_of(*documents: Prepared) -> SqliteStore:
    store = SqliteStore()
    for document in documents:
        store.put(document)
    return store


def chosen(store: SqliteStore, where: Condition) -> list[str]:
    return [info.doc_id for info in store.documents(where=where)]


# A second, plain reading of what conditions mean.


def holds(where: Condition, info: DocumentInfo) -> bool:
    match where:
        case AllOf(conditions):
            return all(holds(part, info) for part in conditions)
        case AnyOf(conditions):
            return any(holds(part, info) for part in conditions)
        case Not(condition):
            return not holds(condition, info)
    return compares(where, value_of(info, where.key))


def value_of(info: DocumentInfo, key: str) -> object:
    """A document's value under a key; an empty list where it has none."""
    fields: dict[str, object] = {
        "doc_id": info.doc_id,
        "file_name": info.name,
        "file_path": info.source,
        "total_pages": info.page_count or [],
    }
    own = info.metadata.get(key, [])
    return fields.get(key, []) if key == "doc_id" or own == [] else own


def compares(where: Compare, value: object) -> bool:
    items = value if isinstance(value, list) else [value]
    wanted: Sequence[Any] = where.values
    match where.operator:
        case "==" | "in":
            return any(equal(item, other) for item in items for other in wanted)
        case "!=" | "not in":
            return not any(equal(item, other) for item in items for other in wanted)
        case "contains all":
            return all(any(equal(item, other) for item in items) for other in wanted)
        case "contains":
            part = wanted[0]
            is_part = isinstance(value, str) and isinstance(part, str) and part in value
            return is_part or any(equal(item, part) for item in items)
        case "contains text":
            return any(isinstance(item, str) and wanted[0] in item for item in items)
        case "contains text ignoring case":
            return any(isinstance(item, str) and wanted[0].casefold() in item.casefold() for item in items)
        case "between":
            return any(ordered(item, ">=", wanted[0]) and ordered(item, "<=", wanted[1]) for item in items)
        case "is empty":
            return all(item is None or item == "" for item in items)
    return any(ordered(item, where.operator, wanted[0]) for item in items)


def equal(one: object, other: object) -> bool:
    return one == other and isinstance(one, bool) is isinstance(other, bool)


def ordered(one: Any, operator: Operator, other: Any) -> bool:
    texts = isinstance(one, str) and isinstance(other, str)
    numbers = all(isinstance(side, int | float) and not isinstance(side, bool) for side in (one, other))
    if not texts and not numbers:
        return False
    return bool({"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[operator])


# Values that look alike, so that conditions often hold, and others that break query languages.
ALIKE = [None, True, False, 0, 1, 1.0, -0.0, 0.1 + 0.2, 0.3, 2**53, 2**53 + 1, 2**63, 10**30, 1e30, float("inf")]
TEXTS = [
    "",
    "1",
    "true",
    "null",
    "a",
    "A",
    "ab",
    "ß",
    "SS",
    "'",
    '"',
    "%",
    "a\x00b",
    "\\u0000",
    "]",
    "灯",
    "\U0001f52d",
]
STRINGS = st.sampled_from(TEXTS) | ODD_TEXTS.map(replace_surrogates)
SCALARS = st.sampled_from(ALIKE) | STRINGS
KEYS = st.sampled_from(["a", "b", "a'b", 'a"b', "$", "a.b", "", "\x00", *DOCUMENT_FIELDS])
METADATA = st.dictionaries(KEYS, SCALARS | st.lists(STRINGS, max_size=3), max_size=5)


@st.composite
def comparisons(draw: st.DrawFn) -> Compare:
    key = draw(KEYS)
    operator = draw(st.sampled_from(get_args(Operator)))
    match operator:
        case "is empty":
            return Compare(key, operator)
        case "in" | "not in" | "contains all":
            return Compare(key, operator, draw(st.lists(SCALARS, max_size=3)))
        case "contains text" | "contains text ignoring case":
            return Compare(key, operator, draw(STRINGS))
        case "between":
            bounds = st.one_of(st.text(max_size=3), st.integers(-3, 3))
            return Compare(key, operator, (draw(bounds), draw(bounds)))
        case "<" | "<=" | ">" | ">=":
            takes = SCALARS.filter(lambda value: value is not None and not isinstance(value, bool))
            return Compare(key, operator, draw(takes))
    return Compare(key, operator, draw(SCALARS))


def joined(parts: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    several = st.lists(parts, max_size=3)
    return several.map(lambda some: AllOf(*some)) | several.map(lambda some: AnyOf(*some)) | parts.map(Not)


@given(st.lists(st.tuples(METADATA, ODD_TEXTS), min_size=1, max_size=4), st.recursive(comparisons(), joined))
@example([({"a": ["ab"]}, "x"), ({"a": "ab"}, "x")], Compare("a", "contains", "a"))
@example([({"doc_id": "d1"}, "x"), ({}, "x")], Compare("doc_id", "==", "d1"))
@example([({"file_name": []}, "ab"), ({"file_name": ["ab"]}, "x")], Compare("file_name", "contains", "a"))
@example([({"a": 2**53 + 1}, "x")], Compare("a", ">", float(2**53)))
def test_sql_chooses_what_a_plain_evaluation_does(
    documents: Sequence[tuple[Mapping[str, MetadataValue], str]], where: Condition
) -> None:
    """Of any metadata, by every operator, however conditions are nested."""
    store = store_of(
        *(prepared(n, metadata, replace_surrogates(name), n % 3) for n, (metadata, name) in enumerate(documents))
    )
    assert chosen(store, where) == [info.doc_id for info in store.documents() if holds(where, info)]


MINES = store_of(
    prepared(0, {"year": 2022, "unit": "north", "topics": ["coal", "gas"], "note": "Final Report"}, "n.pdf", 12),
    prepared(1, {"year": 2024, "unit": "south", "topics": ["gas"], "is_draft": True}, "s.md"),
    prepared(2, {"year": 2024.0, "unit": "west", "is_draft": False, "note": "", "doc_id": "d0"}, "w.md"),
)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        pytest.param(Compare("year", "==", 2024), "12", id="numbers are equal whatever their type"),
        pytest.param(Compare("year", "==", "2024"), "", id="a text is no number"),
        pytest.param(Compare("is_draft", "==", 1), "", id="True is no number"),
        pytest.param(Compare("topics", "!=", "gas"), "2", id="unequal where there is no value"),
        pytest.param(Compare("unit", "<", "p"), "0", id="texts in the order of characters"),
        pytest.param(Compare("unit", ">", 1), "", id="a text and a number have no order"),
        pytest.param(Compare("is_draft", ">=", 0), "", id="True and False have no order"),
        pytest.param(Compare("unit", "not in", ["south", "west"]), "0", id="not in"),
        pytest.param(Compare("topics", "contains all", ["coal", "gas"]), "0", id="all of several items"),
        pytest.param(Compare("topics", "contains all", []), "012", id="all of nothing"),
        pytest.param(Compare("topics", "contains", "co"), "", id="a part of an item is no item"),
        pytest.param(Compare("note", "contains", "Final"), "0", id="a part of a text"),
        pytest.param(Compare("topics", "contains text", "co"), "0", id="a text among the items has the part"),
        pytest.param(Compare("note", "contains text", "final"), "", id="case counts"),
        pytest.param(Compare("note", "contains text ignoring case", "fINAL"), "0", id="case does not count"),
        pytest.param(Compare("note", "is empty"), "12", id="missing or empty"),
        pytest.param(Compare("file_name", "in", ["n.pdf", "w.md"]), "02", id="the document's name"),
        pytest.param(Compare("file_path", "contains text", "docs/s"), "1", id="the document's source"),
        pytest.param(Compare("total_pages", ">", 10), "0", id="the number of pages"),
        pytest.param(Compare("total_pages", "is empty"), "12", id="no pages"),
        pytest.param(Compare("doc_id", "==", "d0"), "0", id="no file can claim another's id"),
        pytest.param(AnyOf({"unit": "west"}, {"year": 2022}), "02", id="or"),
        pytest.param(Not(AnyOf({"unit": "west"}, {"year": 2022})), "1", id="not"),
        pytest.param(AllOf({"year": 2024}, Not(Compare("is_draft", "==", True))), "2", id="and not"),
        pytest.param(AllOf(), "012", id="all of no conditions"),
        pytest.param(AnyOf(), "", id="any of no conditions"),
    ],
)
def test_operators(where: Condition, expected: str) -> None:
    """Each with the case that sets it apart."""
    assert chosen(MINES, where) == [f"d{number}" for number in expected]


def test_the_largest_condition_is_within_the_limits_of_sqlite() -> None:
    """As many comparisons as a condition may have, of the longest kind, and as deep as it may be."""
    wide: Condition = AnyOf(*[Compare("file_name", "contains", f"{number}") for number in range(500)])
    deep: Condition = Compare("file_name", "contains", "n.pdf")
    for _ in range(24):
        deep = Not(AllOf(deep, {}))
    assert chosen(MINES, wide) == []
    assert chosen(MINES, deep) == ["d0"]


def test_a_list_of_thousands_of_ids_is_one_comparison() -> None:
    """A scope may hold what another index found."""
    ids = [f"d{number}" for number in range(50_000)]
    assert chosen(MINES, Compare("doc_id", "in", ids)) == ["d0", "d1", "d2"]


def test_a_range_over_a_list_needs_one_item_within_both_bounds() -> None:
    """A list that leaps over the range has none."""
    store = store_of(prepared(0, {"years": ["2019", "2030"]}), prepared(1, {"years": ["2019", "2023"]}))
    scope = Scope(where={"years": {"min": "2022", "max": "2024"}})
    assert scope.where is not None
    assert chosen(store, scope.where) == [store.documents()[1].doc_id]
