"""Worker processes, the parent's side: started from this copy of the package, ended at a limit, reused while healthy.

Not `multiprocessing`: it runs scripts without a guard again, fails in notebooks, and gives daemonic processes no children.
A worker belongs to the process that started it, and ends with it: its pipe closes then, and it watches its parent. The
child's side is `child`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Generic, Literal, TypeVar
from weakref import WeakSet

from .child import TICK, held_memory
from .forks import at_fork
from .messages import Header, receive, send


class ProcessNotStarted(Exception):
    """No worker process could be started here."""


class WorkerProcess:
    """A Python process that answers messages. Used by one thread at a time.

    Args:
        module: Name of the module whose `main` the process runs, such as "thumbindex.sources.worker".
        whole_package: Whether the process imports `thumbindex` itself first, as unpickling objects of the user's modules
            may require. Without it `thumbindex/__init__.py` and its imports stay out of the process, which halves the
            time to the first answer.

    Raises:
        ProcessNotStarted: There is no interpreter to start, as in frozen and embedding applications, or the system
            refuses.
    """

    def __init__(self, module: str, *, whole_package: bool = True) -> None:
        python = interpreter()
        if python is None:
            raise ProcessNotStarted("there is no Python interpreter beside this program")
        root = str(Path(__file__).resolve().parents[1])
        code = boot_code(module, whole_package=whole_package)
        try:
            self._process = subprocess.Popen(
                # -P: the current folder is no place to import from.
                [python, "-P", "-c", code, root, *(os.path.abspath(path) for path in sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                # Unbuffered: a forked child must never flush half a request into the pipe.
                bufsize=0,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise ProcessNotStarted(str(error)) from error
        # Popen's types name IO[bytes]; both are raw pipes, which is what `messages` takes.
        self._requests: BinaryIO = self._process.stdin  # type: ignore[assignment]
        self._answers: BinaryIO = self._process.stdout  # type: ignore[assignment]

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def status(self) -> int | None:
        """Exit status after `end`; negative for a signal."""
        return self._process.returncode

    @property
    def is_worn_out(self) -> bool:
        """True if a pool should replace the process although it works; False unless overridden."""
        return False

    def is_alive(self) -> bool:
        """Returns whether the process still runs."""
        return self._process.poll() is None

    def ask(self, header: Header, payload: bytes = b"") -> tuple[Header, bytes] | None:
        """Sends a request and returns the first answer; None where the process has ended."""
        try:
            send(self._requests, header, payload)
        except OSError:
            return None
        return self.receive()

    def receive(self) -> tuple[Header, bytes] | None:
        """Returns the next answer; None where the process has ended."""
        try:
            return receive(self._answers)
        except (OSError, ValueError):  # ValueError: no JSON, so not our worker at the other end
            return None

    def kill(self) -> None:
        """Ends the process at once; a thread that waits for its answer sees the end of the stream."""
        with suppress(OSError):  # it has ended by itself
            self._process.kill()

    def wait(self) -> None:
        """Waits for the end of the process."""
        self._process.wait()

    def close(self) -> None:
        """Closes this side of the pipes; an idle worker ends at that."""
        for pipe in (self._requests, self._answers):
            with suppress(OSError):
                pipe.close()

    def end(self) -> None:
        """Ends the process and frees its pipes. No other thread may be waiting for its answer."""
        self.kill()
        self.close()
        self.wait()


class Watchdog:
    """Kills a worker that takes too much time or memory, so that the thread waiting for it goes on.

    A context manager around the request. A worker checks its memory itself too (see `child.SelfWatch`), but where a call
    holds the lock of its interpreter, only another process can see it grow, which the system allows on Linux.

    Attributes:
        exceeded: The limit that the worker was killed for, or None.
    """

    def __init__(self, worker: WorkerProcess, seconds: float, memory: float = float("inf")) -> None:
        self.exceeded: Literal["time", "memory"] | None = None
        self._worker = worker
        self._memory = memory
        self._tick = TICK if memory < float("inf") else float("inf")
        self._deadline = time.monotonic() + seconds
        self._done = threading.Event()
        self._lock = threading.Lock()

    def _watch(self) -> None:
        while not self._done.wait(min(self._tick, max(0.0, self._deadline - time.monotonic()))):
            exceeded: Literal["time", "memory"] | None = None
            if time.monotonic() >= self._deadline:
                exceeded = "time"
            elif held_memory(self._worker.pid) > self._memory:
                exceeded = "memory"
            if exceeded is not None:
                with self._lock:
                    if not self._done.is_set():
                        self.exceeded = exceeded
                        self._worker.kill()
                return

    def __enter__(self) -> Watchdog:
        threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._lock:
            self._done.set()
        if kind is not None:
            # An interrupt in the middle of an answer: what is left of it would be taken for the next one.
            self._worker.end()


Worker = TypeVar("Worker", bound=WorkerProcess)


class WorkerPool(Generic[Worker]):
    """Worker processes of this process, started when needed and kept for the next request.

    Args:
        start: Starts a worker.
        size: Most workers that run at a time; further threads wait.
    """

    def __init__(self, start: Callable[[], Worker], size: int) -> None:
        self.pid = os.getpid()
        self.has_ended = False
        self._start = start
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(size)
        _pools.add(self)

    @contextmanager
    def worker(self) -> Iterator[Worker]:
        """A worker for one request, kept afterwards if it is alive and not worn out.

        Raises:
            ProcessNotStarted: None can be started, or the pool has ended.
        """
        with self._slots:
            worker = self._take()
            try:
                yield worker
            finally:
                self._give_back(worker)

    def _take(self) -> Worker:
        worker = self._take_idle() or self._start()
        with self._lock:
            if not self.has_ended:
                self._busy.add(worker)
                return worker
        worker.end()
        raise ProcessNotStarted("the pool has ended")

    def _take_idle(self) -> Worker | None:
        with self._lock:
            if self.has_ended:
                raise ProcessNotStarted("the pool has ended")
            while self._idle:
                worker = self._idle.pop()
                if worker.is_alive():
                    return worker
                worker.end()
        return None

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            self._busy.discard(worker)
            if worker.is_alive() and not worker.is_worn_out and not self.has_ended:
                self._idle.append(worker)
                return
        worker.end()

    def end(self) -> None:
        """Ends all workers, idle and busy, and lets none start."""
        with self._lock:
            self.has_ended = True
            idle, busy = [*self._idle], [*self._busy]
            self._idle.clear()
        for worker in idle:
            worker.end()
        for worker in busy:
            # Its pipes are closed by the thread that waits for the answer.
            worker.kill()
            worker.wait()

    def forget(self) -> None:
        """Closes the pipes to the workers of a parent in its forked child, without ending the workers.

        A copy of a pipe left open here would keep them running after the parent's end.
        """
        for worker in (*self._idle, *self._busy):
            worker.close()


_pools: WeakSet[WorkerPool[Any]] = WeakSet()  # Any: pools of every kind of worker


def _forget_pools() -> None:
    for pool in [*_pools]:
        pool.forget()
    _pools.clear()


at_fork(in_child=_forget_pools)


# This very copy of the package is run, wherever it was found; the other search paths of the parent come last, so that a
# file of the user's can shadow no module.
_SEARCH_PATHS = """\
import sys
root, *paths = sys.argv[1:]
sys.path += [path for path in paths if path not in sys.path]
"""
_WHOLE_PACKAGE = """\
import os
sys.path.insert(0, os.path.dirname(root))
import thumbindex
del sys.path[0]
"""
_STAND_IN_PACKAGE = """\
import types
sys.modules["thumbindex"] = package = types.ModuleType("thumbindex")
package.__path__ = [root]
"""


def boot_code(module: str, *, whole_package: bool) -> str:
    """Returns the code that a worker's interpreter runs; its arguments are the package's folder and the search paths."""
    package = _WHOLE_PACKAGE if whole_package else _STAND_IN_PACKAGE
    return f"{_SEARCH_PATHS}{package}from {module} import main\nmain()\n"


def interpreter() -> str | None:
    """Returns the path of a Python interpreter with this program's packages; None in frozen and embedding applications."""
    if getattr(sys, "frozen", False):
        return None
    # In a program that embeds Python, `sys.executable` may be that program: starting it again would be a surprise.
    if re.match(r"(python|pypy)[\d.]*[wdt]?(\.exe)?$", os.path.basename(sys.executable or ""), re.IGNORECASE):
        return sys.executable
    folder = Path(sys.prefix) / ("Scripts" if os.name == "nt" else "bin")
    return shutil.which("python3", path=str(folder)) or shutil.which("python", path=str(folder))
