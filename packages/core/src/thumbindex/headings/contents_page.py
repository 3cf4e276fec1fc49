"""The printed contents page: which lines it is, what it lists, and where in the document each entry stands.

Printed page numbers differ from physical ones by an offset that is voted on from entries whose title is found, and that is
followed entry by entry, because blank pages left out of a file shift it on the way. Link annotations over an entry name its
page outright.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ..outline import MAX_LEVEL, Heading
from .contents_entries import RawEntry, levelled, margins, read_entries, tidy
from .contents_rows import MIN_ENTRIES, Row, contents_lists, front_rows, is_title, until_body, until_other_list
from .layout import Layout
from .matches import Match, find_matches, nearest_on_page
from .numbering import Label, roman
from .rules import Candidates, Listing, Rule

NAME = "contents_page"
MIN_FOUND = 0.6
"""Share of a contents page's entries that must be located before it may frame the outline."""
FOUND, COUNTED = 0.95, 0.6
"""Confidence of an entry whose words were found, and of one that only its page number places."""
AHEAD = 0.8
"""Share of the entries found that must stand on or after the contents page."""
UNNUMBERED = 0.8
"""Share of the rows under the word Contents that must stand again as headings, where no row has a page number."""
MAX_ENTRIES = 3000
"""Entries from which rows that end in numbers are taken for a table; the longest contents page seen has 650."""
MANY_LOST = 40
"""Entries that may be lost before the search for misprinted titles is given up."""
MIN_TITLED = 3
"""Entries that suffice under the word Contents."""
WINDOW = 8
"""Pages looked at around the page that an entry names."""


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


def find_contents(layout: Layout) -> Contents | None:
    """The document's contents page with its entries located, or None."""
    lists, rows_by_page = contents_lists(front_rows(layout))
    if not lists:
        return _without_numbers(layout, rows_by_page)
    found = [contents for rows in lists if (contents := _contents_of(layout, rows)) is not None]
    if not found:
        return None
    # Of an overview and a full list the full one is the frame; neither is text of the document.
    best = max(found, key=lambda contents: len(contents.found))
    return replace(best, lines=frozenset().union(*(contents.lines for contents in found)))


def _contents_of(layout: Layout, rows: list[Row]) -> Contents | None:
    """Returns the contents list in these rows with its entries located, None if it is not one."""
    pages = sorted({row.page for row in rows})
    start = next((i for i, row in enumerate(rows) if is_title(row)), None)
    title = None if start is None else rows[start]
    if start is None:
        start = next((i for i, row in enumerate(rows) if row.entry), 0) - 1
    body = until_body(until_other_list(rows[start + 1 :]))
    raw = read_entries(body)
    if not (MIN_ENTRIES if title is None else MIN_TITLED) <= len(raw) <= MAX_ENTRIES:
        return None
    listed = {n for row in body for n in row.lines}
    # What follows on the last page, a list of figures or of tables, is no text of the document either.
    rest = {n for row in rows[start + 1 :] for n in row.lines if row.entry and row.dotted}
    taken = frozenset(listed | rest)
    entries = _located(layout, levelled(raw), taken, pages)
    contents = Contents(tuple(entries), taken, tuple(pages), title.lines[0] if title else None)
    # An index has the shape of a contents page, and points back.
    ahead = sum(entry.page is not None and entry.page >= pages[0] for entry in contents.found)
    return contents if ahead >= AHEAD * len(contents.found) else None


def _without_numbers(layout: Layout, rows_by_page: dict[int, list[Row]]) -> Contents | None:
    """A contents list that gives no pages: under the word Contents, rows that all stand again as headings farther on."""
    for page, rows in rows_by_page.items():
        start = next((i for i, row in enumerate(rows) if is_title(row)), None)
        if start is None:
            continue
        listed = [row for row in rows[start + 1 :] if any(char.isalpha() for char in row.text)]
        matches = find_matches(layout, [row.text for row in listed], ())
        again = [
            any(s.exact and s.heavy and s.first > row.lines[-1] for s in found)
            for row, found in zip(listed, matches, strict=True)
        ]
        end = max((i + 1 for i in range(len(listed)) if sum(again[: i + 1]) >= UNNUMBERED * (i + 1)), default=0)
        while end and not again[end - 1]:
            end -= 1
        if end < MIN_TITLED:
            return None
        body = listed[:end]
        margin = margins(body)
        raw = [RawEntry(tidy(row.text), None, row.left - margin[row], row.text_style, (row,)) for row in body]
        taken = frozenset(n for row in body for n in row.lines)
        entries = _located(layout, levelled(raw), taken, [page])
        return Contents(tuple(entries), taken, (page,), rows[start].lines[0])
    return None


