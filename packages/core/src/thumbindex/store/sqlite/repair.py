"""Repair of a damaged library file: a new file with all documents that SQLite can still read.

The index is not repaired but made again from the trees. Rows that SQLite cannot reach, SQLite's own tool may find:
`sqlite3 damaged.db .recover | sqlite3 new.db` (sqlite.org/recovery.html).
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import LibraryError
from ...ingest.jobs import Job
from ...ingest.prepare import prepare_tree
from ...tree.corrections import from_json
from ...tree.exchange import unpack
from ..records import DocumentInfo, SourceKey
from .damage import Damage, StoredDocument, inspect, read_document, reason_of
from .rows import UNREADABLE
from .store import SqliteStore

__all__ = ["Damage", "Lost", "Repair", "inspect", "repair"]

MAX_NUMBER = 1_000_000
"""Highest row of a document that is tried where it is not named elsewhere: in a damaged file a number may be anything."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A document that could not be read, as far as it is known, or other data that was lost.

    Args:
        text: Reason, or a description of the data.
        source: Path or name from which the document was added.
    """

    text: str
    doc_id: str | None = None
    name: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """Outcome of a repair.

    Args:
        damage: Faults of the file; empty if it is whole, and then it was not touched.
        kept: Documents of the new file.
        lost: Documents and data of the damaged file that the new one does not have.
        damaged: Path of the damaged file now.
    """

    damage: tuple[Damage, ...]
    kept: tuple[DocumentInfo, ...] = ()
    lost: tuple[Lost, ...] = ()
    damaged: Path | None = None


def repair(path: str | os.PathLike[str]) -> Repair:
    """Replaces a damaged library file by a new one with all documents that can be read; does not touch a whole file.

    The new file is complete before it takes the place of the damaged one, which stays beside it under another name. No other
    program may use the library meanwhile.

    Raises:
        LibraryError: As for `inspect`; or no document can be read, and the file was left as it is.
    """
    damage = inspect(path)
    if not damage:
        return Repair(())
    # The file itself, where the path is a link to it.
    file = Path(path).resolve()
    try:
        with tempfile.TemporaryDirectory(prefix=f".{file.name}-repair-", dir=file.parent) as folder:
            # The -wal file holds what was written since the last checkpoint.
            old, new = Path(folder) / "old.db", Path(folder) / "new.db"
            for suffix in ("", "-wal"):
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{file}{suffix}", f"{old}{suffix}")
            copied, lost = _copy(old, new)
            if not copied:
                sources = ", ".join(dict.fromkeys(document.source for document in lost if document.source)) or "unknown"
                raise LibraryError(
                    f"No document can be read from {path}: it was left as it is. Index the documents again, into another "
                    f"file. They came from: {sources}. SQLite's own tool may find more of them: "
                    f"sqlite3 {path} .recover | sqlite3 new.db"
                )
            shutil.copymode(file, new)
            damaged = _swap(file, new)
    except (OSError, sqlite3.Error) as error:
        raise LibraryError(f"{path} could not be repaired: {error}. It was left as it is.") from error
    return Repair(damage, tuple(copied.values()), tuple(lost), damaged)


def _copy(old: Path, new: Path) -> tuple[dict[int, DocumentInfo], list[Lost]]:
    """Copies all documents that can be read to a new library.

    Returns:
        The documents copied, by their rows in the old file, and what was lost.
    """
    copied: dict[int, DocumentInfo] = {}
    lost: list[Lost] = []
    with closing(sqlite3.connect(old, isolation_level=None)) as damaged, closing(SqliteStore(new)) as store:
        names = _name_documents(damaged)
        # Of a document between those that are named, all may be lost that names it but its own row.
        for number in sorted(names.keys() | set(range(1, min(max(names, default=0), MAX_NUMBER) + 1))):
            try:
                copied[number] = _put(store, read_document(damaged, number))
            except UNREADABLE as error:
                if number in names:
                    lost.append(Lost(reason_of(error), *names[number]))
        with closing(sqlite3.connect(new)) as repaired:
            lost += _copy_section_data(damaged, repaired, copied)
            repaired.commit()
    return copied, lost


def _name_documents(connection: sqlite3.Connection) -> dict[int, tuple[str | None, str | None, str | None]]:
    """Returns id, name and source of the documents by their rows, from all parts of the file that can be read."""
    found: dict[int, list[str | None]] = {}
    # Each of the columns has an index that holds it, so that the indexes name a document whose row is damaged.
    for position, column in enumerate(("doc_id", "name", "source_key")):
        for number, text in _scan(connection, f"SELECT id, {column} FROM documents ORDER BY {column}"):
            found.setdefault(number, [None, None, None])[position] = str(text)
    for query in (
        "SELECT id FROM documents ORDER BY id",
        "SELECT document FROM trees ORDER BY document",
        "SELECT DISTINCT document FROM passages ORDER BY document",
    ):
        for number, _ in _scan(connection, query):
            found.setdefault(number, [None, None, None])
    return {number: (doc_id, name, _place(key)) for number, (doc_id, name, key) in found.items() if number > 0}


def _place(source_key: str | None) -> str | None:
    if source_key is None:
        return None
    with suppress(ValueError):
        return SourceKey.parse(source_key).place
    return source_key


def _scan(connection: sqlite3.Connection, query: str) -> Iterator[tuple[int, object]]:
    """Yields the first and last column of rows from both ends of a result, as far as they can be read."""
    for direction in (" ASC", " DESC"):
        try:
            for row in connection.execute(query + direction):
                if isinstance(row[0], int):
                    yield row[0], row[-1]
            return
        except sqlite3.Error:
            continue


def _put(store: SqliteStore, document: StoredDocument) -> DocumentInfo:
    info = document.info
    job = Job(b"", info.name, info.source, SourceKey.parse(document.source_key), info.sha256)
    prepared = prepare_tree(unpack(document.tree), job)
    stored = store.put(
        replace(
            prepared,
            # The index is made in the language that is detected now.
            info=replace(info, language=prepared.info.language, section_count=prepared.info.section_count),
            given=json.loads(document.given),
            corrections=tuple(map(from_json, json.loads(document.corrections))),
        )
    )
    if stored is None or stored.doc_id != info.doc_id:
        raise ValueError("another document has its id or its contents")
    return stored


def _copy_section_data(
    damaged: sqlite3.Connection, repaired: sqlite3.Connection, copied: Mapping[int, DocumentInfo]
) -> Iterator[Lost]:
    """Copies summaries, and where sections of earlier revisions went; yields what was lost of them."""
    for table, column, what in (
        ("summaries", "summary", "some summaries of sections"),
        ("revised_sections", "nearest", "where some sections of earlier revisions went"),
    ):
        found: dict[tuple[int, str], str] = {}
        for direction in ("ASC", "DESC"):
            query = (
                f"SELECT document, section, {column} FROM {table} ORDER BY document {direction}, section {direction}"
            )
            try:
                for number, section, text in damaged.execute(query):
                    found[number, section] = text
                break
            except sqlite3.Error:
                continue
        else:
            yield Lost(what)
        repaired.executemany(
            f"INSERT INTO {table} (document, section, {column}) SELECT id, ?, ? FROM documents WHERE doc_id = ?",
            ((section, text, copied[number].doc_id) for (number, section), text in found.items() if number in copied),
        )


def _swap(file: Path, new: Path) -> Path:
    """Puts the new file in the place of the old one, and returns the path of the old one, under a name that is free."""
    count = 1
    while (damaged := file.with_name(f"{file.name}.damaged-{count}")).exists():
        count += 1
    if Path(f"{file}-wal").exists():
        os.replace(f"{file}-wal", f"{damaged}-wal")
    with suppress(FileNotFoundError):
        os.unlink(f"{file}-shm")
    os.replace(file, damaged)
    os.replace(new, file)
    return damaged
