"""Fork safety: the one place that registers functions to call around a fork, and locks that forked children can use.

SQLite records in memory which locks a process holds on a file. A child forked while another thread writes would find the lock
held by a thread that it does not have, and would wait for ever; so a fork waits for the transactions of other threads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

FORK_WAIT_SECONDS = 5.0
"""Wait before a fork goes ahead despite an open transaction: its thread may itself be waiting for the thread that forks."""


def at_fork(
    *,
    before: Callable[[], object] | None = None,
    in_parent: Callable[[], object] | None = None,
    in_child: Callable[[], object] | None = None,
) -> None:
    """Registers functions that every fork of this process calls; has no effect on Windows, which does not fork.

    A forked child has only the thread that forked. What it cannot use, such as locks, threads and connections of the parent,
    is replaced `in_child`, before any other code runs there.
    """
    if hasattr(os, "register_at_fork"):
        callbacks = {"before": before, "after_in_parent": in_parent, "after_in_child": in_child}
        os.register_at_fork(**{when: call for when, call in callbacks.items() if call is not None})


class ForkSafeLock:
    """A reentrant lock that is free in a forked child, even if a thread of the parent held it during the fork."""

    def __init__(self) -> None:
        self._lock, self._process = threading.RLock(), os.getpid()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Holds the lock for a block."""
        if self._process != os.getpid():
            self._lock, self._process = threading.RLock(), os.getpid()
        with self._lock:
            yield


class _Gate:
    """Counts the open transactions of this process; closed during a fork, it lets no other thread begin one."""

    def __init__(self) -> None:
        self._changed = threading.Condition(threading.Lock())
        self._own = threading.local()
        self._open_count = 0
        self._forks = 0

    def enter(self) -> None:
        with self._changed:
            own = self._own_count()
            # A fork waits for threads that are inside, so a nested transaction must not wait for the fork.
            while self._forks and not own:
                self._changed.wait()
            self._own.count = own + 1
            self._open_count += 1

    def leave(self) -> None:
        with self._changed:
            self._own.count = self._own_count() - 1
            self._open_count -= 1
            self._changed.notify_all()

    def close(self) -> None:
        """Waits for the transactions of other threads, and lets none begin until `open`."""
        self._changed.acquire()
        self._forks += 1
        self._changed.wait_for(lambda: self._open_count == self._own_count(), FORK_WAIT_SECONDS)

    def open(self) -> None:
        self._forks -= 1
        self._changed.notify_all()
        self._changed.release()

    def _own_count(self) -> int:
        return int(getattr(self._own, "count", 0))


_gate = _Gate()


@contextmanager
def transaction() -> Iterator[None]:
    """A block during which no other thread forks this process."""
    gate = _gate
    gate.enter()
    try:
        yield
    finally:
        if gate is _gate:  # not in a child that was forked inside the block
            gate.leave()


def _renew_gate() -> None:
    global _gate
    _gate = _Gate()


at_fork(before=lambda: _gate.close(), in_parent=lambda: _gate.open(), in_child=_renew_gate)
