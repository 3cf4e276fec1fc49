"""Markdown headings, as CommonMark defines them, and HTML headings in blocks of their own.

markdown-it-py decides what is a heading, so fenced and indented code, comments, thematic breaks and tables are right
by construction. Only headings of the document itself count: one inside a block quote or a list item belongs to what is
quoted or listed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import unescape
from typing import TYPE_CHECKING, Any

from ..outline import Heading
from ..pages import Document
from ..text.front_matter import front_matter_length

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

RULE_NAME = "markup"

_BEFORE = 1000
"""Characters before an HTML heading on its line that are looked at."""
LONG_TITLE = 200
"""Characters from which a "heading" is more likely a paragraph whose author forgot the blank line before a rule."""

MAX_TITLE = 500

# `## Install {#install .wide}` as Pandoc, MkDocs and Docusaurus read it, `## Install {/*install*/}` as MDX does: the id is no
# part of the title.
_ATTRIBUTES = re.compile(r"\{:?\s*[#.][^{}]*\}$|\{/\*[^{}]*\*/\}$")
_ID = re.compile(r"#([^\s{}]+)|/\*\s*([^\s*{}]+)\s*\*/")
_HTML_HEADING = re.compile(r"<h([1-6])(\s[^<>]*)?>", re.IGNORECASE)
_HTML_ID = re.compile(r"\bid\s*=\s*[\"']?([^\s\"'<>]+)", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_ALT = re.compile(r"<img\b[^<>]*\balt\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)')[^<>]*>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DETAILS = re.compile(r"<(/?)details\b", re.IGNORECASE)
# HTML blocks whose headings are no headings of the text: code, and cells of tables.
_NO_HEADINGS = re.compile(r"\s*<(?:pre|script|style|textarea|table|!DOCTYPE|\?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Markup:
    """The headings of a Markdown file in reading order, with what the same parse tells.

    Args:
        headings: Headings, levels as written.
        anchors: The line of each heading that is given an id, by the id.
        blocks: Numbers of the lines in fenced code and HTML blocks.
    """

    headings: tuple[Heading, ...] = ()
    anchors: Mapping[str, int] = field(default_factory=dict)
    blocks: frozenset[int] = frozenset()


def read_markup(document: Document) -> Markup:
    """Returns the headings of a Markdown file, its anchors and its blocks; parsing takes most of the time of finding them."""
    texts = [line.text for line in document.lines]
    skip = front_matter_length(texts)
    parsed = _parse(texts[skip:])
    found = _found(parsed)
    blocks = (token.map for token in parsed[0] if token.type in ("fence", "html_block") and token.map)
    return Markup(
        tuple(_headings(found, skip, None)),
        dict(reversed([(heading.anchor, heading.line + skip) for heading in found if heading.anchor])),
        frozenset(number + skip + 1 for first, end in blocks for number in range(first, end)),
    )


def markup_headings(document: Document) -> list[Heading]:
    """The Markdown headings of a document in reading order, levels as written; none for a PDF.

    Where pages were parsed one by one, each page is parsed by itself: a parser that lost a fence's end on one page
    must not turn the rest of the book into code. A fence runs on over page breaks only if that explains the fences of
    the page where it ends (see `_carried`).
    """
    if document.kind == "markdown":
        return list(read_markup(document).headings)
    if document.kind == "pdf":
        return []
    texts = [line.text for line in document.lines]
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
        found += _headings(_found(tokens), offset, page.number)
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


@dataclass(frozen=True, slots=True)
class _Found:
    """A heading in a parsed text; lines are counted from 1 at the start of that text."""

    title: str
    level: int
    line: int
    last_line: int
    anchor: str | None


def _headings(marked: Sequence[_Found], offset: int, page: int | None) -> list[Heading]:
    found = []
    for heading in marked:
        title = heading.title
        confidence = 1.0 if len(title) <= LONG_TITLE else 0.5
        if len(title) > MAX_TITLE:
            title = title[: MAX_TITLE - 1].rstrip() + "…"
        line, last_line = offset + heading.line, offset + heading.last_line
        found.append(Heading(title, heading.level, page, line, RULE_NAME, confidence=confidence, last_line=last_line))
    return found


def _found(parsed: tuple[list[Token], MutableMapping[str, Any]]) -> list[_Found]:
    tokens, environment = parsed
    found: list[_Found] = []
    # For each open `<details>`: the number of headings before it, and the level of the first heading in its neighbour.
    open_details: list[int] = []
    neighbour: dict[int, tuple[int, int]] = {}
    for position, token in enumerate(tokens):
        if token.level or not token.map:
            continue
        first, end = token.map
        if token.type == "heading_open":
            title, anchor = _title(tokens[position + 1].content, environment)
            if title:
                found.append(_Found(title, int(token.tag[1:]), first + 1, end, anchor))
        elif token.type == "html_block" and not _NO_HEADINGS.match(token.content):
            _read_html_block(token.content, first, found, open_details, neighbour)
    return found


def _read_html_block(
    content: str, first: int, found: list[_Found], open_details: list[int], neighbour: dict[int, tuple[int, int]]
) -> None:
    """Adds the headings of an HTML block.

    The first heading of a `<details>` is as deep as that of the `<details>` before it at most: it is no part of it.
    """
    blank = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), content)
    lower = blank.lower()
    line, counted = first + 1, 0
    events = sorted([*_HTML_HEADING.finditer(blank), *_DETAILS.finditer(blank)], key=lambda match: match.start())
    done = 0
    unclosed: set[str] = set()
    for match in events:
        if match.start() < done:
            continue
        if match.re is _DETAILS:
            if not match[1]:
                open_details.append(len(found))
            elif open_details:
                count = open_details.pop()
                if count < len(found):
                    neighbour[len(open_details)] = len(found), found[count].level
            continue
        # A heading begins its line, apart from tags: `<summary><h3>`.
        start = max(match.start() - _BEFORE, 0)
        before = blank[max(blank.rfind("\n", start, match.start()) + 1, start) : match.start()]
        if match[1] in unclosed or _TAG.sub("", before).strip():
            continue
        end = lower.find(f"</h{match[1]}", match.end())
        if end < 0:
            unclosed.add(match[1])  # nor is a later one closed
            continue
        text = _ALT.sub(lambda image: image[1] or image[2] or "", blank[match.end() : end])
        title = " ".join(unescape(_TAG.sub("", text[: 10 * MAX_TITLE])).split())
        line += blank.count("\n", counted, match.start())
        counted = match.start()
        if title:
            level = int(match[1])
            depth = len(open_details) - 1
            if depth >= 0 and open_details[-1] == len(found) and neighbour.get(depth, (-1, 0))[0] == len(found):
                level = min(level, neighbour[depth][1])
            named = _HTML_ID.search(match[2] or "")
            last_line = line + blank.count("\n", match.start(), end)
            found.append(_Found(title, level, line, last_line, named[1] if named else None))
        done = end


def _title(content: str, environment: MutableMapping[str, Any]) -> tuple[str, str | None]:
    """A heading's text without its markup, and its id; code keeps its backticks."""
    # Brackets and stars nested by the thousand make inline parsing slow; no real title is that long.
    content = content[: 10 * MAX_TITLE].rstrip()
    attributes = _ATTRIBUTES.search(content, max(content.rfind("{"), 0))
    named = _ID.search(attributes.group()) if attributes else None
    if attributes:
        content = content[: attributes.start()]
    tokens: list[Token] = []
    parser = _parser()
    parser.inline.parse(content, parser, environment, tokens)
    return " ".join(_plain(tokens).split()), (named[1] or named[2]) if named else None


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
