"""Every regular expression of the packages takes steps in proportion to the length of a text, whatever the text."""

from __future__ import annotations

import re
import sys

import pytest

from expressions import Expression, expressions
from regex_steps import RATIO, worst

FOUND, UNKNOWN = expressions()

BOUNDED = {
    "thumbindex.sources.sniff": r"<TEXT>",  # reads the first characters of a file only, a fixed number
}
"""Modules and parts of the expressions in them that are tried on texts of a fixed length only."""

MADE_OF_ARGUMENTS = {
    "thumbindex.citations.number_words",  # alternatives of words between two assertions: no repetition
    "thumbindex.evaluate.grade",  # a word that another expression matched, tried once at the start
    "thumbindex.search.mentions",  # words of the query, escaped, without repetitions
}
"""Modules that make expressions of arguments of a function, which are not known before it is called."""


def is_bounded(expression: Expression) -> bool:
    part = BOUNDED.get(expression.place.partition(":")[0])
    return part is not None and part in str(expression.pattern.pattern)


@pytest.fixture
def deep_recursion():
    """The matcher calls itself for each repetition."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(50_000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.parametrize("expression", [e for e in FOUND if not is_bounded(e)], ids=lambda expression: expression.place)
def test_steps_grow_with_the_length_of_a_hostile_text(expression, deep_recursion):
    """Eight times as many pieces take no more than `RATIO` times the steps."""
    growth, (start, piece, end) = worst(expression.pattern, anchored=expression.anchored, more=2)
    assert growth <= RATIO, f"{growth:.0f} times the steps for {start!r} + n * {piece!r} + {end!r}"


def test_all_expressions_are_collected():
    """The packages have some hundreds, and only known modules make any that cannot be seen."""
    assert len(FOUND) > 250
    assert {made.split(" ")[0] for made in UNKNOWN} == MADE_OF_ARGUMENTS


@pytest.mark.parametrize(
    "pattern",
    [r"\s+$", r"\d+\d+x", r"(a|a)*b", r"(?:x+)+y", r"<!--.*?-->", r"^.*?,.*?,.*?;", r"[A-Z]{3,}-\Z"],
)
def test_quadratic_and_exponential_expressions_are_found(pattern, deep_recursion):
    assert worst(re.compile(pattern), anchored=False, more=2)[0] > RATIO


@pytest.mark.parametrize("pattern", [r"(?<!\s)\s++$", r"(?<!\d)\d++x", r"a{1,300}b", r"^(?>a|b)*+c", r"[^,\n]{0,80},"])
def test_linear_expressions_pass(pattern, deep_recursion):
    assert worst(re.compile(pattern), anchored=False, more=2)[0] <= RATIO
