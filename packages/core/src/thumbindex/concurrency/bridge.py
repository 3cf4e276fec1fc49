"""The bridge from sync to async: one background loop for the whole process.

HTTP clients keep their connections in the loop that opened them, so every sync call must use the same loop; and in a
notebook or a web handler a loop runs already, where a sync call may not wait. A loop in a thread of its own serves both.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

from .forks import at_fork

T = TypeVar("T")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def run_sync(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine on the background loop from any other thread, whether a loop runs there or not; returns its result.

    The coroutine sees the context variables of the caller. An interrupt of the waiting thread cancels it.

    Raises:
        RuntimeError: Called from the background loop itself, which would wait for itself.
    """
    future = _submit(work)
    try:
        return future.result()
    except BaseException:
        # KeyboardInterrupt reaches only this thread; a cancelled future stops the coroutine. No effect on finished work.
        future.cancel()
        raise


def iterate(work: Callable[[Callable[[T], None]], Coroutine[Any, Any, T]]) -> Generator[T, None, None]:
    """Yields the items that some work emits while it runs on the background loop, and its result last.

    Closing the generator cancels the work.

    Args:
        work: Takes a function that emits an item, callable from any thread.

    Raises:
        RuntimeError: See `run_sync`; and whatever the work raises.
    """
    items: SimpleQueue[T | None] = SimpleQueue()
    future = _submit(work(items.put))
    future.add_done_callback(lambda _: items.put(None))
    try:
        while (item := items.get()) is not None:
            yield item
        yield future.result()
    finally:
        future.cancel()


async def aiterate(work: Callable[[Callable[[T], None]], Coroutine[Any, Any, T]]) -> AsyncGenerator[T, None]:
    """`iterate` on the running loop."""
    loop = asyncio.get_running_loop()
    items: asyncio.Queue[T | None] = asyncio.Queue()

    def emit(item: T | None) -> None:
        loop.call_soon_threadsafe(items.put_nowait, item)

    task = asyncio.ensure_future(work(emit))
    task.add_done_callback(lambda _: emit(None))
    try:
        while (item := await items.get()) is not None:
            yield item
        yield task.result()
    finally:
        task.cancel()
        # Wait for the end of the work, so that its connections are closed.
        await asyncio.gather(task, return_exceptions=True)


def is_own_loop() -> bool:
    """Returns whether the caller runs on the background loop, and so on behalf of a sync caller."""
    try:
        return asyncio.get_running_loop() is _loop
    except RuntimeError:
        return False


def _submit(work: Coroutine[Any, Any, T]) -> Future[T]:
    loop = _background_loop()
    if is_own_loop():
        work.close()
        raise RuntimeError(
            "This runs on thumbindex's own loop: await the async variant instead of calling the sync method."
        )
    return asyncio.run_coroutine_threadsafe(work, loop)


def _background_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None or _loop.is_closed():
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="thumbindex-loop", daemon=True).start()
        return _loop


def _reset() -> None:
    """Replaces what a forked child cannot use: no thread runs the loop there, and nobody may release the lock."""
    global _lock, _loop
    _lock, _loop = threading.Lock(), None


at_fork(in_child=_reset)
