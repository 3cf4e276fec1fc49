"""The printed contents page: which lines it is, what it lists, and where in the document each entry stands.

Printed page numbers differ from physical ones by an offset that is voted on from entries whose title is found, and that is
followed entry by entry, because blank pages left out of a file shift it on the way. Link annotations over an entry name its
page outright.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from .blocks import Look
from .layout import Layout, family, is_caps
from .nesting import Ranked, nest
from .numbering import Label, is_bare_label, parse_label, roman
from .places import Spot, find_spots, nearest_on_page

MIN_ENTRIES = 4
FLUSH = 12.0
"""Points that a number set flush right may stand further in than a title of the same level."""
AHEAD = 0.8
"""Share of the entries found that must stand on or after the contents page."""
UNNUMBERED = 0.8
"""Share of the rows under the word Contents that must stand again as headings, where no row has a page number."""
MIN_TITLED = 3
"""Entries that suffice under the word Contents."""
FRONT_SHARE = 0.2
"""A contents page stands in this first part of the document; the same shape farther back is an index or a table."""
MIN_FRONT, MAX_FRONT = 12, 80
WINDOW = 8
"""Pages looked at around the page that an entry names."""

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
    r"^(?P<title>.*?[^\s.·…_])(?P<lead>(?:\s?[.·…_•]){2,}\s*|[\s.·…_]*\s)"
    r"(?P<page>(?:[A-Z]{1,2}[-–.])?\d{1,4}|[ivxlcdm]{1,8})\s*$"
)
_LEADS_ONLY = re.compile(r"(?:\s?[.·…_]){3,}\s*$")
_LEFT_NUMBER = re.compile(r"^(?P<page>\d{1,4}|[ivxlc]{1,6})\s+(?P<title>\D.*)$")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a contents page: title as printed, level, printed page, and where its heading stands.

    Where the heading's words were found nowhere, `line` is the first line of the page that the numbers point to and
    `last_line` the line before it; both are None where there is no such page.
    """

    title: str
    level: int
    label: Label | None
    printed: str | None
    page: int | None = None
    line: int | None = None
    last_line: int | None = None
    exact: bool = False

    @property
    def words_found(self) -> bool:
        return self.line is not None and self.last_line is not None and self.last_line >= self.line


@dataclass(frozen=True, slots=True)
class Contents:
    """A contents page: its entries in order, the lines that it takes up, and its pages."""

    entries: tuple[Entry, ...]
    lines: frozenset[int]
    pages: tuple[int, ...]
    title: int | None = None
    """Line of the word Contents above the list; it is not among `lines`."""

    @property
    def found(self) -> tuple[Entry, ...]:
        """The entries whose heading was found by its words."""
        return tuple(entry for entry in self.entries if entry.words_found)

    @property
    def placed(self) -> tuple[Entry, ...]:
        """The entries that have a place in the text, found or counted out."""
        return tuple(entry for entry in self.entries if entry.line is not None)


@dataclass(frozen=True, slots=True)
class _Row:
    """The pieces of text on one baseline, from left to right."""

    lines: tuple[int, ...]
    page: int
    text: str
    left: float
    right: float
    bottom: float
    look: Look

    @property
    def entry(self) -> re.Match[str] | None:
        match = _ENTRY.match(self.text)
        if match is None or not any(char.isalpha() for char in match["title"]):
            return None
        page = match["page"]
        if page.isalpha() and roman(page) is None:
            return None
        return match

    @property
    def dotted(self) -> bool:
        match = self.entry
        return match is not None and match["lead"].count(".") + match["lead"].count("…") + match["lead"].count("·") >= 3


