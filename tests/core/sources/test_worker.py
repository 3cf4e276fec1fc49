"""PDF files are read in processes of their own, which may crash, hang or grow without harm."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from thumbindex import Limits
from thumbindex.errors import DamagedSource, MissingExtra, NoPages, NoTextLayer, PasswordNeeded, SourceLimit
from thumbindex.pages import Bookmark, Box, Document, Line, LineRange, Link, LinkAnnotation, Mark, Page, Style
from thumbindex.sources import pool, read_source
from thumbindex.sources.columns import Columns
from thumbindex.sources.wire import dump_document, error_from_json, error_to_json, load_document

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
posix = pytest.mark.skipif(os.name == "nt", reason="needs fork and signals")

RAISE_NO_PAGES = "from thumbindex.errors import NoPages\nraise NoPages(name, 'read.', 'Fine.')"


@pytest.fixture
def reader(parser) -> Callable[[str], None]:
    """Replaces `read_columns` in the readers of one test by a function with another body, in real processes."""
    return lambda body: parser("pdf.read_columns(data, name, password)", body)


def texts(document):
    return [line.text for line in document.lines]


def test_a_document_is_equal_after_the_pipe():
    """Every value exactly: floats, missing styles and boxes, odd characters."""
    body, head = Style(10.5, "Times"), Style(14.0, "Helvetica", True, False)
    document = Document(
        "a.pdf",
        "pdf",
        (
            Line("Über\ud800 \x00 海", Box(0.1, 0.2, 1 / 3, 4.0), head, head, body),
            Line("plain"),
            Line("text", Box(1, 2, 3, 4), body, body, body),
        ),
        pages=(Page(1, LineRange(1, 3), "iv", 595.2756, 841.0, 90.25, 0.987), Page(2)),
        bookmarks=(Bookmark("One", 1, 1, 700.5), Bookmark("Lost", 2, None)),
        link_annotations=(LinkAnnotation(1, Box(1, 2, 3, 4), 2, None),),
        metadata={"title": "T", "tags": ["a", "b"], "n": 3, "none": None},
        scanned=(2,),
    )
    bare = replace(document, lines=())
    assert load_document(dump_document(bare, Columns.of(document.lines))) == document
    without_pages = Document(
        "a.html",
        "html",
        (Line("x"), Line("see \ud800")),
        bookmarks=(Bookmark("One", 1, None, line=2),),
        marks=(Mark("X", 2, 1, 1), Mark("Nowhere \ud800", 1, 2, 1)),
        links=(Link(2, 0, 3, 1),),
        anchors={"top": 1, "#": 2},
    )
    bare = replace(without_pages, lines=())
    assert load_document(dump_document(bare, Columns.of(without_pages.lines))) == without_pages
    assert load_document(dump_document(bare, Columns())) == bare


def test_an_error_is_equal_after_the_pipe():
    """Class, message and attributes."""
    error = SourceLimit("a.pdf", "too large.", "Split it.")
    copy = error_from_json(error_to_json(error))
    assert isinstance(copy, SourceLimit)
    assert (str(copy), copy.source, copy.what, copy.remedy) == (str(error), "a.pdf", "too large.", "Split it.")
    scans = error_from_json(error_to_json(NoTextLayer("a.pdf", "images.", "Read them.", 7)))
    assert isinstance(scans, NoTextLayer)
    assert scans.page_count == 7
    missing = error_from_json(error_to_json(MissingExtra("html", "Reading HTML")))
    assert isinstance(missing, MissingExtra)
    assert (missing.extra, str(missing)) == ("html", str(MissingExtra("html", "Reading HTML")))


def test_a_reader_is_reused(fresh_pool, make_pdf):
    """The second document is read by the process that read the first."""
    read_source(make_pdf("One"))
    (first,) = fresh_pool()
    read_source(make_pdf("Two"))
    assert fresh_pool() == [first]


def test_cpu_time_of_readers_is_known_while_they_live(fresh_pool, make_pdf):
    """It grows with each document and outlives the reader, whose start does not count."""
    assert pool.reader_cpu_seconds() == 0.0
    read_source(make_pdf("One"))
    once = pool.reader_cpu_seconds()
    read_source(make_pdf("Two"), limits=Limits(documents=1))
    assert fresh_pool() == []
    assert 0.0 < once < pool.reader_cpu_seconds()


def test_an_error_of_the_document_leaves_the_reader_alive(fresh_pool, make_pdf):
    """A missing password is not a crash."""
    data = make_pdf("Sealed", password="river")
    with pytest.raises(PasswordNeeded):
        read_source(data)
    (first,) = fresh_pool()
    assert texts(read_source(data, password="river")) == ["Sealed"]
    assert fresh_pool() == [first]


def test_a_crash_is_an_error_of_the_file_and_the_next_file_is_read(reader, fresh_pool, make_pdf):
    """The reader is replaced."""
    reader("if name == 'bad': import os; os.abort()\n" + RAISE_NO_PAGES)
    with pytest.raises(DamagedSource, match="bad: the reader crashed on this file"):
        read_source(make_pdf("x"), name="bad")
    assert fresh_pool() == []
    with pytest.raises(NoPages, match=r"good: read\."):
        read_source(make_pdf("x"), name="good")


def test_a_reader_that_hangs_is_stopped(reader, make_pdf):
    """The limit grows with the size of the file."""
    reader("import time; time.sleep(600)")
    with pytest.raises(SourceLimit, match="more than 0 seconds"):
        read_source(make_pdf("x"), limits=Limits(seconds=0.3))
    assert Limits(seconds=10, seconds_per_megabyte=2).seconds_for(5_000_000) == 20


@posix
def test_a_reader_that_grows_is_stopped(reader, make_pdf):
    """Resident memory counts."""
    reader("hoard = []\nwhile True: hoard.append(b'x' * 10_000_000)")
    with pytest.raises(SourceLimit, match="more memory than is allowed"):
        read_source(make_pdf("x"), limits=Limits(memory=300 << 20))


@posix
def test_the_memory_of_the_parent_does_not_count(fresh_pool, make_pdf):
    """A server with a loaded model may be larger than any reader should be."""
    ballast = b"x" * (300 << 20)
    assert texts(read_source(make_pdf("Small"), limits=Limits(memory=200 << 20))) == ["Small"]
    assert len(fresh_pool()) == 1
    del ballast


def test_an_unexpected_exception_is_damage(reader, fresh_pool, make_pdf):
    """Without another library's traceback; the reader goes on."""
    reader("raise KeyError('xref')")
    with pytest.raises(DamagedSource, match="KeyError"):
        read_source(make_pdf("x"))
    assert len(fresh_pool()) == 1


