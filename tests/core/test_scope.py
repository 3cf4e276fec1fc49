"""A scope is a value that cannot be wrong, and two scopes together show no more than each of them."""

from __future__ import annotations

import copy
import datetime
import pickle
from collections.abc import Callable
from typing import Any, cast

import pytest

from thumbindex.scope import AllOf, AnyOf, Compare, Not, Scope


@pytest.mark.parametrize(
    ("where", "condition"),
    [
        pytest.param({}, None, id="nothing is left out"),
        pytest.param({"year": 2023}, Compare("year", "==", 2023), id="one value"),
        pytest.param({"year": None}, Compare("year", "==", None), id="None is a value"),
        pytest.param({"unit": ["a", "b"]}, Compare("unit", "in", ("a", "b")), id="any of a list"),
        pytest.param({"unit": ("a", "b")}, Compare("unit", "in", ("a", "b")), id="any of a tuple"),
        pytest.param({"unit": {"b", "a"}}, Compare("unit", "in", ("a", "b")), id="any of a set"),
        pytest.param({"unit": []}, Compare("unit", "in", ()), id="none of nothing"),
        pytest.param(
            {"filed": {"min": "2022-01-01", "max": "2022-12-31"}},
            Compare("filed", "between", ("2022-01-01", "2022-12-31")),
            id="a range",
        ),
        pytest.param({"year": {"min": 2020, "max": None}}, Compare("year", ">=", 2020), id="a range open above"),
        pytest.param({"year": {"max": 2020}}, Compare("year", "<=", 2020), id="a range open below"),
        pytest.param({"year": {"min": None}}, Not(Compare("year", "is empty")), id="a range open at both ends"),
        pytest.param(
            {"year": 2023, "unit": ["a"]},
            AllOf(Compare("year", "==", 2023), Compare("unit", "in", ("a",))),
            id="several keys",
        ),
        pytest.param(AnyOf({"a": 1}, {}), AnyOf(Compare("a", "==", 1), AllOf()), id="mappings inside conditions"),
        pytest.param({"\ud800": "\ud800"}, Compare("\ufffd", "==", "\ufffd"), id="lone surrogates are replaced"),
    ],
)
def test_a_mapping_becomes_a_condition(where: object, condition: object) -> None:
    """Equality, any of several values, or a range."""
    assert Scope(where=where).where == condition


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        pytest.param(lambda: Scope("a.pdf"), TypeError, "a list of ids or names, not one str: 'a.pdf'", id="one name"),
        pytest.param(lambda: Scope(b"a.pdf"), TypeError, "not one bytes", id="bytes"),
        pytest.param(
            lambda: Scope(cast(Any, [b"a.pdf"])), TypeError, "names as strings, not b'a.pdf'", id="bytes in a list"
        ),
        pytest.param(lambda: Scope({"a": 1}), TypeError, "not one dict", id="the condition in the wrong place"),
        pytest.param(lambda: Scope(7), TypeError, "not one int", id="a number"),
        pytest.param(lambda: Scope(where=["year"]), TypeError, "not \\['year'\\]", id="a list as a condition"),
        pytest.param(lambda: Scope(where="year > 1"), TypeError, "not 'year > 1'", id="text as a condition"),
        pytest.param(
            lambda: Scope(where=cast(Any, {1: 2})), TypeError, "key of a condition is a string.* not 1", id="key"
        ),
        pytest.param(
            lambda: Scope(where=cast(Any, {1: {"min": 2}})),
            TypeError,
            "key .* is a string.* not 1",
            id="key of a range",
        ),
        pytest.param(lambda: Compare("year", "=", 1), ValueError, "'year' has an unknown operator '='", id="operator"),
        pytest.param(lambda: Compare("year", [], 1), ValueError, "unknown operator \\[\\]", id="no operator"),
        pytest.param(
            lambda: Scope(where={"day": datetime.date(2022, 1, 1)}),
            TypeError,
            "'day' compares with a string, .* \\(dates as '2022-12-31'\\), not with a date",
            id="a date",
        ),
        pytest.param(lambda: Scope(where={"a": [["b"]]}), TypeError, "'a' .* not with a list", id="a list in a list"),
        pytest.param(lambda: Scope(where={"a": b"b"}), TypeError, "'a' .* not with a bytes", id="a bytes value"),
        pytest.param(lambda: Scope(where={"year": {"above": 1}}), ValueError, "'year' is a range", id="no range"),
        pytest.param(lambda: Scope(where={"year": {}}), ValueError, "'year' is a range", id="an empty range"),
        pytest.param(
            lambda: Scope(where={"year": {"min": True}}), ValueError, "number or a string", id="order of bool"
        ),
        pytest.param(lambda: Compare("a", "<"), ValueError, "'a' with '<' takes a number or a string", id="no bound"),
        pytest.param(lambda: Compare("a", "==", ["b"]), ValueError, "takes one value, not \\['b'\\]", id="== a list"),
        pytest.param(lambda: Compare("a", "in", "b"), ValueError, "takes a list of values, not 'b'", id="in a text"),
        pytest.param(lambda: Compare("a", "contains text", 3), ValueError, "takes a string, not 3", id="a text match"),
        pytest.param(lambda: Compare("a", "is empty", 3), ValueError, "takes no value, not 3", id="is empty"),
        pytest.param(lambda: Compare("a", "is empty", [None]), ValueError, "no value, not", id="is empty with a list"),
        pytest.param(lambda: Compare("a", "==", 10**5000), ValueError, "'a' has a number that is too", id="too large"),
        pytest.param(lambda: AllOf(Scope()), TypeError, "A condition is a Compare", id="a scope as a condition"),
        pytest.param(lambda: Not(None), TypeError, "A condition is a Compare", id="not nothing"),
        pytest.param(lambda: nested(60), ValueError, "at most 50 levels", id="nested too deep"),
        pytest.param(lambda: AnyOf(*[{"a": n} for n in range(501)]), ValueError, "Use 'in'", id="too many"),
    ],
)
def test_what_cannot_be_meant_is_refused(make: Callable[[], object], error: type[Exception], message: str) -> None:
    """At its birth, by its key: an empty result would look like an answer."""
    with pytest.raises(error, match=message):
        make()


