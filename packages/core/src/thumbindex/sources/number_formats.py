"""Numbers as word processors and browsers print them: Roman, by letters, spelled out, in Chinese."""

from __future__ import annotations

ALPHABET = 26
"""Letters of the alphabet."""
_MAX_REPEATED = 20
"""Times that a letter is repeated: after "Z" comes "AA", and 26 items later "AAA"."""
LARGEST_ROMAN = 3999
"""Largest number with a Roman numeral."""
_LARGEST_SPELLED = 99
"""Largest number that is spelled out."""

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_CHINESE = "〇一二三四五六七八九"
_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)


def format_number(value: int, kind: str) -> str:
    """Returns a number in one of Word's formats; in digits for rare formats."""
    match kind:
        case "none":
            return ""
        case "upperLetter" | "lowerLetter" if value > 0:
            letter = chr(ord("A") + (value - 1) % ALPHABET) * min((value - 1) // ALPHABET + 1, _MAX_REPEATED)
            return letter if kind == "upperLetter" else letter.lower()
        case "upperRoman" | "lowerRoman" if 0 < value <= LARGEST_ROMAN:
            text = roman_numeral(value)
            return text.upper() if kind == "upperRoman" else text
        case "decimalZero":
            return f"{value:02}"
        case "ordinal":
            ending = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
            return f"{value}{ending}"
        case "cardinalText" if 0 < value <= _LARGEST_SPELLED:
            return _spelled(value).capitalize()
        case "chineseCounting" | "chineseCountingThousand" | "ideographDigital" | "japaneseCounting" if (
            0 < value <= _LARGEST_SPELLED
        ):
            return _chinese(value)
        case _:
            return str(value)


def roman_numeral(number: int) -> str:
    """Returns a number from 1 to 3999 as a lower-case Roman numeral."""
    text = ""
    for value, letters in _ROMAN:
        while number >= value:
            text += letters
            number -= value
    return text


def _spelled(value: int) -> str:
    if value < len(_ONES):
        return _ONES[value]
    tens, ones = divmod(value, 10)
    return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")


def _chinese(value: int) -> str:
    tens, ones = divmod(value, 10)
    text = "" if not tens else "十" if tens == 1 else f"{_CHINESE[tens]}十"
    return text + (_CHINESE[ones] if ones else "")
