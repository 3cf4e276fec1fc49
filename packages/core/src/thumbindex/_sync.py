"""The bridge from sync to async: one background loop for the whole process.

HTTP clients keep their connections in the loop that opened them, so every sync call must come to the same loop; and in a
notebook or a web handler a loop runs already, in which nothing can be waited for. A thread of its own serves both.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def run_sync(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on the background loop, from any other thread, in a running loop or not.

    An interrupt of the waiting thread cancels the work. Context variables of the caller are seen by the work.

    Raises:
        RuntimeError: called from the background loop itself, which would wait for itself.
    """
    loop = _background_loop()
    try:
        is_own_loop = asyncio.get_running_loop() is loop
    except RuntimeError:
        is_own_loop = False
    if is_own_loop:
        work.close()
        raise RuntimeError(
            "This runs on thumbindex's own loop: await the `a…` method instead of calling its sync twin."
        )
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        return future.result()
    except BaseException:
        # KeyboardInterrupt reaches only this thread; a cancelled future stops the coroutine. No effect on finished work.
        future.cancel()
        raise


def _background_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None or _loop.is_closed():
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="thumbindex-loop", daemon=True).start()
        return _loop


def _forget() -> None:
    """After a fork: the child has no thread that runs the loop, and perhaps a lock that nobody will release."""
    global _lock, _loop
    _lock, _loop = threading.Lock(), None


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_forget)
