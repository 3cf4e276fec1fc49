"""Damage in a library file is found, and every document that SQLite can read is saved."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from thumbindex import DocumentInfo, Library, Scope, Tree
from thumbindex.errors import LibraryError
from thumbindex.store.sqlite.repair import inspect, repair
from thumbindex.tree.corrections import Rename

PAGE = 4096
CROPS = ("barley", "clover", "flax", "hemp", "millet", "oats", "rye", "spelt")


def text(crop: str) -> bytes:
    """A document of several pages of the database; no two paragraphs are alike."""
    parts = [
        f"## Field {number}\n\nField {number} bears {crop}; {crop}{number * 7919} sacks.\n" for number in range(60)
    ]
    return f"# On {crop}\n\n{''.join(parts)}".encode()


@pytest.fixture(scope="module")
def library_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of eight documents, with metadata, a correction, summaries, and an earlier revision."""
    path = tmp_path_factory.mktemp("farm") / "farm.db"
    with Library(path) as library:
        library.add(b"# Old barley\n\n## Gone\n\nThis goes.\n", name="barley.md")
        for crop in CROPS:
            library.add(text(crop), name=f"{crop}.md", metadata={"crop": crop})
        library.summarize("rye.md", summaries={library.tree("rye.md").nodes[1].id: "What rye bears."})
        library.correct("oats.md", Rename(library.tree("oats.md").nodes[1].id, "The first field"))
    return path


