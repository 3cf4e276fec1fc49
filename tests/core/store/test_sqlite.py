"""The store: one SQLite file, whole documents or none."""

from __future__ import annotations

import os
import pickle
import shutil
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thumbindex import Library, build_tree
from thumbindex.errors import LibraryError
from thumbindex.store.sqlite.connections import Connections
from thumbindex.store.sqlite.schema import VERSION
from thumbindex.text.terms import tokenize

MILL = b"# Mill\n\nThe miller grinds corn.\n"


def test_a_library_is_one_file_that_opens_again(tmp_path: Path) -> None:
    """Documents are found after closing, and no other file remains."""
    path = tmp_path / "my.db"
    with Library(path) as library:
        added = library.add(MILL, name="mill.md")
    assert [item.name for item in tmp_path.iterdir()] == ["my.db"]
    with Library(path) as library:
        assert library.list() == [added]
        assert library.retrieve("Who grinds corn?").evidence[0].document == "mill.md"


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    """The message says which file and what to do; the file stays as it is."""
    path = tmp_path / "notes.txt"
    path.write_text("just notes, and long enough to be no header of a database" * 20)
    before = path.read_bytes()
    with pytest.raises(LibraryError, match=r"notes\.txt is not a library.*Choose another path"):
        Library(path)
    assert path.read_bytes() == before


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    """A file with tables but without our application id."""
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE music (title TEXT)")
    other.close()
    with pytest.raises(LibraryError, match="another program"):
        Library(path)


def test_a_library_of_a_later_version_asks_for_an_upgrade(tmp_path: Path) -> None:
    """Older code must not write into a newer schema."""
    path = tmp_path / "my.db"
    Library(path).close()
    with sqlite3.connect(path) as later:
        later.execute(f"PRAGMA user_version = {VERSION + 1}")
    later.close()
    with pytest.raises(LibraryError, match=r"newer version.*pip install -U"):
        Library(path)


@pytest.mark.parametrize("path", ["", "missing/my.db"])
def test_a_path_where_no_file_can_be_is_refused(tmp_path: Path, path: str) -> None:
    """A folder, or a path in a folder that does not exist."""
    with pytest.raises(LibraryError, match="folder"):
        Library(tmp_path / path)


def test_a_failed_write_changes_nothing(tmp_path: Path) -> None:
    """A transaction is written whole or not at all."""
    connections = Connections(str(tmp_path / "a.db"))
    with connections.writing() as connection:
        connection.execute("CREATE TABLE t (x)")

    def write_and_fail() -> None:
        with connections.writing() as connection:
            connection.execute("INSERT INTO t VALUES (1)")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    with connections.reading() as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)
    connections.close()


def test_a_snapshot_does_not_see_later_changes(tmp_path: Path) -> None:
    """All reads of one retrieval come from one state."""
    path = tmp_path / "my.db"
    with Library(path) as library, library._store.snapshot():
        assert library.list() == []
        writer = threading.Thread(target=lambda: library.add(MILL, name="mill.md"))
        writer.start()
        writer.join()
        assert library.list() == []
    with Library(path) as library:
        assert len(library.list()) == 1


@pytest.mark.parametrize("in_memory", [True, False], ids=["in memory", "in a file"])
def test_sixteen_threads_retrieve_while_another_adds(tmp_path: Path, in_memory: bool) -> None:
    """No thread fails, and a document is found whole as soon as it is added."""
    library = Library(None if in_memory else tmp_path / "my.db")
    library.add(MILL, name="mill.md")

    def ask(number: int) -> str:
        found = library.retrieve("Who grinds the corn?", k=1)
        library.read("mill.md")
        return found.evidence[0].document

    def add(number: int) -> None:
        library.add(f"# Ship {number}\n\nIt sails to port {number}.\n".encode(), name=f"ship-{number}.md")

    with ThreadPoolExecutor(17) as pool:
        adding = [pool.submit(add, number) for number in range(12)]
        assert set(pool.map(ask, range(64))) == {"mill.md"}
        for future in adding:
            future.result()
    assert len(library.list()) == 13
    assert library.retrieve("sails to port 7", k=1).evidence[0].document == "ship-7.md"
    library.close()


def test_two_programs_add_to_one_file(tmp_path: Path) -> None:
    """Writers wait for one another; both start with a file that does not exist."""
    path = tmp_path / "my.db"
    code = (
        "import sys; from thumbindex import Library\n"
        "library = Library(sys.argv[1])\n"
        "for n in range(5): library.add(f'# {sys.argv[2]} {n}\\n\\ntext {n}\\n'.encode(), name=f'{sys.argv[2]}-{n}.md')\n"
    )
    programs = [subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in ("left", "right")]
    assert [program.wait(60) for program in programs] == [0, 0]
    with Library(path) as library:
        assert len(library.list()) == 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_library_works_on_both_sides_of_a_fork(tmp_path: Path) -> None:
    """The child opens connections of its own and leaves its parent's alone."""
    library = Library(tmp_path / "my.db")
    library.add(MILL, name="mill.md")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            library.add(b"# Ship\n\nIt sails.\n", name="ship.md")
            status = 0 if library.retrieve("Who grinds corn?").evidence else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert len(library.list()) == 2
    library.close()


