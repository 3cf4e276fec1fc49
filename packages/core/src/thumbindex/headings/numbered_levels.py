"""Levels by section numbers, for markup that gives all headings one level. Pure.

Programs that turn a PDF into Markdown, HTML or Word often write every heading as `##`; the numbers still show the nesting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ..outline import MAX_LEVEL, Heading
from .nesting import Ranked, nest
from .numbering import WORD_KINDS, Label, parse_label

MIN_NUMBERED = 0.5
"""Share of the headings that carry a number."""
IN_SEQUENCE = 0.8
"""Share of the decimals that count on from the one before: version numbers of a list of changes, which count down, do not."""
_PART_OF_A_TEXT = re.compile(
    r"^(?:abstract|(?:executive )?summary|preface|foreword|acknowledge?ments?|introduction|contents|table of contents|references|"
    r"bibliography|literature|conclusions?|glossary|index|notes?|list of \w+|"
    r"zusammenfassung|vorwort|einleitung|inhalt|inhaltsverzeichnis|literatur(?:verzeichnis)?|danksagung|"
    r"résumé|préface|avant-propos|introduction|sommaire|bibliographie|remerciements|"
    r"resumen|prólogo|introducción|índice|bibliografía|referencias|agradecimientos)\W*$",
    re.IGNORECASE,
)
"""Titles without number that are sections of a text, and not its title."""


def with_levels_by_number(headings: Sequence[Heading]) -> tuple[Heading, ...]:
    """Returns headings that all have one level with the levels that their numbers show; others unchanged.

    A heading without number before a first number is the title of what follows, so that two papers bound in one file have a
    root each.
    """
    if len({heading.level for heading in headings}) != 1:
        return tuple(headings)
    labels = [parse_label(heading.title) for heading in headings]
    numbered = [label for label in labels if label is not None]
    if len(numbered) < MIN_NUMBERED * len(headings) or not _nest(numbered) or not _counts_on(numbered):
        return tuple(headings)
    titles = _titles(headings, labels)
    levels = [0] * len(headings)
    starts = [*titles, len(headings)]
    for start, end in zip([0, *starts], starts, strict=False):
        # Each text is nested by itself, below its title.
        below = start in titles
        first = start + below
        for position, level in enumerate(nest([Ranked(0, label) for label in labels[first:end]]), first):
            levels[position] = min(level + below, MAX_LEVEL)
        if below:
            levels[start] = 1
    return tuple(replace(heading, level=level) for heading, level in zip(headings, levels, strict=True))


def _nest(labels: Sequence[Label]) -> bool:
    """Returns whether the numbers show more than one level."""
    kinds = {(label.kind, label.depth) for label in labels if label.kind == "decimal" or label.kind in WORD_KINDS}
    return len(kinds) > 1


def _counts_on(labels: Sequence[Label]) -> bool:
    """Returns whether most decimals are the next one after the decimal before them, or its first part."""
    decimals = [label.value for label in labels if label.kind == "decimal"]
    steps = sum(_follows(value, previous) for previous, value in pairwise(decimals))
    return steps >= IN_SEQUENCE * max(len(decimals) - 1, 0)


def _follows(value: tuple[str, ...], previous: tuple[str, ...]) -> bool:
    depth = len(value) - 1
    if value[:-1] == previous and value[-1] in ("0", "1"):
        return True
    if depth == 0 and value[0] == "1":
        return True  # another text begins
    if value[:depth] != previous[:depth]:
        # Numbers below an appendix: "A.1" after "2.1", "B.1" after "A.3".
        return value[0].isalpha() and value[1:] == ("1",)
    if len(previous) <= depth:
        return False
    last, here = previous[depth], value[depth]
    return last.isdigit() and here.isdigit() and int(last) < int(here) <= int(last) + 2


def _titles(headings: Sequence[Heading], labels: Sequence[Label | None]) -> list[int]:
    """Returns the positions of the titles of whole texts: the first heading without number in a run before a first number."""
    found: list[int] = []
    run: list[int] = []
    for position, label in enumerate(labels):
        if label is None:
            run.append(position)
            continue
        opens = label.depth == 1 and label.ordinal in (0, 1) and label.kind not in ("appendix", "annex")
        title = next((here for here in run if not _PART_OF_A_TEXT.match(headings[here].title)), None)
        if title is not None and (title == 0 or (opens and found[:1] == [0])):
            found.append(title)
        run = []
    return found
