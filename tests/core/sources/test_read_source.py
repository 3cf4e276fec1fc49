"""Contents decide the format of a document, and everything that can be wrong has an error of its own."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

from thumbindex import Limits
from thumbindex.errors import (
    DamagedSource,
    EmptySource,
    NoPages,
    PasswordNeeded,
    SourceError,
    SourceIsDirectory,
    SourceLimit,
    SourceNotFound,
    SourceUnreadable,
    UnsupportedSource,
)
from thumbindex.sources import read_source

MARKDOWN = b"# Tides\n\nThe harbour floods twice a day.\n"


def zipped(*members):
    """Returns an archive with some members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for member in members:
            archive.writestr(member, "<x/>")
    return buffer.getvalue()


def texts(document):
    return [line.text for line in document.lines]


def test_a_path_bytes_and_an_open_file_give_the_same_document(tmp_path, make_pdf):
    """Only the name depends on the form of the source."""
    path = tmp_path / "harbour.pdf"
    path.write_bytes(make_pdf("Mooring rules", "Fees"))
    by_path = read_source(path)
    assert (by_path.name, by_path.kind, texts(by_path)) == ("harbour.pdf", "pdf", ["Mooring rules", "Fees"])
    with path.open("rb") as file:
        assert read_source(file) == by_path
    assert read_source(path.read_bytes(), name="harbour.pdf") == by_path
    assert read_source(str(path), isolation="none") == by_path


def test_a_relative_path_is_read_from_the_current_folder(tmp_path, make_pdf, monkeypatch):
    """The reader process was started elsewhere, and must not look there."""
    (tmp_path / "a.pdf").write_bytes(make_pdf("Here"))
    monkeypatch.chdir(tmp_path)
    assert texts(read_source("a.pdf")) == ["Here"]


def test_an_open_file_is_read_from_its_current_position():
    """The bytes before it belong to the caller."""
    file = io.BytesIO(b"skipped" + MARKDOWN)
    file.seek(7)
    document = read_source(file)
    assert (document.name, texts(document)[0]) == ("document", "# Tides")


def test_an_open_file_names_the_document(tmp_path):
    """By the last part of its name, as a path would."""
    path = tmp_path / "tides.md"
    path.write_bytes(MARKDOWN)
    with path.open("rb") as file:
        assert read_source(file).name == "tides.md"
    with path.open("rb") as file:
        assert read_source(file, name="Tides").name == "Tides"


def test_a_file_that_returns_small_pieces_is_read_to_its_end():
    """A raw socket or pipe may return fewer bytes than requested."""

    class Slow(io.RawIOBase):
        left = MARKDOWN

        def read(self, size: int = -1) -> bytes:
            piece, self.left = self.left[:5], self.left[5:]
            return piece

    assert texts(read_source(Slow())) == ["# Tides", "", "The harbour floods twice a day."]


def test_a_file_opened_in_text_mode_is_a_type_error():
    """Its bytes are gone; the message says how to open it."""
    with pytest.raises(TypeError, match="binary mode"):
        read_source(io.StringIO("# Tides"))


def test_a_list_of_texts_is_a_document_with_pages():
    """One string per page."""
    document = read_source(["# One", "Two"], name="parsed")
    assert (document.kind, document.name, len(document.pages or ())) == ("pages", "parsed", 2)


def test_the_name_of_a_file_does_not_decide_its_format(tmp_path, make_pdf):
    """A PDF is a PDF under any name."""
    path = tmp_path / "report.txt"
    path.write_bytes(make_pdf("Still a PDF"))
    assert read_source(path).kind == "pdf"


def test_junk_before_the_pdf_header_is_tolerated(make_pdf):
    """Servers and mail gateways add some; PDFium looks for the header in the first 1024 bytes."""
    assert texts(read_source(b"HTTP/1.1 200 OK\r\n\r\n" + make_pdf("Found"))) == ["Found"]


def test_a_text_about_pdf_is_text():
    """A header in the middle of a line of prose does not make a PDF."""
    document = read_source(b"# Format\n\nA file starts with `%PDF-1.7` and holds `1 0 obj`.\n")
    assert document.kind == "markdown"


