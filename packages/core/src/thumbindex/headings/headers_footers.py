"""Headers and footers: running heads and feet, page numbers. They belong to the page and not to its text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise

from .layout import Layout
from .numbering import WORD_KINDS, parse_label, roman
from .words import bare_title, squeeze

ZONE = 3
"""Rows looked at from the top and from the bottom of a page; running heads of more rows have not been seen."""
MIN_PAGES = 3
"""Pages on which a text must repeat in its place."""
SLOT_SHARE = 0.4
"""Share of pages on which a place must hold a line of its own style to be the place of a running head."""
FEW_PAGES = 0.2
"""Share of pages below which a repeated line with other text outside of it is a heading that comes again."""
SECTION_PAGES = 4
"""Pages before a running head on which its section's title is looked for; of a longer one it stands on several pages."""
TITLE_LINE = 15
"""Characters that two lines must share to be one title, where one of them is longer."""
LARGER = 0.9
"""Points above the body's size from which type is a heading's: no place makes it a running head, no digits a page number."""
ONE_ROW = 3.0
"""Points of height within which lines are one row."""
SAME_HEIGHT = 6.0
"""Points of height within which a running head keeps its place."""
IN_PLACE = 0.6
"""Share of the lines of one text that must stand in one place."""
FEW = 4
"""Pages of a document up to which a text must repeat on all but one."""
MIN_SLOTS = 5
"""Pages that must hold a line in one place and style."""
HEAD_SPACE = 1.3
"""White space below a running head, in lines."""
LARGE = 1.15
"""Times the body's size from which a line at the top of a page is rather a title."""

STEP = 12
"""Most by which the figures of a running head differ from page to page: pages without one, and months of a date, stand between."""
COUNTING = 0.6
"""Share of the steps from page to page at which the figures must stay or grow by little."""

_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"^[\W_]*(?:(?:page|seite|página|pagina|стр\.?|p\.)\s*)?"
    r"(?:[A-Z]{1,2}\s?[-–.]\s?)?(?:\d{1,4}|[ivxlcdm]{1,8})"
    r"(?:\s*(?:of|/|von|de|sur|из)\s*\d{1,4})?[\W_]*$",
    re.IGNORECASE,
)


_LABEL = re.compile(r"^\w{1,5}[.)]$")


def is_page_number(text: str) -> bool:
    """Returns whether the text is nothing but a page number: "17", "- iv -", "Page 3 of 9", "F-12"."""
    match = _PAGE_NUMBER.match(text)
    if not match or _LABEL.match(text):
        return False
    word = re.search(r"(?<![ivxlcdm])[ivxlcdm]++$", text.strip(" -–.|").lower())
    return bool(re.search(r"\d", text)) or (word is not None and roman(word.group()) is not None)


def find_headers_footers(layout: Layout) -> frozenset[int]:
    """Numbers of the lines that are running heads, running feet or page numbers."""
    zones = list(_zones(layout))
    heads = _repeated(layout, zones) | _slots(layout, zones)
    heads -= _below_text(layout, zones, heads)
    return frozenset(heads | _numbers(layout, zones, heads))


Zone = tuple[int, str, list[list[int]]]
"""Page, "top" or "bottom", and its outermost rows, outermost first; a row is the lines on one baseline."""


def _zones(layout: Layout) -> list[Zone]:
    found: list[Zone] = []
    for page, numbers in layout.page_lines():
        ordered = sorted(numbers, key=lambda n: -layout.box(n).bottom)
        rows: list[list[int]] = []
        for number in ordered:
            if rows and abs(layout.box(rows[-1][0]).bottom - layout.box(number).bottom) < ONE_ROW:
                rows[-1].append(number)
            else:
                rows.append([number])
        found.append((page, "top", rows[:ZONE]))
        # On a page of few rows the same row is not looked at twice.
        found.append((page, "bottom", rows[max(ZONE, len(rows) - ZONE) :][::-1]))
    return found


