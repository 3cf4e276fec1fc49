"""Connections to an SQLite database: for a file as many as are in use at once, for a database in memory one with a lock.

In-memory databases are not opened with SQLite's shared cache: its table locks ignore the busy timeout, so a reader would
fail whenever another thread writes.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import warnings
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from ...concurrency.forks import ForkSafeLock, at_fork, transaction
from ...errors import LibraryError
from . import conditions

BUSY_SECONDS = 30.0
"""Time that a writer waits for another writer before it gives up."""
MAX_IDLE = 4
"""Idle connections that stay open: each holds up to 2 MB of pages, and opening one takes half a millisecond."""


class _Connection(sqlite3.Connection):
    """A connection that belongs to one process, and closes when the last reference to it is gone."""

    process: int = 0

    def __del__(self) -> None:
        if self.process == os.getpid():
            self.close()


_live: weakref.WeakSet[_Connection] = weakref.WeakSet()
_inherited: list[_Connection] = []


def _before_fork() -> None:
    # A child process may not even close a connection that its parent opened (sqlite.org/howtocorrupt, 2.6).
    _inherited.extend(_live)


at_fork(before=_before_fork, in_parent=_inherited.clear)


def _connect(address: str, *, uri: bool) -> _Connection:
    connection = sqlite3.connect(
        address, uri=uri, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, factory=_Connection
    )
    connection.process = os.getpid()
    _live.add(connection)
    connection.execute("PRAGMA foreign_keys = ON")
    conditions.register(connection)
    return connection


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    # Two programs that make the same file at once collide here, where SQLite does not wait by itself.
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _explain(error: sqlite3.Error, name: str) -> LibraryError:
    text = str(error)
    if "not a database" in text or "malformed" in text:
        return LibraryError(
            f"{name} is not a library, or it is damaged ({text}). Choose another path, or repair the library: "
            f"thumbindex repair --library {name}"
        )
    if "readonly" in text:
        return LibraryError(f"{name} cannot be written ({text}). Copy it to a folder where you may write.")
    if "locked" in text or "busy" in text:
        return LibraryError(
            f"{name} is locked: another program has been writing for over {BUSY_SECONDS:.0f} seconds. Try again later."
        )
    if "full" in text:
        return LibraryError(f"{name} could not be written: the disk is full. Nothing was changed.")
    return LibraryError(f"{name} could not be used: {text}. Check that the file exists and may be read and written.")


def _roll_back(connection: sqlite3.Connection) -> None:
    # Some errors (a full disk) end the transaction by themselves.
    if connection.in_transaction:
        connection.execute("ROLLBACK")


class Connections:
    """Connections to a library file, or the one connection of a library in memory."""

    def __init__(self, path: str | None) -> None:
        self.path = path
        # Threads open the file later, when the program may be in another folder.
        self._file = Path(path or "").absolute()
        self._address = "file:" + quote(str(self._file))
        self.read_only = False
        self._local = threading.local()
        self._lock = ForkSafeLock()
        self._idle: deque[_Connection] = deque()
        self._mine: weakref.WeakSet[_Connection] = weakref.WeakSet()
        self._closed = False
        self._memory: _Connection | None = None
        if path is None:
            self._memory = _connect(":memory:", uri=False)
            self._mine.add(self._memory)

    @property
    def name(self) -> str:
        """The file's path, for messages."""
        return self.path or "The library in memory"

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Opens a block with a connection that sees one state of the library throughout."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Opens a block with a connection whose changes are committed together, or not at all if the block raises."""
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        try:
            if self._memory is None:
                with transaction(), self._borrowed() as borrowed, self._inside(borrowed, begin) as connection:
                    yield connection
            else:
                with self._lock.held(), self._inside(self._memory, begin) as connection:
                    yield connection
        except sqlite3.Error as error:
            raise _explain(error, self.name) from error

    @contextmanager
    def _inside(self, connection: sqlite3.Connection, begin: str) -> Iterator[sqlite3.Connection]:
        if self._closed:
            raise LibraryError(f"{self.name} is closed. Open the library again.")
        if connection.in_transaction:
            if begin != "BEGIN":
                raise RuntimeError("A write inside a snapshot would wait for its own reader.")
            yield connection
            return
        connection.execute(begin)
        try:
            yield connection
        except BaseException:
            _roll_back(connection)
            raise
        connection.execute("COMMIT")

    @contextmanager
    def _borrowed(self) -> Iterator[_Connection]:
        """The connection that this thread already uses, or else another one for the block."""
        held: _Connection | None = getattr(self._local, "held", None)
        if held is not None and held.process == os.getpid():
            yield held
            return
        connection = self._local.held = self._take()
        try:
            yield connection
        finally:
            self._local.held = None
            if connection.process == os.getpid():
                if self._closed or len(self._idle) >= MAX_IDLE:
                    connection.close()
                else:
                    self._idle.append(connection)

    def _take(self) -> _Connection:
        if self._closed:
            raise LibraryError(f"{self.name} is closed. Open the library again.")
        while True:
            try:
                # The one used last, whose cached pages are the newest. No lock: operations of a deque are atomic.
                connection = self._idle.pop()
            except IndexError:
                connection = self._open()
                self._mine.add(connection)
                return connection
            if connection.process == os.getpid():
                return connection

    def _open(self) -> _Connection:
        assert self.path is not None
        if not self.read_only:
            connection: _Connection | None = None
            try:
                connection = _connect(self._address + "?mode=rwc", uri=True)
                # Opens the file and its -wal and -shm neighbours, which a read-only folder refuses.
                _switch_to_wal(connection)
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
                return connection
            except sqlite3.OperationalError as error:
                if connection is not None:
                    connection.close()
                refused = "readonly" in str(error) or "unable to open" in str(error)
                if not refused or not self._file.is_file():
                    raise
            warnings.warn(
                f"{self.path} cannot be written, so it is opened as a file that never changes: "
                "changes that another program makes meanwhile are not seen.",
                stacklevel=2,
            )
            self.read_only = True
        return _connect(self._address + "?mode=ro&immutable=1", uri=True)

    def close(self) -> None:
        """Closes the connections of all threads; they cannot be used afterwards."""
        self._closed = True
        for connection in list(self._mine):
            if connection.process == os.getpid():
                connection.close()