@pytest.fixture
def path(library_file: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may damage."""
    return Path(shutil.copy(library_file, tmp_path))


def facts(path: Path) -> dict[str, tuple[DocumentInfo, Tree]]:
    """What users see of each document."""
    with Library(path) as library:
        return {info.name: (info, library.tree(info.doc_id)) for info in library.list()}


def root_of(path: Path, table: str) -> int:
    """The page from which all others of a table or an index are reached."""
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    return int(root)


def pages_of(path: Path, table: str) -> list[int]:
    """Numbers of the leaf pages of a table or an index, from 1, its overflow pages left out."""
    root = root_of(path, table)
    data = path.read_bytes()

    def leaves(number: int) -> list[int]:
        page = data[(number - 1) * PAGE : number * PAGE]
        at = 100 if number == 1 else 0
        if page[at] in (0x0A, 0x0D):
            return [number]
        cells = int.from_bytes(page[at + 3 : at + 5], "big")
        places = (int.from_bytes(page[at + 12 + 2 * i : at + 14 + 2 * i], "big") for i in range(cells))
        children = [int.from_bytes(page[place : place + 4], "big") for place in places]
        return [leaf for child in (*children, int.from_bytes(page[at + 8 : at + 12], "big")) for leaf in leaves(child)]

    return leaves(root)


def overwrite(path: Path, page: int, start: int = 0) -> None:
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE + start)
        file.write(b"\xff" * (PAGE - start))


def test_a_whole_file_is_not_touched(path: Path) -> None:
    before = path.read_bytes()
    assert inspect(path) == ()
    outcome = repair(path)
    assert (outcome.damage, outcome.damaged, path.read_bytes()) == ((), None, before)
    assert [file.name for file in path.parent.iterdir()] == ["farm.db"]


@pytest.mark.parametrize(
    "table",
    [
        "postings",
        "postings_by_term",
        "passages",
        "passage_tokens",
        "segments",
        "metadata",
        "document_names_data",
        "documents_by_name",
        "sqlite_autoindex_documents_1",
        "state",
    ],
)
def test_damage_of_the_index_costs_no_document(path: Path, table: str) -> None:
    """The index is made again from the trees, and metadata, summaries and corrections stay."""
    before = facts(path)
    leaf = pages_of(path, table)[-1]
    overwrite(path, leaf)
    assert inspect(path)
    outcome = repair(path)
    assert outcome.damage
    assert outcome.lost == ()
    assert facts(path) == before
    assert inspect(path) == ()
    with Library(path) as library:
        assert library.retrieve("flax7919", k=1).evidence[0].document == "flax.md"
        assert [info.name for info in library.list(scope=Scope(where={"crop": "hemp"}))] == ["hemp.md"]


def test_a_damaged_tree_costs_its_document_only(path: Path) -> None:
    """The document is named, with the place that it came from, so that it can be added again."""
    before = facts(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "UPDATE trees SET tree = substr(tree, 1, 200) || x'00ff00ff' || substr(tree, 205) "
            "WHERE document = (SELECT id FROM documents WHERE name = 'millet.md')"
        )
        connection.commit()
    (damage,) = inspect(path)
    assert damage.doc_id == before["millet.md"][0].doc_id
    outcome = repair(path)
    assert [(lost.doc_id, lost.name, lost.source) for lost in outcome.lost] == [
        (damage.doc_id, "millet.md", "millet.md")
    ]
    del before["millet.md"]
    assert facts(path) == before


def test_an_overwritten_page_of_trees_leaves_the_other_documents(path: Path) -> None:
    before = facts(path)
    overwrite(path, pages_of(path, "trees")[0])
    assert inspect(path)
    outcome = repair(path)
    assert outcome.lost
    assert outcome.kept
    assert {lost.name for lost in outcome.lost} | {info.name for info in outcome.kept} == set(before)
    assert facts(path) == {
        name: fact for name, fact in before.items() if name not in {lost.name for lost in outcome.lost}
    }


def test_the_damaged_file_is_kept_beside_the_new_one(path: Path) -> None:
    """Under a name that is free, byte for byte, and nothing else is left."""
    overwrite(path, pages_of(path, "postings")[0])
    damaged = path.read_bytes()
    taken = path.with_name("farm.db.damaged-1")
    taken.write_bytes(b"mine")
    outcome = repair(path)
    assert outcome.damaged == path.with_name("farm.db.damaged-2")
    assert (outcome.damaged.read_bytes(), taken.read_bytes()) == (damaged, b"mine")
    assert {file.name for file in path.parent.iterdir()} == {"farm.db", "farm.db.damaged-1", "farm.db.damaged-2"}


def test_summaries_and_corrections_of_sections_are_copied(path: Path) -> None:
    """Summaries, corrections that later revisions get, and where sections of earlier revisions went."""
    with closing(sqlite3.connect(path)) as connection:
        expected = [
            connection.execute(f"SELECT section, {column} FROM {table} ORDER BY 1").fetchall()
            for table, column in (("summaries", "summary"), ("revised_sections", "nearest"))
        ]
        connection.execute("DELETE FROM segments")
        connection.commit()
    assert all(expected)
    repair(path)
    with closing(sqlite3.connect(path)) as connection:
        assert expected == [
            connection.execute(f"SELECT section, {column} FROM {table} ORDER BY 1").fetchall()
            for table, column in (("summaries", "summary"), ("revised_sections", "nearest"))
        ]
    with Library(path) as library:
        library.add(text("oats") + b"\n## Another\n\nMore.\n", name="oats.md")
        assert library.tree("oats.md").nodes[1].title == "The first field"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("DELETE FROM passages WHERE id = 5", "passages"),
        ("DELETE FROM passage_tokens WHERE id = 5", "indexed"),
        ("UPDATE passage_tokens SET body = 'thistle' WHERE id = 5", "differs from its passages"),
        ("DELETE FROM segments WHERE first = (SELECT max(first) FROM segments)", "in no segment"),
        ("DELETE FROM postings WHERE id = 3", "differs from its passages"),
        ("UPDATE segments SET dead = dead + 1", "removed passages"),
        ("DELETE FROM metadata WHERE key = 'crop'", "indexed metadata differs"),
        ("DELETE FROM document_names WHERE rowid = 2", "cannot be searched"),
        ("DELETE FROM trees WHERE document = 2", "its tree is missing"),
        ("DELETE FROM documents WHERE id = 2", "belong to no document"),
        ("UPDATE documents SET given = '{'  WHERE id = 2", "cannot be read"),
    ],
)
def test_parts_that_disagree_are_found(path: Path, change: str, fault: str) -> None:
    """Where every page is whole too, as after another program wrote into the file."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(change)
        connection.commit()
    assert any(fault in damage.text for damage in inspect(path))
    repair(path)
    assert inspect(path) == ()


def test_what_is_no_library_is_left_alone(tmp_path: Path) -> None:
    """A text file, the database of another program, and a path where nothing is."""
    notes = tmp_path / "notes.db"
    notes.write_text("Buy milk.\n" * 1000)
    with pytest.raises(LibraryError, match="left as it is"):
        repair(notes)
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE letters (text)")
    with pytest.raises(LibraryError, match="another program"):
        repair(other)
    with pytest.raises(LibraryError, match="no library"):
        repair(tmp_path / "nothing.db")
    assert notes.read_text() == "Buy milk.\n" * 1000
    assert {file.name for file in tmp_path.iterdir()} == {"notes.db", "other.db"}


def test_what_was_written_last_is_in_the_repaired_file(path: Path) -> None:
    """It stands in the file's neighbour until SQLite takes it over, as after a program was killed."""
    writer = Library(path)
    writer.add(text("wheat"), name="wheat.md")
    overwrite(path, pages_of(path, "passages")[0])
    repair(path)
    assert "wheat.md" in facts(path)
    writer.close()


def test_lost_summaries_are_reported(path: Path) -> None:
    """No document is lost with them."""
    overwrite(path, pages_of(path, "summaries")[0])
    outcome = repair(path)
    assert [lost.text for lost in outcome.lost] == ["some summaries of sections"]
    assert [info.name for info in outcome.kept] == [f"{crop}.md" for crop in CROPS]


@pytest.mark.parametrize(
    ("pages", "sources"),
    [
        pytest.param(lambda path: pages_of(path, "trees"), "barley.md, clover.md, flax.md", id="all trees"),
        pytest.param(
            lambda path: [root_of(path, "trees")], "barley.md, clover.md, flax.md", id="the root of the trees"
        ),
        pytest.param(lambda path: [1], "unknown", id="the first page"),
    ],
)
def test_where_sqlite_reads_no_document_the_file_is_left_as_it_is(
    path: Path, pages: Callable[[Path], list[int]], sources: str
) -> None:
    """The error names where the documents came from, and SQLite's own tool."""
    for page in pages(path):
        overwrite(path, page)
    damaged = path.read_bytes()
    assert inspect(path)
    with pytest.raises(LibraryError, match=f"They came from: {re.escape(sources)}.*[.]recover"):
        repair(path)
    assert path.read_bytes() == damaged
    assert [file.name for file in path.parent.iterdir()] == ["farm.db"]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links as POSIX has them")
def test_a_link_and_permissions_stay(path: Path, tmp_path: Path) -> None:
    """A private library does not become public, and a link to it leads to the mended one."""
    path.chmod(0o600)
    link = tmp_path / "link.db"
    link.symlink_to(path)
    overwrite(path, pages_of(path, "segments")[0])
    assert repair(link).damaged == path.with_name("farm.db.damaged-1")
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o600
    assert inspect(link) == ()


def test_of_an_earlier_version_the_pages_are_examined(path: Path) -> None:
    """Its parts are others; opening it brings it up to date."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE segments")
        connection.execute("PRAGMA user_version = 5")
        connection.commit()
    assert inspect(path) == ()
    overwrite(path, pages_of(path, "passages")[0])
    assert inspect(path)
