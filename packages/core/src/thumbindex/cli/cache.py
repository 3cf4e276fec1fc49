"""Documents read before: a library file in the user's cache folder for each set of files, so the second question is quick.

The key holds the contents and names of the files, never their folders or times, and the version of everything that makes the index.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

from ..errors import LibraryError, ThumbIndexError
from ..ingest.reading import READER_VERSION
from ..library import Library
from ..sources.ocr import OcrChoice, engine_name
from ..sources.settings import LIMITS, Limits

MAX_BYTES = 1 << 30
"""Size of the cache; what was used longest ago goes first."""

Result = TypeVar("Result")


def folder() -> Path:
    """The user's cache folder for thumbindex, by the customs of the system; THUMBINDEX_CACHE names another."""
    if named := os.environ.get("THUMBINDEX_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "thumbindex" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "thumbindex"
    # XDG Base Directory Specification: a relative path is invalid and to be ignored.
    given = Path(os.environ.get("XDG_CACHE_HOME") or "")
    return (given if given.is_absolute() else Path.home() / ".cache") / "thumbindex"


@dataclass(frozen=True)
class Opened:
    """A library that holds the files asked for: `paths` by document id, and what could not be read."""

    library: Library
    paths: Mapping[str, Path]
    failures: tuple[ThumbIndexError, ...] = ()


def with_files(
    files: Sequence[Path],
    use: Callable[[Opened], Result],
    *,
    password: str | None = None,
    cached: bool = True,
    limits: Limits = LIMITS,
    ocr: OcrChoice = "auto",
) -> Result:
    """What `use` makes of a library with these files. It may be called a second time, if a cache entry fails it.

    A cache entry that is damaged is made anew; a cache that cannot be written is done without. Files opened with a
    password are not cached: the cache would hold their text in the clear.

    Raises:
        SourceError, MissingExtra: no file could be read.
    """
    digests = _digests(files) if cached and password is None else None
    if digests is None:
        return _in_memory(files, use, password, limits, ocr)
    entry = folder() / f"{_key(digests, ocr)}.db"
    if entry.exists():
        # LibraryError: damaged, or made by a newer version; then it is made anew.
        with suppress(LibraryError, sqlite3.Error), Library(entry) as library:
            held = {info.sha256: info.doc_id for info in library.list()}
            if held.keys() == set(digests.values()):
                result = use(Opened(library, {held[digest]: file for file, digest in digests.items()}))
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
        # A set with failures is not kept: next time the user must hear of them again.
        if not opened.failures:
            _remove(entry)
            with suppress(OSError):  # on Windows another program may hold the entry open
                os.replace(draft, entry)
            _prune(entry.parent)
        return result
    finally:
        _remove(draft)


def ocr_file() -> Path:
    """Where what OCR read of any file is kept, in the same folder."""
    return folder() / "ocr.db"


def _in_memory(
    files: Sequence[Path], use: Callable[[Opened], Result], password: str | None, limits: Limits, ocr: OcrChoice
) -> Result:
    with Library(limits=limits, ocr=ocr) as library:
        return use(_fill(library, files, password))


def _fill(library: Library, files: Sequence[Path], password: str | None) -> Opened:
    paths: dict[str, Path] = {}
    failures: list[ThumbIndexError] = []
    for result in library.add_all(files, password=password):
        if result.document is not None:
            paths[result.document.doc_id] = Path(result.source)
        elif result.error is not None:
            failures.append(result.error)
    if failures and not paths:
        raise failures[0]
    return Opened(library, paths, tuple(failures))


def _digests(files: Sequence[Path]) -> dict[Path, str] | None:
    """SHA-256 of each file; None if one cannot be read, which reading it will explain."""
    digests: dict[Path, str] = {}
    try:
        for file in files:
            # Opening a named pipe would wait for ever.
            if not file.is_file():
                return None
            with file.open("rb") as stream:
                digests[file] = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None
    return digests


def _key(digests: Mapping[Path, str], ocr: OcrChoice) -> str:
    try:
        ours = version("thumbindex")
    except PackageNotFoundError:  # a copy of the source without its metadata
        ours = "unknown"
    contents = sorted((digest, file.name) for file, digest in digests.items())
    # With the extra installed, the same bytes give more text.
    scans = "off" if ocr == "off" else engine_name(ocr)
    return hashlib.sha256(repr((contents, ours, READER_VERSION, scans)).encode()).hexdigest()


def _remove(entry: Path) -> None:
    # SQLite keeps two more files beside one that was not closed in order.
    for path in (entry, Path(f"{entry}-wal"), Path(f"{entry}-shm")):
        with suppress(OSError):
            path.unlink()


def _prune(place: Path) -> None:
    """Remove the entries used longest ago until the cache fits its size."""
    with suppress(OSError):
        entries = sorted((path.stat().st_mtime, path.stat().st_size, path) for path in place.glob("*.db"))
        total = sum(size for _, size, _ in entries)
        for _, size, path in entries[:-1]:
            if total <= MAX_BYTES:
                return
            _remove(path)
            total -= size
