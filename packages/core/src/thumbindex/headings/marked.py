"""Formats that mark their headings (HTML, Word, e-books, mail): their marks and their own outline, and where an author
marked next to nothing, a list of links in the text and the style of paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ..outline import MAX_LEVEL, Heading, Origin, Outline
from ..pages import Bookmark, Document, Mark
from ..text.characters import letters_and_digits
from ..text.tables import CELL
from .blocks import Block
from .layout import Layout
from .markup import LONG_TITLE, MAX_TITLE, RULE_NAME
from .nesting import Ranked, nest
from .numbering import WORD_KINDS, parse_label
from .paragraphs import paragraph_blocks
from .reconcile import DEEPER, by_layout, filled, outside, typical_levels

SPARSE = 25_000
"""Characters to a marked heading, on average, from which an author marked too little: some eight pages."""
MIN_LINKS = 5
"""Links in a list of contents."""
MIN_FOUND = 0.6
"""Share of the entries of an outline or a list of contents whose words stand where they lead."""
COVER = 0.15
"""Share of a document that its cover and its list of contents take at most."""
IN_ORDER = 0.8
"""Share of a list's links that must lead ahead, and in order."""
FEW_MISSING = 0.1
"""Share of a book's own entries that may not stand where they lead, for its outline to be trusted."""
_NEAR_LINES = 12
"""Lines after a link's destination that are searched."""
_LIST_GAP = 500
"""Characters of text between two entries of a list: those that are not in bold."""
_NEAR = 3
"""Paragraphs after a link's destination in which the title is looked for."""
_APART = 3
"""Paragraphs without a link that may stand between two entries of a list."""
_PAGE = re.compile(r"(?<![\s.·…|])[\s.·…|]*+(?:\b(?:[A-Z]{1,2}-)?\d{1,4}|\b[ivxlc]{1,6})?\s*+$")


def marked_outline(document: Document) -> Outline:
    """The outline of a document that marks its headings, or should."""
    marked = [_heading(mark) for mark in document.marks]
    if document.bookmarks:
        return _by_own_outline(document, marked)
    length = sum(len(line.text) for line in document.lines)
    if document.kind == "mail" or length < SPARSE * len(marked) or length < SPARSE // 5:
        return Outline("markup", tuple(marked), headers_footers=_contents_of(document))
    layout = Layout(document)
    entries, headers_footers = _linked_contents(document)
    if len(marked) >= len(entries):
        frame, headers_footers = marked, frozenset()
    else:
        frame = entries
    blocks = [block for block in paragraph_blocks(document, layout) if block.first not in headers_footers]
    if not frame:
        if not blocks:
            return Outline("markup", ())
        return Outline("layout", tuple(_unpaged(_items_below_parts(by_layout(_after_cover(document, blocks))))), 0.6)
    by_line = {number: block for block in blocks for number in range(block.first, block.last + 1)}
    # A list of contents names its places; what stands before it is the cover.
    others = [block for block in outside(frame, blocks) if block.first > max(headers_footers, default=0)]
    headings = _items_below_parts(filled(frame, others, typical_levels(frame, by_line)))
    origin: Origin = "markup" if frame is marked and not others else "hybrid" if others else "contents_page"
    return Outline(origin, tuple(_unpaged(headings)), 0.8, headers_footers)


def _items_below_parts(headings: Sequence[Heading]) -> list[Heading]:
    """Returns headings with each Item below the Part before it, as forms of filings have them, whatever their looks."""
    labels = [parse_label(heading.title) for heading in headings]
    if not {"part", "item"} <= {label.kind for label in labels if label is not None}:
        return list(headings)
    kinds = [label.kind if label is not None else "" for label in labels]
    items = [position for position, kind in enumerate(kinds) if kind == "item"]
    levels = [heading.level for heading in headings]
    in_part = False
    for position, kind in enumerate(kinds):
        if kind == "part":
            in_part, levels[position] = True, 1
        elif kind == "item":
            levels[position] = 2 if in_part else 1
        elif in_part and position < items[0]:
            levels[position] = max(levels[position], 2)
    for first, end in pairwise([*items, len(headings)]):
        inside = range(first + 1, next((at for at in range(first + 1, end) if kinds[at] == "part"), end))
        least = min((levels[at] for at in inside), default=0)
        # What stands between two Items belongs to the first; after the last one, the signatures stand beside it.
        below = end < len(headings) or least > headings[first].level
        for at in inside:
            levels[at] = levels[first] + below + levels[at] - least
    return [replace(heading, level=min(level, MAX_LEVEL)) for heading, level in zip(headings, levels, strict=True)]


