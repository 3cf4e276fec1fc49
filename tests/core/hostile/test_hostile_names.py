"""Names, titles and metadata made to attack whoever displays them: output is clean, and no path leads anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas
from typer.testing import CliRunner

from thumbindex import Library
from thumbindex.cli.app import app

EVIL = {
    "window title": "\x1b]0;owned\x07Report",
    "clear the screen": "\x1b[2J\x9b2JReport",
    "script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "markup of the terminal library": "[bold red]Report[/bold red] [link=http://evil.example]x[/link]",
    "path": "../../../../etc/passwd",
    "drive": "C:\\..\\..\\x",
    "reversed": "\u202eFDP.exe",
}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., str]:
    monkeypatch.setenv("THUMBINDEX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")

    def invoke(*arguments: object) -> str:
        return CliRunner().invoke(app, [str(argument) for argument in arguments]).output

    return invoke


def evil_pdf(path: Path, text: str) -> Path:
    """Returns a PDF whose title, author, subject, bookmark and page label are the text."""
    canvas = Canvas(str(path), invariant=1)
    canvas.setTitle(text)
    canvas.setAuthor(text)
    canvas.setSubject(text)
    canvas.addPageLabel(0, prefix=text)
    canvas.bookmarkPage("here")
    canvas.addOutlineEntry(f"1 Harbour {text}", "here")
    canvas.drawString(72, 700, "1 Harbour")
    canvas.drawString(72, 680, "Boats moor on the quay.")
    canvas.showPage()
    canvas.save()
    return path


@pytest.mark.parametrize("text", EVIL.values(), ids=EVIL)
def test_metadata_of_a_document_is_only_text(run: Callable[..., str], tmp_path: Path, text: str) -> None:
    """Every command prints it as text, and the only files made are the library's."""
    file, library = evil_pdf(tmp_path / "evil.pdf", text), tmp_path / "my.db"
    outputs = [run("add", file, "--library", library)]
    outputs += [run(*command, "--library", library) for command in (("list",), ("check",), ("search", "boats quay"))]
    outputs += [run(*command, "evil.pdf", "--library", library) for command in (("read",), ("export",), ("check",))]
    outputs += [run("tree", file), run("list", "--json", "--library", library)]
    for output in outputs:
        assert all(letter.isprintable() or letter in "\n" for letter in output)
    assert "Boats moor" in outputs[3]
    assert {file.name for file in tmp_path.iterdir()} <= {"evil.pdf", "my.db", "cache"}
    (info,) = json.loads(outputs[-1])
    assert info["doc_id"].startswith("evil-")


@pytest.mark.parametrize("name", EVIL.values(), ids=EVIL)
def test_a_name_is_only_a_name(run: Callable[..., str], tmp_path: Path, name: str) -> None:
    """Bytes added under it stay in the library; its id has plain letters, and it can be found by the name."""
    library = tmp_path / "my.db"
    with Library(library) as opened:
        info = opened.add(b"# Harbour\n\nBoats moor on the quay.\n", name=name)
        assert opened.get(name) == info
        assert info.doc_id.replace("-", "").isalnum()
        assert info.doc_id.isascii()
    for output in (run("list", "--library", library), run("search", "boats", "--library", library)):
        assert all(letter.isprintable() or letter in "\n" for letter in output)
    assert [file.name for file in tmp_path.iterdir() if file.name != "cache"] == ["my.db"]
