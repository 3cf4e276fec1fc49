"""Adding many files, or keeping a library in step with a folder."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ..errors import ThumbIndexError
from ..pages import MetadataValue
from ..scope import checked_tenant
from ..sources.settings import ReaderSettings
from ..store import Store
from ..store.records import DocumentInfo
from .adding import find_document, store_document
from .jobs import Job, file_job, file_key
from .prepare import prepare
from .workers import prepare_all

BYTES_PER_PROCESS = 500_000
"""Bytes of files from which one more process saves time: starting it takes half a second."""


@dataclass(frozen=True, slots=True)
class FileResult:
    """The result of adding one file.

    Args:
        source: Path of the file.
        what: "added" (a new document), "revised" (a new revision), "known" (its bytes were stored already), "moved" (a known
            document whose file has a new path), "removed" (its file is gone), or "failed", which leaves the library as it
            was.
        document: The document; None for "failed".
        error: The reason for "failed".
    """

    source: str
    what: Literal["added", "revised", "known", "moved", "removed", "failed"]
    document: DocumentInfo | None = None
    error: ThumbIndexError | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress in adding many files.

    Args:
        latest: Result of the last file.
        files: Number of files done.
        total: Number of all files.
        pages: Number of pages read; a format without pages counts as one.
        read: Bytes of the files done.
        size: Bytes of all files.
        seconds: Wall time since the start.
    """

    latest: FileResult
    files: int
    total: int
    pages: int
    read: int
    size: int
    seconds: float

    @property
    def pages_per_second(self) -> float:
        """Mean number of pages read per second."""
        return self.pages / max(self.seconds, 1e-9)

    @property
    def seconds_left(self) -> float:
        """Estimate from the bytes of the files that are done."""
        return self.seconds * (self.size - self.read) / max(self.read, 1)


class BulkAdd:
    """Adds many files once.

    Args:
        store: Store of the library.
        files: Files to add.
        workers: Processes that read; by default one for each processor, or only this one for a few short files.
        reader: Settings for reading.
        on_progress: Called after each file.
        folder: Folder whose documents are removed at the end if their files are gone; None removes none.
        tenant: Namespace that the files are added to; documents of others are not removed.
    """

    def __init__(
        self,
        store: Store,
        files: Sequence[Path],
        workers: int | None,
        reader: ReaderSettings,
        on_progress: Callable[[Progress], None],
        folder: Path | None = None,
        tenant: str = "",
    ) -> None:
        self._tenant = checked_tenant(tenant)
        self._store = store
        self._files = files
        self._reader = reader
        self._on_progress = on_progress
        self._folder = folder
        self._results: list[FileResult] = []
        self._sizes = {file: _size(file) for file in files}
        self._total = sum(self._sizes.values())
        self._workers = workers or min(len(files), os.cpu_count() or 1, 1 + self._total // BYTES_PER_PROCESS)
        if self._workers > 1 and not _can_pickle(reader):
            self._workers = 1
        self._keys = {file_key(file, tenant) for file in files}
        self._pages = self._read = 0
        self._start = time.monotonic()

    def run(self, password: str | None, metadata: Mapping[str, MetadataValue]) -> list[FileResult]:
        """Adds the files, and returns the result of each in the order in which they were done."""
        self._start = time.monotonic()
        for job, outcome in prepare_all(self._jobs(password, metadata), self._workers):
            if isinstance(outcome, ThumbIndexError):
                self._report(Path(job.given_source), FileResult(job.given_source, "failed", error=outcome))
                continue
            # A copy of an earlier file in this run.
            info = find_document(self._store, job)
            if info is not None:
                self._report(Path(job.given_source), FileResult(job.given_source, "known", info))
                continue
            info = self._store.put(outcome) or store_document(self._store, job, prepare)
            what: Literal["added", "revised"] = "added" if info.revision == 1 else "revised"
            self._pages += info.page_count or 1
            self._report(Path(job.given_source), FileResult(job.given_source, what, info))
        if self._folder is not None:
            self._results += self._remove_missing(self._folder)
        return self._results

    def _jobs(self, password: str | None, metadata: Mapping[str, MetadataValue]) -> Iterator[Job]:
        """Yields the files that have to be read, and reports the others on the way."""
        for file in self._files:
            try:
                job = file_job(file, password=password, metadata=metadata, reader=self._reader, tenant=self._tenant)
            except ThumbIndexError as error:
                self._report(file, FileResult(str(file), "failed", error=error))
                continue
            result = self._move(job) if self._folder is not None else None
            if result is None:
                info = find_document(self._store, job)
                if info is None:
                    yield replace(job, previous=self._store.previous_revision(job.key))
                    continue
                result = FileResult(str(file), "known", info)
            self._report(file, result)

    def _move(self, job: Job) -> FileResult | None:
        """Moves a document to the path of a job if its file is there now; None if it is not the file of a known document."""
        found = self._store.find(sha256=job.sha256, tenant=self._tenant)
        if found is None or found[1] == job.key:
            return None
        info, source_key = found
        replaced = next((doc_id for doc_id, key in self._store.sources().items() if key == job.key), None)
        if source_key in self._keys or source_key.kind != "path" or Path(source_key.place).is_file():
            # This file is a copy now; the document that it was before is gone.
            if replaced is not None:
                self._store.remove(replaced)
            return None
        if replaced is not None:
            # Overwritten with a file that is gone from its own path: a revision of the document at this path.
            self._store.remove(info.doc_id)
            return None
        moved = self._store.move(info.doc_id, name=job.name, source=job.given_source, source_key=job.key)
        return None if moved is None else FileResult(job.given_source, "moved", moved)

    def _remove_missing(self, folder: Path) -> Iterator[FileResult]:
        below = file_key(folder).place.rstrip(os.sep) + os.sep
        # The contents of a folder that could not be listed are unknown.
        unknown = tuple(file_key(path).place + os.sep for path in self._files if path.is_dir())
        infos = {info.doc_id: info for info in self._store.documents()}
        for doc_id, key in self._store.sources().items():
            if (
                key.kind != "path"
                or key.tenant != self._tenant
                or not key.place.startswith(below)
                or key.place.startswith(unknown)
            ):
                continue
            if key not in self._keys and self._store.remove(doc_id):
                info = infos.get(doc_id)
                yield FileResult(info.source if info else key.place, "removed", info)

    def _report(self, file: Path, result: FileResult) -> None:
        self._results.append(result)
        self._read += self._sizes.get(file, 0)
        seconds = time.monotonic() - self._start
        files = len(self._results)
        total = len(self._files)
        self._on_progress(Progress(result, files, total, self._pages, self._read, self._total, seconds))


def _can_pickle(reader: ReaderSettings) -> bool:
    """Returns whether settings can be sent to another process: an OCR engine may hold a model, or be a local function."""
    try:
        pickle.dumps(reader)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except (OSError, ValueError):
        return 0
