"""Preparing a document for the store: everything about adding it that takes time, without the store.

A pure function of the job and its file, so that it runs in this process or in another (`workers.py`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from ..errors import SourceUnreadable
from ..sources import read_with
from ..store.names import heading_terms
from ..store.records import DocumentInfo, Prepared, content_key
from ..text.languages import detect_language
from ..tree.corrections import correct
from ..tree.cover_metadata import cover_metadata
from ..tree.exchange import pack, unpack
from ..tree.model import Tree
from ..tree.references import with_references
from ..tree.revise import revise
from .jobs import Job, file_sha256
from .passages import index_terms, split_passages
from .reading import tree_of

_SLUG_CHARACTERS = 40
"""Characters of a document's name in its id."""


def prepare(job: Job, on_read: Callable[[], None] = lambda: None) -> Prepared:
    """Reads a document, finds its sections, splits them into passages, and tokenizes these.

    Args:
        job: The document.
        on_read: Called when the document has been read.

    Raises:
        SourceError: The document cannot be read, or its file changed meanwhile.
    """
    document = read_with(job.reader, job.source, name=job.name, password=job.password)
    if isinstance(job.source, Path) and file_sha256(job.source) != job.sha256:
        raise SourceUnreadable(job.given_source, "it changed while it was read.", "Add it again when it is complete.")
    on_read()
    tree = tree_of(document)
    del document  # as large as the tree
    return prepare_tree(tree, job)


def prepare_tree(tree: Tree, job: Job) -> Prepared:
    """Prepares a document whose tree is built: the second half of `prepare`."""
    same: frozenset[str] = frozenset()
    nearest: Mapping[str, str] = {}
    given = dict(job.metadata)
    corrections = job.corrections
    if job.corrections:
        tree, _ = correct(tree, job.corrections)
    if job.previous is not None:
        given = {**job.previous.given, **given}
        corrections = (*job.previous.corrections, *corrections)
        revision = revise(unpack(job.previous.tree), tree)
        tree, same, nearest = revision.tree, revision.same, revision.nearest
    if corrections and not job.corrections:
        tree, failed = correct(tree, corrections)
        # A correction whose section is gone is kept: the section may come back.
        tree = replace(tree, notes=(*tree.notes, *(f"Could not be made: {correction}." for correction in failed)))
    tree = with_references(tree)
    passages = tuple(split_passages(tree))
    language = detect_language("\n".join(tree.lines))
    info = DocumentInfo(
        # With the tenant in it: a number added to an id that is taken would tell one that another has the same file.
        doc_id=f"{slug(Path(job.name).stem)}-{content_key(job.sha256, job.key.tenant)[:8]}",
        name=job.name,
        source=job.given_source,
        kind=tree.kind,
        origin=tree.origin,
        page_count=tree.page_count,
        section_count=len(tree.nodes),
        pages_without_text=tree.pages_without_text,
        revision=1,
        added=datetime.now(UTC).isoformat(timespec="seconds"),
        sha256=job.sha256,
        metadata={**cover_metadata(tree), **tree.metadata, **given},
        language=language,
        reused_sections=len(same),
        tenant=job.key.tenant,
    )
    return Prepared(
        info=info,
        source_key=job.key,
        tree=pack(tree),
        passages=passages,
        terms=tuple(index_terms(tree, passage, language) for passage in passages),
        headings=heading_terms(tree, language),
        given=given,
        corrections=corrections,
        is_correction=bool(job.corrections),
        replaces=job.previous.revision if job.previous else 0,
        same=same,
        nearest=nearest,
    )


def slug(name: str) -> str:
    """Returns the lower-case ASCII letters and digits of a name, joined by dashes: safe in ids, URLs and file names."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return (
        "-".join("".join(c if c.isalnum() else " " for c in plain).split())[:_SLUG_CHARACTERS].strip("-") or "document"
    )
