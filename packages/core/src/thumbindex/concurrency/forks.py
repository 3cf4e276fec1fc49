"""Locks that forks respect: a fork waits for the transactions of other threads.

SQLite keeps in memory which locks a process holds on a file. A child that is forked while another thread writes would find the lock
taken by a thread that it does not have, and wait for it in vain.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 5.0
"""Seconds after which a fork goes ahead: whoever holds a transaction may itself be waiting for the thread that forks."""


class ForkSafeLock:
    """A lock that is free in a forked process, whose one thread is not the one that held it. Reentrant."""

    def __init__(self) -> None:
        self._lock, self._process = threading.RLock(), os.getpid()

    @contextmanager
    def held(self) -> Iterator[None]:
        """The lock, for a block."""
        if self._process != os.getpid():
            self._lock, self._process = threading.RLock(), os.getpid()
        with self._lock:
            yield


class _Gate:
    """Counts the transactions of one process, and lets no other thread begin one while a fork is waited for."""

    def __init__(self) -> None:
        self._changed = threading.Condition(threading.Lock())
        self._mine = threading.local()
        self._under_way = 0
        self._forks = 0

    def enter(self) -> None:
        with self._changed:
            mine = self._count()
            # Whoever is inside already is waited for.
            while self._forks and not mine:
                self._changed.wait()
            self._mine.count = mine + 1
            self._under_way += 1

    def leave(self) -> None:
        with self._changed:
            self._mine.count = self._count() - 1
            self._under_way -= 1
            self._changed.notify_all()

    def close(self) -> None:
        """Wait for the others, and stay closed until `open`."""
        self._changed.acquire()
        self._forks += 1
        self._changed.wait_for(lambda: self._under_way == self._count(), PATIENCE)

    def open(self) -> None:
        self._forks -= 1
        self._changed.notify_all()
        self._changed.release()

    def _count(self) -> int:
        return int(getattr(self._mine, "count", 0))


_gate = _Gate()


@contextmanager
def transaction() -> Iterator[None]:
    """A block that no other thread of this process forks in."""
    gate = _gate
    gate.enter()
    try:
        yield
    finally:
        if gate is _gate:  # else this is a child that was forked inside the block
            gate.leave()


def _renew() -> None:
    global _gate
    _gate = _Gate()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(before=lambda: _gate.close(), after_in_parent=lambda: _gate.open(), after_in_child=_renew)
