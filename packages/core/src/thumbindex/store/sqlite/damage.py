"""Finding damage in a library file: pages that SQLite cannot read, and parts of the library that disagree.

Disks damage files, and so do copies made while a program writes, and other programs that write into them. SQLite checks its own
pages first; then each part of the library is compared with the others.
"""

from __future__ import annotations

import json
import os
import sqlite3
from array import array
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from ...errors import LibraryError
from ...tree.corrections import from_json
from ...tree.exchange import unpack
from ..records import DocumentInfo
from .conditions import metadata_rows
from .postings import Lists, collect
from .postings import unpack as unpack_block
from .rows import DOCUMENT_COLUMNS, UNREADABLE, to_document
from .schema import VERSION, read_version

MAX_PAGE_ERRORS = 100
"""Errors that SQLite lists before it stops; a file full of zeros has one for each page."""


@dataclass(frozen=True, slots=True)
class Damage:
    """One fault in a library file.

    Args:
        text: Description of the fault.
        doc_id: Id of the document that it belongs to; None where it is unknown, or the fault is in the file as a whole.
    """

    text: str
    doc_id: str | None = None


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as its rows hold it, all parts of which can be read.

    Args:
        given: JSON of the metadata that the user gave.
        corrections: JSON of the corrections.
        tree: As `tree.exchange.pack` gives it.
    """

    info: DocumentInfo
    source_key: str
    given: str
    corrections: str
    tree: bytes


def inspect(path: str | os.PathLike[str]) -> tuple[Damage, ...]:
    """Returns the faults in a library file, none if it is whole. Writes nothing.

    Takes about as long as making the index, since the whole index is compared with the text.

    Raises:
        LibraryError: There is no file, or it is a database of another program or of a newer version of the package.
    """
    file = Path(path)
    if not file.is_file():
        raise LibraryError(f"There is no library at {file}. Check the path.")
    try:
        with closing(_open(file)) as connection:
            is_current = _version(connection, file) == VERSION
            return tuple(_find_damage(connection, is_current=is_current))
    except sqlite3.Error as error:
        if "locked" in str(error):
            raise LibraryError(f"{file} is locked by another program. Try again later.") from error
        return (Damage(f"the file cannot be read: {error}"),)


def read_document(connection: sqlite3.Connection, number: int) -> StoredDocument:
    """Reads all parts of a document.

    Args:
        number: Its row in `documents`.

    Raises:
        Any of `UNREADABLE`: a part is missing or damaged.
    """
    query = f"SELECT {DOCUMENT_COLUMNS}, source_key, given, corrections FROM documents WHERE id = ?"
    row = connection.execute(query, (number,)).fetchone()
    if row is None:
        raise ValueError("its row is missing")
    info = to_document(row)
    source_key, given, corrections = row[-3:]
    if not all(isinstance(text, str) for text in (*row[:5], *row[9:13], row[14], source_key)):
        raise ValueError("its row holds values of another type")
    if not isinstance(json.loads(given), dict) or not isinstance(info.metadata, dict):
        raise ValueError("its metadata is of another type")
    for correction in json.loads(corrections):
        from_json(correction)
    packed = connection.execute("SELECT tree FROM trees WHERE document = ?", (number,)).fetchone()
    if packed is None:
        raise ValueError("its tree is missing")
    unpack(packed[0])
    return StoredDocument(info, source_key, given, corrections, packed[0])


def reason_of(error: BaseException) -> str:
    """Returns what is wrong in one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _open(file: Path) -> sqlite3.Connection:
    """Opens a file for reading, also in a folder where nothing may be written."""
    # A connection that may write removes the -wal and -shm files when it closes; one that may not leaves them behind.
    address = "file:" + quote(str(file.absolute()))
    for mode in ("?mode=rw", "?mode=ro&immutable=1"):
        connection = sqlite3.connect(address + mode, uri=True, isolation_level=None)
        try:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return connection
        except sqlite3.OperationalError as error:
            connection.close()
            # SQLite's two messages for a folder in which it cannot make the -wal and -shm files.
            if "unable to open" not in str(error) and "readonly" not in str(error):
                raise
        except sqlite3.DatabaseError:
            connection.close()
            raise
    raise LibraryError(f"{file} cannot be opened. Check that you may read it.")


def _version(connection: sqlite3.Connection, file: Path) -> int:
    version = read_version(connection, str(file))
    if version == 0:
        raise LibraryError(f"{file} is a database of another program, not a library. Choose another path.")
    return version


