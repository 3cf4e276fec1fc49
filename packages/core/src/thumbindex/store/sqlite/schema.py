"""The tables of a library file, and the migrations that bring files of earlier versions up to date."""

from __future__ import annotations

import sqlite3

from ...errors import LibraryError
from ...pages import LineRange
from ...tree.exchange import unpack
from ..names import heading_terms
from . import segments
from .rows import DOCUMENT_COLUMNS, UNREADABLE, boxes_to_json, to_document
from .writing import write_name

APPLICATION_ID = 0x7468756D
"""`thum` in ASCII; stands in the header of every library file."""
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
    """
    ALTER TABLE passages ADD COLUMN boxes TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE passages ADD COLUMN anchor TEXT;
    """,
    # Bytes were unique in a library, and now are in a tenant: the unique column takes a key of both.
    """
    ALTER TABLE documents RENAME COLUMN sha256 TO content;
    ALTER TABLE documents ADD COLUMN sha256 TEXT NOT NULL DEFAULT '';
    UPDATE documents SET sha256 = content;
    ALTER TABLE documents ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
    """,
)
"""SQL that leads from each version of the schema to the next; a file's version is its `user_version`."""
VERSION = len(MIGRATIONS)


def read_version(connection: sqlite3.Connection, name: str) -> int:
    """Returns the schema version of a library file, 0 for an empty database.

    Args:
        name: The file's name in messages.

    Raises:
        LibraryError: The file was made by a newer version of the package, or by another program.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application == APPLICATION_ID:
        if version > VERSION:
            raise LibraryError(f"{name} was made by a newer version of thumbindex: pip install -U thumbindex")
        return int(version)
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] or version or application:
        raise LibraryError(f"{name} is a database of another program, not a library. Choose another path.")
    return 0


def migrate(connection: sqlite3.Connection, name: str) -> None:
    """Creates the tables in an empty database, or brings those of an earlier version up to date.

    Args:
        connection: In a write transaction.
        name: The file's name in messages.

    Raises:
        LibraryError: See `read_version`.
    """
    version = read_version(connection, name)
    for script in MIGRATIONS[version:]:
        # `executescript` would commit the transaction first. No statement here has a semicolon inside.
        for statement in script.split(";"):
            connection.execute(statement)
    if 0 < version < 3:
        _index_names(connection)
    if 0 < version < 6:
        segments.rebuild(connection)
    if 0 < version < 7:
        _add_places(connection)
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _index_names(connection: sqlite3.Connection) -> None:
    """Fills `document_names`, which version 3 introduced."""
    for number, *row, packed in connection.execute(
        f"SELECT id, {DOCUMENT_COLUMNS}, t.tree FROM documents JOIN trees AS t ON document = id"
    ).fetchall():
        info = to_document(row)
        write_name(connection, number, info, heading_terms(unpack(packed), info.language))


def _add_places(connection: sqlite3.Connection) -> None:
    """Fills in boxes and anchors of passages, which version 7 introduced, from the trees."""
    passages = "SELECT id, first_line, last_line FROM passages WHERE document = ?"
    # One tree at a time: together they may not fit in memory.
    for (document,) in connection.execute("SELECT document FROM trees").fetchall():
        try:
            (packed,) = connection.execute("SELECT tree FROM trees WHERE document = ?", (document,)).fetchone()
            tree = unpack(packed)
            places = [
                (boxes_to_json(tree.boxes_of(lines)), tree.anchor_of(lines), number)
                for number, *span in connection.execute(passages, (document,)).fetchall()
                if (lines := LineRange(*span))
            ]
        except UNREADABLE:
            continue  # a damaged document must not keep the library from being opened; `inspect` reports it
        connection.executemany("UPDATE passages SET boxes = ?, anchor = ? WHERE id = ?", places)
