"""Adding files: one, many at once, or a folder whose library is to follow it."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ..errors import ThumbIndexError
from ..pages import LineRange, MetadataValue
from ..sources.settings import ReaderSettings
from ..store import Store
from ..store.records import DocumentInfo, Prepared
from ..tree.exchange import unpack
from ..tree.model import Tree
from .jobs import Job, file_job, file_key
from .prepare import prepare, prepare_tree
from .workers import prepare_all

_WORTH_A_PROCESS = 500_000
"""Bytes of files for which starting one more process pays: it takes half a second."""


@dataclass(frozen=True, slots=True)
class FileResult:
    """What became of one file.

    `what` is "added" (a new document), "revised" (a new revision of one), "known" (its bytes were there already), "moved"
    (a known document whose file has another place now), "removed" (its file is gone), or "failed", where `error` says why
    and the library is as it was.
    """

    source: str
    what: Literal["added", "revised", "known", "moved", "removed", "failed"]
    document: DocumentInfo | None = None
    error: ThumbIndexError | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a bulk add is, after the file of `latest`.

    Args:
        files: Files done, of `total`.
        pages: Pages read; a format without pages counts as one.
        read: Bytes of the files done, of `size`.
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
        """Pages read in a second, on average."""
        return self.pages / max(self.seconds, 1e-9)

    @property
    def seconds_left(self) -> float:
        """Estimate from the bytes of the files that are done."""
        return self.seconds * (self.size - self.read) / max(self.read, 1)


def known(store: Store, job: Job) -> DocumentInfo | None:
    """The document that holds these bytes already, with the metadata that come with the job."""
    found = store.find(sha256=job.sha256)
    if found is None:
        return None
    info, source_key = found
    # Whoever adds the same bytes from elsewhere gets the document, but no say in what others filter by.
    if source_key == job.key and {**info.metadata, **job.metadata} != dict(info.metadata):
        return store.add_metadata(info.doc_id, job.metadata)
    return info


def keep(store: Store, job: Job, preparing: Callable[[Job], Prepared]) -> DocumentInfo:
    """Prepare a document and keep it, again if someone else kept a revision of it meanwhile."""
    while True:
        kept = store.put(preparing(replace(job, previous=store.previous_revision(job.key))))
        if kept is not None:
            return kept


def keep_import(store: Store, job: Job, tree: Tree) -> DocumentInfo:
    """Keep a tree that was made elsewhere of the file of this job: as a new document, or as a revision of the one with the
    same bytes, or the same path. A tree that is kept already changes nothing but the metadata."""
    found = store.find(sha256=job.sha256)
    if found is not None:
        info, key = found
        kept = store.tree(info.doc_id)
        if kept is not None and _sections(kept) == _sections(tree):
            return store.add_metadata(info.doc_id, job.metadata) or info if job.metadata else info
        job = replace(job, name=info.name, shown=info.source, key=key)
    info = keep(store, job, lambda job: replace(prepare_tree(tree, job), is_correction=True))
    # Beside the tree they outlast the next revision, as all summaries of sections that stay the same do.
    made = store.previous_revision(job.key)
    if made is not None:
        store.set_summaries(info.doc_id, {node.id: node.summary for node in unpack(made.tree).nodes if node.summary})
    return info


def _sections(tree: Tree) -> list[tuple[str, int, LineRange, str]]:
    return [(node.title, node.level, node.span, node.summary) for node in tree.nodes]


class BulkAdd:
    """One run over many files; with a `folder`, documents that came from it and are gone are removed at the end."""

    def __init__(
        self,
        store: Store,
        files: Sequence[Path],
        workers: int | None,
        reader: ReaderSettings,
        on_progress: Callable[[Progress], None],
        folder: Path | None = None,
    ) -> None:
        self._store = store
        self._files = files
        self._reader = reader
        self._on_progress = on_progress
        self._folder = folder
        self._results: list[FileResult] = []
        self._sizes = {file: _size(file) for file in files}
        self._total = sum(self._sizes.values())
        self._workers = workers or min(len(files), os.cpu_count() or 1, 1 + self._total // _WORTH_A_PROCESS)
        if self._workers > 1 and not _travels(reader):
            self._workers = 1
        self._here = {file_key(file) for file in files}
        self._pages = self._read = 0
        self._start = time.monotonic()

    def go(self, password: str | None, metadata: Mapping[str, MetadataValue]) -> list[FileResult]:
        """Do it, and say what became of each file, in the order in which they were done."""
        self._start = time.monotonic()
        for job, outcome in prepare_all(self._jobs(password, metadata), self._workers):
            if isinstance(outcome, ThumbIndexError):
                self._done(Path(job.shown), FileResult(job.shown, "failed", error=outcome))
                continue
            # A copy of a file before it in this run.
            info = known(self._store, job)
            if info is not None:
                self._done(Path(job.shown), FileResult(job.shown, "known", info))
                continue
            info = self._store.put(outcome) or keep(self._store, job, prepare)
            what: Literal["added", "revised"] = "added" if info.revision == 1 else "revised"
            self._pages += info.page_count or 1
            self._done(Path(job.shown), FileResult(job.shown, what, info))
        if self._folder is not None:
            self._results += self._forget_missing(self._folder)
        return self._results

    def _jobs(self, password: str | None, metadata: Mapping[str, MetadataValue]) -> Iterator[Job]:
        """The files that have to be read; what is to be said of the others is said on the way."""
        for file in self._files:
            try:
                job = file_job(file, password=password, metadata=metadata, reader=self._reader)
            except ThumbIndexError as error:
                self._done(file, FileResult(str(file), "failed", error=error))
                continue
            result = self._moved(job) if self._folder is not None else None
            if result is None:
                info = known(self._store, job)
                if info is None:
                    yield replace(job, previous=self._store.previous_revision(job.key))
                    continue
                result = FileResult(str(file), "known", info)
            self._done(file, result)

    def _moved(self, job: Job) -> FileResult | None:
        """Let a document follow its file, where a file with its bytes stands elsewhere now."""
        found = self._store.find(sha256=job.sha256)
        if found is None or found[1] == job.key:
            return None
        info, source_key = found
        at_this_place = next((doc for doc, key in self._store.sources().items() if key == job.key), None)
        if source_key in self._here or source_key.kind != "path" or Path(source_key.place).is_file():
            # This file is a copy now; the document that it was before is gone.
            if at_this_place is not None:
                self._store.remove(at_this_place)
            return None
        if at_this_place is not None:
            # Overwritten with a file that is gone from its own place: a revision of the document here.
            self._store.remove(info.doc_id)
            return None
        moved = self._store.move(info.doc_id, name=job.name, source=job.shown, source_key=job.key)
        return None if moved is None else FileResult(job.shown, "moved", moved)

    def _forget_missing(self, folder: Path) -> Iterator[FileResult]:
        below = file_key(folder).place.rstrip(os.sep) + os.sep
        # What a folder holds that could not be listed, nobody knows.
        unknown = tuple(file_key(path).place + os.sep for path in self._files if path.is_dir())
        infos = {info.doc_id: info for info in self._store.documents()}
        for doc_id, key in self._store.sources().items():
            if key.kind != "path" or not key.place.startswith(below) or key.place.startswith(unknown):
                continue
            if key not in self._here and self._store.remove(doc_id):
                info = infos.get(doc_id)
                yield FileResult(info.source if info else key.place, "removed", info)

    def _done(self, file: Path, result: FileResult) -> None:
        self._results.append(result)
        self._read += self._sizes.get(file, 0)
        seconds = time.monotonic() - self._start
        files = len(self._results)
        total = len(self._files)
        self._on_progress(Progress(result, files, total, self._pages, self._read, self._total, seconds))


def _travels(reader: ReaderSettings) -> bool:
    """Whether settings can be handed to another process: an engine for scans may hold a model, or be a local function."""
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
