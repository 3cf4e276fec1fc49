"""Reader processes, kept warm: the parent's side of `thumbindex.sources.worker`.

A reader that crashes, hangs or grows is ended and replaced; its file gets one of our errors.

Starting one takes an eighth of a second; after that, parsing a megabyte of HTML, which takes 0.7 s, takes 0.06 s longer in
a reader than in this process.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import warnings
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..concurrency.child import EXIT_MEMORY, EXIT_TIME
from ..concurrency.forks import at_fork
from ..concurrency.messages import Header
from ..concurrency.processes import ProcessNotStarted, Watchdog, WorkerPool, WorkerProcess
from ..errors import DamagedSource, SourceLimit
from ..pages import Document
from .guarded import out_of_memory, out_of_time
from .image import PageImage, View
from .settings import READER, Limits, ReaderSettings
from .wire import error_from_json, load_document
from .worker import read_guarded, reading, render_guarded, rendering

if TYPE_CHECKING:
    from .worker import Kind

STARTING_SECONDS = 60.0
"""Time for a reader to start: a machine busy with other work may take long to start an interpreter."""

GRACE_SECONDS = 5
"""Seconds that a reader's own deadline lies behind its parent's: it counts only where the parent was killed."""


def read_apart(
    data: bytes | Path, kind: Kind, name: str, password: str | None = None, *, reader: ReaderSettings = READER
) -> Document:
    """Returns the document in a file of this kind, parsed in a process of its own, or in this one.

    Raises:
        SourceError: The reader's own error; DamagedSource if the reader crashed on the file; SourceLimit if it took too
            much time or memory. Without isolation there are no limits, and a crash ends this process too.
        MissingExtra: The reader needs an extra.
    """
    if reader.isolation == "process":
        answer = _ask(data, reading(kind, name, password), reader.limits)
        if answer is not None:
            return load_document(answer[1])
    with _pdfium_lock if kind == "pdf" else nullcontext():
        document, columns = read_guarded(data, kind, name, password)
    return replace(document, lines=columns.lines())


def render_apart(
    data: bytes | Path, name: str, view: View, password: str | None = None, *, reader: ReaderSettings = READER
) -> PageImage:
    """Returns `pdf.render_page` of a process of its own, or of this one under the lock that PDFium needs.

    Raises:
        SourceError: See `read_apart`.
    """
    if reader.isolation == "process":
        answer = _ask(data, rendering(name, view, password), reader.limits)
        if answer is not None:
            header, pixels = answer
            return PageImage(int(header["width"]), int(header["height"]), float(header["dpi"]), pixels)
    with _pdfium_lock:
        return render_guarded(data, name, view, password)


def _ask(data: bytes | Path, request: Header, limits: Limits) -> tuple[Header, bytes] | None:
    """Returns the answer of a reader, or None, with a warning, where none can be started."""
    try:
        return _pool().ask(data, request, limits)
    except ProcessNotStarted as error:
        warnings.warn(
            f"Files are parsed inside this process, because no reader process could be started: {error}. "
            "A hostile file can crash it or hold it up. Pass isolation='none' if this is intended.",
            RuntimeWarning,
            stacklevel=3,
        )
        return None


def reader_cpu_seconds() -> float:
    """Returns the processor time that this process's readers have spent on answered requests, in seconds.

    The system reports the time of a child only after its end, and readers stay.
    """
    return _pool().cpu_seconds


class _Reader(WorkerProcess):
    """One reader process."""

    def __init__(self) -> None:
        super().__init__("thumbindex.sources.worker", whole_package=False)
        with Watchdog(self, STARTING_SECONDS):
            greeting = self.receive()
        if greeting is None:
            self.end()
            raise ProcessNotStarted(f"{sys.executable} ended with status {self.status}")
        if not greeting[0].get("ready"):
            self.end()
            raise ProcessNotStarted(str(greeting[0].get("reason", "unknown reason")))
        self.cpu = 0.0
        """Processor time spent on answered requests, in seconds."""
        self._cpu_at_start = float(greeting[0]["cpu"])
        self._documents = 0
        self._is_worn_out = False

    @property
    def is_worn_out(self) -> bool:
        """True if it has read its share of documents, or uses so much memory that the next one could exceed the limit."""
        return self._is_worn_out

    def read(self, data: bytes | Path, request: Header, limits: Limits) -> tuple[Header, bytes]:
        """Returns the answer to a request about one file. After DamagedSource or SourceLimit the process may be dead.

        Raises:
            SourceError, MissingExtra: See `read_apart`.
        """
        name = str(request["name"])
        request = {**request, "memory": limits.memory}
        if isinstance(data, Path):
            request["path"] = str(data)
            payload, size = b"", data.stat().st_size
        else:
            payload, size = data, len(data)
        seconds = limits.seconds_for(size)
        request["seconds"] = seconds + GRACE_SECONDS
        self._documents += 1
        self._is_worn_out = self._documents >= limits.documents
        with Watchdog(self, seconds, limits.memory) as watchdog:
            answer = self.ask(request, payload)
        if watchdog.exceeded is not None:
            # Waited for: while it dies it passes for alive, and the next file would be blamed for its death.
            self.end()
            raise out_of_time(name, seconds) if watchdog.exceeded == "time" else out_of_memory(name)
        if answer is None or "held" not in answer[0]:
            self.end()
            raise self._explain_end(name, seconds)
        header = answer[0]
        self._is_worn_out = self._is_worn_out or int(header["held"]) >= limits.memory // 2
        self.cpu = float(header["cpu"]) - self._cpu_at_start
        if "error" in header:
            raise error_from_json(header)
        return answer

    def _explain_end(self, name: str, seconds: float) -> DamagedSource | SourceLimit:
        status = self.status
        if status == EXIT_MEMORY or status == -getattr(signal, "SIGKILL", 0):
            # A kill from outside is almost always the system running out of memory.
            return out_of_memory(name)
        if status == EXIT_TIME:
            return out_of_time(name, seconds)
        cause = f"exit status {status}"
        if status is not None and status < 0:
            try:
                cause = signal.Signals(-status).name
            except ValueError:
                cause = f"signal {-status}"
        return DamagedSource(
            name,
            f"the reader crashed on this file ({cause}).",
            "Open it in its program and save it again, or print it to a new PDF.",
        )


class _ReaderPool(WorkerPool[_Reader]):
    """Readers of one process, at most one for each processor."""

    def __init__(self) -> None:
        super().__init__(_Reader, os.cpu_count() or 1)
        self.cpu_seconds = 0.0
        """Processor time of all readers, those that have ended too."""

    def ask(self, data: bytes | Path, request: Header, limits: Limits) -> tuple[Header, bytes]:
        with self.worker() as reader:
            before = reader.cpu
            try:
                return reader.read(data, request, limits)
            finally:
                with self._lock:
                    self.cpu_seconds += reader.cpu - before


_pdfium_lock = threading.Lock()
_current: _ReaderPool | None = None
_starting = threading.Lock()


def _pool() -> _ReaderPool:
    global _current
    with _starting:
        if _current is None or _current.pid != os.getpid() or _current.has_ended:
            _current = _ReaderPool()
        return _current


def _end_current() -> None:
    if _current is not None and _current.pid == os.getpid():
        _current.end()


def _after_fork() -> None:
    # Locks may have been held by threads that do not exist in this child.
    global _pdfium_lock, _current, _starting
    _pdfium_lock, _starting, _current = threading.Lock(), threading.Lock(), None


atexit.register(_end_current)
at_fork(in_child=_after_fork)
