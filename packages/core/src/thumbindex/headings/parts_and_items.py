"""The grammar of company reports: Parts, Items, financial statements, numbered notes and exhibits, in their fixed order.

Such reports are set in one size, and bold captions of tables look like the heads of Items. What a heading is called and
which one comes before it say more than its type: Item 7A follows Item 7, statements follow the auditor's report, Note 2
follows Note 1, and an exhibit begins anew at the top.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..outline import Heading
from .blocks import Block, find_blocks
from .layout import Layout
from .numbering import Label, is_bare_label
from .rules import Candidates, Listing, Rule

NAME = "parts_and_items"
MIN_ITEMS = 5
"""Items in sequence that make a document such a report; quarterly reports have nine, annual ones twenty."""
LISTED_LINES = 3
"""Lines from one Item to the next, on average, up to which they are a list of Items and no sections."""
MIN_GROUP, GROUP_PAGES = 4, 3
"""Different statements that follow one another, and pages from one to the next at most, to be the financial statements."""
CONFIDENCE = 0.9
"""Confidence of a heading in its place in the sequence."""

PART, ITEM, STATEMENT, NOTE = 1, 2, 3, 4
"""Ranks of the kinds of headings; exhibits and signatures have the rank of a Part."""

_STATEMENT = re.compile(
    r"^(?:(?:unaudited|condensed|consolidated|combined|interim)\s+)*"
    r"(?:statements?\s+of\s+(?:[\w’']+\s+){0,2}?(?:income|operations|earnings|comprehensive|cash\s+flows?|financial\s+(?:position|"
    r"condition)|changes|stockholders|shareholders|equity|net\s+assets|profit|loss).{0,80}"
    r"|balance\s+sheets?(?:\s*[(–—-].{0,40})?|(?:(?:comprehensive\s+)?income|cash\s+flows?|(?:stock|share)holders[’']?\s+equity|operations|earnings)\s+statements?(?:\s*\(.*\))?)$",
    re.IGNORECASE,
)
_COMPANY = re.compile(r"^(?:(?:[A-Z0-9&][\w.,’'&-]*|and|of)\s+){1,8}?(?=(?i:consolidated|condensed|combined)\s)")
"""The company's name before "Consolidated statements of income", in one line."""
_NOTES = re.compile(r"^notes?\s++to\s++.*(?:statements|accounts)", re.IGNORECASE)
_REPORT = re.compile(
    r"^report\s+of\s+(?:independent|management)|^independent\s+auditors?[’']?s?[’']?\s+report"
    r"|^management[’']?s?[’']?\s+(?:\w+\s+)?(?:report|responsib)",
    re.IGNORECASE,
)
_STATEMENTS_INSIDE = re.compile(r"financial\s+statements?", re.IGNORECASE)
_AT_THE_END = re.compile(r"^signatures?$|^(?:exhibit\s+index|index\s+(?:to|of)\s+exhibits)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Found:
    """A heading of the grammar: its rank, its title, and its lines."""

    rank: int
    title: str
    first: int
    last: int
    page: int
    label: Label | None = None


def _order(label: Label) -> tuple[int, str]:
    """Returns the place of an Item or a Note in its sequence: "7A" comes after "7" and before "8"."""
    value = label.value[0]
    digits = re.match(r"\d*", value)
    return int(digits[0]) if digits and digits[0] else label.ordinal, re.sub(r"^\d*", "", value).upper()


def _is_set_apart(block: Block) -> bool:
    return block.why in ("large", "bold", "caps") and block.alone


def _items(blocks: Sequence[Block]) -> list[_Found]:
    """Returns the Parts and Items in sequence, without lists of them and without repetitions at the tops of pages."""
    marked = [
        block
        for block in blocks
        if block.label is not None and block.label.kind in ("part", "item") and _is_set_apart(block)
    ]
    found: list[_Found] = []
    reached: tuple[int, str] = (0, "")
    part = ""
    for run in _runs(marked):
        for block in run:
            label = block.label
            assert label is not None
            if label.kind == "part":
                if label.value[0].upper() == part:
                    if found and found[-1].rank == PART:  # the first stood in a list
                        found[-1] = _Found(PART, block.text, block.first, block.last, block.page, label)
                    continue
                part = label.value[0].upper()
                # A quarterly report counts its Items from one in each part.
                reached = (0, "") if part in ("II", "2") and reached < (5, "") else reached
                found.append(_Found(PART, block.text, block.first, block.last, block.page, label))
            elif label.value[0][:1].isdigit() and _order(label) > reached:
                reached = _order(label)
                found.append(_Found(ITEM, block.text, block.first, block.last, block.page, label))
    # A Part without Items stands in a list.
    return [
        item
        for item, following in zip(found, [*found[1:], None], strict=False)
        if item.rank == ITEM or (following is not None and following.rank == ITEM)
    ]


def _runs(marked: Sequence[Block]) -> Iterator[list[Block]]:
    """Yields runs of Parts and Items, those that only list them left out."""
    run: list[Block] = []
    for block in marked:
        if run and block.first - run[-1].last > LISTED_LINES:
            if len(run) < MIN_ITEMS:
                yield run
            run = []
        run.append(block)
    if len(run) < MIN_ITEMS:
        yield run


def _others(layout: Layout, blocks: Sequence[Block], items: Sequence[_Found]) -> Iterator[_Found]:
    """Yields statements, reports, notes, exhibits and signatures between and after the Items."""
    places = [item.first for item in items]
    position = 0
    in_statements = in_notes = False
    first_note: Block | None = None
    groups = _statement_groups(layout, blocks)
    last_note = 0
    statement = ""
    for block in blocks:
        while position < len(places) and places[position] <= block.first:
            in_statements = bool(_STATEMENTS_INSIDE.search(items[position].title))
            in_notes, first_note, last_note, statement = False, None, 0, ""
            position += 1
        if any(
            block.first <= item.last and block.last >= item.first for item in items[max(0, position - 1) : position]
        ):
            continue
        if not _is_set_apart(block):
            continue
        label = block.label
        in_statements = in_statements or (position > 0 and block.first in groups)
        if position == len(places) and (
            (label is not None and label.kind == "exhibit") or _AT_THE_END.match(block.text)
        ):
            in_statements = in_notes = False
            yield _end_matter(layout, block)
        elif in_statements and _NOTES.match(block.text) and (not in_notes or first_note is not None):
            above = first_note is not None and layout.box(block.first).bottom > layout.box(first_note.first).bottom
            if first_note is None:
                yield _Found(STATEMENT, block.text, block.first, block.last, block.page)
            elif above and first_note.page == block.page:
                # Some files give the head of the notes after the first note: it has no line of its own there.
                yield _Found(STATEMENT, block.text, first_note.first, first_note.first - 1, block.page)
            in_notes, first_note = True, None
        elif in_statements and _REPORT.match(block.text):
            in_notes = False
            yield _Found(STATEMENT, block.text, block.first, block.last, block.page)
        elif in_statements and label is not None and label.kind == "note" and label.ordinal > last_note:
            first_note = block if not in_notes else None
            last_note, in_notes = label.ordinal, True
            yield _Found(NOTE, block.text, block.first, block.last, block.page)
        elif in_notes and label is not None and label.kind == "decimal" and label.depth == 1 and label.title:
            if label.ordinal == last_note + 1:
                last_note = label.ordinal
                yield _Found(NOTE, block.text, block.first, block.last, block.page)
        elif in_statements and not in_notes:
            found = _statement(layout, block)
            if found is not None and found.title.casefold() != statement:
                statement = found.title.casefold()
                yield found


def _statement_groups(layout: Layout, blocks: Sequence[Block]) -> frozenset[int]:
    """Returns the first lines of statements that follow one another: some reports keep them in another place than Item 8."""
    group: list[tuple[Block, str]] = []
    found: set[int] = set()
    for block in blocks:
        statement = _statement(layout, block) if _is_set_apart(block) else None
        if statement is None:
            continue
        if group and block.page - group[-1][0].page > GROUP_PAGES:
            group = []
        group.append((block, statement.title.casefold()))
        if len({title for _, title in group}) >= MIN_GROUP:
            found.update(member.first for member, _ in group)
    return frozenset(found)


def _end_matter(layout: Layout, block: Block) -> _Found:
    """Returns signatures or an exhibit; where its number stands alone in the corner of the page, that is its heading."""
    text = layout.line(block.first).text.strip()
    if block.last > block.first and is_bare_label(text):
        return _Found(PART, text, block.first, block.first, block.page)
    return _Found(PART, block.text, block.first, block.last, block.page)


def _statement(layout: Layout, block: Block) -> _Found | None:
    """Returns the line of a block that names a statement, without the company's name above it and column heads below."""
    for line in range(block.first, block.last + 1):
        text = layout.line(line).text.strip()
        company = _COMPANY.match(text)
        if _STATEMENT.match(text if company is None else text[company.end() :]):
            return _Found(STATEMENT, text, line, line, block.page)
    return _Found(STATEMENT, block.text, block.first, block.last, block.page) if _STATEMENT.match(block.text) else None


def is_statement(title: str) -> bool:
    """Returns whether a title is that of a financial statement: "Consolidated balance sheets"."""
    company = _COMPANY.match(title.strip())
    return bool(_STATEMENT.match(title.strip()[0 if company is None else company.end() :]))


def _headings(layout: Layout) -> tuple[Heading, ...]:
    blocks = layout.once(find_blocks)
    items = _items(blocks)
    if sum(item.rank == ITEM for item in items) < MIN_ITEMS:
        return ()
    found = sorted([*items, *_others(layout, blocks, items)], key=lambda item: (item.first, item.rank))
    headings: list[Heading] = []
    ranks: list[int] = []
    for item in found:
        while ranks and ranks[-1] >= item.rank:
            ranks.pop()
        ranks.append(item.rank)
        headings.append(Heading(item.title, len(ranks), item.page, item.first, NAME, CONFIDENCE, item.last))
    return tuple(headings)


def _find(layout: Layout) -> Candidates:
    headings = _headings(layout)
    return Candidates(Listing("layout", headings, binding=True) if headings else None)


RULE = Rule(
    NAME, "It is a Part, an Item, a statement, a note or an exhibit in the fixed order of a company's report.", _find
)
