"""Adding texts that other programs have read, and trees that they have built."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from ..errors import EmptySource, InvalidTree, SourceNotFound
from ..pages import MetadataValue
from ..sources import read_with
from ..sources.loaded import LoadedText, by_document
from ..sources.settings import ReaderSettings
from ..store import DocumentInfo, Store
from ..store.records import SourceKey
from ..tree.exchange import to_json
from ..tree.model import Tree
from ..tree.nested import from_pageindex
from .adding import add_document, find_document, store_document, store_import
from .jobs import Job, make_job
from .prepare import prepare_tree
from .reading import tree_of


def add_texts(store: Store, texts: Iterable[LoadedText], tenant: str = "") -> list[DocumentInfo]:
    """Adds documents whose text another loader has read; see `Library.add_texts`."""
    added: list[DocumentInfo] = []
    empty: EmptySource | None = None
    for document in by_document(texts):
        source = document.source or document.name
        key = SourceKey("loaded", source, tenant)
        job = Job(b"", document.name, source, key, document.sha256, metadata=document.metadata)
        info = find_document(store, job)
        if info is None:
            try:
                tree = tree_of(document.read())
            except EmptySource as error:
                empty = error
                continue
            info = store_document(store, job, partial(prepare_tree, tree))
        added.append(info)
    if empty is not None and not added:
        raise empty
    return added


def add_tree(
    store: Store,
    tree: Tree,
    *,
    source: str | None,
    name: str | None,
    metadata: Mapping[str, MetadataValue],
    tenant: str = "",
) -> DocumentInfo:
    """Adds a tree that was built elsewhere; see `Library.import_tree`."""
    source = source or tree.name
    sha256 = hashlib.sha256(to_json(tree).encode()).hexdigest()
    job = Job(b"", name or tree.name, source, SourceKey("tree", source, tenant), sha256, metadata=metadata)
    return add_document(store, job, partial(prepare_tree, tree))


def add_pageindex(
    store: Store,
    tree: str | os.PathLike[str],
    file: str | os.PathLike[str],
    *,
    metadata: Mapping[str, MetadataValue],
    reader: ReaderSettings,
    tenant: str = "",
) -> DocumentInfo:
    """Adds a tree that PageIndex wrote, over the text of its file; see `Library.import_tree`."""
    path = Path(tree)
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SourceNotFound(str(tree), f"it cannot be read ({error.strerror}).", "Check the path.") from error
    except ValueError as error:
        raise InvalidTree(f"{tree} is not JSON: {error}. Pass the file that PageIndex wrote.") from None
    job = make_job(file, metadata=metadata, reader=reader, tenant=tenant)
    return store_import(store, job, from_pageindex(value, read_with(reader, file)))
