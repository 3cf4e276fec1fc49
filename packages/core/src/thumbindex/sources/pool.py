"""Reader processes, kept warm: the parent's side of `thumbindex.sources.worker`.

A worker that crashes, hangs or grows is ended and replaced; the file gets an error of ours. Workers belong to the
process that started them: a forked child starts its own. They end with their parent, whose pipe then closes.

To start one takes an eighth of a second; then a megabyte of HTML, which takes 0.7 s to parse, takes 0.06 s more to come back.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from ..errors import DamagedSource, SourceLimit
from ..pages import Document
from .guarded import out_of_memory, out_of_time
from .image import PageImage, View
from .settings import READER, Limits, ReaderSettings
from .wire import Header, error_from_json, load_document, receive, send
from .worker import EXIT_MEMORY, EXIT_TIME, TICK, held_memory, read_guarded, reading, render_guarded, rendering

if TYPE_CHECKING:
    from .worker import Kind

STARTING_SECONDS = 60.0
"""A machine busy with other work may take long to start an interpreter."""


def read_apart(
    data: bytes | Path, kind: Kind, name: str, password: str | None = None, *, reader: ReaderSettings = READER
) -> Document:
    """The document in a file of this kind, parsed in a process of its own, or in this one.

    Raises:
        SourceError: what its reader raises; DamagedSource if the reader crashed on the file; SourceLimit if it took
            too much time or memory. Without isolation there are no limits, and a crash takes this process along.
        MissingExtra: its reader needs an extra.
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
    """`pdf.render_page` in a process of its own, or in this one under the lock that PDFium needs.

    Raises:
        SourceError: as for `read_apart`.
    """
    if reader.isolation == "process":
        answer = _ask(data, rendering(name, view, password), reader.limits)
        if answer is not None:
            header, pixels = answer
            return PageImage(int(header["width"]), int(header["height"]), float(header["dpi"]), pixels)
    with _pdfium_lock:
        return render_guarded(data, name, view, password)


def _ask(data: bytes | Path, asked: Header, limits: Limits) -> tuple[Header, bytes] | None:
    """What a worker answers; None, and a warning, where none can be started."""
    try:
        return _pool().ask(data, asked, limits)
    except _NotStarted as error:
        warnings.warn(
            f"Files are parsed inside this process, because no reader process could be started: {error}. "
            "A hostile file can crash it or hold it up. Pass isolation='none' if this is intended.",
            RuntimeWarning,
            stacklevel=3,
        )
        return None


def reader_cpu_seconds() -> float:
    """Processor time that this process's readers spent on their documents up to their last answers, in seconds.

    The system tells a process what its children took only after their end, and readers stay.
    """
    return _pool().cpu_seconds()


class _NotStarted(Exception):
    """No worker could be started here."""