def find_contents(layout: Layout) -> Contents | None:
    """The document's contents page with its entries located, or None."""
    rows_by_page = _rows(layout)
    pages = _contents_pages(rows_by_page)
    if not pages:
        return _without_numbers(layout, rows_by_page)
    rows = [row for page in pages for row in rows_by_page[page]]
    start = next((i for i, row in enumerate(rows) if _is_title(row)), None)
    title = None if start is None else rows[start]
    if start is None:
        start = next((i for i, row in enumerate(rows) if row.entry), 0) - 1
    body = _until_body(_until_other_list(rows[start + 1 :]))
    raw = _entries(body)
    if len(raw) < (MIN_ENTRIES if title is None else MIN_TITLED):
        return None
    listed = {n for row in body for n in row.lines}
    # What follows on the last page, a list of figures or of tables, is no text of the document either.
    rest = {n for row in rows[start + 1 :] for n in row.lines if row.entry and row.dotted}
    taken = frozenset(listed | rest)
    entries = _located(layout, _levelled(raw), taken, pages)
    contents = Contents(tuple(entries), taken, tuple(pages), title.lines[0] if title else None)
    # An index has the shape of a contents page, and points back.
    ahead = sum(entry.page is not None and entry.page >= pages[0] for entry in contents.found)
    return contents if ahead >= AHEAD * len(contents.found) else None


def _without_numbers(layout: Layout, rows_by_page: dict[int, list[_Row]]) -> Contents | None:
    """A contents list that gives no pages: under the word Contents, rows that all stand again as headings farther on."""
    for page, rows in rows_by_page.items():
        start = next((i for i, row in enumerate(rows) if _is_title(row)), None)
        if start is None:
            continue
        listed = [row for row in rows[start + 1 :] if any(char.isalpha() for char in row.text)]
        spots = find_spots(layout, [row.text for row in listed], ())
        again = [
            any(s.exact and s.heavy and s.first > row.lines[-1] for s in found)
            for row, found in zip(listed, spots, strict=True)
        ]
        end = max((i + 1 for i in range(len(listed)) if sum(again[: i + 1]) >= UNNUMBERED * (i + 1)), default=0)
        while end and not again[end - 1]:
            end -= 1
        if end < MIN_TITLED:
            return None
        body = listed[:end]
        margin = _margins(body)
        raw = [_RawEntry(_tidy(row.text), None, row.left - margin[row], row.look, (row,)) for row in body]
        taken = frozenset(n for row in body for n in row.lines)
        entries = _located(layout, _levelled(raw), taken, [page])
        return Contents(tuple(entries), taken, (page,), rows[start].lines[0])
    return None


def _is_title(row: _Row) -> bool:
    return bool(_TITLE.match(row.text.strip(" .:")))


def _until_body(rows: list[_Row]) -> list[_Row]:
    """The rows up to the last entry, where body text begins on the page on which the contents end."""
    dotted = sum(row.dotted for row in rows)
    leading = dotted >= 0.5 * sum(row.entry is not None for row in rows)
    end = 0
    for position, row in enumerate(rows):
        if row.entry is None:
            continue
        run = rows[end:position]
        # A long run of rows without a page number is text; in a list with leaders so is what has none.
        if end and len(run) >= 4 and not (leading and any(r.dotted for r in rows[position : position + 3])):
            break
        if end and leading and not row.dotted and not any(r.dotted for r in rows[position : position + 6]) and run:
            break
        end = position + 1
    return rows[:end]


