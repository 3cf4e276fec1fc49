"""Commands that maintain a library: synchronising a folder, checking, repairing, exporting, importing."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing


def test_a_library_matches_a_folder(run, tmp_path):
    """Documents that are gone from it are removed, and listed."""
    folder, library = tmp_path / "files", tmp_path / "lib.db"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.md").write_text(f"# {name}\n\ntext of {name}\n\n## More\n\nmore of {name}\n")
    assert run("add", folder, "--sync", "-l", library).exit_code == 0
    (folder / "a.md").unlink()
    (folder / "b.md").write_text("# b\n\nanother text\n\n## More\n\nmore of b\n")
    result = run("add", folder, "--sync", "-l", library)
    assert "revision 2: 1 of 2 sections unchanged" in result.output
    assert "Removed" in result.output
    listed = json.loads(run("list", "-l", library, "--json").output)
    assert [document["name"] for document in listed] == ["b.md"]
    assert run("add", folder / "b.md", "--sync", "-l", library).exit_code == 2


def test_metadata_is_set_on_the_command_line(run, guide, tmp_path):
    """Numbers and truth values are distinguished from text."""
    library = tmp_path / "lib.db"
    result = run(
        "add", guide, "-l", library, "--set", "year=2022", "--set", "kind=guide", "--set", "old=true", "--json"
    )
    metadata = json.loads(result.output)["added"][0]["metadata"]
    assert {key: metadata[key] for key in ("year", "kind", "old")} == {"year": 2022, "kind": "guide", "old": True}
    assert run("add", guide, "-l", library, "--set", "nonsense").exit_code == 2


def test_a_check_counts_findings_and_lists_those_of_one_document(run, tmp_path):
    """JSON contains all of them."""
    library, file = tmp_path / "lib.db", tmp_path / "a.md"
    file.write_text("# A\n\nsee Appendix Q\n")
    run("add", file, "-l", library)
    assert "1 unresolved reference" in run("check", "-l", library).output
    assert "Appendix Q" not in run("check", "-l", library).output
    assert "Appendix Q" in run("check", "a.md", "-l", library).output
    (health,) = json.loads(run("check", "-l", library, "--json").output)
    assert health["findings"][0]["kind"] == "unresolved_reference"


def test_an_export_can_be_imported(run, tmp_path):
    """Nested in the form of PageIndex, or flat; without the text on request."""
    library, file, tree = tmp_path / "lib.db", tmp_path / "a.md", tmp_path / "a.json"
    file.write_text("# A\n\n## 1 One\n\nsee Section 2\n\n## 2 Two\n\ny\n")
    run("add", file, "-l", library)
    exported = run("export", "a.md", "-l", library).output
    assert [node["title"] for node in json.loads(exported)["structure"][0]["nodes"]] == ["1 One", "2 Two"]
    flat = json.loads(run("export", "a.md", "-l", library, "--flat", "--no-text").output)
    assert {node["path"] for node in flat["nodes"].values()} == {"A", "A › 1 One", "A › 2 Two"}
    assert all("text" not in node for node in flat["nodes"].values())
    tree.write_text(exported)
    assert "3 sections (imported)" in run("import", tree, file, "-l", tmp_path / "other.db").output
    assert "→ Section 2" in run("tree", file, "--references").output


def test_a_damaged_library_is_reported_and_repaired(run, guide, tmp_path):
    """`check` finds the damage and names the command that repairs it; an intact file is not changed."""
    library = tmp_path / "my.db"
    run("add", guide, "--library", library)
    assert "is intact; nothing was changed" in run("repair", "--library", library).output
    with closing(sqlite3.connect(library)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'postings'").fetchone()
    with library.open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(bytes(4096))
    checked = run("check", "--library", library)
    assert checked.exit_code == 3
    assert f"thumbindex repair --library {library}" in checked.output
    assert json.loads(run("check", "--library", library, "--json").output)["damage"]
    repaired = run("repair", "--library", library)
    assert repaired.exit_code == 0
    assert "documents recovered: 1" in repaired.output
    assert "my.db.damaged-1" in repaired.output
    assert run("check", "--library", library).exit_code == 0
    assert "12 crowns" in run("search", "fee for one night", "--library", library).output


def test_a_lost_document_is_listed_with_its_source(run, guide, tmp_path):
    """So that it can be added again; the exit code says that some documents were lost."""
    library = tmp_path / "my.db"
    other = tmp_path / "other.md"
    other.write_text("# Other\n\nText.\n")
    run("add", guide, other, "--library", library)
    with closing(sqlite3.connect(library)) as connection:
        connection.execute("UPDATE trees SET tree = x'00' WHERE document = 1")
        connection.commit()
    repaired = run("repair", "--library", library)
    assert repaired.exit_code == 1
    assert "lost: guide.md" in repaired.output
    assert str(guide) in repaired.output