def test_a_memory_error_is_a_limit(reader, make_pdf):
    """Not damage."""
    reader("raise MemoryError")
    with pytest.raises(SourceLimit):
        read_source(make_pdf("x"))


def test_output_of_c_code_does_not_disturb_the_answers(reader, make_pdf):
    """The reader's standard output is discarded; answers have a stream of their own."""
    reader("import os\nos.write(1, b'noise'); print('noise')\n" + RAISE_NO_PAGES)
    with pytest.raises(NoPages):
        read_source(make_pdf("x"), name="a")


def test_a_reader_is_replaced_after_some_documents(fresh_pool, make_pdf):
    """PDFium retains some memory of each."""
    limits = Limits(documents=2)
    read_source(make_pdf("One"), limits=limits)
    assert len(fresh_pool()) == 1
    read_source(make_pdf("Two"), limits=limits)
    assert fresh_pool() == []
    assert texts(read_source(make_pdf("Three"), limits=limits)) == ["Three"]


@posix
def test_a_reader_that_died_while_idle_is_replaced(fresh_pool, make_pdf):
    """The system may have ended it; no file is to blame."""
    read_source(make_pdf("One"))
    os.kill(fresh_pool()[0], signal.SIGKILL)
    time.sleep(0.1)
    assert texts(read_source(make_pdf("Two"))) == ["Two"]


def test_threads_share_a_bounded_number_of_readers(fresh_pool, make_pdf):
    """At most one for each processor, and every thread gets its own answer."""
    files = {str(number): make_pdf(f"Text {number}") for number in range(40)}
    with ThreadPoolExecutor(16) as threads:
        found = dict(threads.map(lambda item: (item[0], texts(read_source(item[1]))), files.items()))
    assert found == {number: [f"Text {number}"] for number in files}
    assert 1 <= len(fresh_pool()) <= (os.cpu_count() or 1)


def test_threads_without_isolation_take_turns(make_pdf):
    """Only one thread at a time uses PDFium in this process."""
    files = [make_pdf(f"Text {number}") for number in range(40)]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda data: texts(read_source(data, isolation="none")), files))
    assert found == [[f"Text {number}"] for number in range(40)]