def nested(levels: int) -> Compare | Not:
    condition: Compare | Not = Compare("a", "==", 1)
    for _ in range(levels):
        condition = Not(condition)
    return condition


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        pytest.param(Scope(), Scope(), Scope(), id="everything"),
        pytest.param(Scope(["a"]), Scope(), Scope(["a"]), id="names in one"),
        pytest.param(Scope(["a", "b"]), Scope(["c", "b"]), Scope(["b"]), id="names in both"),
        pytest.param(Scope(["a"]), Scope([]), Scope([]), id="no names in one"),
        pytest.param(Scope(["a"]), Scope(["b"]), Scope([]), id="no name in both"),
        pytest.param(Scope(["a"], {"x": 1}), Scope(where={"x": 1}), Scope(["a"], {"x": 1}), id="the same condition"),
        pytest.param(
            Scope(where={"x": 1}),
            Scope(where={"x": True}),
            Scope(where=AllOf({"x": 1}, {"x": True})),
            id="conditions that Python holds for the same",
        ),
        pytest.param(
            Scope(where={"x": 1, "y": 2}),
            Scope(where={"z": 3}),
            Scope(where={"x": 1, "y": 2, "z": 3}),
            id="all conditions side by side",
        ),
        pytest.param(
            Scope(where=AnyOf({"x": 1}, {"y": 2})),
            Scope(where=Not({"z": 3})),
            Scope(where=AllOf(AnyOf({"x": 1}, {"y": 2}), Not({"z": 3}))),
            id="any and not",
        ),
    ],
)
def test_two_scopes_make_a_narrower_one(left: Scope, right: Scope, expected: Scope) -> None:
    """It has the names in both, and all conditions."""
    assert left & right == expected


def test_narrowing_a_thousand_times_makes_no_deep_condition() -> None:
    """A caller may narrow in a loop."""
    scope = Scope()
    for year in range(1000):
        scope &= Scope(where={"year": year % 7})
    assert scope == Scope(where=AllOf(*[{"year": year} for year in range(7)]))


def test_a_scope_is_a_value() -> None:
    """It can be hashed, pickled and copied, and not changed."""
    scope = Scope(["b.pdf", "a.pdf", "b.pdf"], AnyOf({"year": {"min": 2020}}, Not({"tags": {"x", "y"}})))
    assert scope.documents == ("b.pdf", "a.pdf")
    for twin in (pickle.loads(pickle.dumps(scope)), copy.deepcopy(scope), eval(repr(scope))):
        assert twin == scope
        assert hash(twin) == hash(scope)
    with pytest.raises(AttributeError):
        scope.documents = None  # type: ignore[misc]


def test_conditions_that_mean_different_things_are_not_equal() -> None:
    """`True` is not 1, and one value is not a list of it; 1 and 1.0 are the same number."""
    conditions = [Compare("a", "==", 1), Compare("a", "==", True), Compare("a", "in", [1]), Compare("a", "!=", 1)]
    assert len(set(conditions)) == 4
    assert Compare("a", "==", 1) == Compare("a", "==", 1.0)
    assert Compare("a", "==", 1) != 1
