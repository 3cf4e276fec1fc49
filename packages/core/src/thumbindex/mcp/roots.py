"""Folders from which documents may be added: no path that a model writes leads outside of them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..errors import SourceIsDirectory, SourceNotFound
from ..text.untrusted import one_line
from ..tools import ToolError

MAX_BYTES = 512 * 1024 * 1024
"""Maximum size of a file that may be added."""

_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file below one of the folders.

    Args:
        name: Its path relative to the folder; below the name of the folder where there are several folders, so that files of
            the same path in two of them are two documents.
    """

    name: str
    data: bytes


class Roots:
    """Folders from which files may be read; their own links are resolved once.

    Raises:
        SourceNotFound: one of them does not exist.
        SourceIsDirectory: one of them is a file.
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
            if real not in self._folders:
                self._folders.append(real)
        self._names = _names(self._folders)

    def __bool__(self) -> bool:
        return bool(self._folders)

    def read(self, path: str) -> FoundFile:
        """Reads the file at a path, absolute or relative to one of the folders.

        Raises:
            ToolError: there is no such file. The message is the same for a file outside, a missing file and a path that is not
                a file, so that it reveals nothing about other folders.
        """
        for folder in self._folders if _is_plain(path) else ():
            name = f"{self._names[folder]}/"
            try:
                # As `FoundFile.name` gives it, which tells files of the same path in two folders apart.
                below = path.removeprefix(name) if name != "/" else path
                real = (folder / below).resolve(strict=True)
                parts = real.relative_to(folder).parts
                if parts:
                    return FoundFile(str(PurePosixPath(self._names[folder], *parts)), _read_below(folder, parts))
            except (OSError, ValueError, RuntimeError):
                continue
        names = ", ".join(repr(one_line(folder.name, 60)) for folder in self._folders)
        raise ToolError(
            f"There is no file {one_line(path, 120)!r} that may be added. Give its path below the folder {names}, with '/' "
            "between folders; files up to 512 MB may be added."
        )


def _names(folders: Sequence[Path]) -> dict[Path, str]:
    """Returns a different name for each folder, as short as possible; a single one needs none."""
    if len(folders) == 1:
        return {folders[0]: ""}
    longest = max((len(folder.parts) for folder in folders), default=0)
    for count in range(1, longest + 1):
        names = {folder: PurePosixPath(*folder.parts[-count:]).as_posix().strip("/") for folder in folders}
        if len(set(names.values())) == len(folders):
            return names
    return {folder: folder.as_posix() for folder in folders}


def _is_plain(path: str) -> bool:
    """Returns whether a path means the same on every system."""
    if not path.strip() or any(ord(character) < 32 for character in path):
        return False
    # Backslashes, drives, shares and streams lead outside on Windows; on other systems no document needs such a name.
    if "\\" in path or ":" in path or path.startswith(("//", "~")):
        return False
    parts = PurePosixPath(path).parts
    return ".." not in parts and not any(_DEVICE.fullmatch(part) or part != part.rstrip(" .") for part in parts)


def _read_below(folder: Path, parts: tuple[str, ...]) -> bytes:
    """Reads a regular file; folders are opened one by one, so that none can be replaced by a link in the meantime."""
    if os.open not in os.supports_dir_fd:  # Windows
        return _contents(os.open(folder.joinpath(*parts), os.O_RDONLY | getattr(os, "O_BINARY", 0)))
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            subfolder = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = subfolder
        # Without O_NONBLOCK, opening a named pipe would wait for a writer.
        return _contents(os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=descriptor))
    finally:
        os.close(descriptor)


def _contents(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            raise OSError("not a regular file of the allowed size")
        return file.read(MAX_BYTES)
