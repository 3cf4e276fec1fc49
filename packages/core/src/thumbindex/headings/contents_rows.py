"""The rows of a document's first pages, and which of those pages are a contents page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from ..pages import Style
from .blocks import TextStyle
from .layout import Layout, family, is_caps
from .numbering import is_bare_label, roman

MIN_UNTITLED = 6
"""Entries that make a contents page where no word says so, and further pages of one."""
IN_ORDER = 0.85
"""Share of page numbers that must not fall from one entry to the next."""
SKIPPING = 1.5
"""Pages from one entry to the next, on average, that page numbers skip and chapter numbers do not."""
ALIGNED = 0.6
"""Share of entries that must end at one right edge."""
TITLED_SHARE, FOLLOWING_SHARE, PLAIN_SHARE = 0.3, 0.4, 0.5
"""Share of entries among the rows: under the word Contents, on the next page of a list, and where nothing says so."""
COLUMN_SHARE = 0.2
"""Share of the entries that either of two columns must hold."""
SAME_ROW = 0.4
"""Difference of height, in type sizes, up to which pieces stand in one row."""
GRID = 4
"""Points within which two edges count as one."""
LOOK_AHEAD = 6
"""Rows after one without leaders in which another with leaders must come, in a list that has them."""
MIN_ENTRIES = 4
FRONT_SHARE = 0.2
"""A contents page stands in this first part of the document; the same shape farther back is an index or a table."""
NEXT_LIST = 4
"""Pages after a contents list on which a second, more detailed one may begin."""
MIN_FRONT, MAX_FRONT = 12, 80

_TITLE = re.compile(
    r"^(?:table\s+of\s+)?contents?$|^(?:brief|short|detailed|summary\s+of)\s+contents?$|^inhalt(?:sverzeichnis|sübersicht)?$"
    r"|^table\s+des\s+mati[eè]res$|^sommaire$|^(?:tabla\s+de\s+)?contenidos?$|^[ií]ndice(?:\s+(?:general|de\s+contenidos?))?$"
    r"|^sommario$|^indice$|^sum[aá]rio$|^содержание$|^оглавление$|^目\s*[录錄次]$|^inhoud(?:sopgave)?$|^spis\s+treści$",
    re.IGNORECASE,
)
_OTHER_LIST = re.compile(
    r"^(?:(?:list|liste|lista|índice|indice|elenco|spis|список|перечень)\s+(?:of\s+|des?\s+|der\s+|delle\s+|dei\s+|di\s+)?)?"
    r"(?:(?:figures?|tables?|tableaux|illustrations?|abbreviations|boxes|charts|maps|examples|listings|algorithms|symbols|cases"
    r"|exhibits|abbildungen|tabellen|figuras|tablas|cuadros|gráficos|tabelas|figure|tabelle|таблиц|рисунков|иллюстраций)"
    r"(?:\s+(?:and|&|et|und|y|e|и)\s+\w+)?|(?:abbildungs|tabellen|bilder|abkürzungs|quellcode)verzeichnis)$",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"^(?P<title>.*?[^\s.·…_])(?P<lead>(?<!•)(?:\s?[.·…_•]){2,}+\s*+|[\s.·…_]*\s)"
    r"(?P<page>(?:[A-Z]{1,2}[-–.])?\d{1,4}|[ivxlcdm]{1,8})\s*+$"
)
_LAST = re.compile(r"[A-Za-z0-9]{1,8}(?=\s*$)")
LEADS_ONLY = re.compile(r"(?<![.·…_])(?:(?<![.·…_]\s)|(?=\s))(?:\s?[.·…_]){3,}+\s*+$")
_LEFT_NUMBER = re.compile(r"^(?P<page>\d{1,4}|[ivxlc]{1,6})\s+(?P<title>\D.*)$")


@dataclass(frozen=True, eq=False)
class Row:
    """The pieces of text on one baseline, from left to right. A row is equal to itself alone."""

    lines: tuple[int, ...]
    page: int
    text: str
    left: float
    right: float
    bottom: float
    style: Style
    is_text: bool = False
    """True if the number at its end is part of the text and not a page number."""

    @cached_property
    def text_style(self) -> TextStyle:
        style = self.style
        return TextStyle(
            style.size, style.bold, style.italic, is_caps(LEADS_ONLY.sub("", self.text)), family(style.font)
        )

    @cached_property
    def entry(self) -> re.Match[str] | None:
        """The row as title and page number; None if it does not end in one."""
        last = None if self.is_text else _LAST.search(self.text)
        if last is None or (last[0].isalpha() and roman(last[0]) is None):
            return None  # most rows of most pages
        match = _ENTRY.match(self.text)
        if match is None or not any(char.isalpha() for char in match["title"]):
            return None
        page = match["page"]
        if page.isalpha() and roman(page) is None:
            return None
        return match

    @cached_property
    def dotted(self) -> bool:
        match = self.entry
        return match is not None and match["lead"].count(".") + match["lead"].count("…") + match["lead"].count("·") >= 3


def front_rows(layout: Layout) -> Iterator[tuple[int, list[Row]]]:
    """Each page of the front part and its rows, one after the other: what follows the contents need not be looked at."""
    total = len(layout.document.pages or ())
    limit = min(max(min(MIN_FRONT, total // 2), int(total * FRONT_SHARE), 2), MAX_FRONT)
    for page, numbers in layout.page_lines():
        if page > limit:
            break
        rows = [row for column in _columns(layout, numbers) for row in _column_rows(layout, page, column)]
        yield page, _numbers_last(rows)


def _numbers_last(rows: list[Row]) -> list[Row]:
    """The rows with the page number behind the title, where a contents page sets it in front: "8 Welcome".

    Page numbers skip; chapter numbers do not.
    """
    matches = [None if row.entry else _LEFT_NUMBER.match(row.text) for row in rows]
    values = [int(match["page"]) for match in matches if match is not None and match["page"].isdigit()]
    if len(values) < MIN_ENTRIES or len(values) < 0.5 * len(rows):
        return rows
    rising = sum(a <= b for a, b in pairwise(values))
    if rising < IN_ORDER * (len(values) - 1) or values[-1] - values[0] < SKIPPING * (len(values) - 1):
        return rows
    return [
        row if match is None else replace(row, text=f"{match['title']} {match['page']}")
        for row, match in zip(rows, matches, strict=True)
    ]


def _columns(layout: Layout, numbers: Sequence[int]) -> list[list[int]]:
    """The lines of a page by column, where entries stand in two columns side by side.

    What runs over both columns below them (a list of figures on the same page) comes after both.
    """
    entries = [layout.box(n) for n in numbers if _ENTRY.match(layout.line(n).text)]
    if len(entries) < 2 * MIN_ENTRIES:
        return [list(numbers)]
    for cut in sorted({box.right for box in entries})[:-1]:
        left = [box for box in entries if box.right <= cut + 1]
        right = [box for box in entries if box.left > cut]
        if min(len(left), len(right)) < COLUMN_SHARE * len(entries):
            continue
        floor = min(box.bottom for box in (*left, *right))
        if any(box.bottom >= floor for box in entries if box not in left and box not in right):
            continue
        above = [n for n in numbers if layout.box(n).bottom >= floor - 1]
        return [
            [n for n in above if layout.box(n).left <= cut],
            [n for n in above if layout.box(n).left > cut],
            [n for n in numbers if layout.box(n).bottom < floor - 1],
        ]
    return [list(numbers)]


def _column_rows(layout: Layout, page: int, numbers: Sequence[int]) -> list[Row]:
    groups: list[list[int]] = []
    for number in sorted(numbers, key=lambda n: (-layout.box(n).bottom, layout.box(n).left)):
        size = max(layout.style(number).size, 4.0)
        if groups and abs(layout.box(groups[-1][0]).bottom - layout.box(number).bottom) < SAME_ROW * size:
            groups[-1].append(number)
        else:
            groups.append([number])
    return [_row(layout, page, sorted(group, key=lambda n: layout.box(n).left)) for group in groups]


def _row(layout: Layout, page: int, numbers: list[int]) -> Row:
    first = max(
        numbers[: 2 if len(numbers) > 1 and is_bare_label(layout.line(numbers[0]).text) else 1],
        key=lambda n: len(layout.line(n).text),
    )
    style = layout.style(first)
    text = " ".join(layout.line(n).text for n in numbers)
    box = layout.box(numbers[0])
    right = box.right if len(numbers) == 1 else max(layout.box(n).right for n in numbers)
    return Row(tuple(numbers), page, text, box.left, right, box.bottom, style)


def is_title(row: Row) -> bool:
    return bool(_TITLE.match(row.text.strip(" .:")))


def contents_lists(front: Iterable[tuple[int, list[Row]]]) -> tuple[list[list[Row]], dict[int, list[Row]]]:
    """Returns the rows of each contents list, from its title on, and the rows of all pages that were looked at.

    Books often print an overview before the full list: a second list begins under a title of its own, a few pages after the
    first one or on the next page, where the page numbers start again.
    """
    lists: list[list[Row]] = []
    rows_by_page: dict[int, list[Row]] = {}
    last = 0
    for page, rows in front:
        rows_by_page[page] = rows
        titled = any(is_title(row) for row in rows)
        if lists and page == last + 1 and not titled and _looks_like_contents(rows, False, following=True):
            lists[-1] += rows
            last = page
        elif lists and page > last + NEXT_LIST:
            break
        elif (titled or not lists) and _looks_like_contents(rows, titled, following=False):
            start = next((i for i, row in enumerate(rows) if is_title(row)), 0)
            if lists and page == last + 1 and not _starts_again(lists[-1], rows[start:]):
                lists[-1] += rows  # a title repeated on each page
            else:
                if lists and page == last + 1:
                    lists[-1] += rows[:start]
                lists.append(rows[start:] if lists else rows)
            last = page
        elif lists and page == last + 1 and _looks_like_contents(rows, False, following=True):
            lists[-1] += rows
            last = page
    return lists, rows_by_page


def _starts_again(above: Sequence[Row], below: Sequence[Row]) -> bool:
    """Returns whether the page numbers of a second list start again before the end of the first."""
    first = [value for row in above if (value := _value(row)) is not None]
    second = [value for row in below if (value := _value(row)) is not None]
    return bool(first and second) and min(second[:MIN_ENTRIES]) < max(first)


def _looks_like_contents(rows: Sequence[Row], titled: bool, *, following: bool) -> bool:
    if titled:
        start = next(i for i, row in enumerate(rows) if is_title(row))
        rows = rows[start + 1 :]
    entries = [row for row in rows if row.entry]
    dotted = sum(row.dotted for row in rows)
    if dotted >= MIN_ENTRIES:
        return True
    if len(entries) < (3 if titled or following else MIN_UNTITLED):
        return False
    numbers = [value for row in entries if (value := _value(row)) is not None]
    rising = sum(a <= b for a, b in pairwise(numbers))
    in_order = rising >= IN_ORDER * max(1, len(numbers) - 1)
    right = Counter(round(row.right / GRID) for row in entries).most_common(1)[0][1]
    aligned = right >= ALIGNED * len(entries)
    share = len(entries) / max(1, len(rows))
    if titled:
        return share >= TITLED_SHARE and (in_order or aligned)
    if following:
        return share >= FOLLOWING_SHARE and in_order and (aligned or dotted > 0 or len(entries) >= MIN_UNTITLED)
    return share >= PLAIN_SHARE and in_order and aligned


def _value(row: Row) -> int | None:
    match = row.entry
    if match is None:
        return None
    text = match["page"]
    return int(text) if text.isdigit() else None


def until_other_list(rows: list[Row]) -> list[Row]:
    """The rows before a list of figures, tables or the like; an entry that names one stays."""
    for position, row in enumerate(rows):
        if position >= MIN_ENTRIES and _OTHER_LIST.match(row.text.strip(" .:")) and row.entry is None:
            rest = rows[position + 1 :]
            if rest and sum(bool(r.entry) for r in rest) >= FOLLOWING_SHARE * len(rest):
                return rows[:position]
    return rows


def until_body(rows: list[Row]) -> list[Row]:
    """The rows up to the last entry, where body text begins on the page on which the contents end."""
    dotted = sum(row.dotted for row in rows)
    leading = dotted >= 0.5 * sum(row.entry is not None for row in rows)
    end = 0
    for position, row in enumerate(rows):
        if row.entry is None:
            continue
        run = rows[end:position]
        # A long run of rows without a page number is text; in a list with leaders so is what has none.
        if end and len(run) >= MIN_ENTRIES and not (leading and any(r.dotted for r in rows[position : position + 3])):
            break
        if (
            end
            and leading
            and not row.dotted
            and not any(r.dotted for r in rows[position : position + LOOK_AHEAD])
            and run
        ):
            break
        end = position + 1
    return rows[:end]
