"""Finding damage of a library's file, and making a new file of all documents that can still be read whole.

A file is damaged by disks, by copies made of it while it was written, and by programs that write into it. What SQLite can
say of its own pages comes first; then each part of the library is held against the others. The index is never mended: it is
made again from the trees.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import struct
import tempfile
import zlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from ...errors import LibraryError
from ...ingest.jobs import Job
from ...ingest.prepare import prepare_tree
from ...tree.corrections import from_json
from ...tree.exchange import unpack
from ..records import DocumentInfo, SourceKey
from .conditions import metadata_rows
from .leaves import BLOB, HEADER, NULL, PAGE, TEXT, Place, Value, find_rows, read_row
from .postings import Lists, collect
from .postings import unpack as unpack_block
from .store import APPLICATION_ID, DOCUMENT, MIGRATIONS, SqliteStore, to_document

T = TypeVar("T")

SHOWN = 100
"""Findings of one kind that are told; of a file full of zeros SQLite finds one for each page."""
_MOST = 1_000_000
"""Numbers of documents that are tried: a damaged one may be anything."""
_SAID = ("source_key", "given", "corrections")
"""Columns of a document beside what users see of it."""
_UNREADABLE = (sqlite3.Error, zlib.error, struct.error, ValueError, TypeError, KeyError, StopIteration, AttributeError)
"""What reading damaged rows, JSON, blobs and trees may raise; `InvalidTree` is a ValueError."""


@dataclass(frozen=True, slots=True)
class Damage:
    """Something wrong with a library's file; `doc_id` is the document that it belongs to, where that is known."""

    text: str
    doc_id: str | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """A document that could not be read whole, as far as anything is known of it, or what was said of some.

    Args:
        text: Why, or what.
        source: Where it was added from.
    """

    text: str
    doc_id: str | None = None
    name: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """What came of repairing a file.

    Args:
        damage: What was wrong; empty if the file is whole, which then was not touched.
        kept: The documents of the new file.
        lost: What it does not hold any more.
        damaged: Where the damaged file is now.
    """

    damage: tuple[Damage, ...]
    kept: tuple[DocumentInfo, ...] = ()
    lost: tuple[Lost, ...] = ()
    damaged: Path | None = None


def inspect(path: str | os.PathLike[str]) -> tuple[Damage, ...]:
    """What is wrong with a library's file; nothing if it is whole. Nothing is written.

    Takes about as long as making the index anew, since all of it is compared with the text.

    Raises:
        LibraryError: there is no file, or it is the database of another program or of a newer version of the package.
    """
    file = Path(path)
    if not file.is_file():
        raise LibraryError(f"There is no library at {file}. Check the path.")
    try:
        with closing(_open(file)) as connection:
            is_current = _version(connection, file) == len(MIGRATIONS)
            return tuple(_damage(connection, is_current=is_current))
    except sqlite3.Error as error:
        if "locked" in str(error):
            raise LibraryError(f"{file} is locked by another program. Try again later.") from error
        return (Damage(f"the file cannot be read: {error}"),)


def repair(path: str | os.PathLike[str]) -> Repair:
    """Replace a damaged file by a new one that holds every document that can be read whole; a whole file is not touched.

    The new file is complete before it takes the place of the old one, which is kept beside it. No other program may use
    the library meanwhile.

    Raises:
        LibraryError: as for `inspect`; or no document can be read, and the file was left as it is.
    """
    damage = inspect(path)
    if not damage:
        return Repair(())
    # The file itself, where the path is a link to it.
    file = Path(path).resolve()
    try:
        with tempfile.TemporaryDirectory(prefix=f".{file.name}-repair-", dir=file.parent) as folder:
            # What has been written since the last checkpoint stands in the neighbour, and belongs to the library.
            old, new = Path(folder) / "old.db", Path(folder) / "new.db"
            for suffix in ("", "-wal"):
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{file}{suffix}", f"{old}{suffix}")
            kept, lost = _salvage(old, new)
            if not kept:
                known = ", ".join(dict.fromkeys(one.source for one in lost if one.source)) or "unknown"
                raise LibraryError(
                    f"No document can be read from {path}: it was left as it is. Index the documents again, into another "
                    f"file. They came from: {known}."
                )
            shutil.copymode(file, new)
            damaged = _swap(file, new)
    except (OSError, sqlite3.Error) as error:
        raise LibraryError(f"{path} could not be repaired: {error}. It was left as it is.") from error
    return Repair(damage, tuple(kept.values()), tuple(lost), damaged)


