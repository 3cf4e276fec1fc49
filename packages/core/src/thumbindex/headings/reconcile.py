"""From several witnesses to one outline: the contents page gives the frame, type and numbers fill it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from ..outline import MAX_LEVEL, Heading, Outline
from .blocks import Block, find_blocks
from .contents_page import MIN_TITLED, Contents, Entry, find_contents
from .layout import Layout
from .nesting import Ranked, nest

MIN_FOUND = 0.6
"""Share of a contents page's entries that must be located before it may frame the outline."""
COMPLETE = 0.7
"""Share of the headings set like listed ones that a contents page lists, from which it counts as complete. Measured: filings
.10-.52, all else .79-1.00; cuts between .6 and .8 give the same result."""


def reconcile(layout: Layout) -> Outline:
    """The outline of a document with layout, from its contents page, its type and its numbers."""
    contents = find_contents(layout)
    skip = layout.skip | (contents.lines if contents else frozenset())
    inner = Layout(layout.document, skip)
    blocks = _without_title_page(inner, [b for b in find_blocks(inner) if b.why != "number"], contents)
    furniture = skip
    if contents is None or not _usable(contents):
        headings = _by_layout(blocks)
        return Outline("layout", tuple(headings), 0.6, furniture)
    headings, origin_is_hybrid = _framed(inner, blocks, contents)
    return Outline("hybrid" if origin_is_hybrid else "contents_page", tuple(headings), 0.9, furniture)


def _usable(contents: Contents) -> bool:
    found = contents.found
    return len(found) >= MIN_TITLED and len(found) >= MIN_FOUND * len(contents.entries)


def _by_layout(blocks: Sequence[Block]) -> list[Heading]:
    ranks = {rank: n for n, rank in enumerate(sorted({block.look.rank() for block in blocks}))}
    levels = nest([Ranked(ranks[block.look.rank()], block.label) for block in blocks])
    return [_heading(block, level) for block, level in zip(blocks, levels, strict=True)]


def _heading(block: Block, level: int) -> Heading:
    return Heading(block.text, level, block.page, block.first, "typography", 0.5, block.last)


_FRONT_TITLES = re.compile(
    r"^(?:abstract|summary|executive summary|preface|foreword|acknowledge?ments?|introduction|zusammenfassung|vorwort|résumé"
    r"|préface|avant-propos|resumen|prólogo|prefacio|аннотация|предисловие|введение|摘要|前言|序)$",
    re.IGNORECASE,
)


def _without_title_page(layout: Layout, blocks: list[Block], contents: Contents | None) -> list[Block]:
    """Without what stands on the title page.

    Before a contents page: all but the customary front matter. Without one: looks that occur on the first pages only
    and carry no number.
    """
    if contents is not None:
        start = contents.title or min(contents.lines)
        return [b for b in blocks if b.first > start or _FRONT_TITLES.match(b.text)]
    front = 2 if len(layout.document.pages or ()) > 10 else 1
    later = {block.look.rank() for block in blocks if block.page > front}
    return [b for b in blocks if b.page > front or b.label is not None or b.look.rank() in later]


def _framed(layout: Layout, blocks: Sequence[Block], contents: Contents) -> tuple[list[Heading], bool]:
    entries = contents.found
    covered = {n for entry in entries for n in range(entry.line or 0, (entry.last_line or 0) + 1)}
    by_line = {n: block for block in blocks for n in range(block.first, block.last + 1)}
    complete = _is_complete(blocks, contents, covered, by_line)
    frame = [_entry_heading(entry, by_line) for entry in entries]
    if contents.title is not None and contents.title not in covered:
        block = by_line.get(contents.title)
        title = block.text if block is not None else layout.line(contents.title).text
        frame.append(Heading(title, 1, contents.pages[0], contents.title, "contents_page", 0.9, contents.title))
        frame.sort(key=lambda heading: heading.line)
        covered.add(contents.title)
    others = [b for b in blocks if covered.isdisjoint(range(b.first, b.last + 1))]
    if complete:
        numbered = [b for b in others if _numbered_below(b, entries)]
        return _filled(frame, numbered, {}), bool(numbered)
    typical = _typical_levels(entries, by_line)
    return _filled(frame, others, typical), True