class _Worker:
    """One reader process. Used by one thread at a time."""

    def __init__(self) -> None:
        self.documents = 0
        self.held = 0
        self.cpu = 0.0
        self._cpu_at_start = 0.0
        self._process = subprocess.Popen(
            _command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Unbuffered: a forked child must never flush half a request into the pipe.
            bufsize=0,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        # Popen's types name IO[bytes]; both are raw pipes, which is what `wire` takes.
        self._requests: BinaryIO = self._process.stdin  # type: ignore[assignment]
        self._answers: BinaryIO = self._process.stdout  # type: ignore[assignment]
        with _Guard(self, STARTING_SECONDS):
            message = self._receive()
        if message is None:
            self.end()
            raise _NotStarted(f"{sys.executable} ended with status {self._process.returncode}")
        if not message[0].get("ready"):
            self.end()
            raise _NotStarted(str(message[0].get("reason", "unknown reason")))
        self._cpu_at_start = float(message[0]["cpu"])

    @property
    def pid(self) -> int:
        return self._process.pid

    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, data: bytes | Path, asked: Header, limits: Limits) -> tuple[Header, bytes]:
        """What it answers about one file. After DamagedSource or SourceLimit the worker may be dead: see `alive`."""
        name = str(asked["name"])
        asked = {**asked, "memory": limits.memory}
        if isinstance(data, Path):
            asked["path"] = str(data)
            payload, size = b"", data.stat().st_size
        else:
            payload, size = data, len(data)
        seconds = limits.seconds_for(size)
        # The worker watches its own clock too, a little longer, for the case that this process is killed.
        asked["seconds"] = seconds + 5
        self.documents += 1
        with _Guard(self, seconds, limits.memory) as guard:
            try:
                send(self._requests, asked, payload)
                answer = self._receive()
            except OSError:  # the worker is gone; its exit status says why
                answer = None
        if guard.broken is not None:
            # Waited for: while it dies it passes for alive, and the next file would be told of its death.
            self.end()
            raise out_of_time(name, seconds) if guard.broken == "time" else out_of_memory(name)
        if answer is not None and "held" in answer[0]:
            header = answer[0]
            self.held = int(header["held"])
            self.cpu = float(header["cpu"]) - self._cpu_at_start
            if "error" in header:
                raise error_from_json(header)
            return answer
        self.end()
        raise self._explain_end(name, seconds)

    def _receive(self) -> tuple[Header, bytes] | None:
        try:
            return receive(self._answers)
        except (OSError, ValueError):  # ValueError: no JSON, so not our worker at the other end
            return None

    def _explain_end(self, name: str, seconds: float) -> DamagedSource | SourceLimit:
        status = self._process.returncode
        if status == EXIT_MEMORY or status == -getattr(signal, "SIGKILL", 0):
            # A kill from outside is almost always the system running out of memory.
            return out_of_memory(name)
        if status == EXIT_TIME:
            return out_of_time(name, seconds)
        how = f"exit status {status}"
        if status is not None and status < 0:
            try:
                how = signal.Signals(-status).name
            except ValueError:
                how = f"signal {-status}"
        return DamagedSource(
            name,
            f"the reader crashed on this file ({how}).",
            "Open it in its program and save it anew, or print it to a new PDF.",
        )

    def kill(self) -> None:
        """End the process at once; a thread that waits for its answer then sees the end of the stream."""
        with suppress(OSError):  # it has ended by itself
            self._process.kill()

    def end(self) -> None:
        """End the process and free what belongs to it."""
        self.kill()
        self.close()
        self._process.wait()

    def close(self) -> None:
        """Close this process's ends of the pipes; an idle worker ends at that."""
        for pipe in (self._requests, self._answers):
            with suppress(OSError):
                pipe.close()


class _Guard:
    """Kills a worker that takes too much time or memory, so that the thread waiting for it goes on.

    `broken` says which limit it was. The worker watches its memory itself too; but where one call of a parser holds the
    lock of its interpreter, only another process can see it grow, which the system allows on Linux.
    """

    def __init__(self, worker: _Worker, seconds: float, memory: float = float("inf")) -> None:
        self.broken: Literal["time", "memory"] | None = None
        self._worker = worker
        self._memory = memory
        self._deadline = time.monotonic() + seconds
        self._done = threading.Event()
        self._lock = threading.Lock()

    def _watch(self) -> None:
        while not self._done.wait(min(TICK, max(0.0, self._deadline - time.monotonic()))):
            broken: Literal["time", "memory"] | None = None
            if time.monotonic() >= self._deadline:
                broken = "time"
            elif held_memory(self._worker.pid) > self._memory:
                broken = "memory"
            if broken is not None:
                with self._lock:
                    if not self._done.is_set():
                        self.broken = broken
                        self._worker.kill()
                return

    def __enter__(self) -> _Guard:
        threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._lock:
            self._done.set()
        if kind is not None:
            # An interrupt in the middle of an answer: what is left of it would be taken for the next one.
            self._worker.end()