async def test_documents_are_read_inside_a_running_loop(make_pdf):
    """Directly and in threads."""
    assert texts(read_source(make_pdf("Straight"))) == ["Straight"]
    documents = await asyncio.gather(*(asyncio.to_thread(read_source, make_pdf(f"{n}")) for n in range(4)))
    assert [texts(document) for document in documents] == [["0"], ["1"], ["2"], ["3"]]


def _read_in_child(data: bytes, connection) -> None:
    connection.send(texts(read_source(data)))


@posix
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_readers_of_its_own(fresh_pool, make_pdf):
    """Also a daemonic one, which may not have children by multiprocessing; the parent's reader is left alone."""
    read_source(make_pdf("Parent"))
    before = fresh_pool()
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=_read_in_child, args=(make_pdf("Child"), theirs), daemon=True)
    child.start()
    assert ours.poll(60)
    assert ours.recv() == ["Child"]
    child.join(60)
    assert child.exitcode == 0
    assert texts(read_source(make_pdf("Parent again"))) == ["Parent again"]
    assert fresh_pool() == before


def run(code: str, *arguments: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60, check=False, **options
    )


def test_documents_are_read_in_a_script_on_the_command_line(tmp_path, make_pdf):
    """`python -c` has no file that a child could run again; modules in the user's folder shadow none of ours."""
    (tmp_path / "a.pdf").write_bytes(make_pdf("Here"))
    for name in ("json", "struct", "pypdfium2", "signal"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a file of the user was imported')")
    code = "import sys; sys.path.remove(''); from thumbindex.sources import read_source; print(read_source('a.pdf').lines[0].text)"
    done = run(code, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("Here\n", "")


@linux
def test_readers_end_with_their_parent(tmp_path, make_pdf):
    """At a normal end, and when the parent is killed."""
    path = tmp_path / "a.pdf"
    path.write_bytes(make_pdf("Here"))
    code = """
import os, signal, sys
from thumbindex.sources import pool, read_source
read_source(sys.argv[1])
print(pool._current._idle[0].pid, flush=True)
if sys.argv[2] == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
"""
    for how in ("end", "kill"):
        pid = int(run(code, str(path), how).stdout)
        deadline = time.monotonic() + 20
        while _runs(pid) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not _runs(pid)


def _runs(pid: int) -> bool:
    try:
        # A killed process whose new parent has not yet asked for its status is a zombie ("Z").
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@linux
def test_the_password_is_not_visible_to_other_processes(fresh_pool, make_pdf):
    """Neither in the reader's arguments nor in its environment."""
    read_source(make_pdf("Sealed", password="river-of-pearls"), password="river-of-pearls")
    (pid,) = fresh_pool()
    for place in ("cmdline", "environ"):
        assert b"river-of-pearls" not in Path(f"/proc/{pid}/{place}").read_bytes()


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param("sys.executable = ''", id="no interpreter known"),
        pytest.param("sys.executable = '/usr/sbin/embedding-server'", id="a program that embeds Python"),
        pytest.param("sys.executable = '/nowhere/python3'", id="an interpreter that went away"),
        pytest.param("sys.frozen = True", id="a frozen program"),
    ],
)
def test_where_no_process_can_be_started_files_are_read_in_this_one(tmp_path, make_pdf, lines):
    """With a warning that names the risk and how to accept it."""
    path = tmp_path / "a.pdf"
    path.write_bytes(make_pdf("Here"))
    code = f"""
import sys, warnings
sys.prefix = '/nowhere'
{lines}
from thumbindex.sources import read_source
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    print(read_source(sys.argv[1]).lines[0].text)
print([w.category.__name__ for w in seen], "isolation='none'" in str(seen[0].message))
"""
    done = run(code, str(path))
    assert done.stdout == "Here\n['RuntimeWarning'] True\n"


@linux
def test_ended_readers_leave_no_open_pipes(reader, make_pdf):
    """A server that gets many broken files must not run out of file descriptors."""
    reader("import os; os._exit(3)")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(DamagedSource, match="exit status 3"):
            read_source(make_pdf("x"))
    assert len(os.listdir("/proc/self/fd")) == before


def test_limits_must_be_above_zero():
    """A limit of nothing would stop every file."""
    with pytest.raises(ValueError, match="above zero"):
        Limits(seconds=0)
