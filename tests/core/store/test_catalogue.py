"""What is kept in memory of a library: of each document little, of earlier revisions nothing, and it is read once."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from thumbindex import DocumentInfo, Library, Scope
from thumbindex.store import Candidate, Part
from thumbindex.store.sqlite import searched
from thumbindex.store.sqlite import store as sqlite
from thumbindex.store.sqlite.candidates import CandidateCache
from thumbindex.store.sqlite.connections import Connections
from thumbindex.store.sqlite.searched import Layout, Range, Searched
from thumbindex.store.sqlite.segments import ListReader


def note(number: int, word: str = "sacks") -> bytes:
    return f"# Note {number}\n\n## First\n\nHere are {word}.\n\n## Second\n\nThere are {number}.\n".encode()


@pytest.mark.parametrize("dense", [4, 0], ids=["an entry for each passage", "looked up"])
def test_a_layout_says_who_holds_a_passage(monkeypatch: pytest.MonkeyPatch, dense: int) -> None:
    """After any changes, with and without the passages of documents that are gone between the others."""
    monkeypatch.setattr(searched, "_DENSE", dense)
    monkeypatch.setattr(searched, "_FEW", 3)
    chance = random.Random(2)
    layout, there, behind = Layout(), dict[str, Range](), 1
    for _ in range(200):
        doc_id = chance.choice("abcdefgh")
        if chance.random() < 0.2:
            there.pop(doc_id, None)
            layout = Layout(layout, gone=[doc_id])
        else:
            behind += chance.randrange(3)
            part = there[doc_id] = Range(doc_id, behind, behind + chance.randrange(6), chance.getrandbits(62))
            behind = part.last + 1
            layout = Layout(layout, [part], [doc_id])
        assert {doc_id: layout.range(number) for doc_id, number in layout.places.items()} == there
        # No more is kept of what is gone than of what is there.
        assert len(layout.ids) <= 2 * len(there) + 4
        look = Searched(layout, ListReader(), layout.places.values())
        for part in there.values():
            rows = range(part.first, part.last + 1)
            assert {look.document(row) for row in rows} == {part}
            assert [look.fronts[row] for row in rows] == ([1] * 3 + [0] * 3)[: len(rows)]
        assert sum(look.fronts) == sum(min(3, len(part)) for part in there.values())


def test_a_change_is_read_once_and_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By one thread for all, and without the documents that did not change."""
    with Library(tmp_path / "my.db") as writer, Library(tmp_path / "my.db") as reader:
        for number in range(20):
            writer.add(note(number), name=f"{number}.md")
        reader.list()
        read: list[str] = []
        whole = sqlite.to_document

        def counted(row: list[object]) -> DocumentInfo:
            read.append(str(row[1]))
            return whole(row)

        writer.add(note(7, "wheat"), name="7.md")
        writer.add(note(20), name="20.md")
        monkeypatch.setattr(sqlite, "to_document", counted)
        threads = [threading.Thread(target=reader.list) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert read == ["7.md", "20.md"]


def test_an_older_view_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that began before a change which others have seen meanwhile goes on with the list that it had."""
    with Library(tmp_path / "my.db") as library:
        for number in range(5):
            library.add(note(number), name=f"{number}.md")
        with library._store.snapshot():
            before = library.list()
            other = threading.Thread(target=lambda: (library.add(note(5), name="5.md"), library.list()))
            other.start()
            other.join()
            monkeypatch.setattr(sqlite, "to_document", lambda row: pytest.fail("a document was read again"))
            assert library.list() == before
            assert library.retrieve("sacks", scope=Scope(documents=["4.md"])).evidence
        monkeypatch.undo()
        assert len(library.list()) == 6


def test_connections_are_shared_by_threads_and_few_are_kept(tmp_path: Path) -> None:
    """As many are open as are used at once; a thread keeps the one that it works with."""
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


def test_passages_kept_for_ranking_are_bounded_by_their_length() -> None:
    """The latest are kept, and of one that is longer than all that may be kept at least that one."""
    cache = CandidateCache(limit=5, tokens=100)

    def candidate(number: int, length: int) -> Candidate:
        tokens = ("word",) * length
        part = Part(None, 1, tokens, {"word": length}, 0, 0, frozenset(), (), 0.0)
        return Candidate(number, "a", str(number), "1", 0.0, frozenset(), frozenset(), (part,), ())

    def kept() -> list[int]:
        return [number for number in range(20) if cache.get([(0, number)])[0]]

    for number in range(4):
        cache.put((0, number), candidate(number, 30))
    assert kept() == [1, 2, 3]
    for number in range(4, 10):
        cache.put((0, number), candidate(number, 1))
    assert kept() == [5, 6, 7, 8, 9]
    cache.put((0, 10), candidate(10, 500))
    assert kept() == [10]
    cache.put((0, 11), candidate(11, 1))
    assert kept() == [11]
