"""Worker processes, the child's side: messages on standard input and output, limits, and an end with the parent.

The parent's side is `processes`.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO

if sys.platform != "win32":
    import resource

EXIT_MEMORY = 77
"""Exit status of a process that exceeded its memory limit."""
EXIT_TIME = 78
"""Exit status of a process that exceeded its time limit or outlived its parent."""
TICK = 0.05
"""Seconds between two checks of time and memory. At 2 GB a second, a process is 100 MB over its limit by then."""


def run(serve: Callable[[BinaryIO, BinaryIO], None]) -> None:
    """Takes over standard input and output, and serves requests until the input ends or the parent is gone.

    Args:
        serve: Takes the stream of requests and the stream of answers, both unbuffered.
    """
    # Ctrl-C reaches the whole process group; the parent decides what becomes of its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Whatever C code prints must not end up between the answers.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(BrokenPipeError):  # the parent is gone
        serve(requests, answers)


class SelfWatch:
    """Ends this process when the current request exceeds its limits, or when the parent is gone.

    The parent watches too (see `processes.Watchdog`), also while a call holds the interpreter's lock, which stops this
    thread; this one also works after the parent was killed, and on macOS.

    Attributes:
        deadline: Time of `time.monotonic` at which the request must be done.
        memory: Resident memory that the request may reach, in bytes.
    """

    def __init__(self) -> None:
        self.deadline = float("inf")
        self.memory = float("inf")
        self._parent = os.getppid()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(TICK)
            if self.memory < float("inf") and held_memory() > self.memory:
                os._exit(EXIT_MEMORY)
            if time.monotonic() > self.deadline or os.getppid() != self._parent:
                os._exit(EXIT_TIME)


def held_memory(pid: int | None = None) -> int:
    """Returns the resident memory of a process in bytes, of this one by default; 0 where the system does not report it.

    On macOS it is known for this process alone, and is its peak.
    """
    if sys.platform == "win32":
        return 0
    try:
        # Not ru_maxrss: on Linux a new process starts with the peak of the one that started it.
        with open(f"/proc/{pid or 'self'}/statm", "rb") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except (FileNotFoundError, ProcessLookupError):
        return 0 if pid else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
