"""Scanned pages on the command line: read by OCR, or left out."""

from __future__ import annotations

import pytest

from made_scans import Knowing, bound, page_scans, typeset
from thumbindex.sources import ocr

PAGE = [("Tolls", "B", 16, 72, 720), ("The toll at the ford is nine crowns for a cart.", "", 11, 72, 690)]


@pytest.fixture
def engine(monkeypatch):
    """A fake of the engine that the extra installs."""
    engine = Knowing(typeset(PAGE))
    monkeypatch.setattr(ocr.Ocr, "find_engine", lambda settings: engine)
    return engine


@pytest.fixture
def scan(tmp_path):
    path = tmp_path / "scan.pdf"
    path.write_bytes(bound(*page_scans(typeset(PAGE))))
    return path


def test_scans_are_read_once_by_all_commands(run, scan, engine, cache):
    """The text recognised for one command is cached for the others."""
    assert "Tolls  p. 1" in run("tree", scan).output
    assert "nine crowns" in run("read", scan).output
    assert "nine crowns" in run("ask", scan, "What is the toll for a cart?").output
    assert len(engine.seen) == 1
    assert (cache / "ocr.db").exists()


def test_scans_can_be_left_out(run, scan, engine):
    """A file without any other page is an error then."""
    for command in (("tree", scan), ("read", scan), ("ask", scan, "What is the toll?")):
        result = run(*command, "--ocr", "off")
        assert result.exit_code == 3
        assert "none of its 1 pages has a text layer" in result.output
    assert engine.seen == []


def test_a_library_stores_recognised_text_beside_its_file(run, scan, engine, tmp_path):
    """A document that was removed and added again is not read again."""
    library = tmp_path / "reports.db"
    for _ in range(2):
        assert run("add", scan, "--library", library).exit_code == 0
        assert "pages 1 were read by OCR" in run("check", "--library", library, "scan.pdf").output
        run("remove", "scan.pdf", "--library", library)
    assert len(engine.seen) == 1
    assert (tmp_path / "reports.db-ocr").exists()
