"""Trees unpacked for reading: the ones that were used last stay in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict

from ..errors import DocumentNotFound
from ..tree.model import Tree
from . import Store
from .records import DocumentInfo

TREES_IN_MEMORY = 8
"""A report of 200 pages takes some megabytes."""


class TreeCache:
    """Loads trees from a store and remembers the last few; safe to use from any thread."""

    def __init__(self, store: Store, limit: int = TREES_IN_MEMORY) -> None:
        self._store, self._limit = store, limit
        self._trees: OrderedDict[tuple[str, str, int], Tree] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, info: DocumentInfo) -> Tree:
        """The tree of this revision of a document.

        Raises:
            DocumentNotFound: the document was removed meanwhile.
        """
        key = (info.doc_id, info.sha256, info.revision)
        with self._lock:
            if key in self._trees:
                self._trees.move_to_end(key)
                return self._trees[key]
        tree = self._store.tree(info.doc_id)
        if tree is None:
            raise DocumentNotFound(f"{info.name} was removed meanwhile.")
        with self._lock:
            self._trees[key] = tree
            while len(self._trees) > self._limit:
                self._trees.popitem(last=False)
        return tree

    def forget(self, info: DocumentInfo) -> None:
        """Drops the tree of this revision, which was changed in the store."""
        with self._lock:
            self._trees.pop((info.doc_id, info.sha256, info.revision), None)
