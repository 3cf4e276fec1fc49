"""Posting lists: packed blocks, in segments that are merged as documents are added."""

from __future__ import annotations

import random
from array import array
from collections import defaultdict
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thumbindex import Library
from thumbindex.store.index import SEGMENT_CAPACITY
from thumbindex.store.sqlite import SqliteStore, segments
from thumbindex.store.sqlite.postings import find, pack, unpack

LETTERS = [a + b for a in "bcdfghklmn" for b in "aeiou"]

terms = st.text(st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), min_size=1, max_size=6)
offsets = st.sets(st.integers(0, SEGMENT_CAPACITY - 1), min_size=1, max_size=40).map(sorted)


@given(st.dictionaries(terms, offsets, min_size=1, max_size=60))
def test_packed_lists_are_unpacked_unchanged(lists: dict[str, list[int]]) -> None:
    """Complete blocks, and single terms from the block that would contain them."""
    packed = list(pack({term: array("H", rows) for term, rows in lists.items()}))
    assert {term: list(rows) for _, block in packed for term, rows in unpack(block)} == lists
    firsts = [first for first, _ in packed]
    assert firsts == sorted(firsts, key=str.encode)
    for term in [*lists, "not there"]:
        at = sum(1 for first in firsts if first.encode() <= term.encode()) - 1
        found = find(packed[at][1], term) if at >= 0 else None
        assert (None if found is None else list(found)) == lists.get(term)


def stored(library: Library) -> SqliteStore:
    assert isinstance(library._store, SqliteStore)
    return library._store


def listed(library: Library) -> dict[str, set[int]]:
    """Returns all posting lists in the file."""
    found: dict[str, set[int]] = defaultdict(set)
    with stored(library)._connections.reading() as connection:
        for first, block in connection.execute("SELECT segment, block FROM postings"):
            for term, rows in unpack(block):
                assert found[term].isdisjoint(first + row for row in rows)
                found[term].update(first + row for row in rows)
    return found


def present(library: Library) -> dict[str, set[int]]:
    """Returns the posting lists that the tokens of all passages make."""
    found: dict[str, set[int]] = defaultdict(set)
    with stored(library)._connections.reading() as connection:
        for number, *fields in connection.execute("SELECT * FROM passage_tokens"):
            for term in " ".join(fields).split():
                found[term].add(number)
    return found


def spans(library: Library) -> list[tuple[int, int, int]]:
    with stored(library)._connections.reading() as connection:
        return connection.execute("SELECT first, last, size FROM segments ORDER BY first").fetchall()


@pytest.mark.parametrize("capacity", [SEGMENT_CAPACITY, 40])
def test_adding_revising_and_removing_keep_the_lists_correct(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capacity: int
) -> None:
    """In any order, over many merges, with large and with small segments."""
    monkeypatch.setattr(segments, "SEGMENT_CAPACITY", capacity)
    monkeypatch.setattr(segments, "MERGED_SEGMENTS", 3)
    chance = random.Random(4)
    with Library(tmp_path / "my.db") as library:
        names: set[str] = set()
        for _ in range(150):
            name = f"{chance.randrange(60)}.md"
            if name in names and chance.random() < 0.4:
                library.remove(name)
                names.remove(name)
            else:
                parts = [
                    f"## {n}\n\nword{'abcdefghi'[chance.randrange(9)]} mill\n" for n in range(chance.randrange(1, 9))
                ]
                library.add(f"# {chance.random()}\n\n{''.join(parts)}".encode(), name=name)
                names.add(name)
            wanted, held = present(library), listed(library)
            passages = set().union(*wanted.values())
            assert {term: held[term] & passages for term in held if held[term] & passages} == wanted
        before = 0
        for first, last, _ in spans(library):
            assert before < first <= last < first + capacity
            before = last
        runs = groupby(size for _, _, size in spans(library))
        assert all(len(list(run)) < 3 for size, run in runs if size != segments.LAST_LEVEL)
        assert {evidence.document for evidence in library.retrieve("mill", k=9).evidence} <= names


def test_a_search_reads_few_segments_however_many_documents_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neighbours are merged: 200 documents have at most 12 segments."""
    monkeypatch.setattr(segments, "MERGED_SEGMENTS", 4)
    with Library(tmp_path / "my.db") as library:
        for number in range(200):
            library.add(f"# {number}\n\nmill {number}\n".encode(), name=f"{number}.md")
        assert len(spans(library)) <= 12


def test_removed_passages_leave_the_file(tmp_path: Path) -> None:
    """A segment is rewritten when most of its passages were removed, and dropped when all were."""
    with Library(tmp_path / "my.db") as library:
        for number in range(40):
            library.add(f"# {number}\n\nmill gone {LETTERS[number]}\n".encode(), name=f"{number}.md")
        for number in range(32):
            library.remove(f"{number}.md")
        assert listed(library) == present(library)
