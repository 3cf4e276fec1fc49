"""The catalogue: what a store has of all documents in memory, so that a search need not read them."""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate

from ...text.terms import squash
from ..index import DocumentPassages, PassageMap, SearchedDocuments, SearchView
from ..records import DocumentInfo
from .rows import DOCUMENT_COLUMNS, to_document
from .segments import PostingsReader

SELECTIONS_IN_MEMORY = 16
"""Selections of documents whose passages stay in memory; of thousands of documents, gathering them takes milliseconds."""


class Catalogue:
    """All documents in the order of their first adding, in one state of the library. Immutable but for what it remembers.

    Args:
        version: Number of the state.
        infos: Documents by id.
        passages: Which passages each document has.
        squashed_names: By document id, in the order of `infos`: names without what stands between letters and digits.
    """

    __slots__ = ("_ends", "_everything", "_ids", "_names", "_reader", "_selections", "infos", "passages", "version")

    def __init__(
        self, version: int, infos: Mapping[str, DocumentInfo], passages: PassageMap, squashed_names: Mapping[str, str]
    ) -> None:
        self.version = version
        self.infos = infos
        self.passages = passages
        self._reader = PostingsReader()
        self._everything: SearchedDocuments | None = None
        self._selections: dict[frozenset[str], SearchedDocuments] = {}
        # All names in one text: searching thousands one by one takes milliseconds for each word.
        self._names = "\n".join(squashed_names.values())
        self._ends = array("Q", accumulate(len(name) + 1 for name in squashed_names.values()))
        self._ids = list(infos)

    @classmethod
    def empty(cls) -> Catalogue:
        """A catalogue without documents, older than every state of a library."""
        return cls(0, {}, PassageMap(), {})

    @property
    def squashed_names(self) -> dict[str, str]:
        """The squashed name of each document, by id."""
        return dict(zip(self._ids, self._names.split("\n"), strict=True)) if self._ids else {}

    def named(self, part: str) -> Iterator[str]:
        """Yields the ids of documents whose squashed names contain a text."""
        at = self._names.find(part)
        while at >= 0:
            position = bisect_right(self._ends, at)
            yield self._ids[position]
            at = self._names.find(part, self._ends[position])

    def view(self, connection: sqlite3.Connection, documents: Sequence[str] | None = None) -> SearchView:
        """Returns the index of some documents, read through a connection; unknown ones are left out. None means all."""
        searched = self._select(documents)
        return SearchView(searched, partial(self._reader.read, connection, searched.runs))

    def _select(self, documents: Sequence[str] | None) -> SearchedDocuments:
        numbers = self.passages.numbers
        # Mostly these are the very ids, so that comparing them is faster than making a set of them.
        if documents is None or (len(documents) == len(self._ids) and list(documents) == self._ids):
            if self._everything is None:
                self._everything = SearchedDocuments(self.passages, numbers.values())
            return self._everything
        wanted = frozenset(documents)
        found = self._selections.get(wanted)
        if found is None:
            found = SearchedDocuments(self.passages, (numbers[doc_id] for doc_id in wanted if doc_id in numbers))
            if len(self._selections) >= SELECTIONS_IN_MEMORY:
                self._selections = {}
            self._selections[wanted] = found
        return found


def read_catalogue(connection: sqlite3.Connection, known: Catalogue) -> Catalogue:
    """Returns the catalogue of the state that a connection sees.

    Args:
        known: The catalogue of another state; only documents that have changed since are read. Reading thousands of documents
            takes a tenth of a second.
    """
    (version,) = connection.execute("SELECT version FROM state").fetchone()
    if known.version == version:
        return known
    read = _read_changes(connection, version, known) if known.version < version else None
    read = read or _read_changes(connection, version, Catalogue.empty())
    assert read is not None
    return read


def _read_changes(connection: sqlite3.Connection, version: int, known: Catalogue) -> Catalogue | None:
    """Returns a catalogue with the changes since another one; None if documents were removed, which leaves no trace."""
    infos, squashed_names = dict(known.infos), known.squashed_names
    added: list[DocumentPassages] = []
    changed: list[str] = []
    query = f"SELECT {DOCUMENT_COLUMNS}, first_passage, last_passage FROM documents WHERE changed >= ? ORDER BY id"
    # Documents written by an earlier version of the package have changed = 0.
    since = known.version + 1 if known.infos else 0
    for *row, first, last in connection.execute(query, (since,)):
        info = infos[str(row[0])] = to_document(row)
        squashed_names[info.doc_id] = squash(info.name)
        passages = DocumentPassages(info.doc_id, first, last, hash((info.sha256, info.revision, info.added)))
        number = known.passages.numbers.get(info.doc_id)
        if number is None or known.passages.passages_of(number) != passages:
            changed.append(info.doc_id)
            if len(passages):
                added.append(passages)
    (count,) = connection.execute("SELECT count(*) FROM documents").fetchone()
    if len(infos) != count:
        return None
    return Catalogue(version, infos, PassageMap(known.passages, added, changed), squashed_names)
