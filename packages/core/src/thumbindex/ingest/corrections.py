"""Correcting the sections of a document, in a new revision and whenever its file is read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import DocumentNotFound
from ..store import DocumentInfo, Store
from ..store.lookup import missing_section
from ..tree.corrections import Correction, Move, correct
from ..tree.exchange import unpack
from ..tree.model import Tree
from .jobs import Job
from .prepare import prepare_tree


def correct_document(store: Store, info: DocumentInfo, corrections: Sequence[Correction]) -> DocumentInfo:
    """Corrects a document's sections; see `Library.correct`."""
    key = store.sources()[info.doc_id]
    while True:
        previous = store.previous_revision(key)
        if previous is None:
            raise DocumentNotFound(f"{info.name} was removed meanwhile.")
        tree = unpack(previous.tree)
        anchored = tuple(_anchored(store, info, tree, correction) for correction in corrections)
        failed = correct(tree, anchored)[1]
        if failed:
            raise ValueError(
                f"This correction of {info.name} is not possible: {failed[0]}. It would move the heading past another one."
            )
        metadata = {name: value for name, value in info.metadata.items() if name not in previous.given}
        job = Job(b"", info.name, info.source, key, info.sha256, metadata={}, previous=previous, corrections=anchored)
        corrected = store.put(prepare_tree(replace(tree, metadata={**metadata, **tree.metadata}), job))
        if corrected is not None:
            return corrected


def _anchored(store: Store, info: DocumentInfo, tree: Tree, correction: Correction) -> Correction:
    """Returns a correction with the text of its line, which finds the line in later revisions."""
    if correction.section not in tree:
        raise missing_section(store, info, tree, correction.section)
    if isinstance(correction, Move) and 1 <= correction.line <= len(tree.lines):
        return replace(correction, text=tree.lines[correction.line - 1])
    return correction
