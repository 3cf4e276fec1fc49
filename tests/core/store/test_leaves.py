"""Rows from the pages that hold them are what SQLite says, without any page that leads there."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from thumbindex.store.sqlite.leaves import BLOB, INTEGER, NULL, TEXT, Value, find_rows, read_row

COLUMNS = [NULL, TEXT, INTEGER, BLOB]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A table of rows of all sizes, some over many pages, of which every third was removed."""
    chance = random.Random(5)
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE kept (id INTEGER PRIMARY KEY, text TEXT, number INTEGER, data BLOB)")
        connection.execute("CREATE TABLE other (id INTEGER PRIMARY KEY, text TEXT)")
        for bits in range(180):
            size = chance.choice([0, 1, 50, 3000, 4000, 4061, 4062, 5000, 30_000])
            text = "".join(chance.choices("aäß中", k=size // 4))
            row = (text, chance.choice([-1, 1]) * (1 << bits % 63), chance.randbytes(size))
            connection.execute("INSERT INTO kept (text, number, data) VALUES (?, ?, ?)", row)
            connection.execute("INSERT INTO other (text) VALUES (?)", (text,))
        connection.execute("DELETE FROM kept WHERE id % 3 = 0")
        connection.commit()
    return path


def found(file: Path, columns: Sequence[str]) -> Iterator[tuple[Value, ...]]:
    for rowid, count, place in find_rows(file, lambda kinds: list(kinds) == columns):
        assert count == len(columns)
        empty, *values = read_row(file, place)
        assert empty is None
        yield rowid, *values


def test_all_rows_of_some_columns_are_found_and_none_that_is_gone(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA freelist_count").fetchone()[0] > 0
        rows = connection.execute("SELECT * FROM kept ORDER BY id").fetchall()
    # SQLite keeps the numbers 0 and 1 without a byte of their own.
    assert sorted(found(file, COLUMNS)) == rows
    assert len(rows) == 120


def test_a_row_whose_further_pages_are_gone_is_an_error(file: Path) -> None:
    places = [place for _, _, place in find_rows(file, lambda kinds: list(kinds) == COLUMNS)]
    whole = [read_row(file, place) for place in places]
    longest = max(range(len(whole)), key=lambda at: len(str(whole[at])))
    with file.open("r+b") as stream:
        stream.truncate(4096 * places[longest][0])
    with pytest.raises(ValueError, match=r"no page|larger than its file"):
        read_row(file, places[longest])


def test_without_the_list_of_free_pages_nothing_is_found(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.seek(32)
        stream.write(bytes(4))
    with pytest.raises(ValueError, match="free pages"):
        list(find_rows(file, lambda kinds: True))
