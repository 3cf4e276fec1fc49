"""Lines that name everything and support nothing: contents pages, bibliographies, indexes. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..tree.model import Tree
from .titles import bare_title

_LISTING_TITLES = re.compile(
    r"\W*(?:\d[\d.]*\s+)?(?:table of )?(?:contents|references|bibliography|works cited|literature cited|index|inhalt(?:sverzeichnis)?|"
    r"literatur(?:verzeichnis)?|sommaire|table des matières|bibliographie|índice|contenido|bibliografía|indice|sommario|"
    r"bibliografia|inhoud(?:sopgave)?|содержание|оглавление|литература|список литературы|目录|目錄|目次|参考文献)\W*",
    re.IGNORECASE,
)
_CONTENTS_ENTRY = re.compile(r"\S.{2,100}?(?:\s*+[.·…_]{3,}+\s*+|\s++)(\d{1,4})\s*+")
_LEADER_ENTRY = re.compile(
    r"(?P<title>\S.*?)(?<![\s.…])\s*+(?:(?:\.\s?){4,}+|…{2,}+)\s*+(?P<page>\d{1,4}|[ivxlc]{1,6}|[A-Z]-?\d{1,3})\s*+\Z"
)
_LONGEST_ENTRY = 300
"""Characters of a line beyond which it is prose, whatever dots it holds."""
_ENTRY_LINES = 3
"""Lines that one entry with a long title may take."""
_FEWEST_ENTRIES = 6
"""So many titles with rising page numbers are a list of contents; fewer only where sections bear these titles."""
_KNOWN_ENTRIES = 0.5
"""Share of entries whose titles are those of sections, from which a short run of entries is a list of contents."""
_ENTRIES_OF_PAGE = 0.6
"""Share of a page's lines that must end in page numbers: entries of several lines have one at their last line only."""
_RISING = 0.9
"""Share of neighbouring page numbers that must not fall: some readers take lines of a page out of order."""
_PAGES_BEYOND = 30
"""The number of pages by which printed page numbers may exceed the number of pages: front matter and excerpts shift them."""


def listing_lines(tree: Tree) -> frozenset[int]:
    """Returns the lines of a tree's contents pages, bibliographies and indexes."""
    lines = set(_leader_entries(tree))
    for node in tree.nodes:
        if _LISTING_TITLES.fullmatch(node.title):
            lines.update(node.span)
    for page in tree.pages or ():
        if page.lines is not None and _is_contents([tree.lines[n - 1] for n in page.lines], tree.page_count):
            lines.update(page.lines)
    return frozenset(lines)


def _leader_entries(tree: Tree) -> Iterator[int]:
    """Yields the lines where dots lead from the title of a section to its page, but not those of a tariff."""
    titles = {bare_title(node.title) for node in tree.nodes}
    run: list[tuple[int, re.Match[str]]] = []
    for number, line in enumerate((*tree.lines, ""), 1):
        match = _LEADER_ENTRY.fullmatch(line.strip()) if len(line) < _LONGEST_ENTRY else None
        if run and (number - run[-1][0] > _ENTRY_LINES or number > len(tree.lines)):
            pages = [int(entry["page"]) for _, entry in run if entry["page"].isdigit()]
            known = sum(bare_title(entry["title"]) in titles for _, entry in run)
            is_long = len(run) >= _FEWEST_ENTRIES and _is_rising(pages, tree.page_count)
            if is_long or known >= _KNOWN_ENTRIES * len(run):
                yield from (line_number for line_number, _ in run)
            run = []
        if match:
            run.append((number, match))


def _is_contents(lines: Sequence[str], page_count: int) -> bool:
    """Returns whether a page lists titles with rising page numbers."""
    filled = [line for line in lines if line.strip()]
    pages = [int(match[1]) for line in filled if (match := _CONTENTS_ENTRY.fullmatch(line.strip()))]
    is_listing = len(pages) >= _FEWEST_ENTRIES and len(pages) >= _ENTRIES_OF_PAGE * len(filled)
    return is_listing and _is_rising(pages, page_count)


def _is_rising(pages: Sequence[int], page_count: int) -> bool:
    """Returns whether page numbers run like those of a list of contents.

    Args:
        page_count: Pages of the document; 0 where it has none, then the numbers have no bound.
    """
    if page_count and max(pages, default=0) > page_count + _PAGES_BEYOND:
        return False
    return sum(page <= following for page, following in pairwise(pages)) >= _RISING * (len(pages) - 1)
