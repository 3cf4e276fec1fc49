"""Structure of an HTML page: its main part, tables for layout, lists of titled definitions, and levels by nested sections."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING

from .elements import DROPPED, HEADING_LEVELS, SECTIONS, tag_of

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAIN_SHARE = 0.5
"""Share of a page's text in its `<main>` from which the rest is left out."""
LAYOUT_CELL = 700
"""Characters per cell, on average, from which a table is layout."""
MIN_TERMS = 3
"""Terms of a list of definitions whose terms are titles."""
NAMED_TERMS = 0.8
"""Share of these terms that can be linked to."""
DEFINITION = 400
"""Characters of their definitions, the median: commands of a manual have small sections, its options a line or two. In the manuals
measured the former have 480 and more, the latter up to 290."""
_TERM_ELEMENTS = 500
"""Elements of one term or definition that are examined: lists may nest, and each would count everything inside."""
_HEADINGS_PROBED = 50
"""Headings examined for sections around them, from the first."""


def is_page_header_or_footer(element: Element, tag: str) -> bool:
    """Returns whether a header, footer or aside belongs to the page, not to an article; a header with the title does not."""
    if tag == "header" and element.find(".//h1") is not None:
        return False
    return not any(tag_of(ancestor) in SECTIONS for ancestor in element.iterancestors())


def find_main(root: Element) -> Element | None:
    """Returns the page's `<main>`, if there is only one and it contains most of the text."""
    mains = [element for element in root.iter() if element.tag == "main" or element.get("role") == "main"]
    if len(mains) != 1:
        return None
    total = sum(len(text.strip()) for text in _texts(root))
    return mains[0] if sum(len(text.strip()) for text in _texts(mains[0])) >= MAIN_SHARE * total else None


def _texts(root: Element) -> Iterator[str]:
    """Yields the texts of the elements that are not dropped by their name."""
    from lxml import etree

    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if event == "start":
            if element.tag in DROPPED:
                walk.skip_subtree()
            elif element.text:
                yield element.text
        elif element.tail:
            yield element.tail


def has_levels_by_sections(root: Element) -> bool:
    """Returns whether all headings are `<h1>` and nested sections alone give their levels."""
    if any(next(root.iter(tag), None) is not None for tag in ("h2", "h3", "h4", "h5", "h6")):
        return False
    headings = list(root.iter("h1"))
    return len(headings) > 1 and any(
        tag_of(ancestor) in SECTIONS for heading in headings[:_HEADINGS_PROBED] for ancestor in heading.iterancestors()
    )


def find_layout_tables(root: Element) -> set[Element]:
    """Returns the tables that are layout: around other tables, headings or long text."""
    layout: set[Element] = set()
    for element in root.iter():
        is_inner = element.tag in HEADING_LEVELS or element.tag == "table" or element.get("role") == "heading"
        if element.tag == "table" and element.get("role") in ("presentation", "none"):
            layout.add(element)
        if not is_inner:
            continue
        ancestor = element.getparent()
        while ancestor is not None:
            if ancestor.tag == "table":
                if ancestor in layout:
                    break
                layout.add(ancestor)
            ancestor = ancestor.getparent()
    for table in root.iter("table"):
        if table in layout:
            continue
        cells = sum(1 for _ in table.iter("td", "th"))
        if sum(len(text) for text in _texts(table)) > LAYOUT_CELL * max(1, cells):
            layout.add(table)
    return layout


def find_titled_lists(root: Element) -> set[Element]:
    """Returns the lists of definitions whose terms are titles of small sections: with anchors, and long definitions."""
    titled: set[Element] = set()
    for definitions in root.iter("dl"):
        children = [child for child in definitions if tag_of(child) in ("dt", "dd")]
        terms = [term for term in children if is_first_term(term)]
        if len(terms) < MIN_TERMS or sum(has_anchor(term) for term in terms) < NAMED_TERMS * len(terms):
            continue
        lengths = [_length(child) for child in children if tag_of(child) == "dd"]
        if lengths and median(lengths) >= DEFINITION:
            titled.add(definitions)
    return titled


def is_first_term(element: Element) -> bool:
    """Returns whether an element is a term, and the first of those with the same definition."""
    previous = element.getprevious()
    return tag_of(element) == "dt" and (previous is None or tag_of(previous) != "dt")


def has_anchor(element: Element) -> bool:
    """Returns whether an element, or one inside it, can be linked to."""
    return bool(element.get("id")) or any(
        inner.get("id") or (inner.tag == "a" and inner.get("name")) for inner in islice(element.iter(), _TERM_ELEMENTS)
    )


def _length(element: Element) -> int:
    """Returns the number of characters of an element's text, counted up to `DEFINITION`."""
    total = 0
    for inner in islice(element.iter(), _TERM_ELEMENTS):
        total += len((inner.text or "").strip()) + (len((inner.tail or "").strip()) if inner is not element else 0)
        if total >= DEFINITION:
            break
    return total
