"""Folders from which documents may be added, and nothing outside of them, whatever path a model writes."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..errors import SourceIsDirectory, SourceNotFound
from ..text.untrusted import one_line
from ..tools import ToolError

MAX_BYTES = 512 * 1024 * 1024
"""Size of a file that may be added."""

_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file below one of the folders: its path from there, and its contents."""

    name: str
    data: bytes


class Roots:
    """Some folders, with their own links resolved once.

    Raises:
        SourceNotFound: one of them does not exist.
        SourceIsDirectory: one of them is no folder.
    """

    def __init__(self, folders: Iterable[str | os.PathLike[str]]) -> None:
        self._folders: list[Path] = []
        for folder in folders:
            try:
                real = Path(folder).resolve(strict=True)
            except OSError as error:
                raise SourceNotFound(str(folder), "there is no such folder.", "Name one that exists.") from error
            if not real.is_dir():
                raise SourceIsDirectory(str(folder), "it is a file.", "Name the folder that it is in.")
            self._folders.append(real)

    def __bool__(self) -> bool:
        return bool(self._folders)

    def read(self, path: str) -> FoundFile:
        """The file at a path below one of the folders, given from there or in full.

        Raises:
            ToolError: there is none. The message is the same for a file outside, a missing one and one that is no file, so
                that nothing is told of what lies elsewhere.
        """
        for folder in self._folders if _is_plain(path) else ():
            try:
                real = (folder / path).resolve(strict=True)
                place = real.relative_to(folder)
                if place.parts:
                    return FoundFile(str(PurePosixPath(*place.parts)), _read_below(folder, place.parts))
            except (OSError, ValueError, RuntimeError):
                continue
        names = ", ".join(repr(one_line(folder.name, 60)) for folder in self._folders)
        raise ToolError(
            f"There is no file {one_line(path, 120)!r} that may be added. Give its path below the folder {names}, with '/' "
            "between folders; files up to 512 MB may be added."
        )


def _is_plain(path: str) -> bool:
    """Whether a path has a form that means the same on every system."""
    if not path.strip() or any(ord(letter) < 32 for letter in path):
        return False
    # Backslashes, drives, shares and streams are Windows' ways out; on other systems no document needs such a name.
    if "\\" in path or ":" in path or path.startswith(("//", "~")):
        return False
    parts = PurePosixPath(path).parts
    return ".." not in parts and not any(_DEVICE.fullmatch(part) or part != part.rstrip(" .") for part in parts)


def _read_below(folder: Path, parts: tuple[str, ...]) -> bytes:
    """The contents of a regular file, opened step by step, so that no folder can be swapped for a link meanwhile."""
    if os.open not in os.supports_dir_fd:  # Windows
        return _contents(os.open(folder.joinpath(*parts), os.O_RDONLY | getattr(os, "O_BINARY", 0)))
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
        # A named pipe would otherwise wait for a writer.
        return _contents(os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at))
    finally:
        os.close(at)


def _contents(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_BYTES:
            raise OSError("no regular file of the size allowed")
        return file.read(MAX_BYTES)
