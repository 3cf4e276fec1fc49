"""The store in one SQLite file: documents with their trees, passages, and the index of their terms."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from ...concurrency.forks import ForkSafeLock
from ...errors import LibraryError
from ...pages import LineRange, Metadata
from ...scope import Condition
from ...text.terms import may_be_in_name, tokenize
from ...tree.corrections import from_json
from ...tree.exchange import unpack
from ...tree.model import Tree
from .. import StoredPassage
from ..index import IndexedPassage, PassageSelection, SearchView
from ..records import DocumentInfo, Prepared, PreviousRevision, SourceKey, content_key
from . import segments
from .candidates import read_indexed, select_passages
from .catalogue import Catalogue, read_catalogue
from .conditions import to_json, to_sql
from .connections import Connections
from .rows import DOCUMENT_COLUMNS, PASSAGE_COLUMNS, to_document, to_passage
from .schema import VERSION, migrate, read_version
from .writing import clear_text, free_id, insert_document, update_document, write_metadata, write_name, write_text


class SqliteStore:
    """A `Store` in one SQLite file.

    Args:
        path: The library's file, made if it does not exist; None for a store in memory.

    Raises:
        LibraryError: The file is no library, was made by a newer version, or cannot be opened.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        name = None if path is None else os.fspath(path)
        if name is not None:
            _check_path(name)
        self._connections = Connections(name)
        self._catalogue = Catalogue.empty()
        self._catalogue_lock = ForkSafeLock()
        self._local = threading.local()
        with self._connections.reading() as connection:
            version = read_version(connection, self._connections.name)
        if version != VERSION:
            with self._connections.writing() as connection:
                migrate(connection, self._connections.name)

    @property
    def path(self) -> str | None:
        """The library's file; None in memory."""
        return self._connections.path

    def snapshot(self) -> AbstractContextManager[object]:
        """Returns a block in which all that this thread reads comes from one state of the library."""
        return self._state()

    @contextmanager
    def _state(self) -> Iterator[tuple[sqlite3.Connection, Catalogue]]:
        """A connection that sees one state of the library, and the catalogue of that state."""
        pinned: Catalogue | None = getattr(self._local, "catalogue", None)
        with ExitStack() as stack:
            if pinned is not None:
                yield stack.enter_context(self._connections.reading()), pinned
                return
            # One thread reads the changes, and the others find them read. No state that is seen later is older than the
            # catalogue, which would have to be read anew for it.
            with self._catalogue_lock.held():
                connection = stack.enter_context(self._connections.reading())
                catalogue = self._local.catalogue = read_catalogue(connection, self._catalogue)
                if catalogue.version > self._catalogue.version:
                    self._catalogue = catalogue
            try:
                yield connection, catalogue
            finally:
                self._local.catalogue = None

    # Writing

    def put(self, document: Prepared) -> DocumentInfo | None:
        """Stores a document, or a new revision of the one with the same source key; the same bytes change nothing.

        Returns:
            The document as stored; None if it replaces a revision that is no longer the latest: prepare it again.
        """
        info = document.info
        with self._connections.writing() as connection:
            same = connection.execute(
                f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE content = ?", (content_key(info.sha256, info.tenant),)
            ).fetchone()
            previous = connection.execute(
                "SELECT id, doc_id, revision FROM documents WHERE source_key = ?", (str(document.source_key),)
            ).fetchone()
            if same is not None and not (document.is_correction and previous is not None and previous[1] == same[0]):
                return to_document(same)
            if (0 if previous is None else previous[2]) != document.replaces:
                return None
            if previous is None:
                info = replace(info, doc_id=free_id(connection, info.doc_id))
                number = insert_document(connection, info, document)
            else:
                number, doc_id, revision = previous
                info = replace(info, doc_id=doc_id, revision=revision + 1)
                clear_text(connection, number)
                update_document(connection, number, info, document)
            write_text(connection, number, info, document)
        return info

    def move(self, doc_id: str, *, name: str, source: str, source_key: SourceKey) -> DocumentInfo | None:
        """Moves a document to a new source; None if it does not exist, or another document has that source."""
        with self._connections.writing() as connection:
            taken = connection.execute("SELECT 1 FROM documents WHERE source_key = ?", (str(source_key),)).fetchone()
            if taken is None:
                connection.execute(
                    "UPDATE documents SET name = ?, source = ?, source_key = ? WHERE doc_id = ?",
                    (name, source, str(source_key), doc_id),
                )
            row = connection.execute(
                f"SELECT id, {DOCUMENT_COLUMNS} FROM documents WHERE doc_id = ? AND source_key = ?",
                (doc_id, str(source_key)),
            ).fetchone()
            if row is None:
                return None
            info = to_document(row[1:])
            write_name(connection, row[0], info)
        return info

    def set_summaries(self, doc_id: str, summaries: Mapping[str, str]) -> bool:
        """Stores summaries of sections by section id; an empty one removes what is stored.

        Returns:
            Whether the document exists.
        """
        with self._connections.writing() as connection:
            found = connection.execute("SELECT id FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()
            if found is None:
                return False
            connection.executemany(
                "INSERT OR REPLACE INTO summaries (document, section, summary) VALUES (?, ?, ?)",
                ((found[0], section, summary) for section, summary in summaries.items()),
            )
            connection.execute("DELETE FROM summaries WHERE document = ? AND summary = ''", found)
        return True

    def add_metadata(self, doc_id: str, metadata: Metadata) -> DocumentInfo | None:
        """Sets some of a document's metadata and leaves the rest; None if the document does not exist."""
        with self._connections.writing() as connection:
            found = connection.execute(
                "SELECT id, metadata, given FROM documents WHERE doc_id = ?", (doc_id,)
            ).fetchone()
            if found is None:
                return None
            number, *stored = found
            everything, given = ({**json.loads(text), **metadata} for text in stored)
            connection.execute(
                "UPDATE documents SET metadata = ?, given = ? WHERE id = ?",
                (to_json(everything), to_json(given), number),
            )
            write_metadata(connection, number, everything)
            query = f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE id = ?"
            info = to_document(connection.execute(query, (number,)).fetchone())
            write_name(connection, number, info)
        return info

    def remove(self, doc_id: str) -> bool:
        """Removes a document and all that belongs to it; returns whether it existed."""
        with self._connections.writing() as connection:
            found = connection.execute("SELECT id FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()
            if found is not None:
                clear_text(connection, found[0])
                connection.execute("DELETE FROM documents WHERE id = ?", found)
                segments.compact(connection)
            return found is not None

    # Documents

    def find(self, *, sha256: str, tenant: str = "") -> tuple[DocumentInfo, SourceKey] | None:
        """Returns the document of a tenant whose present revision was made from these bytes, and its source key."""
        with self._connections.reading() as connection:
            row = connection.execute(
                f"SELECT {DOCUMENT_COLUMNS}, source_key FROM documents WHERE content = ?",
                (content_key(sha256, tenant),),
            ).fetchone()
        return None if row is None else (to_document(row[:-1]), SourceKey.parse(row[-1]))

    def previous_revision(self, source_key: SourceKey) -> PreviousRevision | None:
        """Returns the revision that a document with this source key would replace."""
        query = """
            SELECT revision, t.tree, given, corrections FROM documents JOIN trees AS t ON document = id
            WHERE source_key = ?
        """
        with self._connections.reading() as connection:
            row = connection.execute(query, (str(source_key),)).fetchone()
        if row is None:
            return None
        revision, tree, given, corrections = row
        return PreviousRevision(revision, tree, json.loads(given), tuple(map(from_json, json.loads(corrections))))

    def sources(self) -> dict[str, SourceKey]:
        """Returns the source key of every document, by document id."""
        with self._connections.reading() as connection:
            rows = connection.execute("SELECT doc_id, source_key FROM documents").fetchall()
        return {doc_id: SourceKey.parse(key) for doc_id, key in rows}

    def nearest(self, doc_id: str, node_id: str) -> str | None:
        """Returns the id of the section nearest to one that earlier revisions had and this one has not."""
        query = """
            SELECT r.nearest FROM documents AS d JOIN revised_sections AS r ON r.document = d.id
            WHERE d.doc_id = ? AND r.section = ?
        """
        with self._connections.reading() as connection:
            row = connection.execute(query, (doc_id, node_id)).fetchone()
        return None if row is None else str(row[0])

    def documents(self, *, where: Condition | None = None) -> list[DocumentInfo]:
        """Returns the documents for which the condition holds, all for None, in the order of their first adding."""
        with self._state() as (connection, catalogue):
            if where is None:
                return list(catalogue.infos.values())
            expression, values = to_sql(where)
            found = connection.execute(f"SELECT doc_id FROM documents WHERE {expression} ORDER BY id", values)
            return [catalogue.infos[doc_id] for (doc_id,) in found]

    # Text

    def tree(self, doc_id: str) -> Tree | None:
        """Returns a document's tree with its text, and with the summaries that were stored since; None if it does not exist."""
        with self._connections.reading() as connection:
            row = connection.execute(
                "SELECT id, t.tree FROM documents JOIN trees AS t ON document = id WHERE doc_id = ?", (doc_id,)
            ).fetchone()
            if row is None:
                return None
            summaries = dict(
                connection.execute("SELECT section, summary FROM summaries WHERE document = ?", (row[0],)).fetchall()
            )
        tree = unpack(row[1])
        if not summaries:
            return tree
        nodes = (replace(node, summary=summaries.get(node.id, node.summary)) for node in tree.nodes)
        return replace(tree, nodes=tuple(nodes))

    def passages(self, doc_id: str, *, lines: LineRange | None = None) -> list[StoredPassage]:
        """Returns the passages of a document, or those that contain any of these lines, in reading order."""
        query = f"""
            SELECT {PASSAGE_COLUMNS} FROM passages AS p JOIN documents AS d ON d.id = p.document WHERE d.doc_id = ?
        """
        values: list[str | int] = [doc_id]
        if lines is not None:
            query += " AND p.first_line <= ? AND p.last_line >= ?"
            values += [lines.last, lines.first]
        with self._connections.reading() as connection:
            return [to_passage(row) for row in connection.execute(query + " ORDER BY p.id", values)]

    def load(self, doc_id: str, node_ids: Sequence[str]) -> dict[str, StoredPassage]:
        """Returns passages of one document by their ids; unknown ids are left out."""
        query = f"""
            SELECT {PASSAGE_COLUMNS} FROM documents AS d JOIN passages AS p ON p.document = d.id
            WHERE d.doc_id = ? AND p.node_id IN (SELECT value FROM json_each(?))
        """
        with self._connections.reading() as connection:
            rows = connection.execute(query, (doc_id, json.dumps(list(node_ids)))).fetchall()
        return {stored.passage.node_id: stored for stored in map(to_passage, rows)}

    # Searching

    @contextmanager
    def search_view(self, documents: Sequence[str]) -> Iterator[SearchView]:
        """Opens the index of some documents; it is valid inside the `with` block, in one state of the library."""
        with self._state() as (connection, catalogue):
            yield catalogue.view(connection, documents)

    def select_passages(
        self, terms: Sequence[str], documents: Sequence[str], *, limit: int, scope: Sequence[str] = ()
    ) -> PassageSelection:
        """Selects up to `limit` passages of these documents that contain any of the terms, those with the rarest terms first.

        Args:
            scope: The documents that `documents` were chosen from, whose frequencies are returned too.
        """
        with self._state() as (connection, catalogue):
            selection = select_passages(catalogue.view(connection, documents), terms, limit)
            if not scope:
                return selection
            view = catalogue.view(connection, scope)
            return replace(selection, scope_frequencies={term: view.count(term) for term in dict.fromkeys(terms)})

    def indexed(self, numbers: Sequence[int]) -> list[IndexedPassage]:
        """Returns passages by their numbers, in ascending order; unknown numbers are left out."""
        with self._state() as (connection, catalogue):
            return list(read_indexed(connection, catalogue.passages, numbers))

    def terms_in_names(self, terms: Collection[str], documents: Sequence[str]) -> dict[str, set[str]]:
        """Returns by document id which of these terms a document's name and metadata contain; empty sets are left out.

        A name may run its words together: `AMERICANEXPRESS_2022` contains `american`.
        """
        named: dict[str, set[str]] = {}
        wanted = set(documents)
        with self._state() as (connection, catalogue):
            for term in terms:
                found = _match_names(connection, "name", term)
                if may_be_in_name(term):
                    found.update(catalogue.named(term))
                for doc_id in found & wanted:
                    named.setdefault(doc_id, set()).add(term)
        return named

    def may_mention(self, text: str, documents: Sequence[DocumentInfo]) -> list[DocumentInfo]:
        """Returns the documents among these whose text or headings contain all terms of the words."""
        remaining = list(documents)
        with self._state() as (connection, catalogue):
            view = catalogue.view(connection)
            for language in {info.language for info in documents}:
                # A word that ends in `*` stands for longer ones too, which the index does not list together.
                words = " ".join(word for word in text.split() if not word.endswith("*"))
                for term in dict.fromkeys(tokenize(words, language)):
                    containing = _match_names(connection, "headings", term) | _containing(view, term)
                    remaining = [info for info in remaining if info.language != language or info.doc_id in containing]
        return remaining

    def close(self) -> None:
        """Closes all connections; the store cannot be used afterwards."""
        self._connections.close()


def _match_names(connection: sqlite3.Connection, column: str, term: str) -> set[str]:
    """Returns the ids of documents whose name or headings, as `column` says, contain a term."""
    phrase = '"' + term.replace('"', '""') + '"'
    query = "SELECT doc_id FROM documents WHERE id IN (SELECT rowid FROM document_names WHERE document_names MATCH ?)"
    return {doc_id for (doc_id,) in connection.execute(query, (f"{column} : {phrase}",))}


def _containing(view: SearchView, term: str) -> set[str]:
    """Returns the ids of documents with a passage that contains a term."""
    passages = view.documents.passages
    return {passages.ids[number] for number in set(map(passages.document_of, view.rows(term)))}


def _check_path(path: str) -> None:
    place = Path(path)
    if place.is_dir():
        raise LibraryError(f"{path} is a folder. Give the path of a file in it, such as {place / 'library.db'}.")
    if not place.absolute().parent.is_dir():
        raise LibraryError(f"{path} cannot be created: its folder does not exist. Create the folder first.")
