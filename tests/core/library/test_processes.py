"""One library in all the ways in which Python programs start processes and loops: real scripts, files and processes."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from thumbindex import AsyncLibrary, Library, Limits, Scope
from thumbindex.errors import SourceLimit

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
REPORT = Path(__file__).parents[3] / "examples" / "annual-report.pdf"
QUESTION = "Which rate applies to the term loan?"


def page(name: str) -> bytes:
    return f"<html><body><h1>{name}</h1><p>The {name} stands by the weir.</p></body></html>".encode()


def run(script: Path, *arguments: object) -> str:
    """What a script prints; it says nothing else, and ends well."""
    command = [sys.executable, str(script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout


def script(folder: Path, body: str) -> Path:
    file = folder / "script.py"
    file.write_text(textwrap.dedent(body))
    return file


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_pool_of_processes_gets_the_library_by_pickle(tmp_path: Path, method: str) -> None:
    """`spawn` is how Windows and macOS start processes. Each has readers of its own, within the limits of the library."""
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    file = script(
        tmp_path,
        """
        import multiprocessing, sys
        from concurrent.futures import ProcessPoolExecutor
        from thumbindex import Library, Limits
        from thumbindex.errors import SourceLimit

        def work(library, number):
            name = f"mill{number}"
            library.add(f"<html><h1>{name}</h1><p>It grinds {name}.</p></html>".encode(), name=f"{name}.html")
            try:
                library.add(b"<html>" + b"x" * 2_000_000, name="large.html")
            except SourceLimit:
                return library.retrieve(f"What grinds {name}?", k=1).evidence[0].document

        if __name__ == "__main__":
            context = multiprocessing.get_context(sys.argv[2])
            with Library(sys.argv[1], limits=Limits(file_size=1_000_000)) as library:
                library.add(b"<html><h1>Quay</h1><p>Moor here.</p></html>", name="quay.html")
                with ProcessPoolExecutor(2, mp_context=context) as processes:
                    print(sorted(processes.map(work, [library] * 4, range(4))))
                print(sorted(info.name for info in library.list()))
        """,
    )
    mills = [f"mill{number}.html" for number in range(4)]
    assert run(file, tmp_path / "a.db", method) == f"{mills}\n{[*mills, 'quay.html']}\n"


def test_a_script_without_a_guard_is_run_once(tmp_path: Path) -> None:
    """`multiprocessing` would run it again in each process, and fail; ours run no line of it."""
    for number in range(3):
        (tmp_path / f"mill{number}.html").write_bytes(page(f"mill{number}"))
    file = script(
        tmp_path,
        """
        import sys
        print("started")
        from thumbindex import Library
        library = Library()
        print([one.what for one in library.add_all(sys.argv[1:], workers=2)])
        """,
    )
    files = sorted(tmp_path.glob("*.html"))
    assert run(file, *files) == "started\n['added', 'added', 'added']\n"


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_a_daemonic_process_reads(tmp_path: Path, method: str) -> None:
    """It may start none by `multiprocessing`; readers are no processes of that kind."""
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    (tmp_path / "worker.py").write_text(
        "from thumbindex import build_tree\n"
        "def work(answers):\n"
        "    answers.send(build_tree(b'<html><h1>Mill</h1><p>Grind.</p></html>').nodes[0].title)\n"
    )
    file = script(
        tmp_path,
        """
        import multiprocessing, sys
        import worker
        if multiprocessing.current_process().name == "MainProcess":
            context = multiprocessing.get_context(sys.argv[1])
            ours, theirs = context.Pipe()
            process = context.Process(target=worker.work, args=(theirs,), daemon=True)
            process.start()
            print(ours.recv() if ours.poll(60) else "nothing")
            process.join()
        """,
    )
    assert run(file, method) == "Mill\n"


@posix
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_library_used_before_a_fork_is_used_by_both_sides_after_it(tmp_path: Path) -> None:
    """Reading, adding, finding and asking in parts; neither side takes the other's reader, connection or loop."""
    with Library(tmp_path / "a.db", limits=Limits(file_size=10_000_000)) as library:
        library.add(REPORT)
        library.add(page("weir"), name="weir.html")
        before = library.retrieve(QUESTION, k=2)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                library.add(page("mill"), name="mill.html")
                found = library.retrieve(QUESTION, k=2)
                again = library.add(REPORT.read_bytes() + b"\n", name="again.pdf")
                late = library.retrieve("What stands by the weir?", k=4, scope=Scope(documents=["mill.html"]))
                is_right = found.evidence == before.evidence and again.page_count == 67 and len(late.evidence) == 1
                status = 0 if is_right else 2
            finally:
                os._exit(status)
        library.add(page("lock"), name="lock.html")
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert {info.name for info in library.list()} == {
            "annual-report.pdf",
            "weir.html",
            "mill.html",
            "again.pdf",
            "lock.html",
        }
        assert library.retrieve(QUESTION, k=2, scope=Scope(documents=["annual-report.pdf"])).evidence
        library.add(page("ferry"), name="ferry.html")


