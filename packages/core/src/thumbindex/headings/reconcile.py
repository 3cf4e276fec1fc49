"""Turns the candidates of all rules into one outline: a list gives the frame, type and numbers fill it."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from ..outline import MAX_LEVEL, Heading, Origin, Outline
from .blocks import TYPOGRAPHY, Block, TextStyle
from .layout import Layout
from .nesting import Ranked, nest
from .numbering import WORD_KINDS, Label, is_bare_label, parse_label
from .numbering_sequences import numbered_runs
from .parts_and_items import is_statement
from .rules import Listing, Rule
from .style_order import Rank, style_order
from .words import squeeze

ENOUGH = 0.6
"""Bookmarks that name fewer than this share of the headings on the contents page give way to it."""
SHORT = 2.0
"""Pages of a section up to which captions that no contents page lists do not divide it. Measured over 130 documents: 1 and
3 give trees less like their authors' outlines."""
MIN_COUNTED = 4
"""Chapters counted from 1 on without a gap from which numbers are the outline, however many captions stand between."""
MIN_NUMBERED = 5
"""Numbered headings from which numbers carry the outline of a document without a contents page, if they are half of all."""
CONFIDENCE: dict[Origin, float] = {"bookmarks": 0.95, "contents_page": 0.9, "layout": 0.6}
"""Confidence of an outline by what frames it."""
TITLE_OF_LIST = 0.9
"""Confidence of the heading of the contents page itself."""
DEEPER = 0.3
"""Confidence of a heading that a complete contents page leaves out, or that divides a short section: it is deeper than
authors want an outline to go."""
LISTED = 0.25
"""Share of the headings of one style and number that a frame must list for the others to stand beside them."""
NUMBERED = 0.7
"""Share of numbered entries from which only numbered headings are asked of a contents page."""
LONG = 8.0
"""Pages of an undivided section, on average, from which a contents page lists chapters and leaves their sections out."""
MIN_TITLE = 8
"""Characters of a title from which it is recognised inside an entry."""
MIN_BYLINES = 3
"""Names of authors from which they are taken for bylines."""
BYLINES = 0.6
"""Share of the lines in one style that must stand right below a listed title, and differ, to be bylines."""
STATEMENT_PAGES = 4.0
"""Pages of the longest financial statements; what is longer holds more than one."""
TOO_LONG = 15.0
"""Pages from which a section needs subsections, whatever the contents page lists: nobody reads so much in one step."""
REGULAR = 0.9
"""Share of the undivided listed sections in which a larger style must stand to be the level below them."""
COARSE = 8
"""Pages to a bookmark, on average, from which bookmarks name chapters and leave their sections out."""
COMPLETE = 0.6
"""Share of the headings set like listed ones that a contents page lists, from which it counts as complete. Measured: filings
.10-.52, all else .79-1.00; cuts between .6 and .8 give the same result."""

ALL_LISTED = 0.9
"""Share of the headings of a fixed order that a contents page has to list to be the frame. Three filings whose contents pages
stop at Items list .47 to .51 of them; a report that lists every section lists all. Any value between gives the same trees."""


