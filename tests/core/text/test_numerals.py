"""Chinese numbers: with units, digit by digit, and in the shapes that titles, references and contracts have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thumbindex.text.numerals import chinese_number

DIGITS = "〇一二三四五六七八九"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("三", 3, id="one digit"),
        pytest.param("十", 10, id="a unit alone is one of it"),
        pytest.param("十五", 15, id="teens"),
        pytest.param("三十五", 35, id="tens and ones"),
        pytest.param("九十九", 99, id="the largest of two digits"),
        pytest.param("百", 100, id="a hundred without its one"),
        pytest.param("一百零五", 105, id="a zero for the tens that are missing"),
        pytest.param("一百一十", 110, id="one ten, written"),
        pytest.param("一百十", 110, id="one ten, left out"),
        pytest.param("一百二", 102, id="a digit after a hundred counts ones"),
        pytest.param("两千", 2000, id="the other two"),
        pytest.param("一千零十五", 1015, id="a zero before a unit"),
        pytest.param("一千三百二十四", 1324, id="all four units"),
        pytest.param("二〇二四", 2024, id="a year, digit by digit"),
        pytest.param("二零二四", 2024, id="a year with the other zero"),
        pytest.param("一〇五", 105, id="a number digit by digit"),
        pytest.param("〇", 0, id="zero"),
        pytest.param("2千3百", 2300, id="digits before units"),
    ],
)
def test_a_number_is_read(text: str, value: int) -> None:
    """As a reader of Chinese does."""
    assert chinese_number(text) == value


@pytest.mark.parametrize("text", ["", "三天", "IV", "三 五", "一万"])
def test_anything_else_is_refused(text: str) -> None:
    """Callers find the characters first; a mistake in that should not pass for a number."""
    with pytest.raises(ValueError, match="not a Chinese number"):
        chinese_number(text)


def written(value: int) -> str:
    """The usual way to write a number, made the other way round than it is read."""
    text, zero = "", ""
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = value // unit % 10
        if digit:
            text += zero + DIGITS[digit] + name
            zero = ""
        elif text:
            zero = "零"
    return text


@given(st.integers(1, 9999))
def test_both_ways_of_writing_have_one_value(value: int) -> None:
    """三百零五 and 三〇五 are 305."""
    assert chinese_number(written(value)) == value
    assert chinese_number("".join(DIGITS[int(digit)] for digit in str(value))) == value
