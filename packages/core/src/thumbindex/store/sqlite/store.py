"""The store on one SQLite file: documents with their trees, passages, and the index of their terms."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import threading
from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import get_args

from ...concurrency.forks import ForkSafeLock
from ...errors import LibraryError
from ...outline import Origin
from ...pages import Kind, LineRange, Metadata, PageRange
from ...scope import Condition
from ...text.terms import squash, tokenize
from ...tree import corrections
from ...tree.exchange import unpack
from ...tree.model import Tree
from .. import StoredPassage
from ..index import (
    DocumentPassages,
    IndexedPassage,
    PassageMap,
    PassageSelection,
    SearchedDocuments,
    SearchView,
)
from ..names import heading_terms, name_terms
from ..records import DocumentInfo, Passage, Prepared, PreviousRevision, SourceKey
from . import segments
from .candidates import read_indexed, select_passages
from .conditions import metadata_rows, to_json, to_sql
from .connections import Connections
from .segments import PostingsReader

APPLICATION_ID = 0x7468756D  # "thum", in the header of every library file
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE documents (
        id INTEGER PRIMARY KEY,
        doc_id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        source TEXT NOT NULL,
        source_key TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        origin TEXT NOT NULL,
        page_count INTEGER NOT NULL,
        section_count INTEGER NOT NULL,
        pages_without_text TEXT NOT NULL,
        revision INTEGER NOT NULL,
        added TEXT NOT NULL,
        sha256 TEXT NOT NULL UNIQUE,
        metadata TEXT NOT NULL,
        language TEXT NOT NULL,
        tree BLOB NOT NULL,
        first_passage INTEGER NOT NULL,
        last_passage INTEGER NOT NULL
    );
    CREATE INDEX documents_by_name ON documents (name);
    CREATE TABLE metadata (
        document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (key, value, document)
    ) WITHOUT ROWID;
    CREATE INDEX metadata_by_document ON metadata (document);
    CREATE TABLE passages (
        id INTEGER PRIMARY KEY,
        document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        node_id TEXT NOT NULL,
        section TEXT NOT NULL,
        path TEXT NOT NULL,
        text TEXT NOT NULL,
        first_line INTEGER NOT NULL,
        last_line INTEGER NOT NULL,
        first_page INTEGER,
        last_page INTEGER,
        first_label TEXT,
        last_label TEXT,
        pointers TEXT NOT NULL,
        UNIQUE (document, node_id)
    );
    CREATE VIRTUAL TABLE passage_terms USING fts5 (
        title, path, body, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co' tokenchars '.'''"
    );
    """,
    """
    ALTER TABLE documents ADD COLUMN reused_sections INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE documents ADD COLUMN given TEXT NOT NULL DEFAULT '{}';
    CREATE TABLE summaries (
        document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        section TEXT NOT NULL,
        summary TEXT NOT NULL,
        PRIMARY KEY (document, section)
    ) WITHOUT ROWID;
    CREATE TABLE revised_sections (
        document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        section TEXT NOT NULL,
        nearest TEXT NOT NULL,
        PRIMARY KEY (document, section)
    ) WITHOUT ROWID;
    """,
    """
    CREATE VIRTUAL TABLE document_names USING fts5 (
        name, headings, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co' tokenchars '.'''"
    );
    CREATE TABLE state (version INTEGER NOT NULL);
    INSERT INTO state VALUES (1);
    """,
    """
    ALTER TABLE documents ADD COLUMN corrections TEXT NOT NULL DEFAULT '[]';
    """,
    """
    CREATE TABLE trees (document INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE, tree BLOB NOT NULL);
    INSERT INTO trees SELECT id, tree FROM documents;
    UPDATE documents SET tree = x'';
    """,
    """
    CREATE TABLE passage_tokens (id INTEGER PRIMARY KEY, title TEXT NOT NULL, path TEXT NOT NULL, body TEXT NOT NULL);
    INSERT INTO passage_tokens SELECT rowid, title, path, body FROM passage_terms;
    DROP TABLE passage_terms;
    CREATE TABLE segments (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, size INTEGER NOT NULL, dead INTEGER NOT NULL);
    CREATE TABLE postings (id INTEGER PRIMARY KEY, segment INTEGER NOT NULL, term TEXT NOT NULL, block BLOB NOT NULL);
    CREATE UNIQUE INDEX postings_by_term ON postings (segment, term);
    ALTER TABLE documents ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX documents_by_change ON documents (changed);
    CREATE INDEX documents_by_passage ON documents (first_passage);
    """,
)
"""SQL that leads from each version of the schema to the next; a file's version is its `user_version`."""

