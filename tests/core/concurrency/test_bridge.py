"""The bridge from sync to async: from scripts, from running loops, from threads, and after a fork."""

from __future__ import annotations

import asyncio
import contextvars
import os
import subprocess
import sys
import textwrap
import threading

import pytest

from thumbindex.concurrency.bridge import aiterate, iterate, run_sync

WHO: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")


async def loop_id() -> int:
    return id(asyncio.get_running_loop())


def test_all_calls_run_on_one_loop() -> None:
    """HTTP clients keep their connections in the loop that opened them."""
    here = run_sync(loop_id())
    seen: list[int] = []
    thread = threading.Thread(target=lambda: seen.append(run_sync(loop_id())))
    thread.start()
    thread.join()
    assert seen == [here]


async def test_it_works_inside_a_running_loop() -> None:
    """In a notebook the cell runs in a loop; the work runs on another."""
    assert run_sync(loop_id()) != await loop_id()


async def test_a_call_from_the_background_loop_raises() -> None:
    """It would wait for itself for ever; the error says to await."""

    async def inside() -> None:
        run_sync(loop_id())

    with pytest.raises(RuntimeError, match="await"):
        await asyncio.to_thread(run_sync, inside())


def test_context_variables_and_errors_pass_through() -> None:
    """Tracing follows the call, and its errors come back."""
    WHO.set("me")

    async def get() -> str:
        return WHO.get()

    async def fail() -> None:
        raise KeyError("lost")

    assert run_sync(get()) == "me"
    with pytest.raises(KeyError, match="lost"):
        run_sync(fail())


async def test_emitted_items_arrive_in_order_from_any_thread() -> None:
    """The result comes last, in a loop or outside of one."""
    WHO.set("me")

    async def work(emit):
        emit("one")
        await asyncio.to_thread(emit, "two")
        emit(WHO.get())
        return "result"

    assert [*iterate(work)] == ["one", "two", "me", "result"]
    assert [item async for item in aiterate(work)] == ["one", "two", "me", "result"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_gets_a_loop_of_its_own() -> None:
    """The thread that runs the parent's loop does not exist in the child."""
    program = """
        import asyncio, os
        from thumbindex.concurrency.bridge import run_sync
        async def one(): return 1
        assert run_sync(one()) == 1
        child = os.fork()
        if child == 0:
            os._exit(0 if run_sync(one()) == 1 else 1)
        raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert subprocess.run([sys.executable, "-c", textwrap.dedent(program)], timeout=30).returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="signals differ")
def test_an_interrupt_cancels_the_work() -> None:
    """Ctrl-C in a script stops the coroutine, and the process ends."""
    program = """
        import asyncio, signal, threading, os
        from thumbindex.concurrency.bridge import run_sync
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        stopped = threading.Event()
        async def long():
            await asyncio.sleep(0.3)  # until the main thread waits for it
            os.kill(os.getpid(), signal.SIGINT)
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                stopped.set()
                raise
        try:
            run_sync(long())
        except KeyboardInterrupt:
            raise SystemExit(0 if stopped.wait(5) else 1)
    """
    assert subprocess.run([sys.executable, "-c", textwrap.dedent(program)], timeout=30).returncode == 0