@pytest.mark.parametrize(
    ("data", "looks_like"),
    [
        pytest.param(zipped("[Content_Types].xml", "xl/workbook.xml"), "Excel", id="xlsx"),
        pytest.param(zipped("mimetype", "content.xml"), "OpenDocument", id="odt"),
        pytest.param(zipped("photo.jpg"), "ZIP", id="zip"),
        pytest.param(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "PNG", id="png"),
        pytest.param(b"\xff\xd8\xff\xe0\x00\x10JFIF", "JPEG", id="jpeg"),
        pytest.param(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00", "Microsoft Office", id="doc"),
        pytest.param(b"{\\rtf1\\ansi Hello}", "RTF", id="rtf"),
        pytest.param(b"SQLite format 3\x00\x10\x00", "SQLite", id="a library"),
        pytest.param(b"<?xml version='1.0'?><feed/>", "XML", id="xml"),
        pytest.param(bytes(range(256)) * 4, "binary", id="unknown bytes"),
        pytest.param(b"\xff\xfe\x00", "UTF-16", id="broken utf-16"),
    ],
)
def test_the_error_names_the_format_of_an_unsupported_file(data, looks_like):
    """And says what to do."""
    with pytest.raises(UnsupportedSource, match=looks_like) as caught:
        read_source(data, name="upload.bin")
    assert caught.value.source == "upload.bin"
    assert caught.value.remedy


@pytest.mark.parametrize(
    "data", [b"PK\x03\x04 cut off", zipped("photo.jpg")[:40], b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"{\\rtf1}"]
)
def test_the_error_names_the_supported_formats_or_a_remedy(data):
    """The user knows what to do next."""
    with pytest.raises(
        SourceError, match=r"PDF, Word \(DOCX\), PowerPoint \(PPTX\), HTML, EPUB, Markdown|Copy or download it again"
    ):
        read_source(data)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        pytest.param(b"<!DOCTYPE html>\n<html><body>404</body></html>", "html", id="html"),
        pytest.param(b"<!-- saved --> <HTML lang='en'><p>Tides", "html", id="html after a comment"),
        pytest.param(
            b"<?xml version='1.0'?>\n<html xmlns='http://www.w3.org/1999/xhtml'><p>Tides</p></html>", "html", id="xhtml"
        ),
        pytest.param(b"<h1>Tides</h1><p>Two a day.</p><p>More.</p>", "html", id="a fragment of html"),
        pytest.param(
            b"<DOCUMENT>\n<TYPE>10-K\n<TEXT>\n<html><p>Tides</p></html>\n</TEXT>\n</DOCUMENT>",
            "html",
            id="html in an envelope",
        ),
        pytest.param(
            b"-----BEGIN PRIVACY-ENHANCED MESSAGE-----\nProc-Type: 2001,MIC-CLEAR\n\n<SEC-DOCUMENT>1.txt\n<DOCUMENT>\n<TEXT>\n<html><p>Tides</p></html>",
            "html",
            id="html in an envelope with a seal",
        ),
        pytest.param(b"From: Ann <ann@example.com>\nTo: Bob\nSubject: Tides\n\nTwo a day.\n", "mail", id="mail"),
        pytest.param(b"From: Ann\nThe tides come twice.\n", "text", id="a letter"),
        pytest.param(b"Tides\n\nTwo a day.\n", "text", id="plain text"),
        pytest.param(b"Tides\n\nSee the [table](t.md).\n", "markdown", id="a link in markdown"),
        pytest.param(b"| Tide | Time |\n| --- | --- |\n| low | 6:00 |\n", "markdown", id="a table in markdown"),
        pytest.param(b"The %PDF- header is #1 of all.\n", "text", id="text about a format"),
    ],
)
def test_the_contents_of_a_text_decide_its_format(data, kind):
    """Whatever its name."""
    assert read_source(data, name="upload.bin").kind == kind


def test_markdown_that_begins_with_html_is_markdown():
    """Many README files begin with a centred logo."""
    data = b'<!-- logo -->\n<p align="center"><img src="logo.png"></p>\n\n# Tides\n'
    assert read_source(data).kind == "markdown"


def test_a_text_named_pdf_is_refused():
    """Most often an error page was saved in place of a download."""
    with pytest.raises(UnsupportedSource, match="contents are not a PDF"):
        read_source(b"Access denied", name="report.pdf")


