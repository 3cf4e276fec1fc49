"""Library files of earlier versions are migrated when they are opened, and answer as they did.

`version-6/library.db.gz` was written by the package when the schema had version 6: a Markdown document of three revisions with a
correction, a PDF file, an HTML page with a summary, and a document that was removed again. `version-6/expected.json` holds what
that package answered.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from thumbindex import Evidence, Library, Scope, build_tree
from thumbindex.errors import SectionRevised
from thumbindex.pages import LineRange
from thumbindex.store.sqlite.repair import inspect
from thumbindex.store.sqlite.schema import APPLICATION_ID, MIGRATIONS, VERSION
from thumbindex.text.terms import tokenize
from thumbindex.tree.exchange import pack

VERSION_6 = Path(__file__).parent / "version-6"
EXPECTED: dict[str, Any] = json.loads((VERSION_6 / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A library file of version 6."""
    path = tmp_path / "library.db"
    path.write_bytes(gzip.decompress((VERSION_6 / "library.db.gz").read_bytes()))
    return path


def plain(value: object) -> Any:
    """A value as JSON holds it."""
    return json.loads(json.dumps(value, default=asdict))


def evidence_of(found: Any) -> list[dict[str, Any]]:
    """Evidence as JSON holds it, without the words that explain it, and with scores to the third decimal."""
    return [{**{k: v for k, v in item.items() if k != "why"}, "score": round(item["score"], 3)} for item in found]


def test_a_migrated_library_answers_as_before(path: Path) -> None:
    """Documents, searches with boxes and anchors, mentions, texts, outlines and conditions."""
    with Library(path) as library:
        documents = [{**document, "tenant": ""} for document in EXPECTED["documents"]]
        assert plain([asdict(info) for info in library.list()]) == documents
        for question, found in EXPECTED["retrieve"].items():
            evidence = plain([asdict(item) for item in library.retrieve(question, k=3).evidence])
            assert evidence_of(evidence) == evidence_of(found)
        mentions = [*library.find_all("wheel"), *library.find_all("ratio")]
        assert plain([asdict(mention) for mention in mentions]) == EXPECTED["find_all"]
        for info in library.list():
            assert library.read(info.doc_id).text == EXPECTED["read"][info.name]
            outline = [[node.id, node.title, node.summary] for node in library.tree(info.doc_id).nodes]
            assert outline == EXPECTED["outline"][info.name]
        scope = Scope(where={"tags": "debt", "year": {"min": 2020}})
        assert [info.name for info in library.list(scope=scope)] == EXPECTED["filters"]
    assert inspect(path) == ()


def test_places_are_those_of_the_tree(path: Path) -> None:
    """Of every passage, not only of those that a search found."""
    with Library(path) as library:
        passages: list[Evidence] = []
        for info in library.list():
            tree = library.tree(info.doc_id)
            for passage in library.passages(info.doc_id, LineRange(1, len(tree.lines))):
                assert passage.boxes == tree.boxes_of(passage.lines)
                assert passage.anchor == tree.anchor_of(passage.lines)
                passages.append(passage)
        assert [passage.document for passage in passages if passage.boxes] == ["loans.pdf", "loans.pdf"]
        assert [passage.anchor for passage in passages if passage.anchor] == ["kiln", "cooling"]


def test_revisions_go_on_after_a_migration(path: Path) -> None:
    """Ids of earlier revisions lead to the nearest section; the next revision keeps ids, corrections and metadata."""
    with Library(path) as library:
        assert EXPECTED["revised"]
        for section, (_, nearest) in EXPECTED["revised"].items():
            with pytest.raises(SectionRevised) as revised:
                library.read("mill.md", node=section)
            assert revised.value.nearest == nearest
        info = library.add(
            b"# Mill\n\n## Wheel\n\nThe wheel turns three times a day, see Sluice.\n\n## Gate\n\nNobody opens the gate.\n",
            name="mill.md",
        )
        nodes = [[node.id, node.title] for node in library.tree("mill.md").nodes]
        assert [info.doc_id, info.revision, nodes, dict(info.metadata)] == EXPECTED["next revision"]


def test_a_damaged_tree_keeps_no_library_from_being_migrated(path: Path) -> None:
    """The other documents have boxes and anchors, and the damage is found."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE trees SET tree = x'00' WHERE document = 1")
        connection.commit()
    with Library(path) as library:
        assert library.retrieve("Which interest does the term loan bear?").evidence[0].boxes
    assert [damage.text.partition(":")[0] for damage in inspect(path)] == ["cannot be read"]


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is one transaction, which is done again when the library is opened next."""

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr("thumbindex.store.sqlite.schema.boxes_to_json", fail)
        with pytest.raises(KeyboardInterrupt):
            Library(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (6,)
    Library(path).close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)


def test_a_library_of_version_1_is_migrated(tmp_path: Path) -> None:
    """Its documents are found by their words, their names and their headings, and can be revised."""
    path = tmp_path / "old.db"
    tree = build_tree(b"# Mill\n\nThe miller grinds corn.\n\n## Rigging\n\n## Keel\n\nOak.\n", name="mill.md")
    with Library() as library:
        info = library.import_tree(tree)
        passages = [stored.passage for stored in library._store.passages(info.doc_id)]
    old = sqlite3.connect(path)
    for statement in MIGRATIONS[0].split(";"):
        old.execute(statement)
    old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    old.execute("PRAGMA user_version = 1")
    values = (
        "mill-1",
        "mill.md",
        "mill.md",
        "name:mill.md",
        "markdown",
        "markup",
        0,
        3,
        "[]",
        1,
        "",
        "0",
        "{}",
        "english",
    )
    marks = ", ".join("?" * len(values))
    old.execute(f"INSERT INTO documents VALUES (1, {marks}, ?, 1, ?)", (*values, pack(tree), len(passages)))
    for number, passage in enumerate(passages, 1):
        lines = (passage.lines.first, passage.lines.last)
        old.execute(
            "INSERT INTO passages VALUES (?, 1, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL, NULL, '[]')",
            (number, passage.node_id, passage.section, passage.path, passage.text, *lines),
        )
        old.execute(
            "INSERT INTO passage_terms (rowid, title, path, body) VALUES (?, ?, ?, ?)",
            (number, *(" ".join(tokenize(text, "english")) for text in (passage.title, passage.path, passage.text))),
        )
    old.commit()
    old.close()
    with Library(path) as library:
        assert [info.doc_id for info in library.list()] == ["mill-1"]
        assert library.retrieve("Who grinds corn?").evidence[0].section_path == "Mill"
        assert library._store.terms_in_names(["mill"], ["mill-1"]) == {"mill-1": {"mill"}}
        assert library._store.may_mention("rigging", library.list()) == library.list()
        assert library.add(b"# Mill\n\nIt is gone.\n", name="mill.md").revision == 2
