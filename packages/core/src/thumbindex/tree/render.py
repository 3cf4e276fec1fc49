"""The outline as text, one line a section, for people and for prompts."""

from __future__ import annotations

from ..outline import Origin
from ..tokens import estimate_tokens
from .model import Node, Tree

ORIGINS: dict[Origin, str] = {
    "bookmarks": "from the embedded bookmarks",
    "contents_page": "from the printed contents page",
    "layout": "from the layout of headings",
    "hybrid": "from the contents page and the layout",
    "markup": "from the markup",
    "pages": "no headings found: page windows",
    "unreadable": "not readable",
}


def render(tree: Tree, budget: int | None = None, *, explain: bool = False) -> str:
    """The outline as text: a line about the document, then one line a section, indented by level.

    Args:
        budget: Tokens at most. An outline over it loses its deepest levels, and says under each section how many
            were left out; if the top level alone is too long, it is cut with a count.
        explain: Add where the outline comes from, the rule that found each heading and its confidence.
    """
    depths = _depths(tree)
    for deepest in range(max(depths, default=1), 0, -1):
        text = "\n".join([_head(tree, explain), *_lines(tree, depths, deepest, explain)])
        if budget is None or estimate_tokens(text) <= budget:
            return text
    return _cut(tree, depths, explain, budget or 0)


def place(node: Node) -> str:
    """Where a section stands: "p. 3-5", or "lines 5-38" for formats without pages."""
    if node.pages is not None:
        return f"p. {node.pages}"
    return f"line {node.span}" if len(node.span) == 1 else f"lines {node.span}"


def _depths(tree: Tree) -> list[int]:
    depths: list[int] = []
    levels: list[int] = []
    for node in tree.nodes:
        while levels and levels[-1] >= node.level:
            levels.pop()
        levels.append(node.level)
        depths.append(len(levels))
    return depths


def _head(tree: Tree, explain: bool) -> str:
    size = f"{tree.page_count} pages" if tree.pages else f"{len(tree.lines)} lines"
    head = f"{tree.name} · {size} · {len(tree.nodes)} sections · {ORIGINS[tree.origin]}"
    if not explain:
        return head
    return "\n".join([f"{head} · confidence {tree.confidence:.2f}", *(f"note: {note}" for note in tree.notes)])


def _lines(tree: Tree, depths: list[int], deepest: int, explain: bool) -> list[str]:
    lines: list[str] = []
    hidden = 0
    for node, depth in zip(tree.nodes, depths, strict=True):
        if depth > deepest:
            hidden += 1
            continue
        if hidden:
            lines[-1] += f"  (+{hidden} below)"
            hidden = 0
        line = f"{'  ' * (depth - 1)}{node.title}  {place(node)}"
        if explain:
            line += f"  [{node.rule} {node.confidence:.2f}]"
        lines.append(line)
    if hidden and lines:
        lines[-1] += f"  (+{hidden} below)"
    return lines


def _cut(tree: Tree, depths: list[int], explain: bool, budget: int) -> str:
    lines = [_head(tree, explain)]
    top = _lines(tree, depths, 1, explain)
    used = estimate_tokens(lines[0]) + 8
    for position, line in enumerate(top):
        used += estimate_tokens(line) + 1
        if used > budget:
            lines.append(f"(+{len(top) - position} more sections)")
            break
        lines.append(line)
    return "\n".join(lines)