def reconcile(layout: Layout, rules: Sequence[Rule]) -> Outline:
    """Turns the candidates of all rules into the outline of a document with layout.

    A list that the document itself holds gives the frame: bookmarks that the text bears out, else a contents page whose
    entries are found. Type and numbers fill what it leaves out, and stand alone where there is none.

    Args:
        rules: The table of rules. They run in its order, each on the lines that no list found before takes up.
    """
    inner = layout
    listings: list[Listing] = []
    strong: list[Block] = []
    numbered: list[Block] = []
    for rule in rules:
        found = rule.find(inner)
        strong += found.blocks
        numbered += found.numbered
        if found.listing is not None:
            listings.append(found.listing)
            inner = inner.without(inner.skip | found.listing.lines) if found.listing.lines else inner
    start = next((listing.start for listing in listings if listing.start is not None), None)
    every = _without_title_page(inner, _in_order([*strong, *numbered]), start)
    known, members = set(strong), set(numbered)
    blocks = [block for block in every if block in known]
    in_sequences = [block for block in every if block in members]
    by_line = {n: block for block in blocks for n in range(block.first, block.last + 1)}
    frames = [(listing, _frame(inner, listing, by_line)) for listing in listings]
    frames = [(listing, _without_bylines(frame, blocks, by_line)) for listing, frame in frames]
    frames = [(listing, frame) for listing, frame in frames if frame]
    listed = [listing for listing, _ in frames if listing.origin == "bookmarks"]
    bound = next(((listing, frame) for listing, frame in frames if listing.binding), None)
    if bound is not None and any(_lists_all(frame, bound[1]) for listing, frame in frames if not listing.binding):
        frames = [(listing, frame) for listing, frame in frames if not listing.binding]
    elif bound is not None and not listed:
        # A contents page adds what stands before the first part, itself among it.
        front = [
            heading
            for _, frame in frames
            for heading in frame
            if heading.line < bound[1][0].line and _opens_nothing(heading)
        ]
        top = min((heading.level for heading in front), default=1)
        frames = [(bound[0], [*(replace(heading, level=heading.level - top + 1) for heading in front), *bound[1]])]
    # Of two lists the first in the table is the frame, unless it names far fewer headings than the next.
    while len(frames) > 1 and len(frames[0][1]) < ENOUGH * len(frames[1][1]):
        del frames[0]
    if not frames:
        return Outline("layout", tuple(by_layout(blocks)), CONFIDENCE["layout"], inner.skip)
    listing, frame = frames[0]
    headings = (
        _filled_order(layout, frame, blocks)
        if listing.binding
        else _filled_bookmarks(layout, frame, blocks, by_line)
        if listing.start is None
        else _filled_contents(layout, listing, frame, blocks, in_sequences, by_line)
    )
    more = sum(heading.confidence > DEEPER for heading in headings) > len(frame)
    origin: Origin = "hybrid" if more else listing.origin
    return Outline(origin, tuple(_notes_below(headings)), CONFIDENCE[listing.origin], inner.skip)


def _lists_all(frame: Sequence[Heading], bound: Sequence[Heading]) -> bool:
    """Returns whether a list names the headings of a fixed order and more besides: then its own levels say more."""
    listed = {heading.line for heading in frame}
    return len(frame) > len(bound) and sum(heading.line in listed for heading in bound) >= ALL_LISTED * len(bound)


def _opens_nothing(heading: Heading) -> bool:
    """Returns whether a heading is no "Part I" or "Item 1": an entry of the contents page found before the place it names."""
    label = parse_label(heading.title)
    return label is None or label.kind not in WORD_KINDS


def _in_order(blocks: Sequence[Block]) -> list[Block]:
    """Returns the blocks in reading order; of those that share a line the one of the rule that is first in the table."""
    found: dict[int, Block] = {}
    for block in blocks:
        lines = range(block.first, block.last + 1)
        if not any(line in found for line in lines):
            found.update(dict.fromkeys(lines, block))
    return sorted(set(found.values()), key=lambda block: block.first)


def _frame(layout: Layout, listing: Listing, by_line: dict[int, Block]) -> list[Heading]:
    """Returns the listed headings over all lines of their blocks, and the heading of the list itself."""
    headings = _grown(listing.headings, by_line)
    title = listing.title
    if headings and title is not None and not any(heading.line == title for heading in headings):
        text = by_line[title].text if title in by_line else layout.line(title).text
        headings.append(Heading(text, 1, listing.pages[0], title, headings[0].rule, TITLE_OF_LIST, title))
    return headings if listing.start is None else sorted(headings, key=lambda heading: heading.line)


def _is_byline(block: Block, titles: Collection[int], styles: Collection[Rank]) -> bool:
    return block.label is None and block.first in titles and block.style.rank() in styles


def _byline_styles(titles: Collection[int], blocks: Sequence[Block]) -> set[Rank]:
    """Returns the styles of names below the titles of chapters: they stand nowhere else, and no two are the same."""
    counts: Counter[Rank] = Counter()
    below: dict[Rank, list[str]] = defaultdict(list)
    for block in blocks:
        if block.label is None:
            counts[block.style.rank()] += 1
            if block.first in titles:
                below[block.style.rank()].append(block.text.casefold())
    return {
        rank
        for rank, names in below.items()
        if len(set(names)) >= max(MIN_BYLINES, BYLINES * len(names)) and len(names) >= BYLINES * counts[rank]
    }


