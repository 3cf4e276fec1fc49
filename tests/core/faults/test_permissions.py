"""What may not be read or written costs what it must, and the message says what to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from thumbindex import Library

MILL = "# Mill\n\n## Wheel\n\nThe wheel turns {} times.\n"


@pytest.fixture
def closing() -> Iterator[list[Path]]:
    """Paths that a test closes; they can be removed again afterwards."""
    paths: list[Path] = []
    yield paths
    for path in paths:
        path.chmod(0o700)


def bound(*arguments: object) -> subprocess.CompletedProcess[str]:
    """A run of Python that is bound by permissions, as the superuser is not."""
    command = [sys.executable, *map(str, arguments)]
    if not hasattr(os, "geteuid"):
        pytest.skip("permissions as POSIX has them")
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("the superuser may do everything")
        may = "-dac_override,-dac_read_search"
        command = ["setpriv", f"--bounding-set={may}", f"--inh-caps={may}", *command]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def run(script: str, *arguments: Path) -> list[str]:
    """The lines that such a program prints."""
    done = bound("-W", "ignore", "-c", textwrap.dedent(script), *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_library_that_may_only_be_read_is_whole_and_answers(tmp_path: Path, closing: list[Path]) -> None:
    """It is not reported as damaged, and the error of a write says what to do."""
    place = tmp_path / "place"
    place.mkdir()
    with Library(place / "my.db") as library:
        library.add(MILL.format("two").encode(), name="mill.md")
    (place / "my.db").chmod(0o400)
    place.chmod(0o500)
    closing.append(place)
    script = """
        import sys
        from thumbindex import Library
        from thumbindex.errors import LibraryError
        from thumbindex.store.sqlite.repair import inspect, repair
        print(inspect(sys.argv[1]), repair(sys.argv[1]).damage)
        library = Library(sys.argv[1])
        print(library.retrieve("How often does the wheel turn?").evidence[0].section_path)
        try:
            library.add(b"# Ship", name="ship.md")
        except LibraryError as error:
            print(error)
    """
    whole, answer, refused = run(script, place / "my.db")
    assert whole == "() ()"
    assert answer == "Mill › Wheel"
    assert "cannot be written" in refused
    assert "Copy it to a folder where you may write" in refused
    assert [file.name for file in place.iterdir()] == ["my.db"]
    asked = bound("-m", "thumbindex", "ask", "How often does the wheel turn?", "-l", place / "my.db")
    assert "Mill › Wheel" in asked.stdout
    assert asked.stderr.startswith(f"warning: {place / 'my.db'} cannot be written")
    assert asked.stderr.count("\n") == 1


@pytest.mark.parametrize("closed", ["part", "part/b.md"], ids=["folder", "file"])
def test_what_may_not_be_read_is_an_error_and_keeps_its_documents(
    tmp_path: Path, closing: list[Path], closed: str
) -> None:
    """A folder that cannot be listed is an error of its own; following the folder above keeps its documents."""
    folder = tmp_path / "files"
    (folder / "part").mkdir(parents=True)
    for name in ("a.md", "part/b.md", "part/c.md"):
        (folder / name).write_text(MILL.format(name))
    with Library(tmp_path / "my.db") as library:
        library.sync(folder)
    (folder / "a.md").unlink()
    (folder / closed).chmod(0)
    closing.append(folder / closed)
    script = """
        import sys
        from thumbindex import Library
        library = Library(sys.argv[1])
        for call in (library.sync, lambda folder: library.add_all([folder])):
            for result in call(sys.argv[2]):
                print(result.what, result.source, result.error or "")
        print(*sorted(info.name for info in library.list()))
    """
    *lines, left = run(script, tmp_path / "my.db", folder)
    failed = [line for line in lines if line.startswith("failed")]
    assert len(failed) == 2
    assert all(line.startswith(f"failed {folder / closed} ") and "permission" in line for line in failed)
    assert [line.split()[1] for line in lines if line.startswith("removed")] == [str(folder / "a.md")]
    assert left == "b.md c.md"
