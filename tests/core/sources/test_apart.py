"""Word, HTML, EPUB and mail are parsed in a process of their own too: what breaks the parser costs one file."""

from __future__ import annotations

import functools
import io
import math
import pickle
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from thumbindex import Library, Limits, build_tree
from thumbindex.concurrency import processes
from thumbindex.errors import DamagedSource, MissingExtra, SourceError, SourceLimit
from thumbindex.pages import Document
from thumbindex.sources import pool, read_source

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell how much memory a process holds")

HTML = b"""<html><head><title>Pump</title></head><body><h1 id="top">Pump</h1><p>Open <b>valve A</b>, see <a href="#stop">Stop</a>.
<h2 id="stop">Stop</h2><table><tr><th>Rate</th><td>4 l/s</td></tr></table><p>Close it\xc2\xa0again.</body></html>"""
LATIN = "<html><body><h1>Über die Mühle</h1><p>Größe, Maß und Öl für die Räder.</p></body></html>".encode("latin-1")
MAIL = b"""From: ann@mill.example\nTo: bob@mill.example\nSubject: Quay\nDate: Mon, 2 Mar 2026 10:00:00 +0000
Content-Type: text/html; charset=utf-8\n\n<p>Moor at <b>quay 3</b>.</p>\n"""


@pytest.fixture
def documents(make_docx, make_epub) -> dict[str, bytes]:
    """A file of each format that needs a parser."""
    paragraph = '<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:bookmarkStart w:name="_Ref1" w:id="1"/><w:r><w:t>Mill</w:t></w:r></w:p>'
    link = '<w:p><w:hyperlink w:anchor="_Ref1"><w:r><w:t>see Mill</w:t></w:r></w:hyperlink></w:p>'
    pages = {
        "one": "<h1>One</h1><p>First <a href='two.xhtml#x'>to two</a>.</p>",
        "two": "<h1 id='x'>Two</h1><p>Last.</p>",
    }
    outline = '<ol><li><a href="text/one.xhtml">One</a></li><li><a href="text/two.xhtml">Two</a></li></ol>'
    return {
        "pump.html": HTML,
        "mühle.html": LATIN,
        "mill.docx": make_docx(paragraph + link),
        "book.epub": make_epub(pages, nav=outline, metadata="<dc:title>Book</dc:title>"),
        "quay.eml": MAIL,
    }


@functools.cache
def bomb() -> bytes:
    """A Word file of some 60 KB with six million paragraphs, for which Python needs gigabytes and a minute."""
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("word/document.xml", "w") as part:
            part.write(b'<w:document xmlns:w="%s"><w:body>' % word.encode())
            for _ in range(60):
                part.write(b"<w:p/>" * 100_000)
            part.write(b"</w:body></w:document>")
    return made.getvalue()


def texts(document: Document) -> list[str]:
    return [line.text for line in document.lines]


def test_a_document_is_the_same_wherever_it_is_parsed(documents):
    """Lines and styles, marked headings, links, anchors, outlines and metadata, and the guess of an encoding."""
    for name, data in documents.items():
        here = read_source(data, name=name, isolation="none")
        assert read_source(data, name=name) == here, name
        assert here.marks, name
    assert read_source(documents["pump.html"]).links
    assert read_source(documents["pump.html"]).anchors == {"top": 1, "stop": 5}
    assert read_source(documents["book.epub"]).bookmarks
    assert "encoding_guessed" in read_source(documents["mühle.html"]).metadata


def test_formats_with_a_parser_use_a_reader_process(documents, fresh_pool):
    """And none with isolation="none"."""
    for name, data in documents.items():
        read_source(data, name=name, isolation="none")
    assert fresh_pool() == []
    for name, data in documents.items():
        read_source(data, name=name)
    assert len(fresh_pool()) == 1


def test_texts_need_no_reader_process(fresh_pool):
    """Markdown, plain text and texts of pages are read in this process, whatever their size."""
    for source in (b"# Mill\n\nGrind.", b"Grind.\n" * 200_000, ["# Mill", "Grind."]):
        assert texts(read_source(source))[-1].endswith("Grind.")
    assert pool._current is None


