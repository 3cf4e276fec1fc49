"""What was read once is not read again: a cache keyed by contents, which nothing depends on."""

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
    """Also under another path, since the contents are the key; the answer names the path of today."""
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


def test_a_changed_file_is_read_anew(run, guide):
    """Whatever its time says."""
    assert "12 crowns" in run("ask", guide, QUESTION).output
    times = guide.stat()
    guide.write_text(guide.read_text().replace("12", "15"))
    os.utime(guide, (times.st_atime, times.st_mtime))
    assert "15 crowns" in run("ask", guide, QUESTION).output


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: b"no library at all", id="something else"),
        pytest.param(lambda data: data[: len(data) // 2], id="cut short"),
        pytest.param(lambda data: data[:100] + b"\xff" * (len(data) - 100), id="overwritten after its header"),
    ],
)
def test_a_damaged_entry_is_made_anew(run, guide, cache, damage):
    """Without a word to the user."""
    run("ask", guide, QUESTION)
    (entry,) = entries(cache)
    entry.write_bytes(damage(entry.read_bytes()))
    result = run("ask", guide, QUESTION)
    assert result.exit_code == 0
    assert "12 crowns" in result.output
    assert "error" not in result.output
    assert entries(cache) == [entry]
    assert entry.read_bytes().startswith(b"SQLite format 3")


def test_nothing_is_kept_without_the_cache_or_with_a_password(run, report, cache, tmp_path):
    """The cache would hold the text of an encrypted file in the clear, and open it to whoever asks without password."""
    run("ask", report, "term loan", "--no-cache")
    run("ask", tmp_path / "sealed.pdf", "term loan", "--password", "river")
    assert entries(cache) == []
    assert run("ask", tmp_path / "sealed.pdf", "term loan").exit_code == 3


def test_a_cache_that_cannot_be_written_is_done_without(run, guide, cache):
    """A file stands where the folder should be."""
    cache.write_text("in the way")
    result = run("ask", guide, QUESTION)
    assert (result.exit_code, "12 crowns" in result.output) == (0, True)


def test_an_entry_that_was_left_behind_half_made_is_no_entry(run, guide, cache):
    """A program that was killed while it wrote leaves a draft, which has another name."""
    run("ask", guide, QUESTION)
    assert [path.suffix for path in entries(cache)] == [".db"]
    if os.name != "nt":
        assert (cache.stat().st_mode & 0o077, entries(cache)[0].stat().st_mode & 0o077) == (0, 0)


def test_the_cache_keeps_to_its_size(run, guide, report, cache, monkeypatch):
    """What was used longest ago goes first; what was made last stays."""
    run("ask", guide, QUESTION)
    (old,) = entries(cache)
    os.utime(old, (1, 1))
    monkeypatch.setattr(cache_module, "MAX_BYTES", 10)
    run("ask", report, "term loan")
    assert len(entries(cache)) == 1
    assert entries(cache) != [old]


def test_where_the_cache_lies(monkeypatch, tmp_path):
    """By the customs of each system."""
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
