"""Passages as evidence: what a search returns."""

from __future__ import annotations

from ..evidence import Evidence
from ..store import DocumentInfo, Passage

SCORE_STEP = 1 - 1e-6
"""Factor between the scores of neighbours that would be equal otherwise: the scores of a retrieval fall strictly."""


def to_evidence(passage: Passage, info: DocumentInfo, score: float, why: str, best_page: int | None = None) -> Evidence:
    """Returns a passage of a document as evidence: a new object, with its own copy of the metadata, each time."""
    return Evidence(
        doc_id=info.doc_id,
        node_id=passage.node_id,
        section_path=passage.path,
        pages=passage.pages,
        page_labels=passage.page_labels,
        text=passage.text,
        score=score,
        lines=passage.lines,
        document=info.name,
        source=info.source,
        metadata=dict(info.metadata),
        boxes=passage.boxes,
        anchor=passage.anchor,
        why=why,
        page_count=info.page_count,
        best_page=best_page,
    )


def score_in_order(rank: int) -> float:
    """Returns the score at a rank, from 0, of passages in another order than by their fit: 1.0, then falling strictly."""
    return float(SCORE_STEP**rank)