@pytest.mark.parametrize(
    ("data", "error"),
    [
        pytest.param(b"", EmptySource, id="empty"),
        pytest.param(b" \r\n\t\n", EmptySource, id="white space"),
        pytest.param(b"\xef\xbb\xbf\n", EmptySource, id="only a byte-order mark"),
        pytest.param(b"%PDF-1.7\n%%EOF\n", DamagedSource, id="a header and nothing more"),
    ],
)
def test_files_without_contents_are_refused(tmp_path, data, error):
    """With the same error for a path and for bytes; the path is named in full."""
    path = tmp_path / "broken.file"
    path.write_bytes(data)
    with pytest.raises(error, match=r"broken\.file"):
        read_source(data, name="broken.file")
    with pytest.raises(error) as caught:
        read_source(path)
    assert caught.value.source == str(path)


def test_a_missing_file_is_a_file_not_found_error(tmp_path):
    """Callers catch that already."""
    with pytest.raises(SourceNotFound, match=r"gone\.pdf: there is no such file"):
        read_source(tmp_path / "gone.pdf")
    with pytest.raises(FileNotFoundError):
        read_source(tmp_path / "gone.pdf" / "below")


@pytest.mark.parametrize("path", ["a\x00b", "x" * 5000], ids=["a NUL", "too long"])
def test_impossible_paths_are_missing_files(path):
    """Whatever the system calls them."""
    with pytest.raises(SourceNotFound):
        read_source(path)


def test_a_text_given_as_a_path_is_explained():
    """A str is a path; one with line endings was hardly meant as one."""
    with pytest.raises(SourceNotFound, match="Pass the text itself as bytes"):
        read_source("# Tides\n\nThe harbour floods.")


