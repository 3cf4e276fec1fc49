"""One queue for all who search: a few threads do the work, and who comes first is served first.

Searching is work of this process, of which Python does little side by side. Where each of many threads searches by itself, all
of their memory is held at once, from a heap of the allocator for each, and the tasks of an event loop, which share a handful of
threads, wait behind threads that ask again and again.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")

WORKERS = max(2, min(4, os.cpu_count() or 1))
"""At least two, so that a long search does not stop all others; more only help while SQLite reads."""

_lock = threading.Lock()
_workers: ThreadPoolExecutor | None = None
_thread = threading.local()


def in_turn(work: Callable[[], T]) -> T:
    """The result of some work, when its turn has come. It must call nothing that waits for other work of this queue.

    Work that comes from within other work is done at once. An interrupt of the waiting thread takes the work off the queue.
    """
    future = _submit(work)
    if future is None:
        return work()
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def at_once(work: Callable[[], T]) -> T:
    """The result of some work done here and now: for work that calls code of others, which may wait for anything. What that
    code asks in its turn is done at once too, since it may be waited for while the library in memory is held."""
    was_worker = getattr(_thread, "is_worker", False)
    _thread.is_worker = True
    try:
        return work()
    finally:
        _thread.is_worker = was_worker


async def in_turn_async(work: Callable[[], T]) -> T:
    """`in_turn` for a task, in the same queue; a task that is cancelled leaves it."""
    future = _submit(work)
    return await (asyncio.to_thread(work) if future is None else asyncio.wrap_future(future))


def _submit(work: Callable[[], T]) -> Future[T] | None:
    """Put work at the end of the queue; None for a thread that does such work, and where no thread can be started."""
    global _workers
    if getattr(_thread, "is_worker", False):
        return None
    with _lock:
        if _workers is None:
            _workers = ThreadPoolExecutor(WORKERS, "thumbindex-search", initializer=_begin)
        workers = _workers
    try:
        return workers.submit(copy_context().run, work)
    except RuntimeError:  # the interpreter is ending, or has no threads
        return None


def _begin() -> None:
    _thread.is_worker = True


def _forget() -> None:
    """After a fork: the child has none of the threads, and perhaps a lock that nobody will release."""
    global _lock, _workers
    _lock, _workers = threading.Lock(), None
    _thread.is_worker = False


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_forget)
