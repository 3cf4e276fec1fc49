"""Passages of a tree: each section's own text, split where it is long, and its token texts for the index. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import PATH_SEPARATOR, PassageId
from ..pages import LineRange
from ..store.index import LINE_END, PAGE_START
from ..store.records import Passage, Pointers
from ..text.passages import MAX_PASSAGE_TOKENS, split_lines
from ..text.terms import rejoin, tokenize
from ..tree.model import Node, Tree

MAX_POINTED_SECTIONS = 40
"""Sections below the target of a reference up to which it counts: one to a whole chapter says little about any of them."""
MAX_LINES_BETWEEN = 40
"""Lines of headers, footers and footnotes between the two halves of a word that is broken at the end of a page."""


def split_passages(tree: Tree, max_tokens: int | None = MAX_PASSAGE_TOKENS) -> list[Passage]:
    """Returns all passages of a tree in reading order.

    Together they contain each line of text once, except for headers and footers and for headings of sections without text
    of their own.

    Args:
        max_tokens: Own text of a section that is longer is split. None leaves all sections whole.

    Raises:
        ValueError: `max_tokens` below 1.
    """
    if max_tokens is not None and max_tokens < 1:
        raise ValueError(f"max_tokens is the length of a part, at least 1, got {max_tokens}.")
    passages: list[Passage] = []
    for node in tree.walk():
        own = tree.own_span(node)
        lines = [n for n in own if n not in tree.headers_footers and tree.lines[n - 1].strip()]
        if not any(n >= node.body for n in lines):
            continue
        path = tree.path(node)
        parts = [lines] if max_tokens is None else split_lines(tree.lines, lines, tree.page_of_line, max_tokens)
        for number, part in enumerate(parts, 1):
            # Lines between two parts (blank ones, headers and footers) belong to the part before, so that there is no gap.
            first = own.first if number == 1 else part[0]
            last = own.last if number == len(parts) else part[-1]
            span = LineRange(first, last)
            text_lines = LineRange(part[0], part[-1])
            pages = tree.pages_of(text_lines)
            passages.append(
                Passage(
                    node_id=str(PassageId(node.id, number if len(parts) > 1 else None)),
                    section=node.id,
                    path=path,
                    text=tree.text(span),
                    lines=text_lines,
                    pages=pages,
                    page_labels=None if pages is None else tree.page_labels(pages),
                    pointers=_pointers(tree, node, span),
                    boxes=tree.boxes_of(text_lines),
                    anchor=tree.anchor_of(text_lines),
                )
            )
    return passages


def index_terms(tree: Tree, passage: Passage, language: str) -> tuple[str, str, str]:
    """Returns the token texts of a passage's title, path (with headers and footers) and body: tokens between spaces.

    In the body `LINE_END` stands between lines of the document, and `PAGE_START` before the first line of each page.
    """
    *above, title = passage.path.split(PATH_SEPARATOR)
    lines: list[str] = []
    page = passage.pages.first if passage.pages else None
    for number, text in _rejoined(tree, passage.lines):
        tokens = " ".join(tokenize(text, language))
        page_of_line = tree.page_of_line(number)
        if page is not None and page_of_line is not None:
            page_starts = page_of_line - page if lines else int(_opens_page(tree, number))
            tokens, page = PAGE_START * page_starts + tokens, page_of_line
        if tokens:
            lines.append(tokens)
    return (
        " ".join(tokenize(title, language)),
        " ".join(tokenize("\n".join((*above, *_headers_footers(tree, passage))), language)),
        LINE_END.join(lines),
    )


def _rejoined(tree: Tree, span: LineRange) -> Iterator[tuple[int, str]]:
    """Yields the lines of text in a span with their numbers. A word that is broken between two lines is whole in the first
    one, also where the second belongs to the next passage."""
    behind = range(span.last + 1, min(len(tree.lines), span.last + MAX_LINES_BETWEEN) + 1)
    text = [
        (n, tree.lines[n - 1]) for n in (*span, *behind) if n not in tree.headers_footers and tree.lines[n - 1].strip()
    ]
    for position, (number, line) in enumerate(text):
        if number > span.last:
            return
        following = text[position + 1][1] if position + 1 < len(text) else ""
        yield number, rejoin(line, following)


def _headers_footers(tree: Tree, passage: Passage) -> list[str]:
    """Headers and footers of the passage's pages: often the only place that names the chapter."""
    return [
        tree.lines[n - 1]
        for page in passage.pages or ()
        for n in tree.page(page).lines or ()
        if n in tree.headers_footers
    ]


def _opens_page(tree: Tree, line: int) -> bool:
    page = tree.page_of_line(line)
    lines = None if page is None else tree.page(page).lines
    return lines is not None and not any(
        n not in tree.headers_footers and tree.lines[n - 1].strip() for n in range(lines.first, line)
    )


def _pointers(tree: Tree, node: Node, span: LineRange) -> Pointers:
    pointers: list[tuple[int, tuple[str, ...]]] = []
    for reference in node.references:
        if reference.target is not None and reference.line in span:
            target = tree.node(reference.target)
            below = tree.descendants(target)
            if len(below) <= MAX_POINTED_SECTIONS:
                pointers.append((reference.line, (target.id, *(section.id for section in below))))
    return tuple(pointers)