def test_a_folder_is_an_is_a_directory_error(tmp_path):
    with pytest.raises(SourceIsDirectory, match="folder"):
        read_source(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_refused_and_never_waited_for(tmp_path):
    """Opening it would wait for a writer for ever."""
    pipe = tmp_path / "pipe.pdf"
    os.mkfifo(pipe)
    with pytest.raises(SourceUnreadable, match="not a regular file"):
        read_source(pipe)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_a_device_is_refused():
    """It never ends."""
    with pytest.raises(SourceUnreadable):
        read_source("/dev/zero")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind root")
def test_a_file_without_permission_is_unreadable(tmp_path):
    """The remedy is to change its permissions."""
    path = tmp_path / "secret.md"
    path.write_bytes(MARKDOWN)
    path.chmod(0)
    with pytest.raises(SourceUnreadable, match="permission"):
        read_source(path)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that opens and refuses to be read")
def test_a_file_that_the_system_refuses_to_read_is_unreadable():
    """The message of the system becomes part of our error."""
    with pytest.raises(SourceUnreadable, match="could not read"):
        read_source("/proc/self/mem")


def test_a_file_over_the_size_limit_is_refused(tmp_path):
    """Before it is read."""
    limits = Limits(file_size=10)
    path = tmp_path / "big.md"
    path.write_bytes(b"x" * 11)
    for source in (path, path.read_bytes(), io.BytesIO(path.read_bytes())):
        with pytest.raises(SourceLimit, match=r"larger than 10 bytes.*`file_size`"):
            read_source(source, limits=limits)
    assert texts(read_source(b"x" * 10, limits=limits)) == ["x" * 10]


def test_an_encrypted_pdf_needs_the_right_password(make_pdf):
    data = make_pdf("Sealed", password="river")
    with pytest.raises(PasswordNeeded):
        read_source(data)
    with pytest.raises(PasswordNeeded):
        read_source(data, password="lake")
    assert texts(read_source(data, password="river")) == ["Sealed"]


def test_pages_without_text_are_named(make_pdf):
    """A partly scanned file is read, and its pages without text are reported."""
    assert read_source(make_pdf("One", None, "Three")).pages_without_text == (2,)


def test_page_texts_must_contain_text():
    """An empty list is a document without pages, blank texts are one without text."""
    with pytest.raises(NoPages):
        read_source([])
    with pytest.raises(EmptySource):
        read_source(["", " \n"])


def test_a_sequence_of_anything_else_is_a_type_error():
    """Page texts are str."""
    with pytest.raises(TypeError, match="one str per page"):
        read_source([b"page"])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param("Ebbe – Flut".encode(), "Ebbe – Flut", id="utf-8"),
        pytest.param("Ebbe – Flut".encode("utf-8-sig"), "Ebbe – Flut", id="utf-8 with mark"),
        pytest.param(b"\xff\xfe" + "Ebbe – Flut".encode("utf-16-le"), "Ebbe – Flut", id="utf-16 little-endian"),
        pytest.param(b"\xfe\xff" + "Ebbe – Flut".encode("utf-16-be"), "Ebbe – Flut", id="utf-16 big-endian"),
        pytest.param(b"\xff\xfe\x00\x00" + "Ebbe – Flut".encode("utf-32-le"), "Ebbe – Flut", id="utf-32"),
        pytest.param("Ebbe – Flut".encode("utf-16-le"), "Ebbe – Flut", id="utf-16 without its mark"),
        pytest.param("Ebbe – Flut".encode("utf-16-be"), "Ebbe – Flut", id="utf-16 without its mark, big-endian"),
        pytest.param("Ebbe – Flut".encode("cp1252"), "Ebbe – Flut", id="windows-1252"),
        pytest.param(
            "Прилив приходит дважды в день.".encode("cp1251"), "Прилив приходит дважды в день.", id="windows-1251"
        ),
        pytest.param("Прилив приходит дважды в день.".encode("koi8-r"), "Прилив приходит дважды в день.", id="koi8-r"),
        pytest.param(
            "潮水每天来两次。早上六点退潮。".encode("gb18030"), "潮水每天来两次。早上六点退潮。", id="gb18030"
        ),
        pytest.param("潮は一日に二回満ちます。".encode("shift_jis"), "潮は一日に二回満ちます。", id="shift_jis"),
        pytest.param("潮は「一日」に２回満ちる。".encode("euc_jp"), "潮は「一日」に２回満ちる。", id="euc-jp"),
        pytest.param("潮は一日に二回満ちます。".encode("iso2022_jp"), "潮は一日に二回満ちます。", id="iso-2022-jp"),
        pytest.param("조수는 하루에 두 번 온다.".encode("cp949"), "조수는 하루에 두 번 온다.", id="korean"),
        pytest.param("潮水每天來兩次。早上六點退潮。".encode("big5"), "潮水每天來兩次。早上六點退潮。", id="big5"),
    ],
)
def test_encodings(data, expected):
    """A byte-order mark decides; else the bytes do, and if they are valid in several encodings, the characters that the text would
    have. No mark becomes text."""
    document = read_source(data)
    assert texts(document) == [expected]


def test_a_guessed_encoding_is_reported():
    """Windows-1252 fits almost any bytes, so a reader of odd characters can see the reason."""
    assert read_source("é".encode("cp1252")).metadata == {"encoding_guessed": "windows-1252"}
    assert read_source("é".encode()).metadata == {}


def test_errors_can_be_pickled():
    """They are sent between processes in users' programs too."""
    import pickle

    with pytest.raises(SourceError) as caught:
        read_source(b"")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy)) == (type(caught.value), str(caught.value))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"<!--x-->" * 5000, id="comments"),
        pytest.param(b"<!--" * 20_000, id="comments left open"),
        pytest.param(b"<TYPE>" * 10_000, id="envelopes"),
        pytest.param(b"From " + b"1 " * 200_000, id="an endless head of a message"),
        pytest.param(
            b"From a 2024\nFrom: a\nTo: b\nSubject: c\n\n" + b"\n\nFrom " + b"x1" * 200_000, id="a border of messages"
        ),
        pytest.param(b"<html><style>" + b"/*" * 500_000 + b"</style><p>x", id="comments of styles"),
        pytest.param(b"<html><style>" + b"{" * 500_000 + b"</style><p>x", id="blocks of styles"),
        pytest.param(b"[" * 100_000, id="brackets"),
        pytest.param(b"<p " * 50_000 + b"<p>x", id="tags left open"),
        pytest.param(b" " * 300_000 + b"x", id="blanks"),
    ],
)
def test_the_format_of_a_hostile_text_is_recognised_fast(data):
    """No pattern backtracks without bound."""
    assert read_source(data + b"\ntext\n").lines
