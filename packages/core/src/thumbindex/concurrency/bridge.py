"""The bridge from sync to async: one background loop for the whole process.

HTTP clients keep their connections in the loop that opened them, so every sync call must come to the same loop; and in a
notebook or a web handler a loop runs already, in which nothing can be waited for. A thread of its own serves both.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from concurrent.futures import Future
from functools import wraps
from keyword import iskeyword
from queue import SimpleQueue
from typing import Any, Concatenate, ParamSpec, TypeVar

T = TypeVar("T")
S = TypeVar("S")
P = ParamSpec("P")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def run_sync(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on the background loop, from any other thread, in a running loop or not.

    An interrupt of the waiting thread cancels the work. Context variables of the caller are seen by the work.

    Raises:
        RuntimeError: called from the background loop itself, which would wait for itself.
    """
    future = _submit(work)
    try:
        return future.result()
    except BaseException:
        # KeyboardInterrupt reaches only this thread; a cancelled future stops the coroutine. No effect on finished work.
        future.cancel()
        raise


def waiting(call: Callable[Concatenate[S, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[S, P], T]:
    """The twin of an async method for scripts and notebooks: see `run_sync`."""

    @wraps(call)
    def twin(self: S, /, *arguments: P.args, **options: P.kwargs) -> T:
        # By name, as in `threaded`: who overrides the method has overridden its twin.
        method: Callable[P, Coroutine[Any, Any, T]] = getattr(self, call.__name__)
        return run_sync(method(*arguments, **options))

    return _named(twin, call.__name__.removeprefix("a"), f"`{call.__name__}`, for scripts and notebooks.")


def threaded(call: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """The twin of a method for async code, named with an `a` before it: the method in a thread."""

    @wraps(call)
    async def twin(self: S, /, *arguments: P.args, **options: P.kwargs) -> T:
        method: Callable[P, T] = getattr(self, call.__name__)
        return await asyncio.to_thread(method, *arguments, **options)

    name = f"a{call.__name__}"
    what = f"`{call.__name__}` in a thread, where functions that it is given are called too."
    return _named(twin, f"{name}_" if iskeyword(name) else name, what)


def _named(twin: Callable[P, T], name: str, what: str) -> Callable[P, T]:
    twin.__qualname__ = f"{twin.__qualname__.rpartition('.')[0]}.{name}"
    twin.__name__, twin.__doc__ = name, what
    return twin


def iterate(work: Callable[[Callable[[T], None]], Coroutine[Any, Any, T]]) -> Generator[T, None, None]:
    """What some work tells while it runs on the background loop, and its result last.

    `work` is given a function to tell with, which may be called from any thread. Who stops iterating cancels it.

    Raises:
        RuntimeError: as `run_sync`; and what the work raises.
    """
    told: SimpleQueue[T | None] = SimpleQueue()
    future = _submit(work(told.put))
    future.add_done_callback(lambda _: told.put(None))
    try:
        while (one := told.get()) is not None:
            yield one
        yield future.result()
    finally:
        future.cancel()


async def aiterate(work: Callable[[Callable[[T], None]], Coroutine[Any, Any, T]]) -> AsyncGenerator[T, None]:
    """`iterate` on the running loop."""
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[T | None] = asyncio.Queue()

    def tell(one: T | None) -> None:
        loop.call_soon_threadsafe(told.put_nowait, one)

    task = asyncio.ensure_future(work(tell))
    task.add_done_callback(lambda _: tell(None))
    try:
        while (one := await told.get()) is not None:
            yield one
        yield task.result()
    finally:
        task.cancel()
        # Left only when the work has come to its end, with its connections closed.
        await asyncio.gather(task, return_exceptions=True)


def is_own_loop() -> bool:
    """Whether this runs on the background loop, which is to say for a sync caller."""
    try:
        return asyncio.get_running_loop() is _loop
    except RuntimeError:
        return False


def _submit(work: Coroutine[Any, Any, T]) -> Future[T]:
    loop = _background_loop()
    if is_own_loop():
        work.close()
        raise RuntimeError(
            "This runs on thumbindex's own loop: await the `a…` method instead of calling its sync twin."
        )
    return asyncio.run_coroutine_threadsafe(work, loop)


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
