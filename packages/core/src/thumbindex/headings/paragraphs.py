"""Headings by style in formats without pages (HTML, Word): paragraphs that are bold, in capitals or in larger type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from ..pages import Document
from ..text.tables import CELL
from .blocks import LIST, MAX_CHARS, Block, TextStyle, reason_of, runs_in, untitled, without_common_styles, wording_fits
from .layout import Layout, family, is_caps
from .numbering import WORD_KINDS, parse_label
from .style_order import Rank

MOST_LINES = 3
"""Lines of a heading: its author broke it there."""
_WHY = frozenset({"large", "bold", "caps", "italic"})
_FAR = 9.0
"""Distance to the neighbours, in lines: there is always white space around a paragraph."""


def paragraph_blocks(document: Document, layout: Layout) -> list[Block]:
    """Paragraphs that are set like headings, in reading order; `page` is 0, and nothing is known of left and right."""
    found = [
        block
        for lines in _paragraphs(document)
        if (block := _block(layout, lines)) is not None
        or (_is_above_text(layout, lines) and (block := _block(layout, lines[:1])) is not None)
    ]
    return without_common_styles(layout, _without_lists(document, found))


def _paragraphs(document: Document) -> Iterator[list[int]]:
    """Yields the line numbers of each paragraph; "Item 1" below "Part I" begins a new one."""
    for filled, group in groupby(enumerate(document.lines, 1), key=lambda item: bool(item[1].text)):
        if not filled:
            continue
        lines: list[int] = []
        for number, line in group:
            if 0 < len(lines) < MOST_LINES and len(line.text) <= MAX_CHARS:
                label = parse_label(line.text)
                if label is not None and label.kind in WORD_KINDS:
                    yield lines
                    lines = []
            lines.append(number)
        yield lines


def _is_above_text(layout: Layout, lines: Sequence[int]) -> bool:
    """Returns whether the first line of a paragraph is set apart from the second: a title above its text."""
    return len(lines) > 1 and reason_of(layout, lines[0]) != reason_of(layout, lines[1])


def _block(layout: Layout, lines: Sequence[int]) -> Block | None:
    """The heading that these lines are, or None. A title in bold above its text, in one paragraph, is its first line."""
    if len(lines) > MOST_LINES:
        return None
    texts = [layout.line(number).text for number in lines]
    text = " ".join(texts)
    if len(text) > MAX_CHARS or CELL in text or text.startswith(("- ", " ")):
        return None
    reasons = {reason_of(layout, number) for number in lines}
    why = reasons.pop()
    if reasons or why not in _WHY or not wording_fits(text):
        return None
    if why == "italic" and (text[-1] == "." or len(text) > 120):
        return None
    last = layout.line(lines[-1])
    if runs_in(layout, last, why):
        return None
    style = layout.style(lines[0])
    text_style = TextStyle(style.size, style.bold, style.italic, is_caps(untitled(text)), family(style.font))
    return Block(
        lines[0], lines[-1], 0, text, text_style, why, parse_label(text), 0.0, 0.0, above=_FAR, below=_FAR, full=False
    )


def _without_lists(document: Document, blocks: Sequence[Block]) -> list[Block]:
    """Drops runs of unnumbered paragraphs in one style without text between them: a title page, signatures, a list."""
    kept: list[Block] = []
    run: list[Block] = []

    def close() -> None:
        if len(run) < LIST:
            kept.extend(run)
        run.clear()

    previous: Block | None = None
    for block in blocks:
        between = () if previous is None else document.lines[previous.last : block.first - 1]
        alike = previous is not None and _rank(previous) == _rank(block) and not any(line.text for line in between)
        if not alike:
            close()
        if block.label is not None:
            close()
            kept.append(block)
        else:
            run.append(block)
        previous = block
    close()
    return kept


def _rank(block: Block) -> Rank:
    return block.style.rank()
