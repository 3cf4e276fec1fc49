"""Searches of threads and tasks wait in one queue, which never waits for itself, whatever the user's code does."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import partial

import pytest

from thumbindex import AsyncLibrary, Budget, Lexical, Library, Scope
from thumbindex.concurrency.queue import WORKERS, run_queued, run_queued_async

GUIDE = b"# Guide\n\n## Knobs\n\nPress the red knob twice.\n\n## Wheels\n\nTurn the wheel to the left.\n"
PATIENCE = 30.0


@pytest.fixture
def library() -> Library:
    library = Library()
    library.add(GUIDE, name="guide.md")
    return library


@pytest.fixture
def busy() -> Iterator[Callable[[], None]]:
    """All workers are busy until the fixture is called."""
    gate, begun = threading.Event(), threading.Semaphore(0)

    def work() -> None:
        begun.release()
        gate.wait(PATIENCE)

    threads = [threading.Thread(target=run_queued, args=(work,)) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert begun.acquire(timeout=PATIENCE)
    yield gate.set
    gate.set()
    for thread in threads:
        thread.join()


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.001)


def test_threads_and_tasks_are_served_in_the_order_of_their_arrival(busy: Callable[[], None]) -> None:
    """Each thread waits for the tasks that came before it, and no task for threads that came later."""
    started: list[int] = []
    threads: list[threading.Thread] = []

    async def tasks() -> None:
        waiting = []
        for number in range(0, 200, 2):
            waiting.append(asyncio.ensure_future(run_queued_async(partial(started.append, number))))
            await asyncio.sleep(0)
            threads.append(threading.Thread(target=run_queued, args=(partial(started.append, number + 1),)))
            threads[-1].start()
            await asyncio.to_thread(wait_for, lambda: _queued() == len(waiting) + len(threads))
        busy()
        await asyncio.gather(*waiting)

    asyncio.run(tasks())
    for thread in threads:
        thread.join()
    assert sorted(started) == list(range(200))
    # A worker that has begun may be slower to note its number than the others are.
    assert all(number - place < WORKERS for place, number in enumerate(started))


def _queued() -> int:
    from thumbindex.concurrency import queue

    assert queue._workers is not None
    return queue._workers._work_queue.qsize()


def test_a_cancelled_task_leaves_the_queue(busy: Callable[[], None]) -> None:
    done: list[str] = []

    async def main() -> None:
        first = asyncio.ensure_future(run_queued_async(lambda: done.append("cancelled")))
        second = asyncio.ensure_future(run_queued_async(lambda: done.append("second")))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        busy()
        await second

    asyncio.run(main())
    assert done == ["second"]


def test_work_sees_the_context_variables_of_its_caller() -> None:
    who: ContextVar[str] = ContextVar("who", default="nobody")
    who.set("Ada")
    assert run_queued(who.get) == "Ada"


def test_work_within_work_runs_inline() -> None:
    """As many pieces of work as there are workers each ask for more, which would wait for ever in the queue."""
    together = threading.Barrier(WORKERS)

    def work() -> int:
        together.wait(PATIENCE)
        return run_queued(threading.get_ident)

    async def main() -> list[int]:
        return await asyncio.wait_for(asyncio.gather(*(run_queued_async(work) for _ in range(WORKERS))), PATIENCE)

    assert len(set(asyncio.run(main()))) == WORKERS


def test_an_error_of_the_work_reaches_its_caller(library: Library) -> None:
    with pytest.raises(ZeroDivisionError):
        run_queued(lambda: 1 // 0)
    with pytest.raises(LookupError, match="nowhere"):
        library.retrieve("knob", scope=Scope(documents=["nowhere.md"]))


def test_user_code_called_by_a_search_may_search(library: Library, busy: Callable[[], None]) -> None:
    """An embedding and a token counter search the same library in memory, which the search has locked, while no worker is free."""
    inner: list[str] = []

    def ask() -> None:
        inner.append(library.retrieve("wheel", k=1).evidence[0].section_path)

    def embed(texts: list[str]) -> list[list[float]]:
        ask()
        return [[float(len(text)), 1.0] for text in texts]

    def count(text: str) -> int:
        ask()
        return len(text)

    assert library.retrieve("knob", k=1, navigator=Lexical(embedding=embed)).evidence
    assert library.retrieve("knob", k=1, budget=Budget(evidence_tokens=100, count_tokens=count)).evidence
    assert set(inner) == {"Guide › Wheels"}


def test_on_step_is_called_when_the_search_is_over(library: Library) -> None:
    """It may search the library itself, in a thread and in a loop, and gets the steps of the trail."""
    steps: list[object] = []

    def on_step(step: object) -> None:
        steps.append(step)
        assert library.retrieve("wheel", k=1).evidence

    found = library.retrieve("knob", on_step=on_step)
    assert steps == list(found.trail.steps)
    steps.clear()
    found = asyncio.run(AsyncLibrary(library).retrieve("knob", on_step=on_step))
    assert steps == list(found.trail.steps)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_a_queue_of_its_own(library: Library, busy: Callable[[], None]) -> None:
    child = os.fork()
    if child == 0:
        os._exit(0 if run_queued(lambda: 7) == 7 and library.retrieve("knob", k=1).evidence else 1)
    assert os.waitpid(child, 0)[1] == 0
