"""The estimate of tokens: near enough to what models count to cut texts by, and free of downloads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thumbindex.text.tokens import estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param(" \n\t", 0, id="white space"),
        pytest.param("The cat sat on the mat.", 7, id="short words and the mark at the end"),
        pytest.param("responsibility", 3, id="a long word is several"),
        pytest.param("1234567", 3, id="digits go by three"),
        pytest.param("水库管理", 3, id="Chinese letters are nearly one each"),
        pytest.param("водоснабжение", 4, id="other alphabets take more"),
        pytest.param("a, b; c!", 6, id="marks count"),
    ],
)
def test_estimate(text, tokens):
    """Counted by kind of letter."""
    assert estimate_tokens(text) == tokens


PROSE = (
    "The board shall fix the tolls for the bridge before the first of March of every year, and shall publish them on "
    "the gate. Whoever crosses with a cart pays 12 crowns; whoever crosses on foot pays nothing."
)


def test_plain_english_comes_to_about_five_tokens_for_four_words():
    """The rule of thumb that everyone budgets by."""
    assert 1.0 <= estimate_tokens(PROSE) / len(PROSE.split()) <= 1.4


@given(st.text(max_size=200), st.text(max_size=200))
def test_more_text_is_never_fewer_tokens(one, other):
    """Joining two texts with a gap costs what both cost, to a token of rounding."""
    assert estimate_tokens(one) >= 0
    assert abs(estimate_tokens(f"{one} {other}") - estimate_tokens(one) - estimate_tokens(other)) <= 1