def _open(file: Path) -> sqlite3.Connection:
    """A connection that only reads; of a file in a folder where nothing may be written too."""
    # Opened for writing, since one that may not write leaves SQLite's own neighbours of the file behind.
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
            # SQLite has two ways to say that its neighbours of the file cannot be made.
            if "unable to open" not in str(error) and "readonly" not in str(error):
                raise
        except sqlite3.DatabaseError:
            connection.close()
            raise
    raise LibraryError(f"{file} cannot be opened. Check that you may read it.")


def _version(connection: sqlite3.Connection, file: Path) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        raise LibraryError(f"{file} is a database of another program, not a library. Choose another path.")
    if version > len(MIGRATIONS):
        raise LibraryError(f"{file} was made by a newer version of thumbindex: pip install -U thumbindex")
    return int(version)


# Finding damage


def _damage(connection: sqlite3.Connection, *, is_current: bool) -> Iterator[Damage]:
    """Of a library of an earlier version, whose parts are others, only what SQLite says."""
    try:
        for (text,) in connection.execute(f"PRAGMA integrity_check({SHOWN})"):
            if text != "ok":
                yield Damage(" ".join(str(text).split()))
        # Each missing parent is told by the parts that disagree below.
        for table, count in connection.execute('SELECT "table", count(*) FROM pragma_foreign_key_check GROUP BY 1'):
            yield Damage(f"{count} rows of {table} belong to no document")
    except sqlite3.Error as error:
        yield Damage(f"the file cannot be read: {error}")
    for part in (_wrong_documents, _wrong_numbers, _wrong_lists) if is_current else ():
        try:
            yield from part(connection)
        except _UNREADABLE as error:
            yield Damage(f"the index cannot be read: {error}")


def _wrong_documents(connection: sqlite3.Connection) -> Iterator[Damage]:
    for number, doc_id in connection.execute("SELECT id, doc_id FROM documents ORDER BY id").fetchall():
        try:
            info = _read(connection, number).info
        except _UNREADABLE as error:
            yield Damage(f"cannot be read: {_reason(error)}", str(doc_id))
            continue
        kept = set(connection.execute("SELECT key, value FROM metadata WHERE document = ?", (number,)))
        if kept != metadata_rows(info.metadata):
            yield Damage("its metadata for filters are not those of the document", info.doc_id)
        if not connection.execute("SELECT 1 FROM document_names WHERE rowid = ?", (number,)).fetchone():
            yield Damage("its name cannot be searched", info.doc_id)


def _wrong_numbers(connection: sqlite3.Connection) -> Iterator[Damage]:
    """Whether documents, passages, tokens and segments mean the same passages."""
    query = """
        SELECT doc_id, first_passage, last_passage,
            (SELECT count(*) FROM passages AS p WHERE p.document = d.id AND p.id BETWEEN first_passage AND last_passage),
            (SELECT count(*) FROM passages AS p WHERE p.document = d.id),
            (SELECT count(*) FROM passage_tokens AS t WHERE t.id BETWEEN first_passage AND last_passage)
        FROM documents AS d
    """
    for doc_id, first, last, inside, own, indexed in connection.execute(query):
        if not last - first + 1 == inside == own == indexed:
            text = f"has passages {first} to {last}, but {own} are kept and {indexed} indexed"
            yield Damage(text, str(doc_id))
    (stray,) = connection.execute(
        "SELECT count(*) FROM passage_tokens WHERE id NOT IN (SELECT id FROM passages)"
    ).fetchone()
    if stray:
        yield Damage(f"{stray} indexed passages belong to no document")


