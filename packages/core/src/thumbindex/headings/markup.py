"""Markdown headings, as CommonMark defines them.

markdown-it-py decides what is a heading, so fenced and indented code, HTML blocks, thematic breaks and tables are right
by construction. Only headings of the document itself count: one inside a block quote or a list item belongs to what is
quoted or listed. HTML headings (`<h2>`) are HTML, not Markdown, and do not count either.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..outline import Heading
from ..pages import Document
from ..text.front_matter import front_matter_length

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

RULE_NAME = "markup"

LONG_TITLE = 200
"""Characters from which a "heading" is more likely a paragraph whose author forgot the blank line before a rule."""

MAX_TITLE = 500

# `## Install {#install .wide}`: the anchor that Pandoc, MkDocs and Docusaurus read is no part of the title.
_ANCHOR = re.compile(r"\s*\{:?\s*[#.][^{}]*\}\s*$")


def markup_headings(document: Document) -> list[Heading]:
    """The Markdown headings of a document in reading order, levels as written; none for a PDF.

    Where pages were parsed one by one, each page is parsed by itself: a parser that lost a fence's end on one page
    must not turn the rest of the book into code. A fence runs on over page breaks only if that explains the fences of
    the page where it ends (see `_carried`).
    """
    texts = [line.text for line in document.lines]
    if document.kind == "markdown":
        skip = front_matter_length(texts)
        return _headings(_parse(texts[skip:]), skip, None)
    if document.kind == "pdf":
        return []
    found: list[Heading] = []
    pages = [page for page in document.pages or () if page.lines is not None]
    page_texts = [texts[page.lines.first - 1 : page.lines.last] for page in pages if page.lines]
    blocks = [_parse(lines) for lines in page_texts]
    inside: str | None = None
    for position, page in enumerate(pages):
        assert page.lines is not None
        offset = page.lines.first - 1
        tokens, lines = blocks[position], page_texts[position]
        if inside is not None:
            # The fence that the page before left open is opened again, on a line of its own.
            lines = [inside, *lines]
            tokens, offset = _parse(lines), offset - 1
        found += _headings(tokens, offset, page.number)
        open_fence = _open_fence(tokens, lines)
        inside = open_fence if open_fence and _carried(open_fence, position, page_texts, blocks) else None
    # Plain text of pages is no Markdown: a dash below a line is an empty cell of a table there, or a rule.
    return found if any(texts[heading.line - 1].lstrip().startswith("#") for heading in found if heading.line) else []


@cache
def _parser() -> MarkdownIt:
    # Imported at first use: a PDF needs no Markdown parser.
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    # Inline markup is needed for titles only; leaving it out elsewhere makes long documents several times faster.
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _parse(lines: Sequence[str]) -> tuple[list[Token], MutableMapping[str, Any]]:
    """Block tokens of a text, and markdown-it's environment with its link definitions."""
    environment: MutableMapping[str, Any] = {}
    return _parser().parse("\n".join(lines), environment), environment


def _headings(parsed: tuple[list[Token], MutableMapping[str, Any]], offset: int, page: int | None) -> list[Heading]:
    tokens, environment = parsed
    found = []
    for token, content in pairwise(tokens):
        if token.type != "heading_open" or token.level or not token.map:
            continue
        title = _title(content.content, environment)
        if not title:
            continue
        confidence = 1.0 if len(title) <= LONG_TITLE else 0.5
        if len(title) > MAX_TITLE:
            title = title[: MAX_TITLE - 1].rstrip() + "…"
        first, end = token.map
        found.append(
            Heading(
                title,
                int(token.tag[1:]),
                page,
                offset + first + 1,
                RULE_NAME,
                confidence=confidence,
                last_line=offset + end,
            )
        )
    return found


def _title(content: str, environment: MutableMapping[str, Any]) -> str:
    """A heading's text without its markup; code keeps its backticks."""
    # Brackets and stars nested by the thousand make inline parsing slow; no real title is that long.
    if len(content) > 10 * MAX_TITLE:
        content = content[: 10 * MAX_TITLE]
    tokens: list[Token] = []
    parser = _parser()
    parser.inline.parse(content, parser, environment, tokens)
    return _ANCHOR.sub("", " ".join(_plain(tokens).split()))


def _plain(tokens: Sequence[Token]) -> str:
    parts = []
    for token in tokens:
        match token.type:
            case "text" | "text_special":
                parts.append(token.content)
            case "code_inline":
                parts.append(f"{token.markup}{token.content}{token.markup}")
            case "image":
                parts.append(_plain(token.children or ()))
            case "softbreak" | "hardbreak":
                parts.append(" ")
            case _:  # emphasis and link marks, HTML tags
                pass
    return "".join(parts)


def _open_fence(parsed: tuple[list[Token], MutableMapping[str, Any]], lines: Sequence[str]) -> str | None:
    """The marks of a fence that is still open at the end of the page, None if all are closed."""
    tokens, _ = parsed
    fences = [token for token in tokens if token.type == "fence" and not token.level and token.map]
    if not fences or not fences[-1].map:
        return None
    first, end = fences[-1].map
    if any(line.strip() for line in lines[end:]):
        return None
    marks = fences[-1].markup
    last = lines[end - 1].strip()
    closed = end - first > 1 and len(last) >= len(marks) and not last.strip(marks[0])
    return None if closed else marks


def _carried(
    marks: str,
    position: int,
    page_texts: Sequence[Sequence[str]],
    blocks: Sequence[tuple[list[Token], MutableMapping[str, Any]]],
) -> bool:
    """Returns whether a fence left open on one page runs on over the page break.

    The next page that has fence marks at all decides: read from outside, its fences must be left over (one stays
    open), and read from inside they must come out even.
    """
    fence = marks[:3]
    for lines, parsed in zip(page_texts[position + 1 :], blocks[position + 1 :], strict=True):
        if any(line.lstrip().startswith(fence) for line in lines):
            inside = [marks, *lines]
            return _open_fence(parsed, lines) is not None and _open_fence(_parse(inside), inside) is None
    return False
