"""Where a title stands in the text: places at which one to five joined lines read like it."""

from __future__ import annotations

import difflib
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .layout import Layout, is_caps
from .numbering import is_bare_label, parse_label

FUZZ = 0.86
"""Least similarity of a title to the heading that it names (difflib's ratio, spaces and number aside)."""


def squeeze(text: str) -> str:
    """A title for comparison: NFKC, lower case, letters and digits alone."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum())


def bare_title(text: str) -> str:
    label = parse_label(text)
    return squeeze(label.title) if label is not None and label.title else squeeze(text)


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the text where a title stands.

    `exact` if the words are the same, `numbered` if the number is too, `heavy` if the type is a heading's.
    """

    first: int
    last: int
    page: int
    exact: bool
    numbered: bool
    size: float
    heavy: bool


def find_spots(layout: Layout, titles: Sequence[str], taken: Collection[int]) -> list[list[Spot]]:
    """For each title, all places where one to five joined lines read like it."""
    wanted: dict[str, list[int]] = defaultdict(list)
    keys = [(bare_title(title), squeeze(title)) for title in titles]
    labels = [parse_label(title) for title in titles]
    for position, (bare, whole) in enumerate(keys):
        for key in {bare, whole}:
            if key:
                wanted[key[:4]].append(position)
    found: list[list[Spot]] = [[] for _ in titles]
    body = layout.body
    for page, numbers in layout.page_lines():
        texts = [layout.line(n).text for n in numbers]
        for position, number in enumerate(numbers):
            if number in taken:
                continue
            line_bare, line_whole = bare_title(texts[position]), squeeze(texts[position])
            candidates = {*wanted.get(line_bare[:4], ()), *wanted.get(line_whole[:4], ())}
            for candidate in candidates:
                spot = _match(layout, keys[candidate], numbers, texts, position)
                if spot is None:
                    continue
                last, exact = spot
                first = position
                if _labelled_above(layout, numbers, texts, position, taken):
                    first -= 1
                label = parse_label(texts[first])
                wanted_label = labels[candidate]
                numbered = wanted_label is None or (label is not None and label.value == wanted_label.value)
                style = layout.style(number)
                heavy = style.size > body.size + 0.4 or (style.bold and not body.bold) or is_caps(texts[position])
                found[candidate].append(Spot(numbers[first], numbers[last], page, exact, numbered, style.size, heavy))
    return found


def _labelled_above(
    layout: Layout, numbers: Sequence[int], texts: Sequence[str], position: int, taken: Collection[int]
) -> bool:
    """Whether the line above is this title's number, standing alone ("Chapter 3", "B.")."""
    if position == 0 or numbers[position - 1] in taken or parse_label(texts[position]) is not None:
        return False
    return is_bare_label(texts[position - 1]) and _near(layout, numbers[position - 1], numbers[position])


def _near(layout: Layout, above: int, below: int) -> bool:
    drop = layout.box(above).bottom - layout.box(below).bottom
    return -2.0 <= drop < 5 * max(layout.style(above).size, layout.style(below).size)


def _match(
    layout: Layout, keys: tuple[str, str], numbers: Sequence[int], texts: Sequence[str], position: int
) -> tuple[int, bool] | None:
    """Position of the last line and whether the words are the same, if lines from `position` on read like the title."""
    bare, whole = keys
    joined = ""
    for last in range(position, min(position + 5, len(numbers))):
        if last > position and not _near(layout, numbers[last - 1], numbers[last]):
            break
        joined += texts[last]
        options = (bare_title(joined), squeeze(joined))
        for option in options:
            if option and option in (bare, whole):
                return last, True
        shortest = min(len(option) for option in options)
        if shortest > 1.3 * len(whole) + 4:
            break
        option = options[0]
        if len(bare) >= 8 and abs(len(option) - len(bare)) <= 0.15 * len(bare):
            ratio = difflib.SequenceMatcher(None, option, bare, autojunk=False)
            if ratio.quick_ratio() >= FUZZ and ratio.ratio() >= FUZZ:
                # A longer join can still fit exactly.
                following = texts[last + 1] if last + 1 < len(texts) else ""
                if (
                    bare.startswith(option)
                    and squeeze(following)
                    and bare[len(option) :].startswith(squeeze(following)[:3])
                ):
                    continue
                return last, False
    return None


def nearest_on_page(layout: Layout, title: str, page: int, taken: Collection[int]) -> Spot | None:
    """The lines of a page that read most like a title, if any is alike enough: for titles with misread letters."""
    wanted = bare_title(title)
    if len(wanted) < 8:
        return None
    best: tuple[float, Spot] | None = None
    numbers = [n for n in layout.lines_of(page) if n not in taken]
    for position, number in enumerate(numbers):
        joined = ""
        for last in range(position, min(position + 4, len(numbers))):
            if last > position and not _near(layout, numbers[last - 1], numbers[last]):
                break
            joined += " " + layout.line(numbers[last]).text
            option = bare_title(joined)
            if len(option) > 1.2 * len(wanted):
                break
            if len(option) < 0.8 * len(wanted):
                continue
            matcher = difflib.SequenceMatcher(None, option, wanted, autojunk=False)
            if matcher.quick_ratio() < FUZZ or (ratio := matcher.ratio()) < FUZZ:
                continue
            if best is None or ratio > best[0]:
                size = layout.style(number).size
                best = ratio, Spot(number, numbers[last], page, False, True, size, size > layout.body.size + 0.4)
    return best[1] if best else None