def _wrong_lists(connection: sqlite3.Connection) -> Iterator[Damage]:
    """Whether the lists of terms say what the tokens of the passages say."""
    behind = 0
    for first, last, dead in connection.execute("SELECT first, last, dead FROM segments ORDER BY first").fetchall():
        if first <= behind or last < first:
            yield Damage(f"segment {first} to {last} of the index overlaps another one")
        tokens = "SELECT id, title, path, body FROM passage_tokens WHERE id BETWEEN ? AND ? ORDER BY id"
        numbers: list[int] = []
        texts: list[tuple[str, str, str]] = []
        for number, *fields in connection.execute(tokens, (first, last)):
            numbers.append(number)
            texts.append((fields[0], fields[1], fields[2]))
        if dead != last - first + 1 - len(numbers):
            yield Damage(f"segment {first} to {last} of the index counts {dead} passages as gone")
        said = {term: array("H", (numbers[at] - first for at in rows)) for term, rows in collect(texts).items()}
        if _listed(connection, first, {number - first for number in numbers}) != said:
            yield Damage(f"segment {first} to {last} of the index does not say what the passages say")
        (left_out,) = connection.execute(
            "SELECT count(*) FROM passage_tokens WHERE id > ? AND id < ?", (behind, first)
        ).fetchone()
        if left_out:
            yield Damage(f"{left_out} passages are in no segment of the index")
        behind = max(behind, last)
    (left_out,) = connection.execute("SELECT count(*) FROM passage_tokens WHERE id > ?", (behind,)).fetchone()
    if left_out:
        yield Damage(f"{left_out} passages are in no segment of the index")
    query = "SELECT count(*) FROM postings WHERE segment NOT IN (SELECT first FROM segments)"
    (stray,) = connection.execute(query).fetchone()
    if stray:
        yield Damage(f"{stray} blocks of the index belong to no segment")


def _listed(connection: sqlite3.Connection, segment: int, live: set[int]) -> Lists:
    listed: Lists = {}
    for name, block in connection.execute(
        "SELECT term, block FROM postings WHERE segment = ? ORDER BY term", (segment,)
    ):
        for place, (term, rows) in enumerate(unpack_block(block)):
            if place == 0 and term != name:
                raise ValueError(f"a block of {name!r} begins with {term!r}")
            kept = array("H", (row for row in rows if row in live))
            if kept:
                listed[term] = kept
    return listed


# Mending


@dataclass(frozen=True, slots=True)
class _Whole:
    """A document that can be read whole, with JSON and tree as they stand in its rows."""

    info: DocumentInfo
    key: str
    given: str
    corrections: str
    tree: bytes


class _Scattered:
    """Documents and trees that stand on pages of a file to which none of its own pages leads any more."""

    def __init__(self, file: Path, columns: Sequence[tuple[str, Value]]) -> None:
        """`columns` are those of the table of documents, each with what it holds where a row says nothing."""
        self._file = file
        self._columns = columns

    @cached_property
    def _places(self) -> tuple[dict[int, list[Place]], dict[int, list[Place]]]:
        """Where documents and trees stand, by their numbers."""
        documents: dict[int, list[Place]] = {}
        trees: dict[int, list[Place]] = {}
        for number, columns, place in find_rows(self._file, self._is_wanted):
            (trees if columns == 2 else documents).setdefault(number, []).append(place)
        return documents, trees

    def _is_wanted(self, kinds: Sequence[str]) -> bool:
        if len(kinds) == 2:
            return kinds[1] == BLOB
        # The columns after those of the first version of the schema are missing where a row is older than they are.
        least = [name for name, _ in self._columns].index("last_passage") + 1
        return least <= len(kinds) <= len(self._columns) and kinds[0] == NULL and kinds[1:7] == [TEXT] * 6

    def document(self, number: int) -> Sequence[Value]:
        """The row of a document, as `_read` asks for it.

        Raises:
            ValueError: there is none, or there are several, of which one may be gone.
        """
        names = [name for name, _ in self._columns]
        wanted = [names.index(name) for name in (*DOCUMENT.split(", "), *_SAID)]
        found: set[tuple[Value, ...]] = set()
        for place in self._places[0].get(number, ()):
            row = read_row(self._file, place)
            row += [default for _, default in self._columns[len(row) :]]
            found.add(tuple(row[at] for at in wanted))
        return _only(found, "row")

    def tree(self, number: int, sections: int, pages: int) -> bytes:
        """The packed tree of a document that has so many sections and pages.

        Raises:
            ValueError: as for `document`.
        """
        fitting: set[bytes] = set()
        for place in self._places[1].get(number, ()):
            with suppress(*_UNREADABLE):
                packed = read_row(self._file, place)[1]
                if isinstance(packed, bytes):
                    tree = unpack(packed)
                    if (len(tree.nodes), tree.page_count) == (sections, pages):
                        fitting.add(packed)
        return _only(fitting, "tree")