def test_a_parser_that_hangs_is_stopped_and_the_next_file_is_read(parser, fresh_pool):
    """One error that names the file."""
    body = "if name == 'bad.html': import time; time.sleep(600)\nfrom thumbindex.errors import SourceLimit\nraise SourceLimit(name, 'read.', 'Fine.')"
    parser("html.read_html(text, name)", body)
    with pytest.raises(
        SourceLimit, match=r"^bad\.html: reading it took more than 0 seconds .* raise the limit `seconds`"
    ):
        read_source(HTML, name="bad.html", limits=Limits(seconds=0.4))
    assert fresh_pool() == []
    with pytest.raises(SourceLimit, match=r"good\.html: read\."):
        read_source(HTML, name="good.html")


def test_a_parser_that_crashes_costs_one_file(parser, fresh_pool):
    """C code of lxml may crash, as PDFium does."""
    parser("html.read_html(text, name)", "import os; os.abort()")
    with pytest.raises(DamagedSource, match=r"^bad\.html: the reader crashed on this file"):
        read_source(HTML, name="bad.html")
    assert fresh_pool() == []


@posix
def test_a_small_word_file_that_takes_too_much_memory_is_stopped():
    """Sixty kilobytes unpack to a few million XML elements."""
    data = bomb()
    assert len(data) < 100_000
    with pytest.raises(SourceLimit, match=r"^bomb\.docx: .* more memory than is allowed\. .* `memory`"):
        read_source(data, name="bomb.docx", limits=Limits(memory=120 << 20))


def test_a_small_word_file_that_takes_too_long_is_stopped():
    """Time is limited where memory is not."""
    with pytest.raises(SourceLimit, match=r"^bomb\.docx: reading it took more than"):
        read_source(bomb(), name="bomb.docx", limits=Limits(seconds=0.4))


@linux
def test_growth_inside_one_call_is_noticed_by_the_parent(parser):
    """A call that holds the interpreter's lock stops the reader's own watch; `PyDLL` holds the lock while C code sleeps."""
    parser("html.read_html(text, name)", "import ctypes\nhoard = b'x' * (200 << 20)\nctypes.PyDLL(None).sleep(600)")
    with pytest.raises(SourceLimit, match="more memory than is allowed"):
        read_source(HTML, limits=Limits(memory=150 << 20, seconds=60))


@pytest.mark.parametrize("isolation", ["process", "none"])
def test_an_unexpected_exception_is_reported_as_damage(parser, monkeypatch, isolation):
    """In either process, and without another library's traceback."""

    def fail(text: str, name: str) -> Document:
        raise KeyError("td")

    parser("html.read_html(text, name)", "raise KeyError('td')")
    monkeypatch.setattr("thumbindex.sources.html.read_html", fail)
    with pytest.raises(DamagedSource, match=r"page\.html: the reader failed on this file \(KeyError: 'td'\)"):
        read_source(HTML, name="page.html", isolation=isolation)


def test_a_missing_extra_is_reported_by_the_reader_process(fresh_pool, monkeypatch, tmp_path):
    """With the command that installs it; the process stays alive, and other files are read."""
    page, guide = tmp_path / "page.html", tmp_path / "guide.md"
    page.write_bytes(HTML)
    guide.write_bytes(b"# Mill\n\nGrind.\n")
    boot_code = processes.boot_code
    without_lxml = "import sys\nsys.modules['lxml'] = None\n"
    monkeypatch.setattr(processes, "boot_code", lambda *args, **options: without_lxml + boot_code(*args, **options))
    with pytest.raises(MissingExtra, match=r"thumbindex\[html\]") as caught:
        read_source(HTML)
    assert caught.value.extra == "html"
    assert len(fresh_pool()) == 1
    assert [result.what for result in Library().add_all([page, guide], workers=1)] == ["failed", "added"]
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@posix
@pytest.mark.parametrize("workers", [1, 2])
def test_a_hostile_file_among_others_costs_only_itself(tmp_path, documents, workers):
    """Whether one process prepares the files or several."""
    files = [tmp_path / name for name in ("a.html", "bomb.docx", "b.docx", "c.epub")]
    for file, data in zip(files, (HTML, bomb(), documents["mill.docx"], documents["book.epub"]), strict=True):
        file.write_bytes(data)
    with Library(limits=Limits(memory=120 << 20)) as library:
        results = library.add_all(files, workers=workers)
        assert [result.what for result in results] == ["added", "failed", "added", "added"]
        assert isinstance(results[1].error, SourceLimit)
        assert str(results[1].error).startswith("bomb.docx: ")
        assert {info.name for info in library.list()} == {"a.html", "b.docx", "c.epub"}