def _without_bylines(frame: Sequence[Heading], blocks: list[Block], by_line: dict[int, Block]) -> list[Heading]:
    """Returns the frame without the names of authors that a contents page lists; those below its titles go from `blocks`."""
    titles = {heading.last_line + 1 for heading in frame if heading.last_line and heading.last_line >= heading.line}
    starts = {heading.line for heading in frame}
    # "Chapter 1" right above its title, however far, is the title's number.
    blocks[:] = [block for block in blocks if block.last + 1 not in starts or not is_bare_label(block.text)]
    styles = _byline_styles(titles, blocks)
    if not styles:
        return list(frame)
    bylines = {line for line, block in by_line.items() if _is_byline(block, titles, styles)}
    blocks[:] = [block for block in blocks if block.first not in bylines]
    return [heading for heading in frame if heading.line not in bylines]


def _filled_order(layout: Layout, frame: Sequence[Heading], blocks: Sequence[Block]) -> list[Heading]:
    """Returns the headings of a fixed order with those below them; what stands before them is the cover.

    Captions right below an Item are its sections; those inside notes, statements and exhibits divide long ones only.
    """
    others = [block for block in outside(frame, blocks) if block.first > frame[0].line]
    others = _without_inside_of_statements(layout, frame, others)
    headings = filled(frame, others, {})
    bound = {heading.line for heading in frame}
    ends = _ends(layout, frame)
    above, kind, is_long = frame[0], "", False
    result: list[Heading] = []
    for heading, doubted in zip(headings, _doubted_in_short_sections(layout, headings), strict=True):
        if heading.line in bound:
            label = parse_label(heading.title)
            above, kind = heading, "" if label is None else label.kind
            is_long = layout.height_of(ends[heading.line]) - layout.height_of(heading.line) > LONG
        elif kind == "exhibit":
            # An agreement's articles divide it; its captions, such as names of countries, are inside of them.
            divides = is_long and heading.level == above.level + 1 and parse_label(heading.title) is not None
            doubted = heading if divides else replace(heading, confidence=DEEPER)
        result.append(heading if kind == "item" else doubted)
    return result


def _ends(layout: Layout, headings: Sequence[Heading]) -> dict[int, int]:
    """Returns for the line of each heading the line of the next one; behind the last heading the document ends."""
    lines = [heading.line for heading in headings]
    return dict(zip(lines, [*lines[1:], len(layout.lines) + 1], strict=True))


def _without_inside_of_statements(layout: Layout, frame: Sequence[Heading], blocks: Sequence[Block]) -> list[Block]:
    """Drops the captions inside financial statements: a statement is one section with all its rows."""
    kept = list(blocks)
    for heading, following in pairwise(frame):
        length = layout.height_of(following.line) - layout.height_of(heading.line)
        if is_statement(heading.title) and length <= STATEMENT_PAGES:
            kept = [block for block in kept if not heading.line <= block.first < following.line]
    return kept


def _filled_bookmarks(
    layout: Layout, frame: Sequence[Heading], blocks: Sequence[Block], by_line: dict[int, Block]
) -> list[Heading]:
    """Returns the bookmarks, with the headings below them if they name long chapters alone; a finer outline is what its author wanted."""
    if len(layout.document.pages or ()) <= COARSE * len(frame):
        return list(frame)
    return filled(frame, outside(frame, blocks), typical_levels(frame, by_line))


def _filled_contents(
    layout: Layout,
    listing: Listing,
    frame: Sequence[Heading],
    blocks: Sequence[Block],
    numbered: Sequence[Block],
    by_line: dict[int, Block],
) -> list[Heading]:
    """Returns the entries of a contents page with the headings that it leaves out, less sure ones if it is complete."""
    others = outside(frame, blocks)
    if _divides(layout, frame) and _is_complete(frame, blocks, by_line, max(listing.pages)):
        below = [block for block in others if _numbered_below(block, frame)]
        others = below or numbered_runs(frame, outside(frame, numbered))
        headings = filled(frame, others, {}, by_number=True)
        rest = outside(headings, blocks)
        regular = _regular_styles(frame, rest)
        headings = filled(headings, rest, {}, confidence=DEEPER)
        return _sure_in_long_sections(layout, headings, {h.line for h in frame}, rest, regular)
    return _doubted_in_short_sections(layout, filled(frame, others, typical_levels(frame, by_line)))


