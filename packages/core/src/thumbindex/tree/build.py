"""An outline becomes a tree: spans, page ranges, ids. Pure: no files, no clock, no model."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..outline import MAX_LEVEL, Heading, Outline
from ..pages import Document, LineRange, Page, PageRange, format_runs
from ..text.characters import normalize_title, replace_surrogates, replace_surrogates_in
from .boxes import pack_boxes
from .links import find_links
from .model import Node, Tree

FAULT = "A fault of thumbindex, not of the document: its headings could not be found; please report it"
"""Start of the note of a tree that was built without headings."""
FRONT_MATTER = "Front matter"
"""Title of the node that holds the text before the first heading: cover, title page, printed contents."""


CONFIDENT = 0.4
"""Confidence from which a heading makes a section: headings deeper than a complete contents page lie below it."""


def build(document: Document, outline: Outline, *, min_confidence: float = CONFIDENT) -> Tree:
    """The section tree of a document, of the outline's headings that are sure enough.

    Every page and every line of text lies in some node. Headings that share a line are one; text before the first
    heading becomes a node of its own. A document without a heading becomes one node under the document's name.
    """
    lines = tuple(line.text for line in document.lines)
    sure = [h for h in outline.headings if h.confidence >= min_confidence or outline.origin == "pages"]
    headings = _ordered(sure, len(lines))
    if document.kind == "pdf":
        headings = _without_jumps(headings)
    pages = _labelled(document.pages, outline.labels)
    headers_footers = frozenset(line for line in outline.headers_footers if 1 <= line <= len(lines))
    bare = Tree(document.name, document.kind, outline.origin, (), lines, pages, headers_footers=headers_footers)
    start = _front_matter(bare, headings)
    if start is not None:
        title = FRONT_MATTER if headings else document.name
        headings = [
            Heading(title, min((h.level for h in headings), default=1), None, start, "front", 1.0, start - 1),
            *headings,
        ]
    return Tree(
        name=replace_surrogates(document.name),
        kind=document.kind,
        origin=outline.origin,
        nodes=tuple(_nodes(bare, headings)),
        lines=lines,
        pages=pages,
        confidence=outline.confidence,
        headers_footers=headers_footers,
        metadata=replace_surrogates_in(document.metadata),
        notes=(*document.notes, *outline.notes, *_remarks(document)),
        links=tuple(find_links(document)),
        anchors={**outline.anchors, **document.anchors},
        boxes=pack_boxes(document.lines),
    )


def node_id(path: Iterable[str], ordinal: int) -> str:
    """Hash of a title path, case and white space aside; `ordinal` tells equal paths apart, 1 for the first."""
    key = "\x1f".join(normalize_title(title) for title in path)
    digest = hashlib.sha256(key.encode()).hexdigest()[:10]
    return digest if ordinal == 1 else f"{digest}-{ordinal}"


def _labelled(pages: tuple[Page, ...] | None, printed: Mapping[int, str]) -> tuple[Page, ...] | None:
    """The pages with their printed numbers as labels, unless the file declares labels itself."""
    if pages is None or not printed or any(page.label for page in pages):
        return pages
    return tuple(replace(page, label=printed.get(page.number)) for page in pages)


def _ordered(headings: Iterable[Heading], line_count: int) -> list[Heading]:
    """Headings by line, inside the document, one a line: a parent without words of its own may share its child's."""
    kept: list[Heading] = []
    for heading in sorted(headings, key=lambda heading: (heading.line, heading.level)):
        if not 1 <= heading.line <= line_count:
            continue
        above = kept[-1] if kept else None
        if above is None or heading.line > above.line or (_is_wordless(above) and heading.level > above.level):
            kept.append(heading)
    return kept


def _without_jumps(headings: list[Heading]) -> list[Heading]:
    """The same nesting with levels that go down one at a time: type and numbers say what is below what, not how far."""
    result: list[Heading] = []
    above: list[int] = []
    for heading in headings:
        while above and above[-1] >= heading.level:
            above.pop()
        above.append(heading.level)
        result.append(replace(heading, level=min(len(above), MAX_LEVEL)))
    return result


def _is_wordless(heading: Heading) -> bool:
    """Returns whether the heading's words stand nowhere: its place was counted out, and it has no line of its own."""
    return heading.last_line is not None and heading.last_line < heading.line