def _only(found: set[T], what: str) -> T:
    if len(found) != 1:
        raise ValueError(f"its {what} is gone" if not found else f"its {what} cannot be told from an earlier one")
    return found.pop()


def _read(connection: sqlite3.Connection, number: int, scattered: _Scattered | None = None) -> _Whole:
    """A document's row and its tree, each part of which was read; what cannot be reached from what is scattered.

    Raises:
        Any of `_UNREADABLE`.
    """
    query = f"SELECT {DOCUMENT}, {', '.join(_SAID)} FROM documents WHERE id = ?"
    try:
        row = _only(set(connection.execute(query, (number,))), "row")
    except (sqlite3.Error, ValueError):
        if scattered is None:
            raise
        row = scattered.document(number)
    info = to_document(row)
    key, given, corrections = row[14:]
    if not all(isinstance(text, str) for text in (*row[:5], *row[9:13], key)):
        raise ValueError("its row holds something else")
    if not isinstance(json.loads(given), dict) or not isinstance(info.metadata, dict):
        raise ValueError("its metadata are something else")
    for one in json.loads(corrections):
        from_json(one)
    try:
        (packed,) = _only(set(connection.execute("SELECT tree FROM trees WHERE document = ?", (number,))), "tree")
    except (sqlite3.Error, ValueError):
        if scattered is None:
            raise
        packed = scattered.tree(number, info.section_count, info.page_count)
    unpack(packed)
    return _Whole(info, key, given, corrections, packed)


def _salvage(old: Path, new: Path) -> tuple[dict[int, DocumentInfo], list[Lost]]:
    """Write all that can be read of one file to another; what was kept, by its number in the old one, and what was not."""
    kept: dict[int, DocumentInfo] = {}
    lost: list[Lost] = []
    has_tables = _has_tables(old)
    if not has_tables:
        SqliteStore(new).close()
        _lend_first_page(old, new)
    with closing(sqlite3.connect(old, isolation_level=None)) as damaged, closing(SqliteStore(new)) as store:
        known = _known(damaged)
        # The first page tells what is free, and the file alone must hold everything.
        scattered = _Scattered(old, _columns(new)) if has_tables and _is_one_file(damaged) else None
        # Between those that are known there may be documents whose every mention but their own row is gone.
        for number in sorted(known.keys() | set(range(1, min(max(known, default=0), _MOST) + 1))):
            try:
                # What nothing else names may be a document that was removed.
                whole = _read(damaged, number, scattered if number in known else None)
                kept[number] = _put(store, whole)
            except _UNREADABLE as error:
                if number in known:
                    lost.append(Lost(_reason(error), *known[number]))
        with closing(sqlite3.connect(new)) as mended:
            lost += _copy_sayings(damaged, mended, kept)
            mended.commit()
    return kept, lost


def _is_one_file(damaged: sqlite3.Connection) -> bool:
    """Whether what its neighbour holds could be taken over into the file."""
    try:
        return not damaged.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    except sqlite3.Error:
        return False


