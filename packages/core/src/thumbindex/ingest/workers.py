"""Preparing many documents at once, in processes of our own: finding sections and taking tokens is work for a processor.

Each process runs `prepare` on one job after the other. They are started like the reader processes of `sources.pool` and
not by `multiprocessing`, which re-runs scripts without a guard and fails in notebooks and daemonic processes. Parsers run in
a further process below each, so a file that crashes one is an error of that file and no more.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ..errors import DamagedSource, MissingExtra, SourceError, SourceLimit
from ..sources.wire import receive, send
from ..store.records import Prepared
from .jobs import Job
from .prepare import prepare

SECONDS = 900.0
"""How long one document may take after it was read, which has limits of its own, and with OCR takes seconds a page."""

_AHEAD = 2
"""Jobs for each process that are begun or waiting for the writer: more would only take memory."""

# This very copy of the package is run, wherever it was found; the other search paths of the parent come last, so that a
# file of the user's can shadow no module.
_BOOT = """\
import sys
root, *paths = sys.argv[1:]
sys.path += [path for path in paths if path not in sys.path]
sys.path.insert(0, root)
import thumbindex
del sys.path[0]
from thumbindex.ingest.workers import main
main()
"""

Outcome = Prepared | SourceError | MissingExtra


def prepare_all(jobs: Iterable[Job], workers: int) -> Iterator[tuple[Job, Outcome]]:
    """Each job with what became of it, in the order of the jobs, which are taken as they are needed.

    With one worker, or where no process can be started, this process does the work. What is read of a job after its
    turn is bounded: `_AHEAD` documents for each worker.
    """
    if workers < 2:
        for job in jobs:
            yield job, _prepare_here(job)
        return
    crew = _Crew()
    waiting: deque[tuple[Job, Future[Outcome]]] = deque()
    threads = ThreadPoolExecutor(workers, thread_name_prefix="thumbindex-prepare")
    try:
        for job in jobs:
            waiting.append((job, threads.submit(crew.prepare, job)))
            if len(waiting) >= _AHEAD * workers:
                done, future = waiting.popleft()
                yield done, future.result()
        while waiting:
            done, future = waiting.popleft()
            yield done, future.result()
    finally:
        # Also when the caller stops half-way or is interrupted: nothing is waited for.
        threads.shutdown(wait=False, cancel_futures=True)
        crew.end()
        threads.shutdown()


def _prepare_here(job: Job, on_read: Callable[[], None] = lambda: None) -> Outcome:
    try:
        return prepare(job, on_read)
    except (SourceError, MissingExtra) as error:
        return error


class _Crew:
    """The processes of one `prepare_all`; each thread has its own."""

    def __init__(self) -> None:
        self._own = threading.local()
        self._all: list[_Process] = []
        self._lock = threading.Lock()
        self._over = False

    def prepare(self, job: Job) -> Outcome:
        process: _Process | None = getattr(self._own, "process", None)
        if process is None or not process.alive():
            process = self._start()
            self._own.process = process
        # Where no process starts, as in a frozen program, the threads do the work, one at a time as Python lets them.
        return _prepare_here(job) if process is None else process.prepare(job)

    def _start(self) -> _Process | None:
        with self._lock:
            if self._over:
                return None
            try:
                process = _Process()
            except OSError:
                return None
            self._all = [one for one in self._all if one.alive()] + [process]
            return process

    def end(self) -> None:
        with self._lock:
            self._over = True
            for process in self._all:
                process.end()


class _Process:
    """One process. Used by one thread at a time."""

    def __init__(self) -> None:
        if getattr(sys, "frozen", False) or not sys.executable:
            raise OSError("there is no Python interpreter beside this program")
        root = Path(__file__).resolve().parents[2]
        self._process = subprocess.Popen(
            # -P: the current folder is no place to import from.
            [sys.executable, "-P", "-c", _BOOT, str(root), *(os.path.abspath(path) for path in sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        # Popen's types name IO[bytes]; both are raw pipes, which is what `wire` takes.
        self._jobs: BinaryIO = self._process.stdin  # type: ignore[assignment]
        self._answers: BinaryIO = self._process.stdout  # type: ignore[assignment]
        self._late = False

    def alive(self) -> bool:
        return self._process.poll() is None

    def prepare(self, job: Job) -> Outcome:
        timer = threading.Timer(SECONDS, self._ring)
        timer.daemon = True
        try:
            # A pickle, which could run code, is safe here: our own code at both ends, and no parser of foreign files.
            send(self._jobs, {}, pickle.dumps(job))
            answer = receive(self._answers)
            if answer is not None and answer[0]["read"]:
                timer.start()
                answer = receive(self._answers)
        except (OSError, ValueError):
            answer = None
        finally:
            timer.cancel()
        if answer is not None:
            outcome: Outcome = pickle.loads(answer[1])
            return outcome
        self.end()
        if self._late:
            what = f"indexing it took more than {SECONDS:.0f} seconds and was stopped."
            return SourceLimit(job.shown, what, "Split it, or save it anew in a viewer.")
        status = self._process.returncode
        what = f"the process that indexed it ended (status {status})."
        return DamagedSource(job.shown, what, "Add it alone; if that fails too, split it or save it anew.")

    def _ring(self) -> None:
        self._late = True
        self.end()

    def end(self) -> None:
        """End the process at once; a thread that waits for its answer sees the end of the stream."""
        with suppress(OSError):
            self._process.kill()
        self._process.wait()


def serve(jobs: BinaryIO, answers: BinaryIO) -> None:
    """Work on jobs until the stream ends: of each it is told when it has been read, and then what became of it."""
    while (message := receive(jobs)) is not None:
        try:
            outcome: Outcome = _prepare_here(pickle.loads(message[1]), lambda: send(answers, {"read": True}))
        except Exception as error:  # a fault of ours must name the file and let the others go on
            job: Job = pickle.loads(message[1])
            what = f"indexing it failed ({type(error).__name__}: {error})."
            outcome = DamagedSource(job.shown, what, "Please report this with the file.")
        send(answers, {"read": False}, pickle.dumps(outcome, protocol=pickle.HIGHEST_PROTOCOL))


def main() -> None:
    """Take over standard input and output, and serve."""
    import signal

    # Ctrl-C reaches the whole process group; the parent decides what becomes of its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    jobs = os.fdopen(os.dup(0), "rb", buffering=0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    with suppress(BrokenPipeError):  # the parent is gone
        serve(jobs, answers)