DOCUMENT = (
    "doc_id, name, source, kind, origin, page_count, section_count, pages_without_text, revision, added, sha256, "
    "metadata, language, reused_sections"
)
_PASSAGE = (
    "p.id, d.doc_id, p.node_id, p.section, p.path, p.text, p.first_line, p.last_line, p.first_page, p.last_page, "
    "p.first_label, p.last_label, p.pointers"
)


_SCOPES_KEPT = 16


class Catalogue:
    """All documents in their order, where their passages are, and their names in one piece, as of one version of the
    library."""

    __slots__ = ("_ends", "_everything", "_ids", "_names", "_reader", "_searched", "infos", "passages", "version")

    def __init__(
        self, version: int, infos: Mapping[str, DocumentInfo], passages: PassageMap, squashed: Mapping[str, str]
    ) -> None:
        """`squashed` are the names without what stands between letters and digits, in the order of the documents."""
        self.version = version
        self.infos = infos
        self.passages = passages
        self._reader = PostingsReader()
        self._everything: SearchedDocuments | None = None
        self._searched: dict[frozenset[str], SearchedDocuments] = {}
        # All names in one text: looking into thousands takes milliseconds for each word.
        self._names = "\n".join(squashed.values())
        self._ends = array("Q", accumulate(len(name) + 1 for name in squashed.values()))
        self._ids = list(infos)

    @property
    def squashed(self) -> dict[str, str]:
        """The squashed name of each document."""
        return dict(zip(self._ids, self._names.split("\n"), strict=True)) if self._ids else {}

    def named(self, part: str) -> Iterator[str]:
        """The documents whose squashed names hold this."""
        at = self._names.find(part)
        while at >= 0:
            place = bisect_right(self._ends, at)
            yield self._ids[place]
            at = self._names.find(part, self._ends[place])

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
        found = self._searched.get(wanted)
        if found is None:
            found = SearchedDocuments(self.passages, (numbers[doc_id] for doc_id in wanted if doc_id in numbers))
            if len(self._searched) >= _SCOPES_KEPT:
                self._searched = {}
            self._searched[wanted] = found
        return found


