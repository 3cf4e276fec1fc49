"""Forks beside transactions: SQLite's memory of its locks goes along into the child."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from thumbindex.concurrency import forks as forking
from thumbindex.store.sqlite import connections
from thumbindex.store.sqlite.connections import Connections

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Connections:
    """A file with one table; a writer waits for another one for a second only."""
    monkeypatch.setattr(connections, "BUSY_SECONDS", 1.0)
    library = Connections(str(tmp_path / "a.db"))
    with library.writing() as connection:
        connection.execute("CREATE TABLE words (word TEXT)")
    return library


def insert(library: Connections, word: str) -> None:
    with library.writing() as connection:
        connection.execute("INSERT INTO words VALUES (?)", [word])


def forked(work: Callable[[], None]) -> int:
    """The exit code of a child that does some work: 0 if it raised nothing."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def words(library: Connections) -> set[str]:
    with library.reading() as connection:
        return {word for (word,) in connection.execute("SELECT word FROM words")}


def test_a_child_forked_while_another_thread_writes_can_write(library: Connections) -> None:
    """The fork waits until that thread has written."""
    has_begun = threading.Event()

    def write() -> None:
        with library.writing() as connection:
            connection.execute("INSERT INTO words VALUES ('thread')")
            has_begun.set()
            time.sleep(0.3)

    thread = threading.Thread(target=write)
    thread.start()
    has_begun.wait()
    assert forked(lambda: insert(library, "child")) == 0
    thread.join()
    insert(library, "parent")
    assert words(library) == {"thread", "child", "parent"}


def test_whoever_forks_within_its_own_transaction_is_not_waited_for(
    library: Connections, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could never end; the child reads, and the parent goes on."""
    monkeypatch.setattr(forking, "FORK_WAIT_SECONDS", 1e6)
    with library.reading():
        assert forked(lambda: None if words(library) == set() else os._exit(2)) == 0
    insert(library, "parent")
    assert words(library) == {"parent"}


def test_a_fork_goes_ahead_where_waiting_leads_nowhere(library: Connections, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that holds a snapshot may wait for the one that forks."""
    monkeypatch.setattr(forking, "FORK_WAIT_SECONDS", 0.1)
    has_begun, is_forked = threading.Event(), threading.Event()

    def read() -> None:
        with library.reading():
            has_begun.set()
            is_forked.wait()

    thread = threading.Thread(target=read)
    thread.start()
    has_begun.wait()
    assert forked(lambda: insert(library, "child")) == 0
    is_forked.set()
    thread.join()
    assert words(library) == {"child"}