def _located(
    layout: Layout, entries: Sequence[tuple[RawEntry, int, Label | None]], taken: frozenset[int], pages: Sequence[int]
) -> list[Entry]:
    matches = find_matches(layout, [raw.title for raw, _, _ in entries], taken)
    linked = [_linked_page(layout, raw.rows) for raw, _, _ in entries]
    offset = _Offsets(layout, entries, matches, linked, pages)
    found: list[Entry] = []
    used: set[int] = set()
    blocked = set(taken)
    lost = 0
    for position, (raw, level, label) in enumerate(entries):
        expected = linked[position] or offset.expected(position)
        match = _best_match(matches[position], expected, used, offset.floor(found), linked[position] is not None)
        astray = match is None or (expected is not None and abs(match.page - expected) > 1)
        # Where most entries are lost it is no contents page, and a search of each page for each entry would not end.
        if astray and expected is not None and lost <= max(MANY_LOST, position // 2):
            match = nearest_on_page(layout, raw.title, expected, blocked) or match
        lost += match is None
        entry = Entry(raw.title, level, label, raw.printed, expected)
        if match is not None:
            used.add(match.first)
            blocked.add(match.first)
            entry = replace(entry, page=match.page, line=match.first, last_line=match.last, exact=match.exact)
            offset.learn(position, match.page)
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
            following = next((e for e in islice(entries, position + 1, None) if e.words_found), None)
            opens_it = following is not None and following.level > entry.level and lines[:1] == [following.line]
            if lines and (lines[0] not in used or opens_it):
                used.add(lines[0])
                entry = replace(entry, line=lines[0], last_line=lines[0] - 1)
        placed.append(entry)
    return placed


def _linked_page(layout: Layout, rows: Iterable[Row]) -> int | None:
    """Page that a link over the entry's rows jumps to; of overlapping links the one nearest in height."""
    found: list[tuple[float, int]] = []
    for row in rows:
        middle = row.bottom + 0.5 * row.text_style.size
        for link in layout.links.get(row.page, ()):
            if (
                link.box.right > row.left
                and link.box.left < row.right
                and link.box.bottom - 2 <= middle <= link.box.top + 2
            ):
                found.append((abs((link.box.bottom + link.box.top) / 2 - middle), link.target))
    return min(found)[1] if found else None


class _Offsets:
    """Predicts the physical page of an entry from the entries whose heading was found."""

    def __init__(
        self,
        layout: Layout,
        entries: Sequence[tuple[RawEntry, int, Label | None]],
        matches: Sequence[Sequence[Match]],
        linked: Sequence[int | None],
        pages: Sequence[int],
    ) -> None:
        self._after = min(pages)
        self._count = len(layout.document.pages or ())
        self._printed = [raw.printed for raw, _, _ in entries]
        self._labels = _by_label(layout)
        self._known: dict[int, int] = {}
        self._learned: list[int] = []
        votes: Counter[int] = Counter()
        for position, printed in enumerate(self._printed):
            number = _arabic(printed)
            if number is None:
                continue
            for page in {match.page for match in matches[position] if match.exact}:
                votes[page - number] += (
                    2 if any(match.heavy for match in matches[position] if match.page == page) else 1
                )
        self._offset = max(votes, key=lambda o: (votes[o], -abs(o))) if votes else None
        for position, target in enumerate(linked):
            if target is not None:
                self.learn(position, target)

    def learn(self, position: int, page: int) -> None:
        number = _arabic(self._printed[position])
        if number is not None and self._offset is not None and abs(page - number - self._offset) <= WINDOW:
            if position not in self._known:
                insort(self._learned, position)
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
        place = bisect_right(self._learned, position)
        offset = self._known[self._learned[place - 1]] if place else self._offset
        page = number + offset
        return page if 1 <= page <= self._count else None

    def floor(self, found: Sequence[Entry]) -> int:
        """Page before which an entry without a number is not looked for."""
        return next((entry.page for entry in reversed(found) if entry.line is not None and entry.page), self._after)


def _arabic(printed: str | None) -> int | None:
    return int(printed) if printed is not None and printed.isdigit() else None


def _by_label(layout: Layout) -> dict[str, int]:
    """Returns the physical page of each declared label, the first where a label repeats."""
    found: dict[str, int] = {}
    for page in layout.document.pages or ():
        if page.label:
            found.setdefault(page.label.lower(), page.number)
    return found


def _best_match(matches: Sequence[Match], expected: int | None, used: set[int], floor: int, sure: bool) -> Match | None:
    free = [match for match in matches if match.first not in used]
    if expected is not None:
        free = [match for match in free if abs(match.page - expected) <= (1 if sure else WINDOW)]
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
    free = [match for match in free if match.page >= floor and (match.heavy or match.exact)]
    return min(free, key=lambda s: (not s.heavy, not s.exact, not s.numbered, s.page, s.first), default=None)


def _find(layout: Layout) -> Candidates:
    contents = find_contents(layout)
    if contents is None:
        return Candidates()
    headings = _headings(contents) if _is_usable(contents) else ()
    return Candidates(Listing("contents_page", headings, contents.lines, contents.pages, contents.title))


def _is_usable(contents: Contents) -> bool:
    found = contents.found
    return len(found) >= MIN_TITLED and len(found) >= MIN_FOUND * len(contents.entries)


def _headings(contents: Contents) -> tuple[Heading, ...]:
    """Returns the located entries as headings, in the order of the list."""
    return tuple(
        Heading(
            entry.title,
            min(entry.level, MAX_LEVEL),
            entry.page,
            entry.line,
            NAME,
            FOUND if entry.words_found else COUNTED,
            entry.last_line,
        )
        for entry in contents.placed
        if entry.line is not None
    )


RULE = Rule(NAME, "The printed contents page lists it, and its title stands on the page that the entry names.", _find)