def _heading(mark: Mark) -> Heading:
    title, confidence = mark.title, 1.0 if len(mark.title) <= LONG_TITLE else 0.5
    if len(title) > MAX_TITLE:
        title = title[: MAX_TITLE - 1].rstrip() + "…"
    return Heading(title, mark.level, None, mark.line, RULE_NAME, confidence, mark.last)


def _after_cover(document: Document, blocks: Sequence[Block]) -> list[Block]:
    """The blocks without those of a cover and a list of contents before the first "Part I", "Item 1" or the like."""
    worded = [block for block in blocks if block.label is not None and block.label.kind in WORD_KINDS]
    if len(worded) < MIN_LINKS or worded[0].first > COVER * len(document.lines):
        return list(blocks)
    last = {_opening(block): at for at, block in enumerate(worded)}
    start, listed = 0, 0
    for at, block in enumerate(worded):
        between = document.lines[worded[at - 1].last if at else block.first : block.first - 1]
        if sum(len(line.text) for line in between) > _LIST_GAP:
            break
        if last[_opening(block)] > at:
            # It comes again: here it is an entry.
            listed += 1
            start = at + 1
    first = worded[start if listed >= MIN_LINKS else 0].first
    return [block for block in blocks if block.first >= first]


def _opening(block: Block) -> tuple[str, tuple[str, ...], str]:
    """A block's label and words, without the page that a list of contents gives."""
    label = block.label
    assert label is not None
    return label.kind, label.value, letters_and_digits(re.sub(r"\d{1,3}$", "", label.title))


def _unpaged(headings: Sequence[Heading]) -> Iterator[Heading]:
    return (replace(heading, page=None) for heading in headings)


# The outline that a book carries


def _by_own_outline(document: Document, marked: Sequence[Heading]) -> Outline:
    """The book's outline where the text bears it out, and below its entries the headings that it leaves out."""
    placed = [
        (entry, _find(document, entry.title, entry.line)) for entry in document.bookmarks if entry.line is not None
    ]
    found = sum(place is not None for _, place in placed)
    count = len(document.bookmarks)
    if found < MIN_FOUND * count and marked:
        note = f"The book's own outline was not used: of {count} entries {found} stand where they lead."
        return Outline("markup", tuple(marked), 0.9, notes=(note,))
    # An outline of long chapters alone is a frame; a finer one is what its author wanted.
    fine = sum(len(line.text) for line in document.lines) <= SPARSE * count
    frame: dict[int, Heading] = {}
    unprinted: dict[int, list[Heading]] = {}
    for entry, place in placed:
        heading = _entry(entry, place)
        # Two entries of one place: the outer names the chapter, the inner its first section. One whose words stand nowhere
        # is the name of a part that begins with the other.
        if heading.line not in frame:
            frame[heading.line] = heading
        elif _is_unprinted(frame[heading.line]) and not _is_unprinted(heading):
            unprinted.setdefault(heading.line, []).append(frame[heading.line])
            frame[heading.line] = heading
    marks = {heading.line: heading for heading in marked}
    headings: list[Heading] = []
    base, shift = 0, 0
    for line in sorted({*frame, *marks}):
        if line in frame:
            headings += unprinted.get(line, [])
            heading = frame[line]
            base = heading.level
            # Marks inside are as much deeper as they are marked deeper than the mark at the entry itself.
            shift = heading.level - marks[line].level if line in marks else heading.level
            if line in marks:
                heading = replace(heading, last_line=marks[line].last_line)
        else:
            mark = marks[line]
            covered = any(following.line < line <= (following.last_line or 0) for following in headings[-1:])
            if covered:
                continue
            level = min(max(mark.level + shift, base + 1), MAX_LEVEL)
            heading = replace(mark, level=level, confidence=DEEPER if fine else mark.confidence)
        headings.append(heading)
    missing = count - found
    notes = (
        ()
        if not missing
        else (f"Of {count} entries of the book's own outline, {missing} do not stand where they lead.",)
    )
    return Outline("bookmarks", tuple(headings), 0.95 if missing < FEW_MISSING * count else 0.8, notes=notes)