@posix
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_while_threads_read_gives_a_child_that_reads(tmp_path: Path) -> None:
    """Locks that were held at that moment are nobody's in the child."""
    with Library(tmp_path / "a.db") as library, ThreadPoolExecutor(4) as threads:
        library.add(page("quay"), name="quay.html")
        busy = [threads.submit(library.add, page(f"mill{number}"), name=f"mill{number}.html") for number in range(24)]
        statuses = []
        for number in range(3):
            child = os.fork()
            if child == 0:
                try:
                    info = library.add(page(f"child{number}"), name=f"child{number}.html")
                    os._exit(0 if library.tree(info.doc_id).nodes else 2)
                finally:
                    os._exit(1)
            statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        assert statuses == [0, 0, 0]
        assert all(one.result().section_count for one in busy)
        assert len(library) == 28


async def test_a_cell_of_a_notebook_calls_sync_functions_in_a_running_loop(tmp_path: Path) -> None:
    """Straight on the loop's own thread, which cannot be waited for: nothing may ask for a loop there."""
    file = tmp_path / "mill.html"
    file.write_bytes(page("mill"))
    with Library() as library:
        library.add(file)
        assert [one.what for one in library.add_all([file, REPORT], workers=2)] == ["known", "added"]
        assert library.retrieve("What stands by the weir?", k=1).evidence[0].document == "mill.html"
        assert library.page_image("annual-report.pdf", 1).startswith(b"\x89PNG")
        infos = await asyncio.gather(
            *(AsyncLibrary(library).add(page(f"m{number}"), name=f"m{number}.html") for number in range(8))
        )
        assert {info.name for info in infos} == {f"m{number}.html" for number in range(8)}


async def test_a_task_that_is_cancelled_leaves_the_readers_usable(tmp_path: Path) -> None:
    """The thread goes on to its end; whoever comes next gets an answer to his own question."""
    with Library(limits=Limits(seconds=30)) as library:
        for number in range(4):
            task = asyncio.create_task(
                AsyncLibrary(library).add(REPORT.read_bytes() + b"\n" * number, name=f"{number}.pdf")
            )
            await asyncio.sleep(0)  # the task begins, and with it a thread
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            info = await AsyncLibrary(library).add(page(f"mill{number}"), name=f"mill{number}.html")
            assert library.tree(info.doc_id).nodes[0].title == f"mill{number}"


def test_threads_ask_and_add_pages_at_once() -> None:
    """More of them than processors."""
    with Library() as library, ThreadPoolExecutor(12) as threads:
        infos = list(threads.map(lambda n: library.add(page(f"mill{n}"), name=f"mill{n}.html"), range(30)))
        found = threads.map(
            lambda info: library.retrieve(info.name[:-5], k=1, scope=Scope(documents=[info.doc_id])), infos
        )
        assert [one.evidence[0].document for one in found] == [f"mill{n}.html" for n in range(30)]


def test_limits_of_one_library_are_not_those_of_another() -> None:
    """They share their readers, and nothing else."""
    small, large = Library(limits=Limits(memory=1 << 20, seconds=30)), Library()
    data = b"<html><body>" + b"<p>Grind the maize, and mind the stones.</p>" * 20_000
    with small, large:
        with pytest.raises(SourceLimit, match="more memory"):
            small.add(data, name="a.html")
        assert large.add(data, name="a.html").section_count
