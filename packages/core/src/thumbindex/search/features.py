"""Features of a passage that do not depend on the question: its tokens by page, tables, headings and listings. Pure."""

from __future__ import annotations

import operator
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from ..evidence import PassageId
from ..store.index import LINE_END, PAGE_START, IndexedPassage
from ..store.records import Pointers
from ..text.terms import stop_stems

HEAD_LINES = 5
"""First lines of a page that say what the page is about."""
MAX_HEAD_WORDS, MAX_LABEL_WORDS = 9, 14
"""Words up to which a first line of a page is a heading, and the beginning of a table row a label: longer ones are sentences."""
MAX_WORDS_AMONG_FIGURES = 2
"""Words that may follow the first figure of a table row; a sentence that contains a figure has more."""
MIN_ENTRIES, MIN_ORDERED = 6, 0.85
"""Entries of a listing, at least, and the share of neighbours among them that are in order."""
MAX_REPETITION = 3
"""Entries of a listing for each different one, at most: a column that repeats few values is in order by chance."""
LISTING_SHARE = 0.5
"""Above this share of entries the lines of a text are neither table rows nor headings of the page."""
PAGE_DIGITS = 4
"""Digits of a page number, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The text of a passage on one page; all of it in formats without pages.

    Args:
        page: Physical page; None without pages.
        lines: Number of lines of text.
        tokens: In the order of the text.
        counts: Number of occurrences of each token.
        numbers: Number of tokens that are numbers.
        rows: Number of table rows: lines with figures behind a label.
        labels: Words of those labels.
        heads: Words of each of its first lines, if they are the first of their page.
        listing: Share of its lines that are entries of a table of contents or an index, where it is one; else 0.
    """

    page: int | None
    lines: int
    tokens: tuple[str, ...]
    counts: Mapping[str, int]
    numbers: int
    rows: int
    labels: frozenset[str]
    heads: tuple[frozenset[str], ...]
    listing: float


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A passage that contains at least one term of a question, with its features. Shared between searches.

    Args:
        begins_section: Whether its section begins with it.
        position: Place among the passages of its document, from 0 (first) to 1 (last).
        title: Words of the section's title.
        path: Words of the titles above it and of running heads.
        parts: Its text by page.
    """

    number: int
    doc_id: str
    node_id: str
    section: str
    begins_section: bool
    position: float
    title: frozenset[str]
    path: frozenset[str]
    parts: tuple[Part, ...]
    pointers: Pointers


def extract_features(passage: IndexedPassage) -> Candidate:
    """Returns an indexed passage with its features."""
    stop = stop_stems(passage.language)
    return Candidate(
        number=passage.number,
        doc_id=passage.doc_id,
        node_id=passage.node_id,
        section=passage.section,
        begins_section=PassageId.parse(passage.node_id, (passage.section,)).part in (None, 1),
        position=passage.position,
        title=frozenset(_tokens(passage.title)) - stop,
        path=frozenset(_tokens(passage.path)) - stop,
        parts=tuple(_parts(passage.body, passage.first_page, stop)),
        pointers=passage.pointers,
    )


def _tokens(text: str) -> tuple[str, ...]:
    # Passages are cached, so equal tokens share one object.
    return tuple(map(sys.intern, text.split(" "))) if text else ()


def _parts(body: str, first_page: int | None, stop: frozenset[str]) -> Iterator[Part]:
    """Yields the parts of a body, page by page."""
    opens_page = body.startswith(PAGE_START)
    for number, text in enumerate(body[opens_page:].split(PAGE_START)):
        lines = [tokens for line in text.split(LINE_END) if (tokens := _tokens(line))]
        if lines:
            page = None if first_page is None else first_page + number
            yield _part(page, lines, stop, opens_page=opens_page or number > 0)


def _part(page: int | None, lines: Sequence[tuple[str, ...]], stop: frozenset[str], *, opens_page: bool) -> Part:
    tokens = tuple(chain.from_iterable(lines))
    listing = _listing_share(lines)
    is_listing = listing > LISTING_SHARE
    heads: tuple[frozenset[str], ...] = ()
    if opens_page and not is_listing:
        labels = (_label(line, stop) for line in lines[:HEAD_LINES])
        heads = tuple(label for label in labels if 0 < len(label) <= MAX_HEAD_WORDS)
    row_labels = [] if is_listing else list(_row_labels(lines, stop))
    return Part(
        page=page,
        lines=len(lines),
        tokens=tokens,
        counts=Counter(tokens),
        numbers=sum(_are_figures(tokens)),
        rows=len(row_labels),
        labels=frozenset[str]().union(*row_labels),
        heads=heads,
        listing=listing,
    )


def _are_figures(tokens: Sequence[str]) -> Iterator[bool]:
    return map(str.isdigit, map(operator.itemgetter(0), tokens))


def _label(line: Sequence[str], stop: frozenset[str]) -> frozenset[str]:
    return frozenset(token for token in line if token not in stop and not token[0].isdigit())


def _row_labels(lines: Sequence[tuple[str, ...]], stop: frozenset[str]) -> Iterator[frozenset[str]]:
    """Yields the words of the label of each table row."""
    for line in lines:
        figures = list(_are_figures(line))
        words = figures.index(True) if True in figures else 0
        if 0 < words <= MAX_LABEL_WORDS and figures[words:].count(False) <= MAX_WORDS_AMONG_FIGURES:
            label = _label(line[:words], stop)
            if label:
                yield label


def _listing_share(lines: Sequence[tuple[str, ...]]) -> float:
    """Returns the share of lines that are words and page numbers, if these rise or the words are in alphabetical order;
    else 0.

    Such a page names everything and explains nothing: a table of contents, an index, a list of tables.
    """
    words: list[str] = []
    pages: list[int] = []
    for line in lines:
        at = len(line)
        while at and line[at - 1].isdigit() and len(line[at - 1]) <= PAGE_DIGITS:
            at -= 1
        if at < len(line) and any(not token[0].isdigit() for token in line[:at]):
            words.append(line[0])
            if at == len(line) - 1:
                pages.append(int(line[-1]))
    entries = max((len(column) for column in (words, pages) if _is_ordered(column)), default=0)
    return entries / len(lines)


def _is_ordered(column: Sequence[str] | Sequence[int]) -> bool:
    if len(column) < MIN_ENTRIES or len(set(column)) * MAX_REPETITION < len(column):
        return False
    return bool(sum(map(operator.le, column, column[1:])) >= MIN_ORDERED * (len(column) - 1))