def _columns(new: Path) -> list[tuple[str, Value]]:
    """The columns of the table of documents in their order, with their defaults."""
    with closing(sqlite3.connect(new)) as connection:
        columns = connection.execute("SELECT name, dflt_value FROM pragma_table_info('documents')").fetchall()
        return [(name, connection.execute(f"SELECT {default or 'NULL'}").fetchone()[0]) for name, default in columns]


def _has_tables(file: Path) -> bool:
    try:
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("SELECT 1 FROM documents LIMIT 0").fetchone()
        return True
    except sqlite3.Error:
        return False


def _lend_first_page(old: Path, new: Path) -> None:
    """Give a file whose list of tables is gone that of a new library: the tables of both begin at the same pages, since
    both were made by the same statements and no page of a library ever moves."""
    page = new.read_bytes()[:PAGE]
    pages = old.stat().st_size // PAGE
    # Offsets of the header: size in pages at 28, free pages at 32 (none known) and 36; sqlite.org/fileformat2.html, 1.3.
    header = page[:28] + struct.pack(">III", pages, 0, 0) + page[40:HEADER]
    with old.open("r+b") as file:
        file.write(header + page[HEADER:])


def _known(connection: sqlite3.Connection) -> dict[int, tuple[str | None, str | None, str | None]]:
    """Id, name and source key of the documents, by their numbers, from whatever part of the file still names them."""
    found: dict[int, list[str | None]] = {}
    # Each of the columns has an index that holds it, so that a damaged row is named by the others.
    for place, column in enumerate(("doc_id", "name", "source_key")):
        for number, text in _scan(connection, f"SELECT id, {column} FROM documents ORDER BY {column}"):
            found.setdefault(number, [None, None, None])[place] = str(text).removeprefix("name:").removeprefix("path:")
    for query in (
        "SELECT id FROM documents ORDER BY id",
        "SELECT document FROM trees ORDER BY document",
        "SELECT DISTINCT document FROM passages ORDER BY document",
    ):
        for number, _ in _scan(connection, query):
            found.setdefault(number, [None, None, None])
    return {number: (one[0], one[1], one[2]) for number, one in found.items() if number > 0}


def _scan(connection: sqlite3.Connection, query: str) -> Iterator[tuple[int, object]]:
    """First and last column of what a query gives from its start and from its end, up to what cannot be read."""
    for direction in (" ASC", " DESC"):
        try:
            for row in connection.execute(query + direction):
                if isinstance(row[0], int):
                    yield row[0], row[-1]
            return
        except sqlite3.Error:
            continue


def _put(store: SqliteStore, whole: _Whole) -> DocumentInfo:
    info = whole.info
    job = Job(b"", info.name, info.source, SourceKey.parse(whole.key), info.sha256)
    prepared = prepare_tree(unpack(whole.tree), job)
    corrections = tuple(from_json(one) for one in json.loads(whole.corrections))
    made = replace(
        prepared,
        # The index is made in the language of today's detection.
        info=replace(info, language=prepared.info.language, section_count=prepared.info.section_count),
        given=json.loads(whole.given),
        corrections=corrections,
    )
    kept = store.put(made)
    if kept is None or kept.doc_id != info.doc_id:
        raise ValueError("another document has its id or its contents")
    return kept


def _copy_sayings(
    damaged: sqlite3.Connection, mended: sqlite3.Connection, kept: Mapping[int, DocumentInfo]
) -> Iterator[Lost]:
    """Take over what was said of the sections of documents, and tell where some of it is lost."""
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
        mended.executemany(
            f"INSERT INTO {table} (document, section, {column}) SELECT id, ?, ? FROM documents WHERE doc_id = ?",
            ((section, text, kept[number].doc_id) for (number, section), text in found.items() if number in kept),
        )


def _swap(file: Path, new: Path) -> Path:
    """Put the new file in the place of the old one, which is kept under a name that is free."""
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


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
