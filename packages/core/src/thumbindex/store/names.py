"""What a document is called: the terms of its name and metadata."""

from __future__ import annotations

from ..text.terms import tokenize
from ..tree.model import Tree
from .records import DocumentInfo

TECHNICAL = frozenset({"created", "modified", "creator", "producer", "period", "period_end", "report_date"})
"""What a file says of its making, which tells a reader nothing, and days, whose numbers name much else."""


def name_terms(info: DocumentInfo) -> set[str]:
    """The terms of a document's name and of what is said of it."""
    values = (
        value for key, value in info.metadata.items() if key not in TECHNICAL and isinstance(value, str | int | list)
    )
    parts = [info.name, *(" ".join(value) if isinstance(value, list) else str(value) for value in values)]
    return set(tokenize(" ".join(parts).replace("_", " ").replace(".", " "), info.language))


def heading_terms(tree: Tree, language: str) -> str:
    """The terms of all headings, which are searched for mentions also where a section has no text of its own."""
    return " ".join(sorted({term for node in tree.nodes for term in tokenize(node.title, language)}))
