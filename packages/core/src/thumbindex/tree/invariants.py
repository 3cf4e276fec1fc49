"""Invariants of every tree, beyond the order and nesting of its sections, which it checks when it is made.

A tree that violates one is a fault of thumbindex, whatever the document holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ..pages import PageRange
from .model import Node, Tree


def violations(tree: Tree) -> Iterator[str]:
    """Yields the violations of a tree, one sentence each; nothing for a sound one. Takes time linear in lines and sections."""
    yield from _lines(tree)
    if tree.pages:
        yield from _pages(tree)
    for node in tree.nodes:
        yield from _section(tree, node)
    yield from _places(tree)


def _lines(tree: Tree) -> Iterator[str]:
    """Every line of text lies in some section."""
    bare: list[int] = []
    reached = 0
    for node in tree.nodes:
        bare += range(reached + 1, node.span.first)
        reached = max(reached, node.span.last)
    bare += range(reached + 1, len(tree.lines) + 1)
    lost = [n for n in bare if n not in tree.headers_footers and tree.lines[n - 1].strip()]
    if lost:
        yield f"{len(lost)} lines of text lie in no section, from line {lost[0]} on"


def _pages(tree: Tree) -> Iterator[str]:
    """Every page lies in some section, and pages hold all lines, each once and in order."""
    reached = 0
    for number, page in enumerate(tree.pages or (), 1):
        if page.number != number:
            yield f"page {number} has the number {page.number}"
        if page.lines is None:
            continue
        if page.lines.first != reached + 1:
            yield f"page {number} begins with line {page.lines.first}, and the one before it ends with line {reached}"
        reached = page.lines.last
    if reached != len(tree.lines):
        yield f"the pages end with line {reached}, and the text with line {len(tree.lines)}"
    ranges = [node.pages for node in tree.nodes if node.pages is not None]
    # By their first page, sections come in the order of lines.
    last = 0
    for pages in ranges:
        if pages.first > last + 1:
            yield f"pages {last + 1} to {pages.first - 1} lie in no section"
        last = max(last, pages.last)
    if ranges and last != tree.page_count:
        yield f"the sections end with page {last} of {tree.page_count}"
    for upper, lower in pairwise(ranges):
        if lower.first < upper.first:
            yield f"a section of pages {upper} comes before a section of pages {lower}"


def _section(tree: Tree, node: Node) -> Iterator[str]:
    """A section has pages where the document has; they lie inside its parent's; and all it names exists."""
    label = f"section {node.title[:60]!r}"
    if (node.pages is None) != (not tree.pages) or (node.lines is None) != bool(tree.pages):
        yield f"{label} has {'no pages' if tree.pages else 'pages'}, and the document has {tree.page_count}"
    elif node.pages is not None and (parent := tree.parent(node)) is not None and not _inside(node.pages, parent.pages):
        yield f"{label} on pages {node.pages} lies in one on pages {parent.pages}"
    if node.body < node.span.first:
        yield f"the text of {label} begins on line {node.body}, before its heading on line {node.span.first}"
    for part in node.merged:
        if not node.span.first <= part.span.first <= part.span.last <= node.span.last:
            yield f"{label} holds {part.title[:60]!r}, whose lines {part.span} lie outside of it"
    for reference in node.references:
        if reference.line not in node.span:
            yield f"a reference of {label} stands on line {reference.line}, outside of it"
        if reference.target is not None and reference.target not in tree:
            yield f"a reference of {label} leads to {reference.target!r}, which is no section"
        if reference.page is not None and not 1 <= reference.page <= tree.page_count:
            yield f"a reference of {label} leads to page {reference.page} of {tree.page_count}"


def _places(tree: Tree) -> Iterator[str]:
    """Links, named places, headers and footers are of lines and pages that exist."""
    count = len(tree.lines)
    for link in tree.links:
        if not 1 <= link.line <= count or not 1 <= (link.target_line or 1) <= count:
            yield f"a link leads from line {link.line} to line {link.target_line}, and there are {count}"
        if link.target_page is not None and not 1 <= link.target_page <= tree.page_count:
            yield f"a link leads to page {link.target_page} of {tree.page_count}"
    for name, line in tree.anchors.items():
        if not 1 <= line <= count:
            yield f"the place {name[:60]!r} is on line {line} of {count}"
    for n in tree.headers_footers:
        if not 1 <= n <= count:
            yield f"line {n} counts as header or footer, and there are {count}"


def _inside(pages: PageRange, others: PageRange | None) -> bool:
    return others is not None and others.first <= pages.first and pages.last <= others.last