class SqliteStore:
    """The store in one SQLite file, or in memory where `path` is None.

    Raises:
        LibraryError: the file is no library, was made by a newer version, or cannot be opened.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        name = None if path is None else os.fspath(path)
        if name is not None:
            _check_place(name)
        self._connections = Connections(name)
        self._catalogue = Catalogue(0, {}, PassageMap(), {})
        self._catalogue_lock = ForkSafeLock()
        self._local = threading.local()
        self._migrate()

    @property
    def path(self) -> str | None:
        """The library's file; None in memory."""
        return self._connections.path

    def _migrate(self) -> None:
        with self._connections.reading() as connection:
            version = _check_kind(connection, self._connections.name)
        if version == len(MIGRATIONS):
            return
        with self._connections.writing() as connection:
            # Another process may have done it while this one waited for the lock.
            version = _check_kind(connection, self._connections.name)
            for script in MIGRATIONS[version:]:
                # `executescript` would commit first; the statements are ours and hold no semicolons inside.
                for statement in script.split(";"):
                    connection.execute(statement)
            if 0 < version < 3:
                for *row, packed in connection.execute(
                    f"SELECT id, {DOCUMENT}, t.tree FROM documents JOIN trees AS t ON document = id"
                ).fetchall():
                    info = to_document(row[1:])
                    _write_name(connection, row[0], info, heading_terms(unpack(packed), info.language))
            if 0 < version < 6:
                segments.rebuild(connection)
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")

    def snapshot(self) -> AbstractContextManager[object]:
        """While open, all that this thread reads comes from one state of the library."""
        return self._looking()

    @contextmanager
    def _looking(self) -> Iterator[tuple[sqlite3.Connection, Catalogue]]:
        """A connection that sees one state of the library, and the catalogue of that state."""
        pinned: Catalogue | None = getattr(self._local, "catalogue", None)
        with ExitStack() as stack:
            if pinned is not None:
                yield stack.enter_context(self._connections.reading()), pinned
                return
            # One thread reads what has changed, and the others find it read. No state that is seen later is older than the
            # catalogue, which would have to be read anew for it.
            with self._catalogue_lock.held():
                connection = stack.enter_context(self._connections.reading())
                catalogue = self._local.catalogue = self._read_catalogue(connection)
            try:
                yield connection, catalogue
            finally:
                self._local.catalogue = None

    # Writing

    def put(self, document: Prepared) -> DocumentInfo | None:
        """Keep a document or a new revision of it, in one transaction; the same bytes change nothing.

        Returns the document as kept; None, and nothing is changed, if the revision that this one replaces is not the
        latest any more: prepare it again.
        """
        info = document.info
        with self._connections.writing() as connection:
            same = connection.execute(f"SELECT {DOCUMENT} FROM documents WHERE sha256 = ?", (info.sha256,)).fetchone()
            before = connection.execute(
                "SELECT id, doc_id, revision FROM documents WHERE source_key = ?", (str(document.source_key),)
            ).fetchone()
            if same is not None and not (document.is_correction and before is not None and before[1] == same[0]):
                return to_document(same)
            if (0 if before is None else before[2]) != document.replaces:
                return None
            first = segments.next_passage(connection)
            last = first + len(document.passages) - 1
            said = (
                str(document.source_key),
                to_json(document.given),
                json.dumps([corrections.to_json(one) for one in document.corrections]),
            )
            columns = [
                *DOCUMENT.split(", "),
                "source_key",
                "given",
                "corrections",
                "tree",
                "first_passage",
                "last_passage",
            ]
            if before is None:
                info = replace(info, doc_id=_free_id(connection, info.doc_id))
                row = (*_row(info), *said, b"", first, last)
                number = connection.execute(
                    f"INSERT INTO documents ({', '.join(columns)}) VALUES (?{', ?' * (len(row) - 1)})", row
                ).lastrowid
            else:
                number, doc_id, revision = before
                info = replace(info, doc_id=doc_id, revision=revision + 1)
                _clear(connection, number)
                row = (*_row(info), *said, b"", first, last)
                changes = ", ".join(f"{column} = ?" for column in columns)
                connection.execute(f"UPDATE documents SET {changes} WHERE id = ?", (*row, number))
                _revise(connection, number, document)
            connection.execute("INSERT OR REPLACE INTO trees VALUES (?, ?)", (number, document.tree))
            _write_metadata(connection, number, info.metadata)
            _write_name(connection, number, info, document.headings)
            connection.executemany(
                "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (_passage_row(first + i, number, passage) for i, passage in enumerate(document.passages)),
            )
            connection.executemany(
                "INSERT INTO passage_tokens (id, title, path, body) VALUES (?, ?, ?, ?)",
                ((first + i, *fields) for i, fields in enumerate(document.terms)),
            )
            segments.append(connection, first, document.terms)
            segments.compact(connection)
        return info

    def move(self, doc_id: str, *, name: str, source: str, source_key: SourceKey) -> DocumentInfo | None:
        """Let a document come from another place, as when its file was renamed; None if it is gone or the place taken."""
        with self._connections.writing() as connection:
            taken = connection.execute("SELECT 1 FROM documents WHERE source_key = ?", (str(source_key),)).fetchone()
            if taken is None:
                connection.execute(
                    "UPDATE documents SET name = ?, source = ?, source_key = ? WHERE doc_id = ?",
                    (name, source, str(source_key), doc_id),
                )
            row = connection.execute(
                f"SELECT id, {DOCUMENT} FROM documents WHERE doc_id = ? AND source_key = ?", (doc_id, str(source_key))
            ).fetchone()
            if row is not None:
                _write_name(connection, row[0], to_document(row[1:]))
        return None if row is None else to_document(row[1:])

    def set_summaries(self, doc_id: str, summaries: Mapping[str, str]) -> bool:
        """Keep what sections are about, by section id; an empty text forgets it. Whether the document is there."""
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
        """Set some of a document's metadata and leave the others; None if it is not there."""
        with self._connections.writing() as connection:
            found = connection.execute(
                "SELECT id, metadata, given FROM documents WHERE doc_id = ?", (doc_id,)
            ).fetchone()
            if found is None:
                return None
            number, *kept = found
            whole, given = ({**json.loads(text), **metadata} for text in kept)
            connection.execute(
                "UPDATE documents SET metadata = ?, given = ? WHERE id = ?", (to_json(whole), to_json(given), number)
            )
            connection.execute("DELETE FROM metadata WHERE document = ?", (number,))
            _write_metadata(connection, number, whole)
            query = f"SELECT {DOCUMENT} FROM documents WHERE id = ?"
            info = to_document(connection.execute(query, (number,)).fetchone())
            _write_name(connection, number, info)
        return info

    def remove(self, doc_id: str) -> bool:
        """Forget a document and all that belongs to it; whether it was there."""
        with self._connections.writing() as connection:
            found = connection.execute("SELECT id FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()
            if found is not None:
                _clear(connection, found[0])
                connection.execute("DELETE FROM documents WHERE id = ?", found)
                segments.compact(connection)
            return found is not None

    # Reading

    def find(self, *, sha256: str) -> tuple[DocumentInfo, SourceKey] | None:
        """The document whose present revision was made from these bytes, and its source key."""
        with self._connections.reading() as connection:
            row = connection.execute(
                f"SELECT {DOCUMENT}, source_key FROM documents WHERE sha256 = ?", (sha256,)
            ).fetchone()
        return None if row is None else (to_document(row[:-1]), SourceKey.parse(row[-1]))

    def previous_revision(self, source_key: SourceKey) -> PreviousRevision | None:
        """The revision that a document with this source key would replace."""
        with self._connections.reading() as connection:
            row = connection.execute(
                "SELECT revision, t.tree, given, corrections FROM documents JOIN trees AS t ON document = id WHERE source_key = ?",
                (str(source_key),),
            ).fetchone()
        if row is None:
            return None
        return PreviousRevision(
            row[0], row[1], json.loads(row[2]), tuple(corrections.from_json(one) for one in json.loads(row[3]))
        )

    def sources(self) -> dict[str, SourceKey]:
        """Source key of every document, by its id."""
        with self._connections.reading() as connection:
            rows = connection.execute("SELECT doc_id, source_key FROM documents").fetchall()
        return {doc_id: SourceKey.parse(key) for doc_id, key in rows}

    def nearest(self, doc_id: str, node_id: str) -> str | None:
        """The section nearest to one that earlier revisions had and this one has not."""
        query = """
            SELECT r.nearest FROM documents AS d JOIN revised_sections AS r ON r.document = d.id
            WHERE d.doc_id = ? AND r.section = ?
        """
        with self._connections.reading() as connection:
            row = connection.execute(query, (doc_id, node_id)).fetchone()
        return None if row is None else str(row[0])

    def documents(self, *, where: Condition | None = None) -> list[DocumentInfo]:
        """Documents for which the condition holds, in the order of their first adding; None for all."""
        with self._looking() as (connection, catalogue):
            if where is None:
                return list(catalogue.infos.values())
            expression, values = to_sql(where)
            found = connection.execute(f"SELECT doc_id FROM documents WHERE {expression} ORDER BY id", values)
            return [catalogue.infos[doc_id] for (doc_id,) in found]

    def _read_catalogue(self, connection: sqlite3.Connection) -> Catalogue:
        """All documents; after a change only those that changed are read: all of thousands take a tenth of a second."""
        (version,) = connection.execute("SELECT version FROM state").fetchone()
        known = self._catalogue
        if known.version == version:
            return known
        read = _changed_since(connection, version, known) if known.version < version else None
        read = read or _changed_since(connection, version, Catalogue(0, {}, PassageMap(), {}))
        assert read is not None
        if version > self._catalogue.version:
            self._catalogue = read
        return read

    def terms_in_names(self, terms: Collection[str], documents: Sequence[str]) -> dict[str, set[str]]:
        """Returns by document id which of these terms a document's name and metadata contain; empty sets are left out.

        A name may run its words together: `AMERICANEXPRESS_2022` contains `american`.
        """
        named: dict[str, set[str]] = {}
        wanted = set(documents)
        with self._looking() as (connection, catalogue):
            for term in terms:
                phrase = 'name : "' + term.replace('"', '""') + '"'
                query = """
                    SELECT doc_id FROM documents
                    WHERE id IN (SELECT rowid FROM document_names WHERE document_names MATCH ?)
                """
                found = {doc_id for (doc_id,) in connection.execute(query, (phrase,))}
                if len(term) > 3 and term.isalpha():
                    found.update(catalogue.named(term))
                for doc_id in found & wanted:
                    named.setdefault(doc_id, set()).add(term)
        return named

    def may_mention(self, text: str, documents: Sequence[DocumentInfo]) -> list[DocumentInfo]:
        """Returns the documents among these whose text or headings contain all terms of the words."""
        kept = list(documents)
        with self._looking() as (connection, catalogue):
            everything = catalogue.view(connection)
            for language in {info.language for info in documents}:
                words = " ".join(word for word in text.split() if not word.endswith("*"))
                for term in dict.fromkeys(tokenize(words, language)):
                    held = _holding(connection, everything, term)
                    kept = [info for info in kept if info.language != language or info.doc_id in held]
        return kept

    def tree(self, doc_id: str) -> Tree | None:
        """The document's tree with its text and the summaries that were kept since."""
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
        """The passages of a document, or those that hold any of these lines, in reading order."""
        query = f"SELECT {_PASSAGE} FROM passages AS p JOIN documents AS d ON d.id = p.document WHERE d.doc_id = ?"
        values: list[str | int] = [doc_id]
        if lines is not None:
            query += " AND p.first_line <= ? AND p.last_line >= ?"
            values += [lines.last, lines.first]
        with self._connections.reading() as connection:
            return [_passage(row) for row in connection.execute(query + " ORDER BY p.id", values)]

    def load(self, doc_id: str, node_ids: Sequence[str]) -> dict[str, StoredPassage]:
        """Some passages of one document by their ids; unknown ids are left out."""
        query = f"""
            SELECT {_PASSAGE} FROM documents AS d JOIN passages AS p ON p.document = d.id
            WHERE d.doc_id = ? AND p.node_id IN (SELECT value FROM json_each(?))
        """
        with self._connections.reading() as connection:
            rows = connection.execute(query, (doc_id, json.dumps(list(node_ids)))).fetchall()
        return {passage.passage.node_id: passage for passage in map(_passage, rows)}

    @contextmanager
    def search_view(self, documents: Sequence[str]) -> Iterator[SearchView]:
        """Opens the index of some documents; it is valid inside the `with` block, in one state of the library."""
        with self._looking() as (connection, catalogue):
            yield catalogue.view(connection, documents)

    def select_passages(
        self, terms: Sequence[str], documents: Sequence[str], *, limit: int, scope: Sequence[str] = ()
    ) -> PassageSelection:
        """Selects up to `limit` passages of these documents that contain any of the terms, those with the rarest terms first;
        `scope` are the documents that these were chosen from."""
        with self._looking() as (connection, catalogue):
            selection = select_passages(catalogue.view(connection, documents), terms, limit)
            if not scope:
                return selection
            whole = catalogue.view(connection, scope)
            return replace(selection, scope_frequencies={term: whole.count(term) for term in dict.fromkeys(terms)})

    def indexed(self, numbers: Sequence[int]) -> list[IndexedPassage]:
        """Returns passages by their numbers, in ascending order; unknown numbers are left out."""
        with self._looking() as (connection, catalogue):
            return list(read_indexed(connection, catalogue.passages, numbers))

    def close(self) -> None:
        """Close all connections."""
        self._connections.close()


def _holding(connection: sqlite3.Connection, everything: SearchView, term: str) -> set[str]:
    """Ids of the documents that hold a term."""
    phrase = '"' + term.replace('"', '""') + '"'
    query = "SELECT doc_id FROM documents WHERE id IN (SELECT rowid FROM document_names WHERE document_names MATCH ?)"
    found = {doc_id for (doc_id,) in connection.execute(query, (f"headings : {phrase}",))}
    passages = everything.documents.passages
    return found.union(passages.ids[number] for number in set(map(passages.document_of, everything.rows(term))))


def _check_place(path: str) -> None:
    place = Path(path)
    if place.is_dir():
        raise LibraryError(f"{path} is a folder. Give the path of a file in it, such as {place / 'library.db'}.")
    if not place.absolute().parent.is_dir():
        raise LibraryError(f"{path} cannot be made: its folder does not exist. Make the folder first.")


def _check_kind(connection: sqlite3.Connection, name: str) -> int:
    """The schema version of a library file, 0 for an empty one."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application == APPLICATION_ID:
        if version > len(MIGRATIONS):
            raise LibraryError(f"{name} was made by a newer version of thumbindex: pip install -U thumbindex")
        return int(version)
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] or version or application:
        raise LibraryError(f"{name} is a database of another program, not a library. Choose another path.")
    return 0


def _changed_since(connection: sqlite3.Connection, version: int, known: Catalogue) -> Catalogue | None:
    """The catalogue after the changes since an earlier one; None if documents were removed, which leaves no trace."""
    infos, squashed = dict(known.infos), known.squashed
    added: list[DocumentPassages] = []
    changed: list[str] = []
    query = f"SELECT {DOCUMENT}, first_passage, last_passage FROM documents WHERE changed >= ? ORDER BY id"
    # What an earlier version of the package wrote has changed = 0.
    since = known.version + 1 if known.infos else 0
    for *row, first, last in connection.execute(query, (since,)):
        info = infos[str(row[0])] = to_document(row)
        squashed[info.doc_id] = squash(info.name)
        passages = DocumentPassages(info.doc_id, first, last, hash((info.sha256, info.revision, info.added)))
        number = known.passages.numbers.get(info.doc_id)
        if number is None or known.passages.passages_of(number) != passages:
            changed.append(info.doc_id)
            if len(passages):
                added.append(passages)
    (count,) = connection.execute("SELECT count(*) FROM documents").fetchone()
    if len(infos) != count:
        return None
    return Catalogue(version, infos, PassageMap(known.passages, added, changed), squashed)


def _free_id(connection: sqlite3.Connection, wanted: str) -> str:
    """The id, with a number where a document has it already whose first revision had these bytes."""
    free, number = wanted, 1
    while connection.execute("SELECT 1 FROM documents WHERE doc_id = ?", (free,)).fetchone():
        number += 1
        free = f"{wanted}-{number}"
    return free


def _clear(connection: sqlite3.Connection, document: int) -> None:
    """Forget the text of a document, and nothing that was said of it."""
    first, last = connection.execute(
        "SELECT first_passage, last_passage FROM documents WHERE id = ?", (document,)
    ).fetchone()
    connection.execute("DELETE FROM passage_tokens WHERE id BETWEEN ? AND ?", (first, last))
    segments.remove(connection, first, last)
    connection.execute("DELETE FROM passages WHERE document = ?", (document,))
    connection.execute("DELETE FROM metadata WHERE document = ?", (document,))
    connection.execute("DELETE FROM document_names WHERE rowid = ?", (document,))
    connection.execute("UPDATE state SET version = version + 1")


def _write_name(
    connection: sqlite3.Connection, document: int | None, info: DocumentInfo, headings: str | None = None
) -> None:
    """What names a document, for searching, and that the list of documents is another one now."""
    name = " ".join(sorted(name_terms(info)))
    if headings is None:
        connection.execute("UPDATE document_names SET name = ? WHERE rowid = ?", (name, document))
    else:
        connection.execute(
            "INSERT OR REPLACE INTO document_names (rowid, name, headings) VALUES (?, ?, ?)", (document, name, headings)
        )
    connection.execute("UPDATE state SET version = version + 1")
    connection.execute("UPDATE documents SET changed = (SELECT version FROM state) WHERE id = ?", (document,))


def _revise(connection: sqlite3.Connection, number: int, document: Prepared) -> None:
    """Let go of what was said of sections whose text changed, and remember what became of those that are gone."""
    connection.execute(
        "DELETE FROM summaries WHERE document = ? AND section NOT IN (SELECT value FROM json_each(?))",
        (number, json.dumps(sorted(document.same))),
    )
    gone = dict(
        connection.execute("SELECT section, nearest FROM revised_sections WHERE document = ?", (number,)).fetchall()
    )
    gone = {section: document.nearest.get(nearest, nearest) for section, nearest in gone.items()}
    gone.update(document.nearest)
    connection.execute("DELETE FROM revised_sections WHERE document = ?", (number,))
    connection.executemany(
        "INSERT INTO revised_sections (document, section, nearest) VALUES (?, ?, ?)",
        ((number, section, nearest) for section, nearest in gone.items()),
    )


def _write_metadata(connection: sqlite3.Connection, document: int | None, metadata: Metadata) -> None:
    rows = ((document, key, value) for key, value in sorted(metadata_rows(metadata)))
    connection.executemany("INSERT INTO metadata (document, key, value) VALUES (?, ?, ?)", rows)


def _row(info: DocumentInfo) -> tuple[str | int, ...]:
    return (
        info.doc_id,
        info.name,
        info.source,
        info.kind,
        info.origin,
        info.page_count,
        info.section_count,
        json.dumps(info.pages_without_text),
        info.revision,
        info.added,
        info.sha256,
        to_json(info.metadata),
        info.language,
        info.reused_sections,
    )


def to_document(row: Sequence[object]) -> DocumentInfo:
    """A document from the columns `DOCUMENT` of its row."""
    doc_id, name, source, kind, origin, pages, sections, without, revision, added, sha256, metadata, language = row[:13]
    return DocumentInfo(
        doc_id=str(doc_id),
        name=str(name),
        # Thousands are kept: what is the same is one text.
        source=str(name) if source == name else str(source),
        kind=next(known for known in get_args(Kind) if known == kind),
        origin=next(known for known in get_args(Origin) if known == origin),
        page_count=int(str(pages)),
        section_count=int(str(sections)),
        pages_without_text=tuple(json.loads(str(without))),
        revision=int(str(revision)),
        added=sys.intern(str(added)),
        sha256=str(sha256),
        metadata=json.loads(str(metadata)),
        language=sys.intern(str(language)),
        reused_sections=int(str(row[13])),
    )


def _passage_row(number: int, document: int | None, passage: Passage) -> tuple[str | int | None, ...]:
    pages, labels = passage.pages, passage.page_labels
    return (
        number,
        document,
        passage.node_id,
        passage.section,
        passage.path,
        passage.text,
        passage.lines.first,
        passage.lines.last,
        pages.first if pages else None,
        pages.last if pages else None,
        labels[0] if labels else None,
        labels[1] if labels else None,
        json.dumps(passage.pointers),
    )


def _passage(
    row: tuple[int, str, str, str, str, str, int, int, int | None, int | None, str | None, str | None, str],
) -> StoredPassage:
    number, doc_id, node_id, section, path, text, first_line, last_line, first_page, last_page, *labels, pointers = row
    passage = Passage(
        node_id=node_id,
        section=section,
        path=path,
        text=text,
        lines=LineRange(first_line, last_line),
        pages=None if first_page is None or last_page is None else PageRange(first_page, last_page),
        page_labels=None if None in labels else (str(labels[0]), str(labels[1])),
        pointers=tuple((line, tuple(targets)) for line, targets in json.loads(str(pointers))),
    )
    return StoredPassage(number, doc_id, passage)
