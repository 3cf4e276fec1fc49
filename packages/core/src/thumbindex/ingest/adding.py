"""Adding one document to a store: found if it is known, prepared and stored if not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..pages import LineRange
from ..store import Store
from ..store.records import DocumentInfo, Prepared
from ..tree.exchange import unpack
from ..tree.model import Tree
from .jobs import Job
from .prepare import prepare, prepare_tree


def add_document(store: Store, job: Job, prepare_job: Callable[[Job], Prepared] = prepare) -> DocumentInfo:
    """Returns the document with the bytes of a job, which is prepared and stored if the store does not have it.

    Args:
        prepare_job: Prepares the document.

    Raises:
        SourceError: The document cannot be read.
    """
    return find_document(store, job) or store_document(store, job, prepare_job)


def find_document(store: Store, job: Job) -> DocumentInfo | None:
    """Returns the stored document with the bytes of a job, after adding the job's metadata; None if there is none."""
    found = store.find(sha256=job.sha256, tenant=job.key.tenant)
    if found is None:
        return None
    info, source_key = found
    # Adding the same bytes from another source gives the document, but may not change what others filter by.
    if source_key == job.key and {**info.metadata, **job.metadata} != dict(info.metadata):
        return store.add_metadata(info.doc_id, job.metadata)
    return info


def store_document(store: Store, job: Job, prepare_job: Callable[[Job], Prepared]) -> DocumentInfo:
    """Prepares a document and stores it, again if another process stores a revision of it meanwhile."""
    while True:
        stored = store.put(prepare_job(replace(job, previous=store.previous_revision(job.key))))
        if stored is not None:
            return stored


def store_import(store: Store, job: Job, tree: Tree) -> DocumentInfo:
    """Stores a tree that another program made of the file of a job.

    It becomes a new document, or a revision of the one with the same bytes or path. If the stored tree has the same sections,
    only the metadata is updated.
    """
    found = store.find(sha256=job.sha256, tenant=job.key.tenant)
    if found is not None:
        info, key = found
        stored = store.tree(info.doc_id)
        if stored is not None and _sections(stored) == _sections(tree):
            return store.add_metadata(info.doc_id, job.metadata) or info if job.metadata else info
        job = replace(job, name=info.name, given_source=info.source, key=key)
    info = store_document(store, job, lambda job: replace(prepare_tree(tree, job), is_correction=True))
    # Stored apart from the tree, summaries survive the next revision for the sections that stay the same.
    revision = store.previous_revision(job.key)
    if revision is not None:
        nodes = unpack(revision.tree).nodes
        store.set_summaries(info.doc_id, {node.id: node.summary for node in nodes if node.summary})
    return info


def _sections(tree: Tree) -> list[tuple[str, int, LineRange, str]]:
    return [(node.title, node.level, node.span, node.summary) for node in tree.nodes]
