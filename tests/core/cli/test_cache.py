"""Files are read once: a cache keyed by their contents, without which everything still works."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from thumbindex.cli import cache as cache_module

QUESTION = "What is the fee for one night?"


def entries(cache: Path) -> list[Path]:
    return sorted(cache.iterdir()) if cache.exists() else []


def test_the_second_question_reads_no_file(run, report, cache, monkeypatch):
    """Not even under another path, since the contents are the key; the answer names the current path."""
    first = json.loads(run("ask", report, "term loan", "--json").output)
    assert len(entries(cache)) == 1
    elsewhere = report.parent / "elsewhere"
    elsewhere.mkdir()
    moved = report.rename(elsewhere / report.name)

    def fail(*arguments, **options):
        raise AssertionError("the file was read again")

    monkeypatch.setattr("thumbindex.ingest.prepare.read_with", fail)
    second = json.loads(run("ask", moved, "term loan", "--json").output)
    assert second["evidence"][0]["source"] == str(moved)
    for found in (first, second):
        for evidence in found["evidence"]:
            del evidence["source"]
        for step in found["trail"]["steps"]:
            del step["seconds"]
    assert first == second


def test_a_changed_file_is_read_again(run, guide):
    """Whatever its modification time."""
    assert "12 crowns" in run("ask", guide, QUESTION).output
    times = guide.stat()
    guide.write_text(guide.read_text().replace("12", "15"))
    os.utime(guide, (times.st_atime, times.st_mtime))
    assert "15 crowns" in run("ask", guide, QUESTION).output


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: b"no library at all", id="not a library"),
        pytest.param(lambda data: data[: len(data) // 2], id="truncated"),
        pytest.param(lambda data: data[:100] + b"\xff" * (len(data) - 100), id="overwritten after the header"),
    ],
)
def test_a_damaged_entry_is_replaced(run, guide, cache, damage):
    """Silently."""
    run("ask", guide, QUESTION)
    (entry,) = entries(cache)
    entry.write_bytes(damage(entry.read_bytes()))
    result = run("ask", guide, QUESTION)
    assert result.exit_code == 0
    assert "12 crowns" in result.output
    assert "error" not in result.output
    assert entries(cache) == [entry]
    assert entry.read_bytes().startswith(b"SQLite format 3")


def test_nothing_is_stored_without_the_cache_or_with_a_password(run, report, cache, tmp_path):
    """The cache would hold the text of an encrypted file in the clear, and open it without a password."""
    run("ask", report, "term loan", "--no-cache")
    run("ask", tmp_path / "sealed.pdf", "term loan", "--password", "river")
    assert entries(cache) == []
    assert run("ask", tmp_path / "sealed.pdf", "term loan").exit_code == 3


def test_a_cache_that_cannot_be_written_is_not_used(run, guide, cache):
    """Here a file is in the place of the folder."""
    cache.write_text("in the way")
    result = run("ask", guide, QUESTION)
    assert (result.exit_code, "12 crowns" in result.output) == (0, True)


def test_entries_are_private_and_drafts_are_not_entries(run, guide, cache):
    """A program that is killed while it writes leaves a draft, which has another suffix."""
    run("ask", guide, QUESTION)
    assert [path.suffix for path in entries(cache)] == [".db"]
    if os.name != "nt":
        assert (cache.stat().st_mode & 0o077, entries(cache)[0].stat().st_mode & 0o077) == (0, 0)


def test_the_cache_has_a_maximum_size(run, guide, report, cache, monkeypatch):
    """The least recently used entry is removed first; the newest stays."""
    run("ask", guide, QUESTION)
    (old,) = entries(cache)
    os.utime(old, (1, 1))
    monkeypatch.setattr(cache_module, "MAX_BYTES", 10)
    run("ask", report, "term loan")
    assert len(entries(cache)) == 1
    assert entries(cache) != [old]


def test_the_location_of_the_cache(monkeypatch, tmp_path):
    """By the conventions of each system."""
    monkeypatch.delenv("THUMBINDEX_CACHE")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_module.folder() == tmp_path / "xdg" / "thumbindex"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_module.folder() == tmp_path / ".cache" / "thumbindex"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_module.folder() == tmp_path / "Library" / "Caches" / "thumbindex"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "Local"))
    assert cache_module.folder() == tmp_path / "Local" / "thumbindex" / "Cache"