def _is_complete(blocks: Sequence[Block], contents: Contents, covered: set[int], by_line: dict[int, Block]) -> bool:
    """Whether the contents page lists the headings set like those that it lists; chapters alone never suffice.

    Where its entries are numbered, only numbered headings are asked for: plots and boxes borrow the type of headings, not
    their numbers.
    """
    entries = contents.found
    if max(entry.level for entry in entries) < 2:
        return False
    listed = [block for entry in entries if (block := by_line.get(entry.line or 0)) is not None]
    looks = Counter(block.look.rank() for block in listed)
    alike = [b for b in blocks if looks[b.look.rank()] >= 2 and b.page > max(contents.pages)]
    kinds = Counter(entry.label.kind for entry in entries if entry.label is not None)
    if sum(kinds.values()) >= 0.7 * len(entries) and kinds["decimal"] >= 0.5 * len(entries):
        alike = [b for b in alike if b.label is not None and kinds[b.label.kind] > 1]
    share = sum(not covered.isdisjoint(range(b.first, b.last + 1)) for b in alike) / max(1, len(alike))
    return share >= COMPLETE


def _numbered_below(block: Block, entries: Sequence[Entry]) -> bool:
    """Whether a heading's decimal continues that of a listed one before it: 2.1.3 below 2.1."""
    label = block.label
    if label is None or label.kind != "decimal" or label.depth < 2 or not label.title:
        return False
    before = (e.label for e in reversed(entries) if e.line is not None and e.line < block.first and e.label is not None)
    nearest = next((other for other in before if other.kind == "decimal" and other.value[0] == label.value[0]), None)
    return (
        nearest is not None
        and (label.value[: nearest.depth] == nearest.value or label.value[:-1] == nearest.value[: label.depth - 1])
        and (label.depth > max(e.label.depth for e in entries if e.label is not None and e.label.kind == "decimal"))
    )


def _entry_heading(entry: Entry, by_line: dict[int, Block]) -> Heading:
    assert entry.line is not None
    block = by_line.get(entry.line)
    first, last = entry.line, entry.last_line
    if block is not None:
        first, last = min(first, block.first), max(last or first, block.last)
    return Heading(entry.title, min(entry.level, MAX_LEVEL), entry.page, first, "contents_page", 0.95, last)


def _typical_levels(entries: Sequence[Entry], by_line: dict[int, Block]) -> dict[tuple[float, bool, bool, bool], int]:
    """For each look that listed headings have: the level that most of them have."""
    votes: dict[tuple[float, bool, bool, bool], Counter[int]] = defaultdict(Counter)
    for entry in entries:
        block = by_line.get(entry.line or 0)
        if block is not None:
            votes[block.look.rank()][entry.level] += 1
    return {rank: levels.most_common(1)[0][0] for rank, levels in votes.items()}


def _filled(
    frame: Sequence[Heading], others: Sequence[Block], typical: dict[tuple[float, bool, bool, bool], int]
) -> list[Heading]:
    """The frame with the headings it does not list: beside entries of the same look, else below, by look and number."""
    ordered = sorted(
        [*((h.line, h, None) for h in frame), *((b.first, None, b) for b in others)], key=lambda item: item[0]
    )
    ranks = {rank: n for n, rank in enumerate(sorted({b.look.rank() for b in others}))}
    result: list[Heading] = []
    base = 0
    pending: list[Block] = []

    def flush() -> None:
        if pending:
            levels = nest([Ranked(ranks[b.look.rank()], b.label) for b in pending])
            result.extend(_heading(b, min(base + level, MAX_LEVEL)) for b, level in zip(pending, levels, strict=True))
            pending.clear()

    for _, heading, block in ordered:
        if heading is not None:
            flush()
            result.append(heading)
            base = heading.level
        elif block is not None:
            level = typical.get(block.look.rank())
            if level is not None and level <= base:
                flush()
                result.append(_heading(block, level))
                base = level
            else:
                pending.append(block)
    flush()
    return _without_jumps(result)


def _without_jumps(headings: Sequence[Heading]) -> list[Heading]:
    """The same nesting with levels that go down one at a time."""
    result: list[Heading] = []
    stack: list[int] = []
    for heading in headings:
        while stack and stack[-1] >= heading.level:
            stack.pop()
        stack.append(heading.level)
        result.append(replace(heading, level=min(len(stack), MAX_LEVEL)))
    return result
