"""Numbers written in Chinese characters."""

from __future__ import annotations

_DIGITS = (
    {character: value for value, character in enumerate("〇一二三四五六七八九")}
    | {"零": 0, "两": 2, "兩": 2}
    | {str(value): value for value in range(10)}
)
_UNITS = {"十": 10, "百": 100, "千": 1000}
CHINESE_NUMERALS = "〇零一二三四五六七八九两兩十百千"
"""The characters of Chinese numbers below ten thousand, for a character class of a regular expression."""

MAX_CHARACTERS = 18
"""The characters that a number may have, more than any has in use. A longer row of them is no number, and `str` refuses
integers of thousands of digits."""


def chinese_number(text: str) -> int:
    """Returns the value of a number below ten thousand, written with units (三十五) or digit by digit (二〇二四).

    ASCII digits may stand for characters, as in 2千. A digit after 百 or 千 counts ones: 第一百二回 is chapter 102, as in
    classical novels, and not the 120 that it is in speech.

    >>> chinese_number("一千零三十五"), chinese_number("二〇二四")
    (1035, 2024)

    Raises:
        ValueError: `text` is empty or holds another character.
    """
    if not text or any(character not in _DIGITS and character not in _UNITS for character in text):
        raise ValueError(f"{text!r} is not a Chinese number.")
    total = run = 0
    for character in text:
        if character in _UNITS:
            total += (run or 1) * _UNITS[character]
            run = 0
        else:
            run = 10 * run + _DIGITS[character]
    return total + run