def _regular_styles(frame: Sequence[Heading], blocks: Sequence[Block]) -> set[TextStyle]:
    """Returns the styles in larger type that come in most of the listed sections: the level that the list leaves out."""
    borders = [heading.line for heading in frame]
    undivided = sum(
        following is None or following.level <= heading.level
        for heading, following in zip(frame, [*frame[1:], None], strict=True)
    )
    sections: dict[TextStyle, set[int]] = defaultdict(set)
    titles: dict[TextStyle, set[str]] = defaultdict(set)
    counts: Counter[TextStyle] = Counter()
    for block in blocks:
        if block.why == "large":
            sections[block.style].add(bisect_left(borders, block.first))
            titles[block.style].add(block.text)
            counts[block.style] += 1
    return {
        style
        for style, found in sections.items()
        if len(found) >= REGULAR * undivided and len(titles[style]) >= REGULAR * counts[style]
    }


def _sure_in_long_sections(
    layout: Layout,
    headings: Sequence[Heading],
    frame: Collection[int],
    blocks: Sequence[Block],
    regular: Collection[TextStyle],
) -> list[Heading]:
    """Returns the headings, those surer that a complete contents page leaves out and that are regular, or divide what is too long."""
    by_line = {block.first: block for block in blocks}
    ends = _ends(layout, [heading for heading in headings if heading.line in frame])
    result: list[Heading] = []
    length, heaviest = 0.0, 0
    for heading in headings:
        if heading.line in frame:
            length, heaviest = layout.height_of(ends[heading.line]) - layout.height_of(heading.line), 0
        block = by_line.get(heading.line)
        if block is not None and heading.confidence <= DEEPER:
            heaviest = heaviest or heading.level
            divides = length > TOO_LONG and block.why == "large" and heading.level <= heaviest
            if block.style in regular or divides:
                heading = replace(heading, confidence=block.confidence)
        result.append(heading)
    return result


def by_layout(blocks: Sequence[Block]) -> list[Heading]:
    ranks = style_order(blocks, set())
    levels = nest([Ranked(ranks[block.style], block.label) for block in blocks])
    numbered = Counter(block.style for block in blocks if block.label is not None and block.label.kind == "decimal")
    by_number = numbered.total() >= max(MIN_NUMBERED, 0.5 * len(blocks)) or _counts_on(blocks)
    heaviest = min((ranks[style] for style in numbered), default=0)

    def doubted(block: Block) -> bool:
        # Where numbers carry the outline, a caption in a lighter look that never has one is a paragraph's or a figure's.
        return by_number and block.label is None and not numbered[block.style] and ranks[block.style] > heaviest

    return [
        _heading(block, level, DEEPER if doubted(block) else block.confidence)
        for block, level in zip(blocks, levels, strict=True)
    ]


def _counts_on(blocks: Sequence[Block]) -> bool:
    """Returns whether decimals count from 1 on through the document, with some below them: they are its outline."""
    reached = below = 0
    for block in blocks:
        label = block.label
        if label is None or label.kind != "decimal" or not label.title:
            continue
        if label.depth == 1 and label.ordinal == reached + 1:
            reached += 1
        elif label.depth > 1 and label.value[0] == str(reached):
            below += 1
    return reached >= MIN_COUNTED and reached + below >= MIN_NUMBERED


def _heading(block: Block, level: int, confidence: float) -> Heading:
    return Heading(block.text, level, block.page, block.first, block.rule, confidence, block.last)


_FRONT_TITLES = re.compile(
    r"^(?:abstract|summary|executive summary|preface|foreword|acknowledge?ments?|introduction|zusammenfassung|vorwort|résumé"
    r"|préface|avant-propos|resumen|prólogo|prefacio|аннотация|предисловие|введение|摘要|前言|序)$",
    re.IGNORECASE,
)


def _without_title_page(layout: Layout, blocks: list[Block], contents: int | None) -> list[Block]:
    """Without what stands on the title page.

    Before a contents page: all but the customary front matter. Without one: styles that occur on the first pages only
    and carry no number.
    """
    if contents is not None:
        return [b for b in blocks if b.first > contents or _FRONT_TITLES.match(b.text)]
    pages = len(layout.document.pages or ())
    front = 2 if pages > 10 else 1
    opening = next((b for b in blocks if b.page <= front and (_FRONT_TITLES.match(b.text) or _opens_count(b))), None)
    if opening is not None:
        # A paper: title and authors stand above the abstract or the first numbered section.
        blocks = [b for b in blocks if b.first >= opening.first]
    if pages < 3:
        return blocks
    later = {block.style.rank() for block in blocks if block.page > front}
    return [b for b in blocks if b.page > front or _is_numbered(b) or b.style.rank() in later]