def test_a_file_that_cannot_be_written_opens_for_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a warning that changes of others are not seen; adding is an error."""
    path = tmp_path / "my.db"
    with Library(path) as library:
        library.add(MILL, name="mill.md")
    if os.geteuid() == 0:
        # The superuser may write anywhere: refuse as the system does for others.
        real = sqlite3.connect

        def refuse(address: str, **options: object) -> sqlite3.Connection:
            if "immutable" not in address:
                raise sqlite3.OperationalError("unable to open database file")
            return real(address, **options)  # type: ignore[call-overload, no-any-return]

        monkeypatch.setattr(sqlite3, "connect", refuse)
    else:
        tmp_path.chmod(0o500)
    try:
        with pytest.warns(UserWarning, match="never changes"):
            library = Library(path)
        assert library.retrieve("Who grinds corn?").evidence
        with pytest.raises(LibraryError, match="cannot be written"):
            library.add(b"# Ship\n\nIt sails.\n", name="ship.md")
        library.close()
    finally:
        tmp_path.chmod(0o700)


def test_a_damaged_file_is_an_error_of_ours(tmp_path: Path) -> None:
    """No traceback of SQLite's reaches the user."""
    path = tmp_path / "my.db"
    with Library(path) as library:
        library.add(MILL, name="mill.md")
    data = bytearray(path.read_bytes())
    data[100:4096] = b"\xff" * 3996
    path.write_bytes(data)
    with pytest.raises(LibraryError, match=r"my\.db"):
        Library(path).retrieve("corn")


def test_a_library_with_a_path_can_be_pickled(tmp_path: Path) -> None:
    """The copy opens the same file; one in memory says why it cannot."""
    library = Library(tmp_path / "my.db")
    added = library.add(MILL, name="mill.md")
    assert pickle.loads(pickle.dumps(library)).list() == [added]
    with pytest.raises(LibraryError, match="in memory cannot be pickled"):
        pickle.dumps(Library())


def test_a_copy_of_the_file_is_a_copy_of_the_library(tmp_path: Path) -> None:
    """Closing leaves everything in the one file."""
    with Library(tmp_path / "my.db") as library:
        library.add(MILL, name="mill.md")
    shutil.copy(tmp_path / "my.db", tmp_path / "copy.db")
    with Library(tmp_path / "copy.db") as copy:
        assert [info.name for info in copy.list()] == ["mill.md"]


def test_a_closed_library_cannot_be_used(tmp_path: Path) -> None:
    """The error says that it is closed."""
    for library in (Library(), Library(tmp_path / "my.db")):
        library.close()
        with pytest.raises(LibraryError, match="closed"):
            library.list()


def test_a_thread_opens_the_file_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path means the folder in which the library was opened, whatever the program does later."""
    monkeypatch.chdir(tmp_path)
    library = Library("my.db")
    library.add(MILL, name="mill.md")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with ThreadPoolExecutor(1) as pool:
        assert len(pool.submit(library.list).result()) == 1
    library.close()


@given(st.text(st.sampled_from("aéßж利率は한국\u0928\u093f 1.,-'’_%§"), min_size=1, max_size=30))
def test_every_token_of_a_text_finds_it(text: str) -> None:
    """Whatever script and punctuation it is in."""
    library = Library()
    info = library.import_tree(build_tree([f"# Title\n\nanchor {text}"], name="page"))
    for token in tokenize(f"anchor {text}", info.language):
        assert library._store.select_passages([token], [info.doc_id], limit=1).keys, token
    library.close()


def test_programs_read_while_another_writes(tmp_path: Path) -> None:
    """Each sees whole documents, more and more of them."""
    path = tmp_path / "my.db"
    Library(path).close()
    code = (
        "import sys; from thumbindex import Library\n"
        "library, seen = Library(sys.argv[1]), 0\n"
        "while seen < 12:\n"
        "    infos = library.list()\n"
        "    assert len(infos) >= seen; seen = len(infos)\n"
        "    for info in infos: assert 'text of' in library.read(info.doc_id).text\n"
        "    assert not seen or library.retrieve('text', k=1).evidence\n"
    )
    readers = [subprocess.Popen([sys.executable, "-c", code, str(path)]) for _ in range(2)]
    with Library(path) as library:
        for number in range(12):
            library.add(f"# Ship {number}\n\ntext of {number}\n".encode(), name=f"ship-{number}.md")
    assert [reader.wait(60) for reader in readers] == [0, 0]
