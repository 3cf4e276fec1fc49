"""Terms of a document's name, metadata and headings, by which it is found."""

from __future__ import annotations

from ..text.terms import tokenize
from ..tree.model import Tree
from .records import DocumentInfo

UNINDEXED_KEYS = frozenset({"created", "modified", "creator", "producer", "period", "period_end", "report_date"})
"""Metadata keys that do not name a document: how a file was made, and days, whose numbers occur in many other names."""


def name_terms(info: DocumentInfo) -> set[str]:
    """Returns the terms of a document's name and metadata."""
    values = (
        value
        for key, value in info.metadata.items()
        if key not in UNINDEXED_KEYS and isinstance(value, str | int | list)
    )
    parts = [info.name, *(" ".join(value) if isinstance(value, list) else str(value) for value in values)]
    return set(tokenize(" ".join(parts).replace("_", " ").replace(".", " "), info.language))


def heading_terms(tree: Tree, language: str) -> str:
    """Returns the terms of all headings, also of those whose sections have no text of their own and so no passage."""
    return " ".join(sorted({term for node in tree.nodes for term in tokenize(node.title, language)}))