SMALL = Limits(file_size=200)
LARGE = b"# Mill\n\n" + b"Grind the maize.\n" * 20


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(lambda file: build_tree(file, limits=SMALL), id="build_tree of a path"),
        pytest.param(lambda file: build_tree(file.read_bytes(), limits=SMALL), id="build_tree of bytes"),
        pytest.param(lambda file: Library(limits=SMALL).add(file), id="Library.add of a path"),
        pytest.param(lambda file: Library(limits=SMALL).add(file.read_bytes(), name="a"), id="Library.add of bytes"),
        pytest.param(lambda file: Library(limits=SMALL).add(file.open("rb")), id="Library.add of an open file"),
        pytest.param(lambda file: Library.from_files([file], limits=SMALL), id="Library.from_files"),
        pytest.param(lambda file: raised(Library(limits=SMALL).add_all([file])), id="Library.add_all"),
        pytest.param(lambda file: raised(Library(limits=SMALL).sync(file.parent)), id="Library.sync"),
        pytest.param(lambda file: copied(Library(file.parent / "a.db", limits=SMALL)).add(file), id="a library's copy"),
    ],
)
def test_limits_hold_wherever_a_file_is_read(tmp_path: Path, read: Callable[[Path], object]):
    """The value is given once."""
    (tmp_path / "files").mkdir()
    file = tmp_path / "files" / "mill.md"
    file.write_bytes(LARGE)
    with pytest.raises(SourceLimit, match="larger than 200 bytes"):
        read(file)


def raised(results) -> None:
    (result,) = results
    if result.error is not None:
        raise result.error


def copied(library: Library) -> Library:
    """Returns the library as another process gets it."""
    copy: Library = pickle.loads(pickle.dumps(library))
    return copy


def test_rendering_a_page_has_the_limits_of_its_library(tmp_path, parser, make_pdf):
    file = tmp_path / "a.pdf"
    file.write_bytes(make_pdf("Mill"))
    with Library(limits=Limits(seconds=0.4, seconds_per_megabyte=0)) as library:
        parser("pdf.render_page(data, name, view, password)", "import time; time.sleep(600)")
        info = library.add(file)
        with pytest.raises(SourceLimit, match="more than 0 seconds"):
            library.page_image(info.doc_id, 1)


def test_invalid_settings_are_refused():
    """A misspelt word must not turn isolation off, and a NaN must not remove a limit."""
    with pytest.raises(ValueError, match="isolation must be 'process' or 'none', got 'proces'"):
        build_tree(b"# A", isolation="proces")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"limits must be thumbindex\.Limits"):
        Library(limits=120)  # type: ignore[arg-type]
    for field in ("seconds", "memory", "file_size", "documents"):
        with pytest.raises(ValueError, match="above zero"):
            Limits(**{field: 0})
    with pytest.raises(ValueError, match="above zero"):
        Limits(seconds=math.nan)
    with pytest.raises(ValueError, match="above zero"):
        Limits(seconds_per_megabyte=-1)


def test_parsing_without_a_process_warns(fresh_pool, monkeypatch, documents):
    """Where none can be started, documents are read all the same."""
    monkeypatch.setattr(processes, "interpreter", lambda: None)
    for name, data in documents.items():
        with pytest.warns(RuntimeWarning, match="parsed inside this process.*isolation='none'"):
            assert read_source(data, name=name).lines


def test_errors_of_a_document_are_the_same_in_both_processes():
    """Each of our errors is sent, and leaves the reader alive."""
    for data, name in ((b"PK\x03\x04 cut off", "a.docx"), (b"<html><body></body></html>", "a.html")):
        with pytest.raises(SourceError) as here:
            read_source(data, name=name, isolation="none")
        with pytest.raises(type(here.value)) as apart:
            read_source(data, name=name)
        assert str(apart.value) == str(here.value)
