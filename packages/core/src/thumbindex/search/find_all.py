"""Every mention of some words in the documents of a scope."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ..scope import Scope
from ..store import DocumentInfo
from ..store.scoped import ScopedDocuments
from ..store.trees import TreeCache
from .mentions import find_mentions

INDEX_LOOKUP = 64
"""From so many documents on the index says which can hold the words, instead of reading all of them."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One occurrence of a text: where it begins, the line there, and the words around it.

    Args:
        page: Physical page; None without pages.
        line: Line of the document, 1-based.
        text: That line.
        snippet: The mention with some words before and after it, across line ends.
    """

    doc_id: str
    document: str
    node_id: str
    section_path: str
    page: int | None
    line: int
    text: str
    snippet: str = ""


def find_all(
    documents: ScopedDocuments,
    trees: TreeCache,
    text: str,
    *,
    scope: Scope | None,
    exact: bool,
    start: int,
    limit: int | None,
) -> list[Mention]:
    """Finds every mention; see `LibraryView.find_all`."""
    if start < 0 or (limit is not None and limit < 0):
        raise ValueError(f"start and limit are numbers of mentions, at least 0, got start={start}, limit={limit}.")
    with documents.store.snapshot():
        infos = documents.select(scope)
        if len(infos) > INDEX_LOOKUP:
            infos = documents.store.may_mention(text, infos)
    mentions = (mention for info in infos for mention in _mentions(trees, info, text, exact))
    return list(islice(mentions, start, None if limit is None else start + limit))


def _mentions(trees: TreeCache, info: DocumentInfo, text: str, exact: bool) -> Iterator[Mention]:
    tree = trees.get(info)
    for found in find_mentions(tree, text, info.language, exact=exact):
        node = tree.deepest_at(found.line)
        if node is not None:
            line = tree.lines[found.line - 1].strip()
            page = tree.page_of_line(found.line)
            path = tree.path(node)
            yield Mention(info.doc_id, info.name, node.id, path, page, found.line, line, found.snippet)