def _entry(entry: Bookmark, place: tuple[int, int] | None) -> Heading:
    assert entry.line is not None
    if place is None:
        # A title that is a picture, or stands nowhere: the place is right all the same, and no line is its heading.
        return Heading(
            entry.title[:MAX_TITLE], min(entry.level, MAX_LEVEL), None, entry.line, "bookmarks", 0.7, entry.line - 1
        )
    return Heading(entry.title[:MAX_TITLE], min(entry.level, MAX_LEVEL), None, place[0], "bookmarks", 1.0, place[1])


def _is_unprinted(heading: Heading) -> bool:
    """Returns whether no line of the text is a heading."""
    return heading.last_line is not None and heading.last_line < heading.line


def _find(document: Document, title: str, line: int | None) -> tuple[int, int] | None:
    """First and last line of a title that stands at a line or in the paragraphs right after it."""
    wanted = letters_and_digits(title)
    if line is None or not wanted:
        return None
    filled_lines = [
        number
        for number in range(line, min(line + _NEAR_LINES, len(document.lines)) + 1)
        if document.lines[number - 1].text
    ]
    for position, first in enumerate(filled_lines[:_NEAR]):
        together = ""
        for last in filled_lines[position : position + 3]:
            together += letters_and_digits(document.lines[last - 1].text)
            if _alike(wanted, together):
                return first, last
            if len(together) > 2 * len(wanted):
                break
    return None


def _alike(wanted: str, text: str) -> bool:
    """Returns whether a text is a title, apart from a number or a mark at either end."""
    if not text:
        return False
    if wanted == text:
        return True
    shorter, longer = sorted((wanted, text), key=len)
    return (
        len(shorter) >= 3
        and len(longer) <= 1.6 * len(shorter) + 12
        and (longer.endswith(shorter) or longer.startswith(shorter))
    ) or (len(shorter) >= 12 and shorter in longer and len(longer) < 2 * len(shorter))


# A list of links to the parts of the same text


def _contents_of(document: Document) -> frozenset[int]:
    """Returns the lines of all lists of links to later headings, which repeat titles and hold no text of their own."""
    headings = {line for mark in document.marks for line in range(mark.line, mark.last + 1)}
    found: set[int] = set()
    for run in _runs_of_links(document):
        first, end = run[0][0], run[-1][0]
        leading = [to for _, to in run if to > end and to in headings]
        if (
            len(leading) >= MIN_LINKS
            and len(leading) >= IN_ORDER * len(run)
            and headings.isdisjoint(range(first, end + 1))
        ):
            found.update(range(first, end + 1))
    return frozenset(found)


def _linked_contents(document: Document) -> tuple[list[Heading], frozenset[int]]:
    """The headings that the first list of links in the text leads to, and the lines of that list; none without one."""
    for run in _runs_of_links(document):
        end = run[-1][0]
        ahead = [(line, to) for line, to in run if to > end]
        steps = sum(entry[1] <= following[1] for entry, following in pairwise(ahead))
        if len(ahead) < MIN_LINKS or len(ahead) < IN_ORDER * len(run) or steps < IN_ORDER * (len(ahead) - 1):
            continue
        headings = list(_entries(document, ahead))
        if len(headings) >= max(MIN_LINKS - 1, MIN_FOUND * len({to for _, to in ahead})):
            return headings, frozenset(range(run[0][0], end + 1))
    return [], frozenset()


def _runs_of_links(document: Document) -> Iterator[list[tuple[int, int]]]:
    """Lines with links that stand close together: each line once, with the place of its first link."""
    run: list[tuple[int, int]] = []
    seen: set[int] = set()
    for link in document.links:
        if link.line in seen or link.target_line is None:
            continue
        seen.add(link.line)
        if run and sum(bool(line.text) for line in document.lines[run[-1][0] : link.line - 1]) > _APART:
            yield run
            run = []
        run.append((link.line, link.target_line))
    if run:
        yield run


def _entries(document: Document, run: Sequence[tuple[int, int]]) -> Iterator[Heading]:
    rows: dict[int, Heading] = {}
    for line, to in run:
        title = _PAGE.sub("", document.lines[line - 1].text.replace(CELL.strip(), " "))
        title = " ".join(title.split())
        place = _find(document, title, to)
        if place is not None and place[0] not in rows:
            rows[place[0]] = Heading(title[:MAX_TITLE], 1, None, place[0], "contents_page", 0.95, place[1])
    headings = [rows[line] for line in sorted(rows)]
    levels = nest([Ranked(0, parse_label(heading.title)) for heading in headings])
    for heading, level in zip(headings, levels, strict=True):
        yield replace(heading, level=level)