def _rows(layout: Layout) -> dict[int, list[_Row]]:
    total = len(layout.document.pages or ())
    limit = min(max(min(MIN_FRONT, total // 2), int(total * FRONT_SHARE), 2), MAX_FRONT)
    found: dict[int, list[_Row]] = {}
    for page, numbers in layout.page_lines():
        if page > limit:
            break
        rows = [row for column in _columns(layout, numbers) for row in _column_rows(layout, page, column)]
        found[page] = _numbers_last(rows)
    return found


def _numbers_last(rows: list[_Row]) -> list[_Row]:
    """The rows with the page number behind the title, where a contents page sets it in front: "8 Welcome".

    Page numbers skip; chapter numbers do not.
    """
    matches = [None if row.entry else _LEFT_NUMBER.match(row.text) for row in rows]
    values = [int(match["page"]) for match in matches if match is not None and match["page"].isdigit()]
    if len(values) < MIN_ENTRIES or len(values) < 0.5 * len(rows):
        return rows
    rising = sum(a <= b for a, b in pairwise(values))
    if rising < 0.85 * (len(values) - 1) or values[-1] - values[0] < 1.5 * (len(values) - 1):
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
        if min(len(left), len(right)) < 0.2 * len(entries):
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


def _column_rows(layout: Layout, page: int, numbers: Sequence[int]) -> list[_Row]:
    groups: list[list[int]] = []
    for number in sorted(numbers, key=lambda n: (-layout.box(n).bottom, layout.box(n).left)):
        size = max(layout.style(number).size, 4.0)
        if groups and abs(layout.box(groups[-1][0]).bottom - layout.box(number).bottom) < 0.4 * size:
            groups[-1].append(number)
        else:
            groups.append([number])
    return [_row(layout, page, sorted(group, key=lambda n: layout.box(n).left)) for group in groups]


def _row(layout: Layout, page: int, numbers: list[int]) -> _Row:
    first = max(
        numbers[: 2 if len(numbers) > 1 and is_bare_label(layout.line(numbers[0]).text) else 1],
        key=lambda n: len(layout.line(n).text),
    )
    style = layout.style(first)
    text = " ".join(layout.line(n).text for n in numbers)
    box = layout.box(numbers[0])
    look = Look(style.size, style.bold, style.italic, is_caps(_LEADS_ONLY.sub("", text)), family(style.font))
    return _Row(tuple(numbers), page, text, box.left, max(layout.box(n).right for n in numbers), box.bottom, look)


def _contents_pages(rows_by_page: dict[int, list[_Row]]) -> list[int]:
    """The pages of the first contents list, in order."""
    pages: list[int] = []
    for page, rows in rows_by_page.items():
        titled = any(_is_title(row) for row in rows)
        if not pages:
            if _looks_like_contents(rows, titled, following=False):
                pages.append(page)
        elif page == pages[-1] + 1 and _looks_like_contents(rows, False, following=True):
            pages.append(page)
        elif page > pages[-1] + 1:
            break
    return pages


def _looks_like_contents(rows: Sequence[_Row], titled: bool, *, following: bool) -> bool:
    if titled:
        start = next(i for i, row in enumerate(rows) if _is_title(row))
        rows = rows[start + 1 :]
    entries = [row for row in rows if row.entry]
    dotted = sum(row.dotted for row in rows)
    if dotted >= MIN_ENTRIES:
        return True
    if len(entries) < (3 if titled or following else 6):
        return False
    numbers = [value for row in entries if (value := _value(row)) is not None]
    rising = sum(a <= b for a, b in pairwise(numbers))
    in_order = rising >= 0.85 * max(1, len(numbers) - 1)
    right = Counter(round(row.right / 4) for row in entries).most_common(1)[0][1]
    aligned = right >= 0.6 * len(entries)
    share = len(entries) / max(1, len(rows))
    if titled:
        return share >= 0.3 and (in_order or aligned)
    if following:
        return share >= 0.4 and in_order and (aligned or dotted > 0 or len(entries) >= 6)
    return share >= 0.5 and in_order and aligned


def _value(row: _Row) -> int | None:
    match = row.entry
    if match is None:
        return None
    text = match["page"]
    return int(text) if text.isdigit() else None


def _until_other_list(rows: list[_Row]) -> list[_Row]:
    """The rows before a list of figures, tables or the like; an entry that names one stays."""
    for position, row in enumerate(rows):
        if position >= MIN_ENTRIES and _OTHER_LIST.match(row.text.strip(" .:")) and row.entry is None:
            rest = rows[position + 1 :]
            if rest and sum(bool(r.entry) for r in rest) >= 0.4 * len(rest):
                return rows[:position]
    return rows


@dataclass(frozen=True, slots=True)
class _RawEntry:
    title: str
    printed: str | None
    left: float
    look: Look
    rows: tuple[_Row, ...]


def _entries(rows: Sequence[_Row]) -> list[_RawEntry]:
    found: list[_RawEntry] = []
    pending: list[_Row] = []
    margin = _margins(rows)
    widths = sorted(row.right - row.left for row in rows)
    wide = widths[len(widths) * 3 // 4] if widths else 0.0
    openers = _openers(rows)
    for position, row in enumerate(rows):
        match = row.entry
        if _is_title(row) or row.text.strip().casefold() in _COLUMN_HEADS:
            pending = []
            continue
        if match is None:
            following = rows[position + 1] if position + 1 < len(rows) else None
            if pending and not _wraps(pending[-1], row, wide):
                found.extend(_standing_alone(pending, margin))
                pending = []
            if following is not None and following not in openers and _wraps(row, following, wide):
                pending.append(row)
            else:
                pending.append(row)
                found.extend(_standing_alone(pending, margin))
                pending = []
            continue
        parts = [*pending, row]
        if pending and (row in openers or not _wraps(pending[-1], row, wide)):
            found.extend(_standing_alone(pending, margin))
            parts = [row]
        pending = []
        if parts == [row] and found and _is_byline(found[-1], row, margin):
            found[-1] = replace(found[-1], printed=match["page"])
            continue
        title = " ".join([*(_LEADS_ONLY.sub("", part.text) for part in parts[:-1]), match["title"]])
        found.append(
            _RawEntry(_tidy(title), match["page"], parts[0].left - margin[parts[0]], parts[0].look, tuple(parts))
        )
    found.extend(_standing_alone(pending, margin))
    return found


def _margins(rows: Sequence[_Row]) -> dict[_Row, float]:
    """The left edge of the column that each row stands in."""
    found: dict[_Row, float] = {}
    column: list[_Row] = []
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        column.append(row)
        if following is None or following.page != row.page or following.bottom > row.bottom + 1:
            edge = min(item.left for item in column)
            found.update((item, edge) for item in column)
            column = []
    return found


def _openers(rows: Sequence[_Row]) -> set[_Row]:
    """Rows that open an entry because others at their left edge, set alike, do: what follows a finished entry opens one.

    Without this a row at the indentation of the next level reads as the second line of the row above it.
    """
    finished: Counter[tuple[int, object]] = Counter()
    for above, row in pairwise(rows):
        if above.entry is not None and row.entry is not None and parse_label(row.text) is None:
            finished[round(row.left / 4), row.look.rank()] += 1
    return {
        row for row in rows if finished[round(row.left / 4), row.look.rank()] >= 3 and parse_label(row.text) is None
    }


def _is_byline(above: _RawEntry, row: _Row, margin: dict[_Row, float]) -> bool:
    """Whether a row gives the author and the page of the title above it, which had a number but no page."""
    if above.printed is not None or parse_label(above.title) is None or parse_label(row.text) is not None:
        return False
    last = above.rows[-1]
    close = row.page == last.page and 0 < last.bottom - row.bottom < 2.2 * max(row.look.size, 1.0)
    return close and row.look.rank() != above.look.rank() and row.left - margin[row] > above.left + 4


_COLUMN_HEADS = {"page", "pages", "page no.", "page number", "seite", "página", "item no. page", "item page", "стр."}


def _wraps(above: _Row, below: _Row, wide: float) -> bool:
    """Whether a row without page number goes on in the next row: set alike, close, and no number opens the next."""
    drop = above.bottom - below.bottom
    size = max(above.look.size, 1.0)
    if above.page == below.page and is_bare_label(above.text) and parse_label(below.text) is None:
        return 0 < drop <= 2.5 * max(size, below.look.size)
    if above.page != below.page or not 0 < drop <= 1.6 * size or above.look.bold != below.look.bold:
        return False
    if parse_label(below.text) is not None and parse_label(above.text) is not None:
        return False
    if abs(above.look.size - below.look.size) > 0.6:
        return False
    label = parse_label(above.text)
    if label is not None and not label.title:
        return True
    return (above.right - above.left) > 0.55 * wide or below.left > above.left + 4


def _standing_alone(rows: Sequence[_Row], margin: dict[_Row, float]) -> list[_RawEntry]:
    """An entry without page number (a part's title), if it looks like one."""
    if not rows:
        return []
    text = _tidy(" ".join(row.text for row in rows))
    label = parse_label(text)
    heavy = rows[0].look.bold or rows[0].look.caps or label is not None
    if not heavy or len(text) > 150 or not any(char.isalpha() for char in text):
        return []
    return [_RawEntry(text, None, rows[0].left - margin[rows[0]], rows[0].look, tuple(rows))]


def _tidy(title: str) -> str:
    return (
        " ".join(_LEADS_ONLY.sub("", title).strip(" .·…_•").split())
        if not title.endswith("?")
        else " ".join(title.split())
    )


def _levelled(raw: Sequence[_RawEntry]) -> list[tuple[_RawEntry, int, Label | None]]:
    """Levels from the indentation first, then from the look; numbers order what is left."""
    labels = [parse_label(entry.title) for entry in raw]
    steps = _indents([entry.left for entry in raw], labels)
    flat = not max(steps, default=0)
    keys = [entry.look.rank() for entry in raw]
    if not flat:
        # Where the indentation says the level, capitals and slant are the title's own matter: "GNU GENERAL PUBLIC
        # LICENSE"; and entries counted by one counter are of one level, whatever piece of them was looked at.
        votes: dict[object, Counter[tuple[float, bool]]] = defaultdict(Counter)
        for entry, step, label in zip(raw, steps, labels, strict=True):
            votes[step, _counter(label)][-entry.look.size, not entry.look.bold] += 1
        usual = {group: looks.most_common(1)[0][0] for group, looks in votes.items()}
        keys = [
            (*(usual[step, _counter(label)] if label else (-entry.look.size, not entry.look.bold)), False, False)
            for entry, step, label in zip(raw, steps, labels, strict=True)
        ]
    look_rank = {key: n for n, key in enumerate(sorted(set(keys)))}
    ranked = []
    for key, step, label in zip(keys, steps, labels, strict=True):
        rank = look_rank[key] if flat else step * 100 + look_rank[key]
        if label is not None and label.kind in ("part", "volume", "book"):
            rank = -1
        ranked.append(Ranked(rank, label))
    return list(zip(raw, nest(ranked, indented=not flat), labels, strict=True))


def _counter(label: Label | None) -> tuple[str, int] | None:
    return None if label is None else (label.kind, label.depth)


def _indents(lefts: Sequence[float], labels: Sequence[Label | None]) -> list[int]:
    """The step of each left edge: edges within five points are one step.

    Numbers set flush right stand a little further in than titles without: "Preface" above " 1. Roots".
    """
    steps: list[float] = []
    for left in sorted(lefts):
        if not steps or left - steps[-1] > 5.0:
            steps.append(left)
    found = [max(n for n, step in enumerate(steps) if left >= step - 0.01) for left in lefts]
    if len(steps) > 1 and steps[1] - steps[0] <= FLUSH:
        first = {_counter(label) for label, step in zip(labels, found, strict=True) if step == 0}
        second = {_counter(label) for label, step in zip(labels, found, strict=True) if step == 1}
        if first == {None} and None not in second and all(label[1] == 1 for label in second if label):
            found = [max(0, step - 1) for step in found]
    return found


def _located(
    layout: Layout, entries: Sequence[tuple[_RawEntry, int, Label | None]], taken: frozenset[int], pages: Sequence[int]
) -> list[Entry]:
    spots = find_spots(layout, [raw.title for raw, _, _ in entries], taken)
    linked = [_linked_page(layout, raw.rows) for raw, _, _ in entries]
    offset = _Offsets(layout, entries, spots, linked, pages)
    found: list[Entry] = []
    used: set[int] = set()
    for position, (raw, level, label) in enumerate(entries):
        expected = linked[position] or offset.expected(position)
        spot = _best_spot(spots[position], expected, used, offset.floor(found), linked[position] is not None)
        if spot is None and expected is not None:
            spot = nearest_on_page(layout, raw.title, expected, taken | used)
        entry = Entry(raw.title, level, label, raw.printed, expected)
        if spot is not None:
            used.add(spot.first)
            entry = replace(entry, page=spot.page, line=spot.first, last_line=spot.last, exact=spot.exact)
            offset.learn(position, spot.page)
        found.append(entry)
    return _counted_out(layout, found, used, taken)


def _counted_out(layout: Layout, entries: Sequence[Entry], used: set[int], taken: frozenset[int]) -> list[Entry]:
    """The entries, those whose words were not found placed at the top of their page.

    If a heading stands there, it must be one of the entry's own subsections: then both open on its line.
    """
    placed: list[Entry] = []
    for position, entry in enumerate(entries):
        if entry.line is None and entry.page is not None:
            lines = [n for n in layout.lines_of(entry.page) if n not in taken]
            following = next((e for e in entries[position + 1 :] if e.words_found), None)
            opens_it = following is not None and following.level > entry.level and lines[:1] == [following.line]
            if lines and (lines[0] not in used or opens_it):
                used.add(lines[0])
                entry = replace(entry, line=lines[0], last_line=lines[0] - 1)
        placed.append(entry)
    return placed


def _linked_page(layout: Layout, rows: Iterable[_Row]) -> int | None:
    """Page that a link over the entry's rows jumps to; of overlapping links the one nearest in height."""
    found: list[tuple[float, int]] = []
    for row in rows:
        middle = row.bottom + 0.5 * row.look.size
        for link in layout.links.get(row.page, ()):
            if (
                link.box.right > row.left
                and link.box.left < row.right
                and link.box.bottom - 2 <= middle <= link.box.top + 2
            ):
                found.append((abs((link.box.bottom + link.box.top) / 2 - middle), link.target))
    return min(found)[1] if found else None


class _Offsets:
    """What the physical page of an entry should be, learned from the entries whose heading was found."""

    def __init__(
        self,
        layout: Layout,
        entries: Sequence[tuple[_RawEntry, int, Label | None]],
        spots: Sequence[Sequence[Spot]],
        linked: Sequence[int | None],
        pages: Sequence[int],
    ) -> None:
        self._after = min(pages)
        self._count = len(layout.document.pages or ())
        self._printed = [raw.printed for raw, _, _ in entries]
        self._labels = _by_label(layout)
        self._known: dict[int, int] = {}
        votes: Counter[int] = Counter()
        for position, printed in enumerate(self._printed):
            number = _arabic(printed)
            if number is None:
                continue
            for page in {spot.page for spot in spots[position] if spot.exact}:
                votes[page - number] += 2 if any(spot.heavy for spot in spots[position] if spot.page == page) else 1
        self._offset = max(votes, key=lambda o: (votes[o], -abs(o))) if votes else None
        for position, target in enumerate(linked):
            if target is not None:
                self.learn(position, target)

    def learn(self, position: int, page: int) -> None:
        number = _arabic(self._printed[position])
        if number is not None and self._offset is not None and abs(page - number - self._offset) <= WINDOW:
            self._known[position] = page - number

    def expected(self, position: int) -> int | None:
        printed = self._printed[position]
        if printed is None:
            return None
        number = _arabic(printed)
        if number is None:
            label = self._labels.get(printed.lower())
            value = roman(printed)
            return label if label is not None else value
        if self._offset is None:
            return self._labels.get(printed.lower())
        before = max((p for p in self._known if p <= position), default=None)
        offset = self._offset if before is None else self._known[before]
        page = number + offset
        return page if 1 <= page <= self._count else None

    def floor(self, found: Sequence[Entry]) -> int:
        """Page before which an entry without a number is not looked for."""
        return next((entry.page for entry in reversed(found) if entry.line is not None and entry.page), self._after)


def _arabic(printed: str | None) -> int | None:
    return int(printed) if printed is not None and printed.isdigit() else None


def _by_label(layout: Layout) -> dict[str, int]:
    """Physical page of each declared label; the last one where a label repeats is no help, so the first is kept."""
    found: dict[str, int] = {}
    for page in layout.document.pages or ():
        if page.label:
            found.setdefault(page.label.lower(), page.number)
    return found


def _best_spot(spots: Sequence[Spot], expected: int | None, used: set[int], floor: int, sure: bool) -> Spot | None:
    free = [spot for spot in spots if spot.first not in used]
    if expected is not None:
        free = [spot for spot in free if abs(spot.page - expected) <= (1 if sure else WINDOW)]
        return min(
            free,
            key=lambda s: (
                abs(s.page - expected) > 1,
                not s.exact,
                not s.numbered,
                not s.heavy,
                abs(s.page - expected),
                -s.size,
            ),
            default=None,
        )
    free = [spot for spot in free if spot.page >= floor and (spot.heavy or spot.exact)]
    return min(free, key=lambda s: (not s.heavy, not s.exact, not s.numbered, s.page, s.first), default=None)
