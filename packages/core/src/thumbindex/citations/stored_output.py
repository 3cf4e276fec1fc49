"""The lines of documents that a tool's output shows, found again from its text as a conversation has stored it. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ..pages import LineRange, line_ranges
from ..store.records import DocumentInfo
from ..text.untrusted import one_line
from ..tree.model import Tree
from .shown import Shown, quoted, repeated

_EXCERPT = re.compile(
    r"^\[(?P<name>[^\[\]\n]+?), (?:p\. (?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?|§ (?P<title>[^\[\]\n]+))\][^\n]*\n<document_text>\n",
    re.MULTILINE,
)
_EXCERPT_END = "\n</document_text>"
_MENTION = re.compile(
    r"^\[(?P<name>[^\[\]\n]+?), (?:p\. (?P<page>\d{1,9})|line (?P<line>\d{1,9}))\] (?=[^\n]*+(?<=”)$)[^\n]*?: “(?P<snippet>[^\n]*)”$",
    re.MULTILINE,
)
_LINES_OF_MENTION = 3
"""Lines of a document without pages that the snippet of a mention may run over, from the line it names on."""


def shown_lines(output: str, documents: Sequence[DocumentInfo], tree_of: Callable[[str], Tree]) -> Iterator[Shown]:
    """Yields the lines that an output shows. Only lines that it really repeats count, so that a forged one shows nothing.

    Args:
        documents: Those that the output may show.
        tree_of: Returns the tree of a document by its id.
    """
    for match, text in _excerpts(output):
        for info in _named(documents, match["name"]):
            tree = tree_of(info.doc_id)
            for within in _cited_lines(tree, match):
                for lines in line_ranges(repeated(tree, within, text)):
                    yield Shown(info.doc_id, lines)
    for match in _MENTION.finditer(output):
        for info in _named(documents, match["name"]):
            tree = tree_of(info.doc_id)
            for lines in line_ranges(quoted(tree, _mentioned_lines(tree, match), match["snippet"])):
                yield Shown(info.doc_id, lines)


def _excerpts(output: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yields the head and the text of each excerpt, one after the other."""
    end = 0
    while match := _EXCERPT.search(output, end):
        # From the last character of the head: the text may be empty.
        closing = output.find(_EXCERPT_END, match.end() - 1)
        if closing < 0:
            return
        yield match, output[match.end() : closing]
        end = closing + len(_EXCERPT_END)


def lines_of_pages(tree: Tree, first: int, last: int) -> Iterator[LineRange]:
    """Yields the lines of each of these physical pages that has any; pages beyond the last are left out."""
    for page in (tree.pages or ())[max(0, first - 1) : last]:
        if page.lines is not None:
            yield page.lines


def _named(documents: Iterable[DocumentInfo], name: str) -> Iterator[DocumentInfo]:
    return (info for info in documents if one_line(info.name) == name)


def _cited_lines(tree: Tree, match: re.Match[str]) -> Iterator[LineRange]:
    """Yields the lines of the section or of the pages that stand above an excerpt."""
    if match["title"]:
        for node in tree.nodes:
            if one_line(node.title) == match["title"]:
                yield node.span
    elif tree.pages:
        first = int(match["first"])
        last = int(match["last"] or first)
        # A passage runs over its pages without a break.
        lines = list(lines_of_pages(tree, first, last))
        if lines:
            yield LineRange(lines[0].first, lines[-1].last)


def _mentioned_lines(tree: Tree, match: re.Match[str]) -> Iterable[int]:
    if match["page"]:
        page = int(match["page"])
        return [n for lines in lines_of_pages(tree, page, page) for n in lines]
    line = int(match["line"])
    return range(max(1, line), min(len(tree.lines), line + _LINES_OF_MENTION - 1) + 1)
