"""Estimated token counts: close enough to those of models to split texts by, without downloads."""

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
        pytest.param("The cat sat on the mat.", 7, id="short words and a full stop"),
        pytest.param("responsibility", 3, id="a long word is several tokens"),
        pytest.param("1234567", 3, id="three digits are a token"),
        pytest.param("水库管理", 3, id="Chinese characters are nearly one each"),
        pytest.param("водоснабжение", 4, id="other alphabets have more"),
        pytest.param("a, b; c!", 6, id="punctuation counts"),
    ],
)
def test_estimate(text, tokens):
    """Counted by kind of character."""
    assert estimate_tokens(text) == tokens


PROSE = (
    "The board shall fix the tolls for the bridge before the first of March of every year, and shall publish them on "
    "the gate. Whoever crosses with a cart pays 12 crowns; whoever crosses on foot pays nothing."
)


def test_plain_english_has_about_five_tokens_for_four_words():
    """The usual rule of thumb for budgets."""
    assert 1.0 <= estimate_tokens(PROSE) / len(PROSE.split()) <= 1.4


@given(st.text(max_size=200), st.text(max_size=200))
def test_the_estimate_is_additive(first, second):
    """Two texts joined by a space have as many tokens as both together, up to rounding."""
    assert estimate_tokens(first) >= 0
    assert abs(estimate_tokens(f"{first} {second}") - estimate_tokens(first) - estimate_tokens(second)) <= 1
