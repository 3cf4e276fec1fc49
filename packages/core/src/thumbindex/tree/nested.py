"""Trees for other programs: nested JSON, a flat map of nodes, and trees that PageIndex made.

The keys are those that PageIndex's trees have where they mean the same: `title`, `node_id`, `start_index` and `end_index` (physical
pages, from 1), `line_num`, `summary`, `text`, `nodes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ..errors import InvalidTree
from ..outline import MAX_LEVEL, Heading, Outline
from ..pages import Document
from ..text.characters import letters_and_digits
from .build import build
from .model import Node, Tree

Json = dict[str, object]


def to_nested(tree: Tree, *, text: bool = True) -> Json:
    """The tree with its sections inside one another; each with its own text, up to its first subsection."""
    top: list[Json] = []
    open_nodes: list[tuple[int, list[Json]]] = [(0, top)]
    for node in tree.nodes:
        while open_nodes[-1][0] >= node.level:
            open_nodes.pop()
        below: list[Json] = []
        open_nodes[-1][1].append({**_node(tree, node, text), "nodes": below})
        open_nodes.append((node.level, below))
    return {**_head(tree), "structure": top}


def to_nodes(tree: Tree, *, text: bool = True) -> Json:
    """The tree as a map from ids to sections, each with the ids of its parent and children and its title path."""
    nodes: dict[str, Json] = {}
    for node in tree.nodes:
        parent = tree.parent(node)
        nodes[node.id] = {**_node(tree, node, text), "path": tree.path(node), "children": []}
        nodes[node.id]["parent"] = parent.id if parent else None
        if parent:
            children = nodes[parent.id]["children"]
            assert isinstance(children, list)
            children.append(node.id)
    return {**_head(tree), "nodes": nodes}


def _head(tree: Tree) -> Json:
    head: Json = {"doc_name": tree.name, "kind": tree.kind, "origin": tree.origin}
    if tree.page_count:
        head["page_count"] = tree.page_count
    return head


def _node(tree: Tree, node: Node, text: bool) -> Json:
    found: Json = {"title": node.title, "node_id": node.id}
    if node.pages is not None:
        found |= {"start_index": node.pages.first, "end_index": node.pages.last}
    else:
        found |= {"line_num": node.span.first, "line_end": node.span.last}
    if node.summary:
        found["summary"] = node.summary
    if text:
        found["text"] = tree.text(tree.own_span(node))
    return found


@dataclass(frozen=True, slots=True)
class _Entry:
    title: str
    level: int
    page: int | None
    line: int | None
    summary: str


def from_pageindex(value: object, document: Document) -> Tree:
    """A tree of our own over a document, with the sections and summaries of a tree that PageIndex made of it.

    PageIndex says on which page a section begins; its line is where its title stands there, or on a page beside it, else
    the first one of the page.

    Raises:
        InvalidTree: `value` is no such tree, or of a document with fewer pages.
    """
    structure = value.get("structure", value.get("result")) if isinstance(value, Mapping) else value
    if not isinstance(structure, list):
        raise InvalidTree("This is no tree of PageIndex: it has no list called 'structure'.")
    entries = list(_entries(structure, 1))
    headings: list[Heading] = []
    last = 0
    for entry in entries:
        line = _line(entry, document, last)
        if line is None:
            raise InvalidTree(
                f"{document.name}: the tree has section {entry.title!r} on page {entry.page}, which the document has not. "
                "Give the file that the tree was made of."
            )
        page = next(
            (candidate.number for candidate in document.pages or () if candidate.lines and line in candidate.lines),
            None,
        )
        headings.append(Heading(entry.title, min(entry.level, MAX_LEVEL), page, line, "pageindex", 1.0))
        last = max(last, line)
    tree = build(document, Outline("imported", tuple(headings)))
    return _with_summaries(tree, entries)


def _entries(structure: list[object], level: int) -> Iterator[_Entry]:
    for item in structure:
        if not isinstance(item, Mapping) or not isinstance(item.get("title"), str) or not item["title"].strip():
            raise InvalidTree("This is no tree of PageIndex: a section has no title.")
        page, line = item.get("start_index", item.get("physical_index")), item.get("line_num")
        summary = item.get("summary") or item.get("prefix_summary") or ""
        yield _Entry(
            " ".join(item["title"].split()),
            level,
            page if isinstance(page, int) else None,
            line if isinstance(line, int) else None,
            summary if isinstance(summary, str) else "",
        )
        below = item.get("nodes") or []
        if isinstance(below, list) and level < 200:
            yield from _entries(below, level + 1)


def _line(entry: _Entry, document: Document, last: int) -> int | None:
    """The first line of a section; its lines are in the order of the tree."""
    if document.pages is None or entry.page is None:
        line = entry.line or last + 1
        return line if 1 <= line <= len(document.lines) else None
    if not 1 <= entry.page <= len(document.pages):
        return None
    wanted = letters_and_digits(entry.title)
    for number in (entry.page, entry.page + 1, entry.page - 1):
        page = document.pages[number - 1] if 1 <= number <= len(document.pages) else None
        for n in (page.lines if page and page.lines else ()) if wanted else ():
            if n <= last:
                continue
            found = letters_and_digits(document.lines[n - 1].text)
            if found and (found == wanted or found.startswith(wanted) or (len(found) > 8 and wanted.startswith(found))):
                return n
    # The page may be a scan: then the section begins with the text after it.
    after = next((page.lines.first for page in document.pages[entry.page - 1 :] if page.lines), len(document.lines))
    # Two sections cannot begin on one line.
    return min(max(after, last + 1), len(document.lines))


def _with_summaries(tree: Tree, entries: list[_Entry]) -> Tree:
    left: dict[str, list[str]] = {}
    for entry in entries:
        left.setdefault(letters_and_digits(entry.title), []).append(entry.summary)
    nodes: list[Node] = []
    for node in tree.nodes:
        summaries = left.get(letters_and_digits(node.title))
        nodes.append(replace(node, summary=summaries.pop(0)) if summaries else node)
    return replace(tree, nodes=tuple(nodes))
