"""From the rows of a contents page to its entries: titles joined over rows, printed pages, levels."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from .blocks import SAME_SIZE, TextStyle
from .contents_rows import GRID, LEADS_ONLY, Row, is_title
from .nesting import Ranked, nest
from .numbering import Label, is_bare_label, parse_label

COLUMN = 0.6
"""Share of the page numbers that must end at one edge to be a column."""
OUT_OF_COLUMN = 24.0
"""Points before that edge from which a number belongs to the title."""
INDENTED = 40.0
"""Points by which all entries of a page may be indented."""
IN_USE = 2
"""Entries that a counter must open right after a finished one to be a counter of the list."""
TIGHT = 0.8
"""Share of the usual distance of entries up to which two rows are one entry."""
HEAD_GAP = 2.2
"""Distance, in type sizes, from a row without a page number to the next from which it is no part of the list."""
BYLINE_DROP, NUMBER_DROP, WRAP_DROP = 2.2, 2.5, 1.6
"""Distance, in type sizes, from an entry to its author below, from a number alone to its title, and between lines of an entry."""
HANGING = 4.0
"""Points that the second line of an entry, or an author, stands further in."""
LONG_ROW = 0.55
"""Share of the usual width of rows from which a row without page number goes on in the next."""
MAX_TITLE = 150
"""Characters of an entry without page number."""
SAME_EDGE = 5.0
"""Points within which left edges are one step of indentation."""
FLUSH = 12.0
"""Points that a number set flush right may stand further in than a title of the same level."""


@dataclass(frozen=True, slots=True)
class RawEntry:
    title: str
    printed: str | None
    left: float
    text_style: TextStyle
    rows: tuple[Row, ...]


def read_entries(rows: Sequence[Row]) -> list[RawEntry]:
    rows = _in_column(rows)
    found: list[RawEntry] = []
    pending: list[Row] = []
    margin = margins(rows)
    widths = sorted(row.right - row.left for row in rows)
    wide = widths[len(widths) * 3 // 4] if widths else 0.0
    openers = _openers(rows)
    counters = _counters_in_use(rows)
    leading = _leading(rows)
    for position, row in enumerate(rows):
        match = row.entry
        if is_title(row) or row.text.strip().casefold() in _COLUMN_HEADS:
            pending = []
            continue
        if match is None:
            following = rows[position + 1] if position + 1 < len(rows) else None
            if pending and not _wraps(pending[-1], row, wide, counters):
                found.extend(_standing_alone(pending, margin))
                pending = []
            opens = following in openers and not _is_tight(row, following, leading)
            if following is not None and not opens and _wraps(row, following, wide, counters):
                pending.append(row)
            else:
                pending.append(row)
                found.extend(_standing_alone(pending, margin))
                pending = []
            continue
        parts = [*pending, row]
        opens = bool(pending) and row in openers and not _is_tight(pending[-1], row, leading)
        if pending and (opens or not _wraps(pending[-1], row, wide, counters)):
            found.extend(_standing_alone(pending, margin))
            parts = [row]
        pending = []
        if parts == [row] and found and _is_byline(found[-1], row, margin):
            found[-1] = replace(found[-1], printed=match["page"])
            continue
        title = " ".join([*(LEADS_ONLY.sub("", part.text) for part in parts[:-1]), match["title"]])
        found.append(
            RawEntry(tidy(title), match["page"], parts[0].left - margin[parts[0]], parts[0].text_style, tuple(parts))
        )
    found.extend(_standing_alone(pending, margin))
    return found


def margins(rows: Sequence[Row]) -> dict[Row, float]:
    """Returns the left edge of the column that each row stands in.

    A page may hold entries of the deeper levels only: its edge is that of the other left or right pages, if it is near.
    """
    columns: list[list[Row]] = [[]]
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        columns[-1].append(row)
        if following is not None and (following.page != row.page or following.bottom > row.bottom + 1):
            columns.append([])
    edges = [(column[0].page % 2, _edge(column)) for column in columns if column]
    found: dict[Row, float] = {}
    for column, (side, edge) in zip(columns, edges, strict=False):
        alike = [other for other_side, other in edges if side == other_side and abs(other - edge) <= INDENTED]
        found.update(dict.fromkeys(column, min(alike)))
    return found


def _edge(column: Sequence[Row]) -> float:
    """Returns the left edge of the entries in a column; a running head above them may stand farther out."""
    listed = [
        row.left
        for row, below in zip(column, [*column[1:], None], strict=True)
        if row.entry or (below is not None and row.bottom - below.bottom <= HEAD_GAP * max(row.text_style.size, 1.0))
    ]
    return min(listed or [row.left for row in column])


def _openers(rows: Sequence[Row]) -> set[Row]:
    """Rows that open an entry because others at their left edge, set alike, do: what follows a finished entry opens one.

    Without this a row at the indentation of the next level reads as the second line of the row above it.
    """
    finished: Counter[tuple[int, object]] = Counter()
    unfinished: Counter[tuple[int, object]] = Counter()
    for above, row in pairwise(rows):
        if row.entry is not None and parse_label(row.text) is None:
            counter = unfinished if above.entry is None else finished
            counter[_position(row)] += 1
    return {
        row
        for row in rows
        if finished[_position(row)] >= max(3, unfinished[_position(row)]) and parse_label(row.text) is None
    }


def _position(row: Row) -> tuple[int, object]:
    return round(row.left / GRID), row.text_style.rank()


def _leading(rows: Sequence[Row]) -> float:
    """Returns the usual distance of the baselines of two entries, 0 where none follow one another."""
    drops = [
        above.bottom - below.bottom
        for above, below in pairwise(rows)
        if above.page == below.page
        and above.entry is not None
        and below.entry is not None
        and above.bottom > below.bottom
    ]
    return median(drops) if drops else 0.0


def _is_tight(above: Row, below: Row | None, leading: float) -> bool:
    """Returns whether two rows stand closer than entries do, as the lines of one entry."""
    return below is not None and above.page == below.page and 0 < above.bottom - below.bottom <= TIGHT * leading


def _in_column(rows: Sequence[Row]) -> list[Row]:
    """Returns the rows, those taken as text whose last number is not in the column of page numbers: "… of Article 8"."""
    ends = [row.right for row in rows if row.entry is not None]
    if not ends:
        return list(rows)
    edge, count = Counter(round(end / GRID) for end in ends).most_common(1)[0]
    if count < COLUMN * len(ends):
        return list(rows)
    return [
        row
        if row.entry is None or row.dotted or row.right > GRID * edge - OUT_OF_COLUMN
        else replace(row, is_text=True)
        for row in rows
    ]


def _is_byline(above: RawEntry, row: Row, margin: dict[Row, float]) -> bool:
    """Returns whether a row gives the author and the page of the title above it, which had a number but no page."""
    if above.printed is not None or parse_label(above.title) is None or parse_label(row.text) is not None:
        return False
    last = above.rows[-1]
    close = row.page == last.page and 0 < last.bottom - row.bottom < BYLINE_DROP * max(row.text_style.size, 1.0)
    return close and row.text_style.rank() != above.text_style.rank() and row.left - margin[row] > above.left + HANGING


_COLUMN_HEADS = {"page", "pages", "page no.", "page number", "seite", "página", "item no. page", "item page", "стр."}


def _wraps(above: Row, below: Row, wide: float, counters: frozenset[Counted]) -> bool:
    """Returns whether a row without page number goes on in the next row: set alike, close, and no number opens the next."""
    drop = above.bottom - below.bottom
    size = max(above.text_style.size, 1.0)
    if above.page == below.page and is_bare_label(above.text) and parse_label(below.text) is None:
        return 0 < drop <= NUMBER_DROP * max(size, below.text_style.size)
    if above.page != below.page or not 0 < drop <= WRAP_DROP * size or above.text_style.bold != below.text_style.bold:
        return False
    if parse_label(above.text) is not None and _counted(below) in counters:
        return False
    if abs(above.text_style.size - below.text_style.size) > SAME_SIZE:
        return False
    label = parse_label(above.text)
    if label is not None and not label.title:
        return True
    return (above.right - above.left) > LONG_ROW * wide or below.left > above.left + HANGING


Counted = tuple[str, int, bool]
"""A counter and whether punctuation closes its numbers: "1." is another than "1"."""


def _counted(row: Row) -> Counted | None:
    label = parse_label(row.text)
    return None if label is None else (label.kind, label.depth, label.marked)


def _counters_in_use(rows: Sequence[Row]) -> frozenset[Counted]:
    """Returns the counters that open entries: in "… with respect to / Article 8 ECHR" the second line opens none."""
    opened = Counter(
        counted
        for above, row in zip([None, *rows[:-1]], rows, strict=True)
        if (above is None or above.entry is not None) and (counted := _counted(row)) is not None
    )
    return frozenset(counted for counted, times in opened.items() if times >= IN_USE)


def _standing_alone(rows: Sequence[Row], margin: dict[Row, float]) -> list[RawEntry]:
    """An entry without page number (a part's title), if it looks like one."""
    if not rows:
        return []
    text = tidy(" ".join(row.text for row in rows))
    label = parse_label(text)
    heavy = rows[0].text_style.bold or rows[0].text_style.caps or label is not None
    if not heavy or len(text) > MAX_TITLE or not any(char.isalpha() for char in text):
        return []
    return [RawEntry(text, None, rows[0].left - margin[rows[0]], rows[0].text_style, tuple(rows))]


def tidy(title: str) -> str:
    return (
        " ".join(LEADS_ONLY.sub("", title).strip(" .·…_•").split())
        if not title.endswith("?")
        else " ".join(title.split())
    )


def levelled(raw: Sequence[RawEntry]) -> list[tuple[RawEntry, int, Label | None]]:
    """Levels from the indentation first, then from the look; numbers order what is left."""
    labels = [parse_label(entry.title) for entry in raw]
    steps = _indents(_flushed([entry.left for entry in raw], labels), labels)
    flat = not max(steps, default=0)
    keys = [entry.text_style.rank() for entry in raw]
    if not flat:
        # Where the indentation says the level, capitals and slant are the title's own matter: "GNU GENERAL PUBLIC
        # LICENSE"; and entries counted by one counter are of one level, whatever piece of them was looked at.
        votes: dict[object, Counter[tuple[float, bool]]] = defaultdict(Counter)
        for entry, step, label in zip(raw, steps, labels, strict=True):
            votes[step, _counter(label)][-entry.text_style.size, not entry.text_style.bold] += 1
        usual = {group: text_styles.most_common(1)[0][0] for group, text_styles in votes.items()}
        keys = [
            (
                *(usual[step, _counter(label)] if label else (-entry.text_style.size, not entry.text_style.bold)),
                False,
                False,
            )
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


def _flushed(lefts: Sequence[float], labels: Sequence[Label | None]) -> list[float]:
    """Returns the left edges, one for each counter: numbers set flush right ("I.", "II.", "III.") begin at several."""
    by_counter: dict[tuple[str, int] | None, list[float]] = defaultdict(list)
    for left, label in sorted(zip(lefts, labels, strict=True), key=lambda pair: pair[0]):
        edges = by_counter[_counter(label)]
        if not edges or left - edges[-1] > FLUSH:
            edges.append(left)
    return [
        left if label is None else max(edge for edge in by_counter[_counter(label)] if edge <= left)
        for left, label in zip(lefts, labels, strict=True)
    ]


def _indents(lefts: Sequence[float], labels: Sequence[Label | None]) -> list[int]:
    """The step of each left edge: edges within five points are one step.

    Numbers set flush right stand a little further in than titles without: "Preface" above " 1. Roots".
    """
    steps: list[float] = []
    for left in sorted(lefts):
        if not steps or left - steps[-1] > SAME_EDGE:
            steps.append(left)
    found = [max(n for n, step in enumerate(steps) if left >= step - 0.01) for left in lefts]
    if len(steps) > 1 and steps[1] - steps[0] <= FLUSH:
        first = {_counter(label) for label, step in zip(labels, found, strict=True) if step == 0}
        second = {_counter(label) for label, step in zip(labels, found, strict=True) if step == 1}
        if first == {None} and None not in second and all(label[1] == 1 for label in second if label):
            found = [max(0, step - 1) for step in found]
    return found