def _opens_count(block: Block) -> bool:
    label = block.label
    return label is not None and label.depth == 1 and label.ordinal == 1 and bool(_FRONT_TITLES.match(label.title))


def _is_numbered(block: Block) -> bool:
    """Returns whether a number says that it is a heading; a letter may be an author's initial."""
    return block.label is not None and (block.label.kind in WORD_KINDS or block.label.kind == "decimal")


def _grown(headings: Sequence[Heading], by_line: dict[int, Block]) -> list[Heading]:
    """Headings over all lines of the block that they stand in: an entry may give a title short."""
    grown = []
    for heading in headings:
        block = by_line.get(heading.line)
        last = heading.last_line or heading.line
        if block is not None and last < heading.line and block.first == heading.line:
            # An entry that gives the author before the title: the title is what stands there.
            if len(own := squeeze(block.text)) >= MIN_TITLE and own in squeeze(heading.title):
                heading = replace(heading, title=block.text, last_line=block.last)
        elif block is not None and last >= heading.line:
            heading = replace(heading, line=min(heading.line, block.first), last_line=max(last, block.last))
        grown.append(heading)
    return grown


def outside(frame: Sequence[Heading], blocks: Sequence[Block]) -> list[Block]:
    """The blocks that no heading of the frame covers."""
    covered = {n for heading in frame for n in range(heading.line, max(heading.line, heading.last_line or 0) + 1)}
    return [block for block in blocks if covered.isdisjoint(range(block.first, block.last + 1))]


def _divides(layout: Layout, frame: Sequence[Heading]) -> bool:
    """Returns whether the frame divides the document finely enough to be all there is: short sections without subsections."""
    lengths: list[float] = []
    for heading, following in zip(frame, [*frame[1:], None], strict=True):
        if following is None or following.level <= heading.level:
            end = len(layout.lines) + 1 if following is None else following.line
            lengths.append(layout.height_of(end) - layout.height_of(heading.line))
    return sum(lengths) <= LONG * len(lengths)


def _is_complete(
    frame: Sequence[Heading], blocks: Sequence[Block], by_line: dict[int, Block], contents_end: int
) -> bool:
    """Returns whether the contents page lists the headings set like those that it lists; chapters alone never suffice.

    Where its entries are numbered, only numbered headings are asked for: plots and boxes borrow the type of headings, not
    their numbers.
    """
    if max(heading.level for heading in frame) < 2:
        return False
    styles = Counter(by_line[heading.line].style.rank() for heading in frame if heading.line in by_line)
    alike = [block for block in blocks if styles[block.style.rank()] >= 2 and block.page > contents_end]
    kinds = Counter(label.kind for heading in frame if (label := parse_label(heading.title)) is not None)
    if sum(kinds.values()) >= NUMBERED * len(frame) and kinds["decimal"] >= 0.5 * len(frame):
        alike = [block for block in alike if block.label is not None and kinds[block.label.kind] > 1]
    missing = len(outside(frame, alike))
    return len(alike) - missing >= COMPLETE * max(1, len(alike))


def _numbered_below(block: Block, frame: Sequence[Heading]) -> bool:
    """Returns whether a heading's decimal continues the number of the listed one that it stands in: 2.1.3 in 2.1, 14.2 in Note 14."""
    label = block.label
    if label is None or label.kind != "decimal" or label.depth < 2 or not label.title:
        return False
    inside = next((heading for heading in reversed(frame) if heading.line < block.first), None)
    above = parse_label(inside.title) if inside is not None else None
    return above is not None and label.depth > above.depth and label.value[: above.depth] == above.value


LevelCue = tuple[tuple[float, bool, bool, bool], str | None]
"""The cues to a heading's level: its style and the counter of its number."""


def _level_cue(block: Block, label: Label | None) -> LevelCue:
    return block.style.rank(), label.kind if label is not None else None


