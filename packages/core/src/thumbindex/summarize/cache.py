"""Summaries that models wrote, kept in a file under their text, model and prompt: nothing is paid for twice."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, MutableMapping

from ..errors import LibraryError


class SummaryCache(MutableMapping[str, str]):
    """A mapping of keys to summaries in one SQLite file, each written at once; safe to use from any thread.

    Raises:
        LibraryError: the file cannot be opened as one.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._lock = threading.Lock()
        try:
            self._file = sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)
            self._file.execute("CREATE TABLE IF NOT EXISTS summaries (key TEXT PRIMARY KEY, summary TEXT NOT NULL)")
        except sqlite3.Error as error:
            raise LibraryError(
                f"{os.fspath(path)} cannot be used to cache summaries ({error}). Name another file."
            ) from error

    def __getitem__(self, key: str) -> str:
        with self._lock:
            row = self._file.execute("SELECT summary FROM summaries WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return str(row[0])

    def __setitem__(self, key: str, summary: str) -> None:
        with self._lock:
            self._file.execute("INSERT OR REPLACE INTO summaries VALUES (?, ?)", (key, summary))

    def __delitem__(self, key: str) -> None:
        with self._lock:
            if not self._file.execute("DELETE FROM summaries WHERE key = ?", (key,)).rowcount:
                raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            keys = [str(key) for (key,) in self._file.execute("SELECT key FROM summaries")]
        return iter(keys)

    def __len__(self) -> int:
        with self._lock:
            return int(self._file.execute("SELECT count(*) FROM summaries").fetchone()[0])

    def close(self) -> None:
        """Close the file; the cache cannot be used afterwards."""
        with self._lock:
            self._file.close()
