"""A cache of recognised pages."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

from .recognized import RecognizedLine, Side

_BUSY_SECONDS = 10
_CONFIDENCE_DIGITS = 4


class RecognitionCache:
    """Recognised lines by the pixels of their page, in an SQLite file of its own; safe for threads and processes.

    It never raises an error: if the file cannot be read or written, pages are read again.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def get(self, key: str) -> tuple[Side, list[RecognizedLine]] | None:
        """Returns the orientation of a page and its lines; None for an unknown page."""
        with suppress(sqlite3.Error, ValueError, TypeError):
            if not self.path.exists():
                return None
            with closing(self._connect()) as connection:
                row = connection.execute("SELECT lines FROM recognized WHERE page = ?", (key,)).fetchone()
            if row is not None:
                side, lines = json.loads(row[0])
                return side, [
                    RecognizedLine(text, tuple(map(tuple, corners)), confidence)  # type: ignore[arg-type]
                    for text, corners, confidence in lines
                ]
        return None

    def put(self, key: str, side: Side, lines: Sequence[RecognizedLine]) -> None:
        """Stores the orientation of a page and its lines."""
        rows = [(line.text, line.corners, round(line.confidence, _CONFIDENCE_DIGITS)) for line in lines]
        with suppress(sqlite3.Error, OSError):
            # Made only when something is stored; for this user alone, since it contains text.
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.touch(mode=0o600)
            with closing(self._connect()) as connection, connection:
                connection.execute(
                    "INSERT OR REPLACE INTO recognized VALUES (?, ?)",
                    (key, json.dumps((side, rows), ensure_ascii=False)),
                )

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS)
        connection.execute("CREATE TABLE IF NOT EXISTS recognized (page TEXT PRIMARY KEY, lines TEXT NOT NULL)")
        return connection
