"""Automatic numbers of Word paragraphs, such as "3.1", "Article II" and "(a)".

The file stores only the list and level of a paragraph (ECMA-376 part 1, 17.9); the numbers that a reader sees are computed
here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..number_formats import format_number

MAX_LEVELS = 9
"""Levels of a list (ECMA-376 17.9.6)."""
BULLET = "•"
_REFERENCE = re.compile(r"%([1-9])")


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a list.

    Args:
        start: Number of its first paragraph.
        format: Word's name of the number format: "decimal", "upperRoman", "bullet", "none", ...
        text: Printed text, in which "%1.%2" stands for the numbers of levels 1 and 2.
        restart: Level (from 1) after which the count restarts; 0 for never, None for any higher level.
        legal: Whether all numbers in its text are printed as digits.
    """

    start: int = 1
    format: str = "decimal"
    text: str = "%1."
    restart: int | None = None
    legal: bool = False


@dataclass(frozen=True, slots=True)
class Numbering:
    """A list.

    Args:
        definition: Id of its definition, with whose other lists it shares one count.
        levels: Its levels, from 0.
        starts: Numbers at which this list starts its levels, instead of continuing the count.
    """

    definition: str
    levels: Mapping[int, Level]
    starts: Mapping[int, int] = field(default_factory=dict)


class Counter:
    """Counts the paragraphs of all lists of a document."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[int, int]] = {}
        self._started: set[tuple[str, int]] = set()

    def next(self, key: str, numbering: Numbering, level: int) -> str:
        """Returns the printed number of the next paragraph of a list; "" for none, `BULLET` for a bullet.

        Args:
            key: Id of the list.
            numbering: The list.
            level: Level of the paragraph, from 0.
        """
        current = numbering.levels.get(level)
        if current is None:
            return ""
        counts = self._counts.setdefault(numbering.definition, {})
        start = numbering.starts.get(level)
        first_use = (key, level) not in self._started
        self._started.add((key, level))
        if start is not None and first_use:
            counts[level] = start
        else:
            counts[level] = counts[level] + 1 if level in counts else current.start
        for deeper in range(level + 1, MAX_LEVELS):
            below = numbering.levels.get(deeper)
            restart = None if below is None else below.restart
            if restart is None or (restart and level < restart):
                counts.pop(deeper, None)
        if current.format == "bullet":
            return BULLET
        return self._printed(numbering, level, counts)

    @staticmethod
    def _printed(numbering: Numbering, level: int, counts: Mapping[int, int]) -> str:
        current = numbering.levels[level]

        def number(match: re.Match[str]) -> str:
            index = int(match[1]) - 1
            other = numbering.levels.get(index, Level())
            value = counts.get(index, other.start)
            return format_number(value, "decimal" if current.legal else other.format)

        return _REFERENCE.sub(number, current.text).strip()
