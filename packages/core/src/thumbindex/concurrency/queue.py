"""One queue for all searches: a few threads do the work, first come, first served.

Searching is work of this process, and Python runs little of it in parallel. If each of many threads searched by itself, all
of their memory would be held at once, in a heap of the allocator for each, and the tasks of an event loop, which share a
handful of threads, would wait behind threads that ask again and again.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from .forks import at_fork

T = TypeVar("T")

WORKERS = max(2, min(4, os.cpu_count() or 1))
"""At least two, so that a long search does not stop all others; more only help while SQLite reads."""

_lock = threading.Lock()
_workers: ThreadPoolExecutor | None = None
_thread = threading.local()


def run_queued(work: Callable[[], T]) -> T:
    """Runs `work` when its turn comes, and returns its result.

    Work that is queued from within other work runs inline. An interrupt of the waiting thread takes the work off the queue.

    Args:
        work: Must not wait for other work of this queue.
    """
    future = _submit(work)
    if future is None:
        return work()
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def run_queued_async(work: Callable[[], T]) -> T:
    """`run_queued` for a task, in the same queue; cancelling the task takes its work off the queue."""
    future = _submit(work)
    return await (asyncio.to_thread(work) if future is None else asyncio.wrap_future(future))


def run_inline(work: Callable[[], T]) -> T:
    """Runs `work` in this thread at once, and returns its result: for work that calls the user's code, which may wait for
    anything.

    Whatever that code queues runs inline too, since it may be waited for while the library in memory is locked.
    """
    was_worker = getattr(_thread, "is_worker", False)
    _thread.is_worker = True
    try:
        return work()
    finally:
        _thread.is_worker = was_worker


def _submit(work: Callable[[], T]) -> Future[T] | None:
    """Puts work at the end of the queue; returns None in a thread that runs such work, and where no thread can start."""
    global _workers
    if getattr(_thread, "is_worker", False):
        return None
    with _lock:
        if _workers is None:
            _workers = ThreadPoolExecutor(WORKERS, "thumbindex-search", initializer=_mark_worker)
        workers = _workers
    try:
        return workers.submit(copy_context().run, work)
    except RuntimeError:  # the interpreter is ending, or has no threads
        return None


def _mark_worker() -> None:
    _thread.is_worker = True


def _reset() -> None:
    """Replaces what a forked child cannot use: it has none of the threads, and perhaps a lock that nobody will release."""
    global _lock, _workers
    _lock, _workers = threading.Lock(), None
    _thread.is_worker = False


at_fork(in_child=_reset)
