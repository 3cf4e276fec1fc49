"""LangChain's filters as a scope: the mapping form, the operators of its vector stores, and what is an error."""

from __future__ import annotations

from typing import Any

import pytest

from langchain_thumbindex import ThumbIndexRetriever, ThumbIndexToolkit
from langchain_thumbindex.agents import CitationMiddleware
from langchain_thumbindex.filters import to_scope
from thumbindex import Library

YEARS = (2021, 2022, 2023)


@pytest.fixture(scope="module")
def library() -> Library:
    library = Library()
    for year in YEARS:
        unit = "north" if year % 2 else "south"
        library.add(
            f"# Year {year}\n\nIn the year {year}.\n".encode(), name=f"{year}.md", metadata={"year": year, "unit": unit}
        )
    return library


@pytest.mark.parametrize(
    ("filters", "years"),
    [
        pytest.param({}, YEARS, id="nothing asked"),
        pytest.param({"year": 2021}, (2021,), id="a value"),
        pytest.param({"year": [2021, 2022]}, (2021, 2022), id="any of several values"),
        pytest.param({"year": {"min": 2022}}, (2022, 2023), id="a range"),
        pytest.param({"unit": "north", "year": {"$gt": 2021}}, (2023,), id="two keys"),
        pytest.param({"year": {"$gte": 2022, "$lt": 2023}}, (2022,), id="two operators on a key"),
        pytest.param({"year": {"$eq": 2022}}, (2022,), id="$eq"),
        pytest.param({"year": {"$ne": 2022}}, (2021, 2023), id="$ne"),
        pytest.param({"year": {"$lte": 2022}}, (2021, 2022), id="$lte"),
        pytest.param({"year": {"$in": [2021, 1999]}}, (2021,), id="$in"),
        pytest.param({"year": {"$in": []}}, (), id="$in of nothing"),
        pytest.param({"year": {"$nin": [2021]}}, (2022, 2023), id="$nin"),
        pytest.param({"$and": [{"unit": "north"}, {"year": {"$lt": 2023}}]}, (2021,), id="$and"),
        pytest.param({"$or": [{"unit": "south"}, {"year": 2023}]}, (2022, 2023), id="$or"),
        pytest.param({"$not": {"unit": "north"}}, (2022,), id="$not"),
        pytest.param({"year": {"$not": {"$gt": 2021}}}, (2021,), id="$not on a key"),
        pytest.param({"unit": "north", "$or": [{"year": 2021}, {"$not": {"year": 2023}}]}, (2021,), id="nested"),
    ],
)
def test_filters_choose_documents(library: Library, filters: dict[str, Any], years: tuple[int, ...]) -> None:
    """The same in the constructor, in a call and in the toolkit."""
    names = {f"{year}.md" for year in years}
    made = ThumbIndexRetriever(library=library, k=9, filters=filters).invoke("year")
    called = ThumbIndexRetriever(library=library, k=9).invoke("year", filters=filters)
    assert {document.metadata["source"] for document in made} == names
    assert {document.metadata["source"] for document in called} == names
    browse = ThumbIndexToolkit(library, filters=filters).get_tools()[0].invoke({})
    assert {name for name in (f"{year}.md" for year in YEARS) if name in browse} == names


@pytest.mark.parametrize(
    ("filters", "error", "named"),
    [
        pytest.param({"year": {"$near": 2021}}, ValueError, r"'\$near'.*'year'.*Use \$eq", id="an unknown operator"),
        pytest.param({"$xor": []}, ValueError, r"'\$xor'", id="an unknown operator for filters"),
        pytest.param({"$or": []}, ValueError, r"'\$or' takes a list of filters", id="an $or of nothing"),
        pytest.param(
            {"$and": {"year": 2021}}, ValueError, r"'\$and' takes a list of filters", id="an $and of one filter"
        ),
        pytest.param({"$not": [1]}, TypeError, "mapping of keys to values", id="a $not of something else"),
        pytest.param(
            {"year": {"$gt": None}}, ValueError, "'year' with '>'", id="a value that the operator does not take"
        ),
        pytest.param({"year": {"$in": 2021}}, ValueError, "'year' with 'in' takes a list", id="one value for $in"),
        pytest.param({"year": {"gte": 2021}}, ValueError, "'year' is a range", id="an operator without its sign"),
        pytest.param({"year": {"$gt": 2021, "max": 2022}}, ValueError, "'max'", id="operators beside a range"),
        pytest.param({"year": object()}, TypeError, "'year'", id="a value that metadata cannot have"),
        pytest.param({7: 2021}, TypeError, "7", id="a key that is no text"),
        pytest.param([("year", 2021)], TypeError, "mapping", id="no mapping"),
    ],
)
def test_what_cannot_be_understood_is_an_error(
    library: Library, filters: Any, error: type[Exception], named: str
) -> None:
    """It names the operator or key, and is never an empty result."""
    retriever = ThumbIndexRetriever(library=library)
    with pytest.raises(error, match=named):
        retriever.invoke("year", filters=filters)
    with pytest.raises(error, match=named):
        to_scope(None, filters)


@pytest.mark.parametrize("make", [ThumbIndexRetriever, ThumbIndexToolkit, CitationMiddleware])
def test_a_wrong_filter_is_found_where_it_is_written(library: Library, make: Any) -> None:
    """When the component is made, and not in the first question."""
    with pytest.raises(ValueError, match=r"\$near"):
        make(library=library, filters={"year": {"$near": 2021}})
