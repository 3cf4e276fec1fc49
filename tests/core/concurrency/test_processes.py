"""Worker processes of any kind: started, asked, ended at a limit, reused, and gone with their parent."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from thumbindex.concurrency import processes
from thumbindex.concurrency.processes import ProcessNotStarted, Watchdog, WorkerPool, WorkerProcess

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")

ECHO = """
import os
import time

from thumbindex.concurrency.child import SelfWatch, run
from thumbindex.concurrency.messages import receive, send


def serve(requests, answers):
    SelfWatch()
    while (message := receive(requests)) is not None:
        header, payload = message
        if header.get("sleep"):
            time.sleep(header["sleep"])
        if header.get("exit"):
            os._exit(header["exit"])
        if header.get("garbage"):
            answers.write(b"\\0" * 3 + b"\\1" + b"\\0" * 8 + b"?")
        send(answers, {"pid": os.getpid()}, payload)


def main():
    run(serve)
"""


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], WorkerProcess]]:
    """Starts processes that answer with their id and the payload of the request."""
    (tmp_path / "echo.py").write_text(ECHO)
    monkeypatch.syspath_prepend(str(tmp_path))
    started: list[WorkerProcess] = []

    def start() -> WorkerProcess:
        started.append(WorkerProcess("echo", whole_package=False))
        return started[-1]

    yield start
    for process in started:
        process.end()


def test_a_process_answers_messages(start: Callable[[], WorkerProcess]) -> None:
    process = start()
    assert process.ask({}, b"maize") == ({"pid": process.pid}, b"maize")
    assert process.is_alive()
    process.end()
    assert not process.is_alive()


def test_an_end_instead_of_an_answer_is_none_and_the_status_says_why(start: Callable[[], WorkerProcess]) -> None:
    process = start()
    assert process.ask({"exit": 3}) is None
    process.end()
    assert process.status == 3


def test_an_answer_that_is_no_message_is_none(start: Callable[[], WorkerProcess]) -> None:
    """Another program stands at the other end, as in an application that embeds Python."""
    assert start().ask({"garbage": True}) is None


def test_a_watchdog_kills_what_takes_too_long(start: Callable[[], WorkerProcess]) -> None:
    process = start()
    process.ask({})
    with Watchdog(process, 0.2) as watchdog:
        assert process.ask({"sleep": 60}) is None
    assert watchdog.exceeded == "time"
    with Watchdog(start(), 60) as watchdog:
        pass
    assert watchdog.exceeded is None


def test_an_interrupted_request_ends_the_process(start: Callable[[], WorkerProcess]) -> None:
    """Its late answer would be taken for the next one."""
    process = start()
    with pytest.raises(KeyboardInterrupt), Watchdog(process, 60):
        raise KeyboardInterrupt
    assert not process.is_alive()


def test_a_pool_reuses_its_workers_and_replaces_dead_ones(start: Callable[[], WorkerProcess]) -> None:
    pool = WorkerPool(start, 2)
    pids = []
    for header in ({}, {}, {"exit": 1}, {}):
        with pool.worker() as worker:
            pids.append(worker.pid)
            worker.ask(header)
            if header:
                worker.end()
    assert pids[0] == pids[1] == pids[2] != pids[3]
    pool.end()


def test_a_pool_starts_at_most_as_many_workers_as_its_size(start: Callable[[], WorkerProcess]) -> None:
    pool = WorkerPool(start, 2)
    pids: set[int] = set()

    def ask() -> None:
        with pool.worker() as worker:
            worker.ask({"sleep": 0.01})
            pids.add(worker.pid)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= len(pids) <= 2
    pool.end()


def test_a_pool_that_has_ended_stops_busy_workers_and_starts_none(start: Callable[[], WorkerProcess]) -> None:
    pool = WorkerPool(start, 2)
    answers: list[object] = []
    is_busy = threading.Event()

    def ask() -> None:
        with pool.worker() as worker:
            worker.ask({})
            is_busy.set()
            answers.append(worker.ask({"sleep": 60}))

    thread = threading.Thread(target=ask)
    thread.start()
    assert is_busy.wait(30)
    pool.end()
    thread.join(30)
    assert answers == [None]
    with pytest.raises(ProcessNotStarted, match="has ended"), pool.worker():
        pass


def test_without_an_interpreter_no_process_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "interpreter", lambda: None)
    with pytest.raises(ProcessNotStarted, match="no Python interpreter"):
        WorkerProcess("echo")


@linux
def test_a_busy_process_ends_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    """Its pipe is closed, but only its own watch sees that in the middle of a request."""
    (tmp_path / "echo.py").write_text(ECHO)
    program = """
import os, signal, sys, threading
from thumbindex.concurrency.processes import WorkerProcess
process = WorkerProcess("echo", whole_package=False)
process.ask({})
threading.Thread(target=process.ask, args=({"sleep": 600},), daemon=True).start()
print(process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False, env=environment
    )
    deadline = time.monotonic() + 20
    while _runs(int(done.stdout)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _runs(int(done.stdout))


def _runs(pid: int) -> bool:
    try:
        # A killed process whose new parent has not yet asked for its status is a zombie ("Z").
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
