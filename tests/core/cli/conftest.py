"""The commands run in this process, with a cache of their own."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas
from typer.testing import CliRunner

from thumbindex.cli.app import app

GUIDE = """\
# Harbour guide

Opening hours are posted at the gate.

## Mooring

Boats moor on the north quay. A rope of 20 metres is needed.

## Fees

The fee for one night is 12 crowns, paid at the office.
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder; the environment names no library."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("THUMBINDEX_CACHE", str(folder))
    monkeypatch.delenv("THUMBINDEX_LIBRARY", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    return folder


@pytest.fixture
def run() -> Callable[..., object]:
    """Runs one command in this process; the result has `exit_code` and `output`."""

    def invoke(*arguments: object, **options):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], **options)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    """A small Markdown document."""
    path = tmp_path / "guide.md"
    path.write_text(GUIDE, encoding="utf-8")
    return path


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A PDF of two pages with bookmarks, and an encrypted copy beside it."""
    path = tmp_path / "report.pdf"
    path.write_bytes(make_report(None))
    (tmp_path / "sealed.pdf").write_bytes(make_report("river"))
    return path


def make_report(password: str | None) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=1, encrypt=StandardEncryption(password) if password else None)
    for title, text in (("Overview", "The harbour earned 70 crowns."), ("Debt", "The term loan bears 4.5 percent.")):
        canvas.bookmarkPage(title)
        canvas.addOutlineEntry(title, title)
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(72, 740, title)
        canvas.setFont("Helvetica", 11)
        canvas.drawString(72, 700, text)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()