def typical_levels(frame: Sequence[Heading], by_line: dict[int, Block]) -> dict[LevelCue, int]:
    """Returns for each level cue of the frame's headings the level that most of them have.

    One "Signatures" in bold says nothing about other bold lines, and neither do five listed captions about hundreds that
    are not listed.
    """
    all_of_it = Counter(_level_cue(block, block.label) for block in set(by_line.values()))
    votes: dict[LevelCue, Counter[int]] = defaultdict(Counter)
    for heading in frame:
        block = by_line.get(heading.line)
        if block is not None:
            votes[_level_cue(block, block.label or parse_label(heading.title))][heading.level] += 1
    return {
        cue: levels.most_common(1)[0][0]
        for cue, levels in votes.items()
        if levels.total() >= max(3, LISTED * all_of_it[cue])
    }


def filled(
    frame: Sequence[Heading],
    others: Sequence[Block],
    typical: dict[LevelCue, int],
    *,
    by_number: bool = False,
    confidence: float = 1.0,
) -> list[Heading]:
    """The frame with the headings it does not list: beside entries with the same cues, else below.

    Below, they nest by style and number, or by number alone.
    """
    ranks = dict.fromkeys((b.style for b in others), 0) if by_number else style_order(others, {h.line for h in frame})
    borders = [heading.line for heading in frame]
    result: list[Heading] = []
    start = bisect_left(others, borders[0], key=lambda b: b.first) if borders else len(others)
    result += _below(0, others[:start], ranks, typical, confidence)
    for heading, border in zip(frame, [*borders[1:], math.inf], strict=True):
        end = bisect_left(others, border, key=lambda b: b.first)
        result += [heading, *_below(heading.level, others[start:end], ranks, typical, confidence)]
        start = end
    return result


def _below(
    base: int, blocks: Sequence[Block], ranks: dict[TextStyle, int], typical: dict[LevelCue, int], confidence: float
) -> list[Heading]:
    """The blocks that follow a heading of level `base`, up to the next of the frame."""
    result: list[Heading] = []
    group: list[Block] = []

    def close() -> None:
        levels = nest([Ranked(ranks[block.style], block.label) for block in group])
        result.extend(
            _heading(block, min(base + level, MAX_LEVEL), min(confidence, block.confidence))
            for block, level in zip(group, levels, strict=True)
        )
        group.clear()

    for block in blocks:
        level = typical.get(_level_cue(block, block.label))
        if level is not None and level <= base:
            close()
            result.append(_heading(block, level, min(confidence, block.confidence)))
            base = level
        else:
            group.append(block)
    close()
    return result


def _doubted_in_short_sections(layout: Layout, headings: Sequence[Heading]) -> list[Heading]:
    """The same headings, those less sure that divide a short section without a number and without being listed.

    A section of two pages is read in one step; captions in it are the detail that authors leave out of an outline too.
    What hangs below a doubted heading is doubted with it.
    """
    result: list[Heading] = []
    above: list[tuple[Heading, float, bool]] = []
    for position, heading in enumerate(headings):
        while above and above[-1][0].level >= heading.level:
            above.pop()
        doubted = False
        if heading.rule == TYPOGRAPHY and above and parse_label(heading.title) is None:
            _, length, parent_doubted = above[-1]
            doubted = parent_doubted or length < SHORT
        end = next(
            (other.line for other in headings[position + 1 :] if other.level <= heading.level), len(layout.lines) + 1
        )
        above.append((heading, layout.height_of(end) - layout.height_of(heading.line), doubted))
        result.append(replace(heading, confidence=DEEPER) if doubted else heading)
    return result


def _notes_below(headings: Sequence[Heading]) -> list[Heading]:
    """The same headings, "Note 1", "Note 2" ... one level below the "Notes to the financial statements" they stand beside."""
    result: list[Heading] = []
    notes: Heading | None = None
    inside = False
    for heading in headings:
        if notes is not None and heading.level <= notes.level:
            label = parse_label(heading.title)
            inside = heading.level == notes.level and label is not None and label.kind == "note"
            notes = notes if inside else None
        if notes is None and _NOTES.match(heading.title):
            notes, inside = heading, False
        result.append(replace(heading, level=min(heading.level + 1, MAX_LEVEL)) if inside else heading)
    return result


_NOTES = re.compile(
    r"^notes?\s++(?:to|on)\s++.*(?:statements|accounts)|^notes\s+aux\s+(?:états|comptes)|^notas\s+a\s+(?:los\s+estados|las\s+cuentas)",
    re.IGNORECASE,
)
