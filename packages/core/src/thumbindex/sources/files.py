"""Bytes of a source, checked: what the system refuses or the size limit forbids becomes one of our errors."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from ..errors import SourceIsDirectory, SourceLimit, SourceNotFound, SourceUnreadable
from .settings import Limits

UNNAMED = "document"
"""Name of a document that was given as bytes or as an open file without a name."""

_QUOTED_CHARACTERS = 60
"""Characters quoted of a text that was passed as a path: enough to recognise it."""


def load_bytes(source: bytes | bytearray | memoryview | BinaryIO, name: str, limits: Limits) -> bytes:
    """Returns bytes as they are, or an open file's bytes from its current position, read to one byte over the limit.

    Raises:
        SourceLimit: There are more than `limits.file_size` bytes.
        SourceUnreadable: The system refuses to read the open file.
        TypeError: The source is something else, such as a file opened in text mode.
    """
    if isinstance(source, bytes | bytearray | memoryview):
        data = bytes(source)
        if len(data) > limits.file_size:
            raise too_large(name, limits.file_size)
        return data
    if not callable(getattr(source, "read", None)):
        raise TypeError(f"{name}: pass a path, bytes, or a file opened in binary mode, open(path, 'rb').")
    return _read_open_file(source, name, limits.file_size)


def _read_open_file(file: BinaryIO, name: str, limit: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while True:
        try:
            piece: object = file.read(limit + 1 - size)
        except OSError as error:
            raise read_error(error, name) from error
        if piece is not None and not isinstance(piece, bytes):
            raise TypeError(f"{name}: open the file in binary mode, open(path, 'rb').")
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise too_large(name, limit)


def file_name(source: object) -> str:
    """Returns the last part of an open file's name, or `UNNAMED`."""
    name = getattr(source, "name", None)
    # Standard input is called "<stdin>", and a file made from a descriptor has its number for a name.
    if isinstance(name, str) and name and not name.startswith("<"):
        return os.path.basename(name) or UNNAMED
    return UNNAMED


def file_size(path: Path, name: str, limit: int) -> int:
    """Returns the size in bytes of the regular file at `path`.

    Args:
        name: The path as errors name it.
        limit: Largest size accepted, in bytes.

    Raises:
        SourceNotFound, SourceIsDirectory, SourceUnreadable: There is no regular file at this path.
        SourceLimit: The file is larger than `limit`.
        OSError: The system refuses; see `read_error`.
    """
    try:
        status = path.stat()
    except ValueError:  # a NUL character in the path
        raise SourceNotFound(name.replace("\x00", "�"), "there is no such file.", "Check the path.") from None
    if stat.S_ISDIR(status.st_mode):
        if not os.access(path, os.R_OK | os.X_OK):
            raise SourceUnreadable(name, "there is no permission to list this folder.", "Change its permissions.")
        raise SourceIsDirectory(
            name, "it is a folder, not a document.", "Pass the files in it; `thumbindex add` takes folders."
        )
    # A pipe or a device may never end.
    if not stat.S_ISREG(status.st_mode):
        raise SourceUnreadable(name, "it is not a regular file.", "Save its contents to a file, or pass them as bytes.")
    if status.st_size > limit:
        raise too_large(name, limit)
    return status.st_size


def read_error(error: OSError, name: str) -> SourceNotFound | SourceUnreadable:
    """Returns the error that tells the user why the system refused to open or read a file."""
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP):
        if "\n" in name:
            return SourceNotFound(
                f"{name.splitlines()[0][:_QUOTED_CHARACTERS]}…",
                "a str is taken for a path, and there is no such file.",
                "Pass the text itself as bytes, or as a list with one text for each page.",
            )
        return SourceNotFound(name, "there is no such file.", "Check the path and the current folder.")
    if isinstance(error, PermissionError):
        return SourceUnreadable(name, "there is no permission to read it.", "Change its permissions, or copy it.")
    return SourceUnreadable(name, f"the system could not read it ({error.strerror}).", "Copy the file and try again.")


def too_large(name: str, limit: int) -> SourceLimit:
    """Returns the error of a source with more than `limit` bytes."""
    size = f"{limit >> 20:,} MiB" if limit >= 1 << 20 else f"{limit:,} bytes"
    return SourceLimit(name, f"it is larger than {size}.", "Split it into parts, or raise the limit `file_size`.")
