"""The catalogue in memory: read once for all threads, and again only for documents that changed."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from thumbindex import DocumentInfo, Library, Scope
from thumbindex.store.sqlite import catalogue, rows
from thumbindex.store.sqlite.connections import Connections


def note(number: int, word: str = "sacks") -> bytes:
    return f"# Note {number}\n\n## First\n\nHere are {word}.\n\n## Second\n\nThere are {number}.\n".encode()


def test_a_change_is_read_once_and_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By one thread for all of them, without the documents that did not change."""
    with Library(tmp_path / "my.db") as writer, Library(tmp_path / "my.db") as reader:
        for number in range(20):
            writer.add(note(number), name=f"{number}.md")
        reader.list()
        read: list[str] = []
        read_row = rows.to_document

        def counted(row: list[object]) -> DocumentInfo:
            read.append(str(row[1]))
            return read_row(row)

        writer.add(note(7, "wheat"), name="7.md")
        writer.add(note(20), name="20.md")
        monkeypatch.setattr(catalogue, "to_document", counted)
        threads = [threading.Thread(target=reader.list) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert read == ["7.md", "20.md"]


def test_an_older_view_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search in a snapshot goes on with its documents, though other threads have seen a later state."""
    with Library(tmp_path / "my.db") as library:
        for number in range(5):
            library.add(note(number), name=f"{number}.md")
        with library._store.snapshot():
            before = library.list()
            other = threading.Thread(target=lambda: (library.add(note(5), name="5.md"), library.list()))
            other.start()
            other.join()
            monkeypatch.setattr(catalogue, "to_document", lambda row: pytest.fail("a document was read again"))
            assert library.list() == before
            assert library.retrieve("sacks", scope=Scope(documents=["4.md"])).evidence
        monkeypatch.undo()
        assert len(library.list()) == 6


def test_threads_share_connections_and_few_stay_open(tmp_path: Path) -> None:
    """As many are open as are in use; a thread works with one connection at a time."""
    connections = Connections(str(tmp_path / "a.db"))
    together = threading.Barrier(10)

    def read(alone: bool) -> None:
        with connections.reading() as first:
            if not alone:
                together.wait(30)
            with connections.reading() as second:
                assert first is second

    for alone in (True, False):
        threads = [threading.Thread(target=read, args=(alone,)) for _ in range(10)]
        for thread in threads:
            thread.start()
            if alone:
                thread.join()
        if alone:
            assert len(connections._mine) == 1
    for thread in threads:
        thread.join()
    assert len(connections._idle) == 4
    connections.close()