def _repeated(layout: Layout, zones: list[Zone]) -> set[int]:
    """Lines whose text stands in the same zone of several pages, page numbers and other figures excepted."""
    places: dict[tuple[str, str], list[tuple[int, int, int]]] = defaultdict(list)
    for page, zone, rows in zones:
        for depth, row in enumerate(rows):
            for number in row:
                places[zone, _key(layout, number)].append((page, number, depth))
    total = max(1, len(zones) // 2)
    found: set[int] = set()
    for (_, key), matches in places.items():
        pages = {page for page, _, _ in matches}
        needed = MIN_PAGES if total > FEW else max(2, total - 1)
        if len(pages) < needed or not any(char.isalpha() for char in key):
            continue
        heights = sorted(layout.box(number).bottom for _, number, _ in matches)
        middle = heights[len(heights) // 2]
        styles = Counter(_set(layout, number) for _, number, _ in matches)
        usual = styles.most_common(1)[0][0]
        same_place = [
            match
            for match in matches
            if abs(layout.box(match[1]).bottom - middle) < SAME_HEIGHT and _set(layout, match[1]) == usual
        ]
        if "#" in key and not _count_on(layout, [(page, number) for page, number, _ in same_place]):
            continue  # the number of a certificate, the amount of an invoice
        # In body text a short line ("Yes", a table head) may come up at any height; a running head keeps its own.
        if len({page for page, _, _ in same_place}) >= needed and len(same_place) >= IN_PLACE * len(matches):
            numbers = [number for _, number, _ in same_place]
            if _is_title_like(layout, numbers[0]):
                numbers = numbers[1:]
            found.update(numbers)
    return found


def _count_on(layout: Layout, matches: list[tuple[int, int]]) -> bool:
    """Returns whether the figures of a repeated line are those of pages, sections and dates: they stay, or grow by little."""
    rows = [[int(digits[-9:]) for digits in _DIGITS.findall(layout.line(number).text)] for _, number in sorted(matches)]
    steps = [(before, after) for before, after in pairwise(rows) if len(before) == len(after)]
    if not steps:
        return True
    counting = sum(
        all(old == new or abs(new - old) <= STEP or new <= 1 for old, new in zip(*step, strict=True)) for step in steps
    )
    return counting >= COUNTING * len(steps)


def _below_text(layout: Layout, zones: list[Zone], heads: set[int]) -> set[int]:
    """Returns the repeated lines of few pages that have text outside of them: "Introduction" below each chapter's title."""
    total = max(1, len(zones) // 2)
    texts: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for _, _, rows in zones:
        outside = False
        for row in rows:
            for number in row:
                if number in heads:
                    texts[_key(layout, number)].append((number, outside))
            outside = outside or not all(n in heads or is_page_number(layout.line(n).text) for n in row)
    return {
        number
        for places in texts.values()
        if len(places) < FEW_PAGES * total and sum(inside for _, inside in places) > 0.5 * len(places)
        for number, _ in places
    }


def _set(layout: Layout, number: int) -> tuple[float, bool, bool]:
    style = layout.style(number)
    return style.size, style.bold, style.italic


def _is_title_like(layout: Layout, number: int) -> bool:
    return layout.style(number).size >= LARGE * layout.body.size


def _key(layout: Layout, number: int) -> str:
    text = " ".join(layout.line(number).text.casefold().split())
    label = parse_label(text)
    if _is_title_like(layout, number) or (label is not None and label.kind in WORD_KINDS and not label.title):
        return text  # "Chapter 1", "Chapter 2" in large type and "Part II" alone are titles, not one running head
    words = text.split()
    while words and roman(words[-1]) is not None:
        words.pop()
    while words and roman(words[0]) is not None:
        words.pop(0)
    return _DIGITS.sub("#", " ".join(words)).strip()


def _numbers(layout: Layout, zones: list[Zone], heads: set[int]) -> set[int]:
    """Page numbers that stand in the outermost rows, alone or beside running heads."""
    found: set[int] = set()
    for _, _, rows in zones:
        for row in rows[:2]:
            figures = {number for number in row if is_page_number(layout.line(number).text)}
            # A number in one row with a title is an entry of a contents page, or a row of a table.
            if not heads.issuperset(number for number in row if number not in figures):
                continue
            found.update(n for n in figures if layout.style(n).size <= layout.body.size + LARGER)
    return found


def _slots(layout: Layout, zones: list[Zone]) -> set[int]:
    """Running heads whose text differs from section to section: one place, one style, white space below."""
    slots: dict[tuple[str, int, float, bool, bool], list[int]] = defaultdict(list)
    pages = 0
    for _, zone, rows in zones:
        if zone != "top":
            continue
        pages += 1
        if not rows:
            continue
        gap = layout.box(rows[0][0]).bottom - layout.box(rows[1][0]).bottom if len(rows) > 1 else 0.0
        for number in rows[0]:
            style = layout.style(number)
            if style.size > layout.body.size + LARGER or gap < HEAD_SPACE * layout.pitch:
                continue
            slots[zone, round(layout.box(number).bottom / 2), style.size, style.bold, style.italic].append(number)
    found: set[int] = set()
    for (_, _, size, bold, italic), numbers in slots.items():
        body = layout.body
        unlike_body = (size, bold, italic) != (body.size, body.bold, body.italic)
        with_number = sum(bool(_EDGE_NUMBER.search(layout.line(n).text)) for n in numbers)
        if len({layout.page_of[n - 1] for n in numbers}) >= max(
            MIN_SLOTS, SLOT_SHARE * pages * (0.5 if unlike_body else 1.0)
        ) and (unlike_body or with_number > 0.5 * len(numbers)):
            if not _is_style_of_text(layout, (size, bold, italic), numbers):
                found.update(numbers)
                continue
            times = Counter(_key(layout, number) for number in numbers)
            found.update(n for n in numbers if times[_key(layout, n)] > 1 or _stands_near(layout, n))
    return found


def _stands_near(layout: Layout, number: int) -> bool:
    """Returns whether a line's words stand on its page or shortly before too: a running head gives its section's title."""
    page = layout.page_of[number - 1]
    text = _EDGE_NUMBER.sub("", layout.line(number).text)
    label = parse_label(text)
    if label is not None and label.kind in WORD_KINDS and not label.title:
        return False  # "PART I" stands in the list of contents too
    # "Note 4 - Leases" is named with its number wherever it is a title.
    form = squeeze if label is not None and label.kind in WORD_KINDS else bare_title
    head = form(text)
    near = (n for p in range(page - SECTION_PAGES, page + 1) for n in layout.lines_of(p) if n != number)
    return not head or any(_same_title(head, form(layout.line(n).text)) for n in near)


def _same_title(head: str, line: str) -> bool:
    """Returns whether a line is a title or the first line of one, where the running head may give it short."""
    return (
        head == line
        or (len(line) >= TITLE_LINE and head.startswith(line))
        or (len(head) >= TITLE_LINE and line.startswith(head))
    )


def _is_style_of_text(layout: Layout, style: tuple[float, bool, bool], numbers: list[int]) -> bool:
    """Returns whether more stands in a style below the tops of pages than there: they are headings that open pages."""
    there = sum(len(layout.line(number).text) for number in numbers)
    everywhere = sum(n for s, n in layout.weights.items() if (s.size, s.bold, s.italic) == style)
    body = layout.body
    return style != (body.size, body.bold, body.italic) and everywhere > 2 * there


_EDGE_NUMBER = re.compile(r"^\d{1,4}\b|\b\d{1,4}$")
