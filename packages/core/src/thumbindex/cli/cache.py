"""Cache of documents read before: one library file for each set of files, so that the second question is fast.

The key covers the contents and names of the files, never their folders or times, and the version of everything that builds
the index.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ..errors import LibraryError, ThumbIndexError
from ..ingest.reading import READER_VERSION
from ..library import Library
from ..sources.ocr import OcrChoice, engine_name
from ..sources.settings import LIMITS, Limits
from ..version import installed_version

MAX_BYTES = 1 << 30
"""Maximum size of the cache; the least recently used entries are removed first."""

Result = TypeVar("Result")


def folder() -> Path:
    """The user's cache folder for thumbindex, by the conventions of the system; THUMBINDEX_CACHE overrides it."""
    if configured := os.environ.get("THUMBINDEX_CACHE"):
        return Path(configured)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "thumbindex" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "thumbindex"
    # XDG Base Directory Specification: a relative path is invalid and must be ignored.
    xdg = Path(os.environ.get("XDG_CACHE_HOME") or "")
    return (xdg if xdg.is_absolute() else Path.home() / ".cache") / "thumbindex"


@dataclass(frozen=True, slots=True)
class OpenLibrary:
    """An open library for one command.

    Args:
        paths: The files that were named on the command line, by document id; empty for a library file.
        failures: An error for each file that could not be read.
    """

    library: Library
    paths: Mapping[str, Path] = field(default_factory=dict)
    failures: tuple[ThumbIndexError, ...] = ()


def with_files(
    files: Sequence[Path],
    use: Callable[[OpenLibrary], Result],
    *,
    password: str | None = None,
    cached: bool = True,
    limits: Limits = LIMITS,
    ocr: OcrChoice = "auto",
) -> Result:
    """Calls `use` with a library of these files, and returns its result; a second time if a cache entry fails during the first.

    A damaged cache entry is replaced; a cache that cannot be written is not used.

    Raises:
        SourceError, MissingExtra: no file could be read.
    """
    # The cache would hold the text of an encrypted file in the clear.
    digests = _digests(files) if cached and password is None else None
    if digests is None:
        return _in_memory(files, use, password, limits, ocr)
    entry = folder() / f"{_key(digests, ocr)}.db"
    if entry.exists():
        # LibraryError: the entry is damaged, or a newer version wrote it; it is replaced below.
        with suppress(LibraryError, sqlite3.Error), Library(entry) as library:
            ids = {info.sha256: info.doc_id for info in library.list()}
            if ids.keys() == set(digests.values()):
                result = use(OpenLibrary(library, {ids[digest]: file for file, digest in digests.items()}))
                with suppress(OSError):
                    os.utime(entry)
                return result
    draft = entry.with_suffix(f".{secrets.token_hex(4)}.draft")
    try:
        entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft.touch(mode=0o600, exist_ok=False)
    except OSError:
        return _in_memory(files, use, None, limits, ocr)
    try:
        with Library(draft, limits=limits, ocr=ocr) as library:
            opened = _fill(library, files, None)
            result = use(opened)
        # A set with failures is not stored: the user must see the failures again next time.
        if not opened.failures:
            _remove(entry)
            with suppress(OSError):  # on Windows another program may hold the entry open
                os.replace(draft, entry)
            _prune(entry.parent)
        return result
    finally:
        _remove(draft)


def ocr_file() -> Path:
    """The file in the same folder that stores what OCR recognised, for all files."""
    return folder() / "ocr.db"


def _in_memory(
    files: Sequence[Path], use: Callable[[OpenLibrary], Result], password: str | None, limits: Limits, ocr: OcrChoice
) -> Result:
    with Library(limits=limits, ocr=ocr) as library:
        return use(_fill(library, files, password))


def _fill(library: Library, files: Sequence[Path], password: str | None) -> OpenLibrary:
    paths: dict[str, Path] = {}
    failures: list[ThumbIndexError] = []
    for result in library.add_all(files, password=password):
        if result.document is not None:
            paths[result.document.doc_id] = Path(result.source)
        elif result.error is not None:
            failures.append(result.error)
    if failures and not paths:
        raise failures[0]
    return OpenLibrary(library, paths, tuple(failures))


def _digests(files: Sequence[Path]) -> dict[Path, str] | None:
    """SHA-256 of each file; None if one cannot be read: reading it raises the error that explains why."""
    digests: dict[Path, str] = {}
    try:
        for file in files:
            # Opening a named pipe would block.
            if not file.is_file():
                return None
            with file.open("rb") as stream:
                digests[file] = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None
    return digests


def _key(digests: Mapping[Path, str], ocr: OcrChoice) -> str:
    contents = sorted((digest, file.name) for file, digest in digests.items())
    # With the OCR extra installed, the same bytes give more text.
    scans = "off" if ocr == "off" else engine_name(ocr)
    return hashlib.sha256(repr((contents, installed_version(), READER_VERSION, scans)).encode()).hexdigest()


def _remove(entry: Path) -> None:
    # SQLite leaves two more files beside a database that was not closed properly.
    for path in (entry, Path(f"{entry}-wal"), Path(f"{entry}-shm")):
        with suppress(OSError):
            path.unlink()


def _prune(directory: Path) -> None:
    """Removes the least recently used entries until the cache fits its maximum size."""
    with suppress(OSError):
        entries = sorted((path.stat().st_mtime, path.stat().st_size, path) for path in directory.glob("*.db"))
        total = sum(size for _, size, _ in entries)
        for _, size, path in entries[:-1]:
            if total <= MAX_BYTES:
                return
            _remove(path)
            total -= size