class _Pool:
    """Workers of one process, at most one for each processor."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._cpu_of_ended = 0.0
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(os.cpu_count() or 1)

    def ask(self, data: bytes | Path, asked: Header, limits: Limits) -> tuple[Header, bytes]:
        with self._slots:
            worker = self._take()
            try:
                return worker.ask(data, asked, limits)
            finally:
                self._give_back(worker, limits)

    def _take(self) -> _Worker:
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.alive():
                    self._busy.add(worker)
                    return worker
                self._cpu_of_ended += worker.cpu
                worker.end()
        try:
            worker = _Worker()
        except OSError as error:
            raise _NotStarted(str(error)) from error
        with self._lock:
            self._busy.add(worker)
        return worker

    def _give_back(self, worker: _Worker, limits: Limits) -> None:
        with self._lock:
            self._busy.discard(worker)
            if worker.alive() and worker.documents < limits.documents and worker.held < limits.memory // 2:
                self._idle.append(worker)
                return
            self._cpu_of_ended += worker.cpu
        worker.end()

    def cpu_seconds(self) -> float:
        with self._lock:
            return self._cpu_of_ended + sum(worker.cpu for worker in (*self._idle, *self._busy))

    def end(self) -> None:
        """End all workers."""
        with self._lock:
            workers = [*self._idle, *self._busy]
            self._idle.clear()
        for worker in workers:
            worker.end()

    def forget(self) -> None:
        """In a forked child: let go of the parent's workers without ending them.

        A copy of the pipe left open here would keep them running after the parent's end.
        """
        for worker in (*self._idle, *self._busy):
            worker.close()


_pdfium_lock = threading.Lock()
_current: _Pool | None = None
_starting = threading.Lock()


def _pool() -> _Pool:
    global _current
    with _starting:
        if _current is None or _current.pid != os.getpid():
            _current = _Pool()
        return _current


def _end_current() -> None:
    if _current is not None and _current.pid == os.getpid():
        _current.end()


def _after_fork() -> None:
    # Locks may have been held by threads that do not exist in this child.
    global _pdfium_lock, _current, _starting
    _pdfium_lock, _starting = threading.Lock(), threading.Lock()
    if _current is not None:
        _current.forget()
        _current = None


atexit.register(_end_current)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


# A stand-in for the package keeps `thumbindex/__init__.py`, and all it imports, out of the worker: that halves the time
# to the first answer. It also makes sure that the worker runs this very copy of the code, wherever it was found.
# Search paths of the parent come last, so that a file of the user's can shadow no module.
_BOOT = """\
import sys, types
root, *paths = sys.argv[1:]
sys.path += [path for path in paths if path not in sys.path]
sys.modules["thumbindex"] = package = types.ModuleType("thumbindex")
package.__path__ = [root]
from thumbindex.sources.worker import main
main()
"""


def _command() -> list[str]:
    """The command that starts a worker.

    Raises:
        _NotStarted: there is no interpreter to start, as in frozen and embedding applications.
    """
    python = _interpreter()
    if python is None:
        raise _NotStarted("there is no Python interpreter beside this program")
    root = str(Path(__file__).resolve().parent.parent)
    # -P: the current folder is no place to import from.
    return [python, "-P", "-c", _BOOT, root, *(os.path.abspath(path) for path in sys.path)]


def _interpreter() -> str | None:
    if getattr(sys, "frozen", False):
        return None
    # In a program that embeds Python, `sys.executable` may be that program: starting it again would be a surprise.
    if re.match(r"(python|pypy)[\d.]*[wdt]?(\.exe)?$", os.path.basename(sys.executable or ""), re.IGNORECASE):
        return sys.executable
    folder = Path(sys.prefix) / ("Scripts" if os.name == "nt" else "bin")
    return shutil.which("python3", path=str(folder)) or shutil.which("python", path=str(folder))
