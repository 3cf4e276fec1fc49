"""The store on one SQLite file: documents with their trees, passages, and the index of their terms."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import unicodedata
import zlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from ..errors import LibraryError
from ..evidence import PATH_SEPARATOR
from ..outline import Origin
from ..pages import Kind, LineRange, Metadata, PageRange
from ..tree.exchange import from_json, to_json
from ..tree.model import Tree
from . import Candidates, Filters, StoredPassage
from .connections import Connections
from .records import DocumentInfo, Passage
from .search import Range, find_candidates, rank_by_best_rows, weigh_rows
from .terms import tokenize

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
)
"""SQL that leads from each version of the schema to the next; a file's version is its `user_version`."""

_DOCUMENT = (
    "doc_id, name, source, kind, origin, page_count, section_count, pages_without_text, revision, added, sha256, "
    "metadata, language"
)
_PASSAGE = (
    "p.id, d.doc_id, p.node_id, p.section, p.path, p.text, p.first_line, p.last_line, p.first_page, p.last_page, "
    "p.first_label, p.last_label, p.pointers"
)


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
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")

    def snapshot(self) -> AbstractContextManager[object]:
        """While open, all that this thread reads comes from one state of the library."""
        return self._connections.reading()

    # Writing

    def put(self, tree: Tree, passages: Sequence[Passage], info: DocumentInfo, source_key: str) -> DocumentInfo:
        """Keep a document or a new revision of it, in one transaction; the same bytes change nothing.

        A document is known by `source_key`; `info.doc_id` is for one that is new. Returns the document as kept.
        """
        # All that takes time is done before the lock is taken.
        packed = zlib.compress(to_json(tree).encode(), 6)
        terms = [_terms(passage, info.language) for passage in passages]
        with self._connections.writing() as connection:
            same = connection.execute(f"SELECT {_DOCUMENT} FROM documents WHERE sha256 = ?", (info.sha256,)).fetchone()
            if same is not None:
                return _document(same)
            before = connection.execute(
                "SELECT id, doc_id, revision FROM documents WHERE source_key = ?", (source_key,)
            ).fetchone()
            number: int | None = None
            if before is not None:
                number, doc_id, revision = before
                info = replace(info, doc_id=doc_id, revision=revision + 1)
                self._forget(connection, before[0])
            elif connection.execute("SELECT 1 FROM documents WHERE doc_id = ?", (info.doc_id,)).fetchone():
                # Its first revision had these bytes, and it has others now.
                info = replace(info, doc_id=f"{info.doc_id}-{len(self._all_ids(connection)) + 1}")
            first = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM passages").fetchone()[0]
            last = first + len(passages) - 1
            row = (*_row(info), source_key, packed, first, last)
            columns = f"{_DOCUMENT}, source_key, tree, first_passage, last_passage"
            cursor = connection.execute(
                f"INSERT INTO documents (id, {columns}) VALUES (?{', ?' * len(row)})", (number, *row)
            )
            document = cursor.lastrowid
            _write_metadata(connection, document, info.metadata)
            connection.executemany(
                "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (_passage_row(first + i, document, passage) for i, passage in enumerate(passages)),
            )
            connection.executemany(
                "INSERT INTO passage_terms (rowid, title, path, body) VALUES (?, ?, ?, ?)",
                ((first + i, *fields) for i, fields in enumerate(terms)),
            )
        return info

    @staticmethod
    def _all_ids(connection: sqlite3.Connection) -> list[str]:
        return [row[0] for row in connection.execute("SELECT doc_id FROM documents")]

    @staticmethod
    def _forget(connection: sqlite3.Connection, document: int) -> None:
        first, last = connection.execute(
            "SELECT first_passage, last_passage FROM documents WHERE id = ?", (document,)
        ).fetchone()
        connection.execute("DELETE FROM passage_terms WHERE rowid BETWEEN ? AND ?", (first, last))
        connection.execute("DELETE FROM documents WHERE id = ?", (document,))

    def set_metadata(self, doc_id: str, metadata: Metadata) -> DocumentInfo | None:
        """Replace a document's metadata."""
        with self._connections.writing() as connection:
            found = connection.execute("SELECT id FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()
            if found is None:
                return None
            connection.execute("UPDATE documents SET metadata = ? WHERE id = ?", (_dump(metadata), found[0]))
            connection.execute("DELETE FROM metadata WHERE document = ?", found)
            _write_metadata(connection, found[0], metadata)
            return _document(connection.execute(f"SELECT {_DOCUMENT} FROM documents WHERE id = ?", found).fetchone())

    def remove(self, doc_id: str) -> bool:
        """Forget a document and all that belongs to it; whether it was there."""
        with self._connections.writing() as connection:
            found = connection.execute("SELECT id FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()
            if found is not None:
                self._forget(connection, found[0])
            return found is not None

    # Reading

    def find(self, *, sha256: str) -> tuple[DocumentInfo, str] | None:
        """The document whose present revision was made from these bytes, and its source key."""
        with self._connections.reading() as connection:
            row = connection.execute(
                f"SELECT {_DOCUMENT}, source_key FROM documents WHERE sha256 = ?", (sha256,)
            ).fetchone()
        return None if row is None else (_document(row[:-1]), row[-1])

    def documents(self, *, filters: Filters | None = None) -> list[DocumentInfo]:
        """All documents whose metadata pass the filters, in the order of their first adding."""
        query, values = f"SELECT {_DOCUMENT} FROM documents", []
        for number, (key, wanted) in enumerate((filters or {}).items()):
            options = list(wanted) if isinstance(wanted, list | tuple | set | frozenset) else [wanted]
            query += f" {'AND' if number else 'WHERE'} id IN (SELECT document FROM metadata WHERE key = ? AND value IN"
            query += " (SELECT value FROM json_each(?)))"
            values += [key, json.dumps([_filter_value(option) for option in options])]
        with self._connections.reading() as connection:
            return [_document(row) for row in connection.execute(query + " ORDER BY id", values)]

    def tree(self, doc_id: str) -> Tree | None:
        """The document's tree with its text."""
        with self._connections.reading() as connection:
            row = connection.execute("SELECT tree FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()
        return None if row is None else from_json(zlib.decompress(row[0]).decode())

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

    def candidates(self, terms: Sequence[str], documents: Sequence[str], *, limit: int) -> Candidates:
        """Up to `limit` passages of these documents that hold any of the terms."""
        with self._connections.reading() as connection:
            return find_candidates(connection, terms, _ranges(connection, documents), limit)

    def document_weights(self, terms: Sequence[str], documents: Sequence[str]) -> dict[str, float]:
        """How well the best passages of each document cover the terms; documents without any are left out."""
        with self._connections.reading() as connection:
            ranges = _ranges(connection, documents)
            return rank_by_best_rows(weigh_rows(connection, terms, ranges)[0], ranges)

    def close(self) -> None:
        """Close all connections."""
        self._connections.close()


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


def _ranges(connection: sqlite3.Connection, documents: Sequence[str]) -> list[Range]:
    query = """
        SELECT doc_id, first_passage, last_passage FROM documents
        WHERE doc_id IN (SELECT value FROM json_each(?)) AND last_passage >= first_passage ORDER BY first_passage
    """
    return [Range(*row) for row in connection.execute(query, (json.dumps(list(documents)),))]


def _terms(passage: Passage, language: str) -> tuple[str, str, str]:
    *above, title = passage.path.split(PATH_SEPARATOR)
    title, path, body = (" ".join(tokenize(text, language)) for text in (title, "\n".join(above), passage.text))
    return title, path, body


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _filter_value(value: object) -> str:
    """A metadata value as text, the same for 1 and 1.0 but not for 1, True and "1"."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _dump(value)


def _write_metadata(connection: sqlite3.Connection, document: int | None, metadata: Metadata) -> None:
    rows = {
        (document, key, _filter_value(item))
        for key, value in metadata.items()
        for item in (value if isinstance(value, list) else [value])
    }
    connection.executemany("INSERT INTO metadata (document, key, value) VALUES (?, ?, ?)", sorted(rows))


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
        _dump(info.metadata),
        info.language,
    )


def _document(row: Sequence[object]) -> DocumentInfo:
    doc_id, name, source, kind, origin, pages, sections, without, revision, added, sha256, metadata, language = row
    return DocumentInfo(
        doc_id=str(doc_id),
        name=str(name),
        source=str(source),
        kind=next(known for known in get_args(Kind) if known == kind),
        origin=next(known for known in get_args(Origin) if known == origin),
        page_count=int(str(pages)),
        section_count=int(str(sections)),
        pages_without_text=tuple(json.loads(str(without))),
        revision=int(str(revision)),
        added=str(added),
        sha256=str(sha256),
        metadata=json.loads(str(metadata)),
        language=str(language),
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


def now() -> str:
    """The time, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def slug(name: str) -> str:
    """Lower-case ASCII letters and digits of a name, joined by dashes: safe in ids, URLs and file names."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-") or "document"
