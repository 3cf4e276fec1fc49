"""Automatic numbers of Word paragraphs, counted as Word counts them: "3.1", "Article II", "(a)".

The file holds only which list and level a paragraph has (ECMA-376 part 1, 17.9); the numbers that a reader sees are
worked out here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_LEVELS = 9
_REFERENCE = re.compile(r"%([1-9])")
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


@dataclass(frozen=True, slots=True)
class Level:
    """How one level of a list counts.

    Args:
        format: Word's name of the format: "decimal", "upperRoman", "bullet", "none", ...
        text: What is printed, "%1.%2" standing for the numbers of levels 1 and 2.
        restart: The level (from 1) after which the count begins anew; 0 for never, None for any higher level.
        legal: Whether all its numbers are printed as digits.
    """

    start: int = 1
    format: str = "decimal"
    text: str = "%1."
    restart: int | None = None
    legal: bool = False


@dataclass(frozen=True, slots=True)
class Numbering:
    """One list that paragraphs name: the definition whose count it shares, its levels, and starts of its own."""

    definition: str
    levels: Mapping[int, Level]
    starts: Mapping[int, int] = field(default_factory=dict)


class Counter:
    """The counts so far."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[int, int]] = {}
        self._started: set[tuple[str, int]] = set()

    def next(self, key: str, numbering: Numbering, level: int) -> str:
        """The number of the next paragraph of a list at a level (from 0), as printed; "" for none, "•" for a bullet.

        Args:
            key: The list's own name; several can share one count.
        """
        here = numbering.levels.get(level)
        if here is None:
            return ""
        counts = self._counts.setdefault(numbering.definition, {})
        own = numbering.starts.get(level)
        first_use = (key, level) not in self._started
        self._started.add((key, level))
        if own is not None and first_use:
            counts[level] = own
        else:
            counts[level] = counts[level] + 1 if level in counts else here.start
        for deeper in range(level + 1, MAX_LEVELS):
            below = numbering.levels.get(deeper)
            restart = None if below is None else below.restart
            if restart is None or (restart and level < restart):
                counts.pop(deeper, None)
        if here.format == "bullet":
            return "•"
        return self._printed(numbering, level, counts)

    @staticmethod
    def _printed(numbering: Numbering, level: int, counts: Mapping[int, int]) -> str:
        here = numbering.levels[level]

        def number(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            other = numbering.levels.get(at, Level())
            value = counts.get(at, other.start)
            return printed(value, "decimal" if here.legal else other.format)

        return _REFERENCE.sub(number, here.text).strip()


def printed(value: int, kind: str) -> str:
    """A number in one of Word's formats; digits in those that are rare."""
    match kind:
        case "none":
            return ""
        case "upperLetter" | "lowerLetter" if value > 0:
            letter = chr(ord("A") + (value - 1) % 26) * min((value - 1) // 26 + 1, 20)
            return letter if kind == "upperLetter" else letter.lower()
        case "upperRoman" | "lowerRoman" if 0 < value < 4000:
            text = roman_numeral(value)
            return text.upper() if kind == "upperRoman" else text
        case "decimalZero":
            return f"{value:02}"
        case "ordinal":
            ending = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
            return f"{value}{ending}"
        case "cardinalText" if 0 < value < 100:
            return _spelled(value).capitalize()
        case "chineseCounting" | "chineseCountingThousand" | "ideographDigital" | "japaneseCounting" if 0 < value < 100:
            return _chinese(value)
        case _:
            return str(value)


def roman_numeral(number: int) -> str:
    """A number from 1 to 3999 in small Roman letters."""
    text = ""
    for value, letters in _ROMAN:
        while number >= value:
            text += letters
            number -= value
    return text


def _spelled(value: int) -> str:
    if value < 20:
        return _ONES[value]
    tens, ones = divmod(value, 10)
    return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")


def _chinese(value: int) -> str:
    tens, ones = divmod(value, 10)
    text = "" if not tens else "十" if tens == 1 else f"{_CHINESE[tens]}十"
    return text + (_CHINESE[ones] if ones else "")