def _front_matter(bare: Tree, headings: list[Heading]) -> int | None:
    """First line of text that no heading covers, or None."""
    end = headings[0].line - 1 if headings else len(bare.lines)
    text = [n for n in range(1, end + 1) if bare.lines[n - 1].strip()]
    if not headings:
        return 1 if bare.lines else None
    if bare.pages:
        # A page that holds nothing but headers and footers is a page all the same, and belongs to the front.
        first_page = bare.page_of_line(headings[0].line)
        if text and (bare.page_of_line(1) != first_page or any(n not in bare.headers_footers for n in text)):
            return 1
        return None
    return next((n for n in text if n not in bare.headers_footers), None)


def _nodes(bare: Tree, headings: list[Heading]) -> Iterable[Node]:
    ends = _ends(headings, len(bare.lines))
    seen: Counter[str] = Counter()
    path: list[Heading] = []
    for heading, end, following in zip(headings, ends, [*headings[1:], None], strict=False):
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
        span = LineRange(heading.line, end)
        key = node_id([item.title for item in path], 1)
        seen[key] += 1
        yield Node(
            id=node_id([item.title for item in path], seen[key]),
            title=heading.title,
            level=heading.level,
            span=span,
            body=_body(heading, following),
            pages=_pages(bare, span, opens=heading.line == headings[0].line),
            lines=None if bare.pages else span,
            rule=heading.rule,
            confidence=heading.confidence,
        )


def respan(bare: Tree, nodes: Sequence[Node]) -> tuple[Node, ...]:
    """The sections with the spans and pages that follow from their first lines and levels, in the order of lines."""
    ordered = sorted(nodes, key=lambda node: node.span.first)
    headings = [Heading(node.title, node.level, None, node.span.first, node.rule) for node in ordered]
    spans = [LineRange(h.line, end) for h, end in zip(headings, _ends(headings, len(bare.lines)), strict=True)]
    return tuple(
        replace(
            node,
            span=span,
            pages=_pages(bare, span, opens=span.first == spans[0].first),
            lines=None if bare.pages else span,
        )
        for node, span in zip(ordered, spans, strict=True)
    )


def _body(heading: Heading, following: Heading | None) -> int:
    """Line after the heading's own lines; a parent that opens on its child's line has no text of its own."""
    if following is not None and following.line == heading.line:
        return heading.line + 1
    return (heading.last_line if heading.last_line is not None else heading.line) + 1


def _ends(headings: list[Heading], line_count: int) -> list[int]:
    """Last line of each section: the line before the next heading at the same or a higher level."""
    ends = [line_count] * len(headings)
    unfinished: list[int] = []
    for position, heading in enumerate(headings):
        while unfinished and headings[unfinished[-1]].level >= heading.level:
            ends[unfinished.pop()] = heading.line - 1
        unfinished.append(position)
    return ends


def _pages(bare: Tree, span: LineRange, *, opens: bool) -> PageRange | None:
    """Pages that hold text of the span, and the pages without text of their own that follow the last of them.

    A scan or a blank page has no line, and a page of nothing but headers and footers no text; it belongs to the section that is
    open there. Those before the first text belong to the section that `opens` the document.
    """
    held = bare.pages_of(span)
    if held is None or not bare.pages:
        return None
    last = held.last
    if _ends_by(bare.pages[last - 1], span.last):
        while last < len(bare.pages) and _ends_by(bare.pages[last], span.last):
            last += 1
    # Where the heading stands, also if its line counts as header or footer.
    first = 1 if opens else bare.page_of_line(span.first)
    return PageRange(first or held.first, last)


def _ends_by(page: Page, line: int) -> bool:
    return page.lines is None or page.lines.last <= line


def _remarks(document: Document) -> tuple[str, ...]:
    remarks: list[str] = []
    missing = [number for number in document.pages_without_text if number not in document.scanned]
    if document.scanned:
        remedy = "OCR reads them: pip install 'thumbindex[ocr]', or pass an engine as ocr=..."
        remarks.append(f"Scanned pages that were not read: {format_runs(document.scanned)}. {remedy}")
    if missing:
        remarks.append(f"Pages without text (blank or drawn): {format_runs(missing)}.")
    if any(page.ocr is not None for page in document.pages or ()):
        read = [page.number for page in document.pages or () if page.ocr is not None]
        remarks.append(f"Pages read by OCR: {format_runs(read)}.")
    return tuple(remarks)
