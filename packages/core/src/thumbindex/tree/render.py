"""The outline as text, one line per section, for people and for prompts."""

from __future__ import annotations

from ..outline import Origin
from ..text.characters import counted
from ..text.tokens import estimate_tokens
from .references import with_references
from .sections import Node, Sections

ORIGINS: dict[Origin, str] = {
    "bookmarks": "from the embedded bookmarks",
    "contents_page": "from the printed contents page",
    "layout": "from the layout of headings",
    "hybrid": "from the contents page and the layout",
    "markup": "from the markup",
    "pages": "no headings found: fixed-size chunks of pages",
    "unreadable": "not readable",
    "imported": "from a tree made elsewhere",
}


_MOST_ARROWS = 3
"""References shown in one line; "+2" counts the others."""


def render(
    tree: Sections,
    budget: int | None = None,
    *,
    explain: bool = False,
    references: bool = False,
    depth: int | None = None,
) -> str:
    """Returns the outline as text: a line about the document, then one line per section, indented by level.

    Args:
        budget: Tokens at most. An outline over it loses its deepest levels, with a count under each section of those
            left out; if the top level alone is too long, it is cut with a count.
        explain: Add where the outline comes from, the rule that found each heading and its confidence.
        references: Add what each section refers to: `→ Note 14, Appendix G`.
        depth: Levels at most, with a count under each section of those left out.
    """
    if references and not any(node.references for node in tree.nodes):
        tree = with_references(tree)
    depths = _depths(tree)
    for deepest in range(min(max(depths, default=1), depth or max(depths, default=1)), 0, -1):
        text = "\n".join([_head(tree, explain), *_lines(tree, depths, deepest, explain, references)])
        if budget is None or estimate_tokens(text) <= budget:
            return text
    return _cut(tree, depths, explain, budget or 0)


def location(node: Node) -> str:
    """Returns the location of a section: "p. 3-5", or "lines 5-38" for formats without pages."""
    if node.pages is not None:
        return f"p. {node.pages}"
    return f"line {node.span}" if len(node.span) == 1 else f"lines {node.span}"


def _depths(tree: Sections) -> list[int]:
    depths: list[int] = []
    levels: list[int] = []
    for node in tree.nodes:
        while levels and levels[-1] >= node.level:
            levels.pop()
        levels.append(node.level)
        depths.append(len(levels))
    return depths


def _head(tree: Sections, explain: bool) -> str:
    size = counted(len(tree.pages), "page") if tree.pages else counted(len(tree.lines), "line")
    head = f"{tree.name} · {size} · {counted(len(tree.nodes), 'section')} · {ORIGINS[tree.origin]}"
    if not explain:
        return head
    return "\n".join([f"{head} · confidence {tree.confidence:.2f}", *(f"note: {note}" for note in tree.notes)])


def arrows(tree: Sections, node: Node) -> str:
    """` → Note 14, Appendix G`: what a section's own text refers to outside itself and the sections above it."""
    around = {node.id, *(other.id for other in (*tree.ancestors(node), *tree.descendants(node)))}
    shown: dict[str, str] = {}
    for reference in node.references:
        if reference.target is not None and reference.target not in around:
            shown.setdefault(
                reference.target, reference.text if len(reference.text) <= 40 else f"{reference.text[:39]}…"
            )
    names = list(shown.values())
    more = [f"+{len(names) - _MOST_ARROWS}"] if len(names) > _MOST_ARROWS else []
    return f" → {', '.join([*names[:_MOST_ARROWS], *more])}" if names else ""


def _lines(tree: Sections, depths: list[int], deepest: int, explain: bool, references: bool = False) -> list[str]:
    lines: list[str] = []
    hidden = 0
    for node, depth in zip(tree.nodes, depths, strict=True):
        if depth > deepest:
            hidden += 1
            continue
        if hidden:
            lines[-1] += f"  (+{hidden} below)"
            hidden = 0
        line = f"{'  ' * (depth - 1)}{node.title}  {location(node)}"
        if explain:
            line += f"  [{node.rule} {node.confidence:.2f}]"
        if references:
            line += arrows(tree, node)
        lines.append(line)
    if hidden and lines:
        lines[-1] += f"  (+{hidden} below)"
    return lines


def _cut(tree: Sections, depths: list[int], explain: bool, budget: int) -> str:
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
