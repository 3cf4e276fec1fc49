"""Jobs of adding documents: a source, checked against the limits and hashed, before its text is read."""

from __future__ import annotations

import hashlib
import math
import os
import reprlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ..errors import LibraryError, SourceUnreadable
from ..pages import MetadataValue
from ..sources import read_with
from ..sources.files import file_name, load_bytes
from ..sources.settings import READER, ReaderSettings
from ..store.records import PreviousRevision, SourceKey
from ..text.characters import replace_surrogates, replace_surrogates_in
from ..tree.corrections import Correction

FileSource = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
"""A path, the bytes of a file, or a file opened in binary mode, which is read from its current position."""


@dataclass(frozen=True, slots=True)
class Job:
    """A document to prepare.

    Args:
        source: The path of a file (absolute, since another process may read it), or the bytes of one.
        name: Name of the document in lookups and citations.
        given_source: The source as the user gave it.
        key: Identifies the document across its revisions.
        sha256: Hash of the bytes of the source when the job was made.
        previous: The revision that this one replaces.
        reader: Settings for reading the file.
        corrections: A person's corrections, applied after those of the previous revision. A job with corrections takes
            the tree of the previous revision, whose own corrections are applied already.
    """

    source: Path | bytes
    name: str
    given_source: str
    key: SourceKey
    sha256: str
    password: str | None = None
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    previous: PreviousRevision | None = None
    corrections: tuple[Correction, ...] = ()
    reader: ReaderSettings = READER

    def __post_init__(self) -> None:
        # Paths and names given by the caller may contain lone surrogates, which SQLite rejects.
        for field_name in ("name", "given_source"):
            object.__setattr__(self, field_name, replace_surrogates(getattr(self, field_name)))
        if fault := _fault_of(self.metadata.items()):
            what = f"the metadata given for it cannot be stored: {fault}."
            raise SourceUnreadable(
                self.given_source, what, "Give strings, finite numbers, True, False or lists of strings."
            )
        object.__setattr__(self, "metadata", replace_surrogates_in(self.metadata))


def _fault_of(metadata: Iterable[tuple[object, object]]) -> str:
    """Returns the reason why metadata cannot be stored; empty where they can."""
    for key, value in metadata:
        if not isinstance(key, str):
            return f"the key {reprlib.repr(key)} is no string"
        if isinstance(value, list | tuple):
            if not all(isinstance(item, str) for item in value):
                return f"the list under {key!r} has an item that is no string"
        elif isinstance(value, float) and not math.isfinite(value):
            return f"the value of {key!r} is {value}, which has no order"
        elif isinstance(value, int) and abs(value) > sys.float_info.max:
            return f"the number under {key!r} is too large"
    return ""


def make_job(
    source: FileSource,
    *,
    name: str | None = None,
    password: str | None = None,
    metadata: Mapping[str, MetadataValue] | None = None,
    reader: ReaderSettings = READER,
    tenant: str = "",
) -> Job:
    """Returns the job of adding a document from a path, bytes or an open file, all with the same limits.

    Args:
        name: Name of the document; defaults to the name of the file, and to "document" for bytes.
        password: Password of an encrypted PDF.
        metadata: Overrides the document's own metadata.
        tenant: Namespace that the document is added to.

    Raises:
        SourceError: The source cannot be read; SourceLimit where it is larger than `reader.limits.file_size`. An open
            file is read up to one byte beyond that limit.
        TypeError: The source is neither a path, nor bytes, nor a file opened in binary mode.
    """
    metadata = metadata or {}
    if isinstance(source, str | os.PathLike):
        return file_job(source, name=name, password=password, metadata=metadata, reader=reader, tenant=tenant)
    name = name or file_name(source)
    data = load_bytes(source, name, reader.limits)
    sha256 = hashlib.sha256(data).hexdigest()
    return Job(data, name, name, SourceKey("name", name, tenant), sha256, password, metadata, reader=reader)


def file_job(
    source: str | os.PathLike[str],
    *,
    name: str | None = None,
    password: str | None = None,
    metadata: Mapping[str, MetadataValue],
    reader: ReaderSettings,
    tenant: str = "",
) -> Job:
    """Returns the job of adding the file at a path.

    Raises:
        SourceError: The file cannot be read.
    """
    given_source, path = os.fspath(source), Path(source)
    name = name or path.name
    try:
        # Opening a named pipe would wait for ever.
        sha256 = file_sha256(path) if path.is_file() and path.stat().st_size <= reader.limits.file_size else None
    except (OSError, ValueError):  # ValueError: a NUL character in the path
        sha256 = None
    if sha256 is None:
        # The reader finds out what is wrong with the path, and raises the error for it.
        read_with(reader, source, name=name, password=password)
        raise LibraryError(f"{given_source} changed while it was read. Add it again.")
    return Job(path.absolute(), name, given_source, file_key(path, tenant), sha256, password, metadata, reader=reader)


def file_key(path: Path, tenant: str = "") -> SourceKey:
    """Returns the key that identifies a file across its revisions: its real path, with links resolved."""
    return SourceKey("path", os.path.realpath(path), tenant)


def file_sha256(path: Path) -> str:
    """Returns the SHA-256 of a file in hexadecimal; the file is read in pieces.

    Raises:
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
