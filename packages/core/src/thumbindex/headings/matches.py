"""Finds where a title stands in the text: one to five joined lines that read like it."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .layout import Layout, is_caps
from .numbering import is_bare_label, may_be_numbered, parse_label
from .words import bare_title, squeeze

FUZZ = 0.86
"""Least similarity of a title to the heading that it names (difflib's ratio, without spaces and number)."""
BEGINNING = 4
"""Characters by which titles and lines are looked up."""
MIN_SIMILAR = 8
"""Characters of a title that may be misprinted: shorter ones are alike by chance."""
JOINED = 5
"""Lines that a title may take."""
NEAR_DROP = 5
"""Distance of two lines of a title, in type sizes."""
HEAVIER = 0.4
"""Points above the body's size from which a line is set as a heading."""
LENGTHS, LONGER, SHORTER = 0.15, 1.2, 0.8
"""Share by which the lengths of a title and of similar lines may differ, and limits of joined lines."""
MAX_COMPARED = 10_000
"""Lines compared with titles that stand nowhere word for word; real documents need some hundreds."""
MAX_ALIKE = 50
"""Titles with one beginning, beyond which a line is tried on none of them but word for word."""


class _Words:
    """The lines of one page as `squeeze` sees them, worked out once each, with and without the number in front."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._whole: dict[int, str] = {}
        self._bare: dict[int, str] = {}

    def whole(self, position: int) -> str:
        known = self._whole.get(position)
        if known is None:
            known = self._whole[position] = squeeze(self.texts[position])
        return known

    def bare(self, position: int) -> str:
        """Without its number; empty for a line that is nothing but a number."""
        if not may_be_numbered(self.texts[position]):
            return self.whole(position)
        known = self._bare.get(position)
        if known is None:
            label = parse_label(self.texts[position])
            known = self._bare[position] = self.whole(position) if label is None else squeeze(label.title)
        return known

    def may_begin(self, position: int, openings: Collection[str]) -> bool:
        """Returns quickly whether the first two characters of a line can open one of the titles."""
        text = self.texts[position]
        opening = text[:2].lower()
        return not (opening.isascii() and opening.isalnum()) or opening in openings or may_be_numbered(text)


@dataclass(frozen=True, slots=True)
class Match:
    """Lines of the text that read like a title.

    `exact` if the words are the same, `numbered` if the number is too, `heavy` if the type is a heading's.
    """

    first: int
    last: int
    page: int
    exact: bool
    numbered: bool
    size: float
    heavy: bool


def find_matches(layout: Layout, titles: Sequence[str], taken: Collection[int]) -> list[list[Match]]:
    """Returns for each title all matches: one to five joined lines that read like it.

    Only titles that stand nowhere word for word are looked for in lines that are merely alike: "Route 12" is not "Route
    13", and in a document of many such titles each line would have to be compared with each title.
    """
    keys = [(bare_title(title), squeeze(title)) for title in titles]
    labels = [parse_label(title) for title in titles]
    named: dict[str, list[int]] = defaultdict(list)
    for position, both in enumerate(keys):
        for key in set(both) - {""}:
            named[key].append(position)
    beginnings, longest = {key[:BEGINNING] for key in named}, max(map(len, named), default=0)
    openings = {key[:2] for key in named} | {key[0] for key in named}
    found: list[list[Match]] = [[] for _ in titles]
    pages = [(page, numbers, _Words([layout.line(n).text for n in numbers])) for page, numbers in layout.page_lines()]

    def add(
        candidate: int, page: int, numbers: Sequence[int], words: _Words, span: tuple[int, int], exact: bool
    ) -> None:
        position, last = span
        first = position
        if _labelled_above(layout, numbers, words.texts, position, taken):
            first -= 1
        label, wanted = parse_label(words.texts[first]), labels[candidate]
        numbered = wanted is None or (label is not None and label.value == wanted.value)
        style, body = layout.style(numbers[position]), layout.body
        heavy = style.size > body.size + HEAVIER or (style.bold and not body.bold) or is_caps(words.texts[position])
        found[candidate].append(Match(numbers[first], numbers[last], page, exact, numbered, style.size, heavy))

    for page, numbers, words in pages:
        for position, number in enumerate(numbers):
            if number in taken or not words.may_begin(position, openings):
                continue
            if words.whole(position)[:BEGINNING] in beginnings or words.bare(position)[:BEGINNING] in beginnings:
                for candidate, last in _exact(layout, named, longest, numbers, words, position).items():
                    add(candidate, page, numbers, words, (position, last), True)
    compared = 0
    wanted: dict[str, list[int]] = defaultdict(list)
    for candidate, both in enumerate(keys):
        if not found[candidate] and len(both[0]) >= MIN_SIMILAR:
            for key in set(both):
                wanted[key[:BEGINNING]].append(candidate)
    openings = {key[:2] for key in wanted} | {key[0] for key in wanted if key}
    for page, numbers, words in pages if wanted else ():
        for position, number in enumerate(numbers):
            if number in taken or not words.may_begin(position, openings):
                continue
            candidates = {
                *wanted.get(words.whole(position)[:BEGINNING], ()),
                *wanted.get(words.bare(position)[:BEGINNING], ()),
            }
            if len(candidates) > MAX_ALIKE or compared > MAX_COMPARED:
                continue
            compared += len(candidates)
            for candidate in candidates:
                near = _alike(layout, keys[candidate], numbers, words, position)
                if near is not None:
                    add(candidate, page, numbers, words, (position, near), False)
    return found


def _labelled_above(
    layout: Layout, numbers: Sequence[int], texts: Sequence[str], position: int, taken: Collection[int]
) -> bool:
    """Returns whether the line above is this title's number, standing alone ("Chapter 3", "B.")."""
    if position == 0 or numbers[position - 1] in taken or parse_label(texts[position]) is not None:
        return False
    return is_bare_label(texts[position - 1]) and _near(layout, numbers[position - 1], numbers[position])


def _near(layout: Layout, above: int, below: int) -> bool:
    drop = layout.box(above).bottom - layout.box(below).bottom
    return -2.0 <= drop < NEAR_DROP * max(layout.style(above).size, layout.style(below).size)


def _joins(layout: Layout, numbers: Sequence[int], words: _Words, position: int) -> Iterator[tuple[int, str, str]]:
    """One to five lines joined from `position` on: position of the last, their words, and those without the number."""
    spelled, titled = "", ""
    for last in range(position, min(position + JOINED, len(numbers))):
        if last > position and not _near(layout, numbers[last - 1], numbers[last]):
            return
        spelled += words.whole(last)
        titled += words.bare(last) if last == position else words.whole(last)
        yield last, spelled, titled


def _exact(
    layout: Layout,
    named: Mapping[str, Sequence[int]],
    longest: int,
    numbers: Sequence[int],
    words: _Words,
    position: int,
) -> dict[int, int]:
    """Titles that the lines from `position` on are word for word, with the position of the last line of each."""
    found: dict[int, int] = {}
    for last, spelled, titled in _joins(layout, numbers, words, position):
        for key in (titled, spelled):
            for candidate in named.get(key, ()):
                found.setdefault(candidate, last)
        if min(len(titled), len(spelled)) > longest:
            break
    return found


def _alike(layout: Layout, keys: tuple[str, str], numbers: Sequence[int], words: _Words, position: int) -> int | None:
    """Position of the last line, if the lines from `position` on read much like the title."""
    bare, whole = keys
    for last, spelled, titled in _joins(layout, numbers, words, position):
        if min(len(titled), len(spelled)) > 1.3 * len(whole) + 4:
            return None
        if abs(len(titled) - len(bare)) <= LENGTHS * len(bare):
            ratio = difflib.SequenceMatcher(None, titled, bare, autojunk=False)
            if ratio.real_quick_ratio() >= FUZZ and ratio.quick_ratio() >= FUZZ and ratio.ratio() >= FUZZ:
                # A longer join can fit better.
                following = words.whole(last + 1) if last + 1 < len(numbers) else ""
                if following and bare.startswith(titled) and bare[len(titled) :].startswith(following[:3]):
                    continue
                return last
    return None


def nearest_on_page(layout: Layout, title: str, page: int, taken: Collection[int]) -> Match | None:
    """Returns the lines of a page that read most like a title with misread characters, None if none is similar enough."""
    wanted = bare_title(title)
    if len(wanted) < MIN_SIMILAR:
        return None
    best: tuple[float, Match] | None = None
    numbers = [n for n in layout.lines_of(page) if n not in taken]
    for position, number in enumerate(numbers):
        joined = ""
        for last in range(position, min(position + JOINED - 1, len(numbers))):
            if last > position and not _near(layout, numbers[last - 1], numbers[last]):
                break
            joined += " " + layout.line(numbers[last]).text
            option = bare_title(joined)
            if len(option) > LONGER * len(wanted):
                break
            if len(option) < SHORTER * len(wanted):
                continue
            matcher = difflib.SequenceMatcher(None, option, wanted, autojunk=False)
            if matcher.quick_ratio() < FUZZ or (ratio := matcher.ratio()) < FUZZ:
                continue
            if best is None or ratio > best[0]:
                size = layout.style(number).size
                best = ratio, Match(number, numbers[last], page, False, True, size, size > layout.body.size + HEAVIER)
    return best[1] if best else None
