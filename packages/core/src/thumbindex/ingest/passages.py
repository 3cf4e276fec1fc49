"""Cutting a tree into passages: each section's own text, split where it is long. Pure, and the same every time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..evidence import PATH_SEPARATOR, PassageId
from ..pages import LineRange
from ..store.index import LINE_END, PAGE_START
from ..store.records import Passage, Pointers
from ..text.tables import table_over_break
from ..text.terms import rejoin, tokenize
from ..text.tokens import estimate_tokens
from ..tree.model import Node, Tree

MAX_TOKENS = 700
"""Own text up to this length is one passage. A page of prose holds 500 to 900 tokens: a part is about one page."""

_MOST_SECTIONS_MEANT = 40
_LINES_BETWEEN = 40
"""Lines of furniture and footnotes that may stand between a word broken at the end of a page and its rest."""

_SENTENCE_ENDS = (".", ":", ";", "?", "!", "。", "！", "？")


def split_passages(tree: Tree, limit: int | None = MAX_TOKENS) -> list[Passage]:
    """All passages of a tree in reading order, those longer than `limit` tokens in parts; None leaves sections whole.

    Together they hold every line of text that is neither page furniture nor the heading of a section without text of its
    own, each line once.
    """
    passages: list[Passage] = []
    for node in tree.walk():
        own = tree.own_span(node)
        lines = [n for n in own if n not in tree.headers_footers and tree.lines[n - 1].strip()]
        if not any(n >= node.body for n in lines):
            continue
        path = tree.path(node)
        parts = [lines] if limit is None else split_lines(tree, lines, limit)
        for number, part in enumerate(parts, 1):
            # Blank lines and furniture between two parts go with the part before, so that the parts leave no gap.
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
    """Token texts of a passage's title, path (with running heads) and body: tokens between spaces.

    In the body a line feed ends each line of the document, and a form feed stands before the first line of each page.
    """
    *above, title = passage.path.split(PATH_SEPARATOR)
    lines: list[str] = []
    page = passage.pages.first if passage.pages else None
    for number, text in _rejoined(tree, passage.lines):
        tokens = " ".join(tokenize(text, language))
        here = tree.page_of_line(number)
        if page is not None and here is not None:
            steps = here - page if lines else int(_opens_page(tree, number))
            tokens, page = PAGE_START * steps + tokens, here
        if tokens:
            lines.append(tokens)
    return (
        " ".join(tokenize(title, language)),
        " ".join(tokenize("\n".join((*above, *_running_heads(tree, passage))), language)),
        LINE_END.join(lines),
    )


def _rejoined(tree: Tree, span: LineRange) -> Iterator[tuple[int, str]]:
    """The lines of text of a span with their numbers; a word that is broken between two lines stands whole in the first,
    also where the second belongs to the next passage."""
    behind = range(span.last + 1, min(len(tree.lines), span.last + _LINES_BETWEEN) + 1)
    text = [
        (n, tree.lines[n - 1]) for n in (*span, *behind) if n not in tree.headers_footers and tree.lines[n - 1].strip()
    ]
    for position, (number, line) in enumerate(text):
        if number > span.last:
            return
        following = text[position + 1][1] if position + 1 < len(text) else ""
        yield number, rejoin(line, following)


def _running_heads(tree: Tree, passage: Passage) -> list[str]:
    """What the pages of a passage say above and below their text: often the chapter, and nowhere else."""
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
    found: list[tuple[int, tuple[str, ...]]] = []
    for reference in node.references:
        if reference.target is not None and reference.line in span:
            target = tree.node(reference.target)
            under = tree.descendants(target)
            # A reference to a whole chapter says little about any one of its many sections.
            if len(under) <= _MOST_SECTIONS_MEANT:
                found.append((reference.line, (target.id, *(one.id for one in under))))
    return tuple(found)


def split_lines(tree: Tree, lines: Sequence[int], limit: int = MAX_TOKENS) -> list[list[int]]:
    """Line numbers in groups of at most `limit` tokens (a single longer line stands alone).

    Pages are kept whole where they fit, and tables that run from one page to the next; a long page is cut evenly, after a
    paragraph or at least a sentence.
    """
    sizes = {n: max(1, estimate_tokens(tree.lines[n - 1])) for n in lines}
    if sum(sizes.values()) <= limit:
        return [list(lines)]
    pieces: list[list[int]] = []
    for block in _blocks(tree, lines, sizes, limit):
        pieces.extend(_cut_evenly(tree, block, sizes, limit))
    # A scrap (the few lines before the next page begins) joins its neighbour rather than stand alone.
    joined: list[list[int]] = []
    for piece in pieces:
        size = sum(sizes[n] for n in piece)
        before = sum(sizes[n] for n in joined[-1]) if joined else limit
        if before + size <= limit and min(before, size) < limit // 3:
            joined[-1].extend(piece)
        else:
            joined.append(piece)
    return joined


def _blocks(tree: Tree, lines: Sequence[int], sizes: dict[int, int], limit: int) -> Iterator[list[int]]:
    """The lines page by page; a table that runs over the end of a page is a block of its own, if it is short enough."""
    by_page: dict[int | None, list[int]] = {}
    for n in lines:
        by_page.setdefault(tree.page_of_line(n), []).append(n)
    blocks = list(by_page.values())
    block = blocks[0]
    for following in blocks[1:]:
        texts = ([tree.lines[n - 1] for n in part] for part in (block, following))
        table = table_over_break(*texts)
        if table is not None and sum(sizes[n] for n in (*block[-table[0] :], *following[: table[1]])) <= limit:
            above, below = table
            if block[:-above]:
                yield block[:-above]
            # It may go on over the end of the next page too.
            block, following = block[-above:] + following[:below], following[below:]
        if following:
            yield block
            block = following
    yield block


def _cut_evenly(tree: Tree, lines: list[int], sizes: dict[int, int], limit: int) -> list[list[int]]:
    pieces: list[list[int]] = []
    left = sum(sizes[n] for n in lines)
    while left > limit and len(lines) > 1:
        cut = _best_cut(tree, lines, sizes, goal=left / -(-left // limit), limit=limit)
        pieces.append(lines[:cut])
        left -= sum(sizes[n] for n in lines[:cut])
        lines = lines[cut:]
    return [*pieces, lines]


def _best_cut(tree: Tree, lines: list[int], sizes: dict[int, int], goal: float, limit: int) -> int:
    """How many lines the first piece takes: near `goal` tokens, at most `limit`, best at the end of a paragraph."""
    done = 0
    best, best_cost = 1, float("inf")
    for index, n in enumerate(lines[:-1], 1):
        done += sizes[n]
        if done > limit:
            break
        is_paragraph_end = lines[index] > n + 1 and any(
            not tree.lines[m - 1].strip() for m in range(n + 1, lines[index])
        )
        is_sentence_end = tree.lines[n - 1].rstrip().endswith(_SENTENCE_ENDS)
        cost = abs(done - goal) / goal + (0.0 if is_paragraph_end else 0.15 if is_sentence_end else 0.3)
        if cost <= best_cost:
            best, best_cost = index, cost
    return best
