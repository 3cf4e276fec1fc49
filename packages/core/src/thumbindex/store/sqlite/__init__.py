"""The store in one SQLite file."""

from .store import SqliteStore

__all__ = ["SqliteStore"]