def _find_damage(connection: sqlite3.Connection, *, is_current: bool) -> Iterator[Damage]:
    """Finds faults; in a file of an earlier version, whose tables are others, only those that SQLite reports."""
    try:
        for (text,) in connection.execute(f"PRAGMA integrity_check({MAX_PAGE_ERRORS})"):
            if text != "ok":
                yield Damage(" ".join(str(text).split()))
        # One fault for each table: the comparison of the parts below names the documents.
        for table, count in connection.execute('SELECT "table", count(*) FROM pragma_foreign_key_check GROUP BY 1'):
            yield Damage(f"{count} rows of {table} belong to no document")
    except sqlite3.Error as error:
        yield Damage(f"the file cannot be read: {error}")
    for find in (_document_faults, _passage_faults, _posting_faults) if is_current else ():
        try:
            yield from find(connection)
        except UNREADABLE as error:
            yield Damage(f"the index cannot be read: {error}")


def _document_faults(connection: sqlite3.Connection) -> Iterator[Damage]:
    for number, doc_id in connection.execute("SELECT id, doc_id FROM documents ORDER BY id").fetchall():
        try:
            info = read_document(connection, number).info
        except UNREADABLE as error:
            yield Damage(f"cannot be read: {reason_of(error)}", str(doc_id))
            continue
        indexed = set(connection.execute("SELECT key, value FROM metadata WHERE document = ?", (number,)))
        if indexed != metadata_rows(info.metadata):
            yield Damage("its indexed metadata differs from its metadata", info.doc_id)
        if not connection.execute("SELECT 1 FROM document_names WHERE rowid = ?", (number,)).fetchone():
            yield Damage("its name cannot be searched", info.doc_id)


def _passage_faults(connection: sqlite3.Connection) -> Iterator[Damage]:
    """Compares which passages documents, passages and tokens have."""
    query = """
        SELECT doc_id, first_passage, last_passage,
            (SELECT count(*) FROM passages AS p WHERE p.document = d.id AND p.id BETWEEN first_passage AND last_passage),
            (SELECT count(*) FROM passages AS p WHERE p.document = d.id),
            (SELECT count(*) FROM passage_tokens AS t WHERE t.id BETWEEN first_passage AND last_passage)
        FROM documents AS d
    """
    for doc_id, first, last, inside, own, indexed in connection.execute(query):
        if not last - first + 1 == inside == own == indexed:
            text = f"has passages {first} to {last}, but {own} are stored and {indexed} indexed"
            yield Damage(text, str(doc_id))
    (stray,) = connection.execute(
        "SELECT count(*) FROM passage_tokens WHERE id NOT IN (SELECT id FROM passages)"
    ).fetchone()
    if stray:
        yield Damage(f"{stray} indexed passages belong to no document")


def _posting_faults(connection: sqlite3.Connection) -> Iterator[Damage]:
    """Compares the posting lists of the index with the tokens of the passages."""
    end = 0  # last passage of the segments before
    for first, last, dead in connection.execute("SELECT first, last, dead FROM segments ORDER BY first").fetchall():
        if first <= end or last < first:
            yield Damage(f"segment {first} to {last} of the index overlaps another one")
        tokens = "SELECT id, title, path, body FROM passage_tokens WHERE id BETWEEN ? AND ? ORDER BY id"
        numbers: list[int] = []
        texts: list[tuple[str, str, str]] = []
        for number, *fields in connection.execute(tokens, (first, last)):
            numbers.append(number)
            texts.append((fields[0], fields[1], fields[2]))
        if dead != last - first + 1 - len(numbers):
            yield Damage(f"segment {first} to {last} of the index counts {dead} removed passages")
        expected = {term: array("H", (numbers[at] - first for at in rows)) for term, rows in collect(texts).items()}
        if _posting_lists(connection, first, {number - first for number in numbers}) != expected:
            yield Damage(f"segment {first} to {last} of the index differs from its passages")
        (missing,) = connection.execute(
            "SELECT count(*) FROM passage_tokens WHERE id > ? AND id < ?", (end, first)
        ).fetchone()
        if missing:
            yield Damage(f"{missing} passages are in no segment of the index")
        end = max(end, last)
    (missing,) = connection.execute("SELECT count(*) FROM passage_tokens WHERE id > ?", (end,)).fetchone()
    if missing:
        yield Damage(f"{missing} passages are in no segment of the index")
    query = "SELECT count(*) FROM postings WHERE segment NOT IN (SELECT first FROM segments)"
    (stray,) = connection.execute(query).fetchone()
    if stray:
        yield Damage(f"{stray} blocks of the index belong to no segment")


def _posting_lists(connection: sqlite3.Connection, segment: int, live: set[int]) -> Lists:
    lists: Lists = {}
    for name, block in connection.execute(
        "SELECT term, block FROM postings WHERE segment = ? ORDER BY term", (segment,)
    ):
        for position, (term, rows) in enumerate(unpack_block(block)):
            if position == 0 and term != name:
                raise ValueError(f"a block of {name!r} begins with {term!r}")
            stored = array("H", (row for row in rows if row in live))
            if stored:
                lists[term] = stored
    return lists
