"""Small PDF, Word and EPUB files, and reader processes of one test alone."""

from __future__ import annotations

import io
import textwrap
import zipfile
from collections.abc import Callable, Iterator

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from thumbindex.concurrency import processes
from thumbindex.sources import pool

MakePdf = Callable[..., bytes]


@pytest.fixture
def make_pdf() -> MakePdf:
    """Returns the bytes of a PDF with one line of text per page; None makes a page without text."""

    def make(*pages: str | None, password: str | None = None) -> bytes:
        buffer = io.BytesIO()
        encryption = StandardEncryption(password, canPrint=0) if password else None
        canvas = Canvas(buffer, invariant=1, encrypt=encryption)
        for text in pages:
            canvas.setFont("Helvetica", 12)
            if text is not None:
                canvas.drawString(72, 700, text)
            canvas.showPage()
        canvas.save()
        return buffer.getvalue()

    return make


MakeDocx = Callable[..., bytes]
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


@pytest.fixture(scope="session")
def make_docx() -> MakeDocx:
    """Returns the bytes of a Word file with a body (and other parts), in WordprocessingML with the prefix `w`."""

    def make(body: str, **parts: str) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("[Content_Types].xml", "<Types/>")
            archive.writestr("word/document.xml", f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>')
            for name, xml in parts.items():
                if name == "core":
                    archive.writestr("docProps/core.xml", xml)
                else:
                    archive.writestr(f"word/{name}.xml", f'<w:{name} xmlns:w="{WORD}">{xml}</w:{name}>')
        return buffer.getvalue()

    return make


MakeEpub = Callable[..., bytes]


@pytest.fixture(scope="session")
def make_epub() -> MakeEpub:
    """Returns the bytes of an e-book with pages (name -> inner HTML of the body) in order, and an outline: `nav` is the list
    of a page of EPUB 3, `ncx` the points of EPUB 2."""

    def make(pages: dict[str, str], *, nav: str = "", ncx: str = "", metadata: str = "", **extra: str) -> bytes:
        items = "".join(
            f'<item id="{name}" href="text/{name}.xhtml" media-type="application/xhtml+xml"/>' for name in pages
        )
        if nav:
            items += '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        if ncx:
            items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
        spine = "".join(f'<itemref idref="{name}"/>' for name in pages)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("mimetype", "application/epub+zip")
            archive.writestr(
                "META-INF/container.xml",
                '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
                '<rootfile full-path="OPS/book.opf"/></rootfiles></container>',
            )
            archive.writestr(
                "OPS/book.opf",
                '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
                f"<metadata>{metadata}</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>",
            )
            for name, body in pages.items():
                archive.writestr(
                    f"OPS/text/{name}.xhtml",
                    '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml">'
                    f"<head><title/></head><body>{body}</body></html>",
                )
            if nav:
                archive.writestr(
                    "OPS/nav.xhtml",
                    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>'
                    f'<nav epub:type="toc">{nav}</nav></body></html>',
                )
            if ncx:
                archive.writestr(
                    "OPS/toc.ncx", f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{ncx}</navMap></ncx>'
                )
            for path, text in extra.items():
                archive.writestr(path.replace("__", "/"), text)
        return buffer.getvalue()

    return make


@pytest.fixture
def fresh_pool() -> Iterator[Callable[[], list[int]]]:
    """A pool of readers for one test; returns the process ids of its idle readers."""
    before = pool._current
    setattr(pool, "_current", None)  # noqa: B010 - a plain assignment would make the type checker sure of None

    def pids() -> list[int]:
        return [] if pool._current is None else [worker.pid for worker in pool._current._idle]

    yield pids
    if pool._current is not None:
        pool._current.end()
    pool._current = before


@pytest.fixture
def parser(fresh_pool, monkeypatch) -> Callable[[str, str], None]:
    """Replaces a function of `thumbindex.sources` ("html.read_html(text, name)") in the readers of one test; takes its new
    body."""

    def replace(function: str, body: str) -> None:
        module, _, signature = function.partition(".")
        name = signature.partition("(")[0]
        patch = (
            f"import thumbindex.sources.{module} as {module}\n"
            f"def {signature}:\n{textwrap.indent(body, '    ')}\n"
            f"{module}.{name} = {name}\nmain()\n"
        )
        boot_code = processes.boot_code
        monkeypatch.setattr(
            processes, "boot_code", lambda *args, **options: boot_code(*args, **options).replace("main()\n", patch)
        )

    return replace
