"""The computer's clock may be set back: no order of the library depends on it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from thumbindex import Library
from thumbindex.store.sqlite.repair import inspect


class Backwards(datetime):
    """A clock that is a day earlier each time it is read."""

    reads = 0

    @classmethod
    def now(cls, tz=None):
        cls.reads += 1
        return datetime(2030, 1, 1, tzinfo=UTC) - timedelta(days=cls.reads)


def test_a_clock_that_goes_backwards_changes_no_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents stay in the order of adding, the latest revision is the one read, and other readers see it."""
    monkeypatch.setattr("thumbindex.ingest.prepare.datetime", Backwards)
    path = tmp_path / "my.db"
    with Library(path) as library, Library(path) as reader:
        for name in ("b", "a", "c"):
            library.add(f"# {name}\n\nThe first text of {name}.\n".encode(), name=f"{name}.md")
        assert [info.name for info in reader.list()] == ["b.md", "a.md", "c.md"]
        revised = library.add(b"# a\n\nNow zebras.\n", name="a.md")
        added = [info.added for info in reader.list()]
        assert revised.revision == 2
        assert revised.added < min(added[0], added[2])
        assert [info.name for info in reader.list()] == ["b.md", "a.md", "c.md"]
        assert reader.retrieve("zebras").evidence[0].document == "a.md"
        assert library.add(b"# a\n\nNow zebras.\n", name="a.md") == revised
    assert inspect(path) == ()
