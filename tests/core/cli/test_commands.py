"""The output and the exit code of each command: 0 done, 1 nothing found or some files failed, 2 usage, 3 bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from thumbindex.tree.exchange import from_json

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_tree_prints_one_line_for_each_section(run, guide):
    """Indented, with their location, under a line about the document."""
    result = run("tree", guide)
    assert result.exit_code == 0
    head, *lines = result.output.splitlines()
    assert head.startswith("guide.md · 11 lines · 3 sections")
    assert lines == ["Harbour guide  lines 1-11", "  Mooring  lines 5-8", "  Fees  lines 9-11"]


def test_tree_of_a_pdf_has_pages(run, report):
    """Physical ones, from 1."""
    assert run("tree", report).output.splitlines()[1:] == ["Overview  p. 1", "Debt  p. 2"]


def test_tree_explains_headings(run, guide):
    """With the rule that found each heading, and its confidence."""
    output = run("tree", guide, "--explain").output
    assert "from the markup" in output
    assert "Fees  lines 9-11  [markup 1.00]" in output


def test_tree_stays_within_a_budget(run, guide):
    """The deepest levels are dropped first, and counted."""
    output = run("tree", guide, "--budget", 26).output
    assert "Harbour guide" in output
    assert "Fees" not in output
    assert "+2" in output


def test_tree_stays_within_a_depth(run, guide):
    """Here the top level alone; sections below are counted."""
    output = run("tree", guide, "--depth", 1).output
    assert "Harbour guide" in output
    assert "Mooring" not in output
    assert "+2" in output


def test_tree_shows_headings_of_a_minimum_confidence(run):
    """A heading below the first level is found by its typography alone, which is less certain than the contents page."""
    report = EXAMPLES / "annual-report.pdf"
    confident, every = (run("tree", report, "--confidence", minimum).output for minimum in (0.9, 0))
    assert "Item 1" in confident
    assert "Household meters" not in confident
    assert "Household meters" in every


def test_tree_as_json_is_a_tree(run, guide):
    """The whole tree, with its text."""
    tree = from_json(run("tree", guide, "--json").output)
    assert [node.title for node in tree.nodes] == ["Harbour guide", "Mooring", "Fees"]
    assert tree.lines[-1].endswith("12 crowns, paid at the office.")


def test_passwords(run, report, tmp_path):
    """They come from an option or from standard input; without one the error asks for it."""
    sealed = tmp_path / "sealed.pdf"
    assert "Debt" in run("tree", sealed, "--password", "river").output
    assert "Debt" in run("tree", sealed, "--password-stdin", input="river\n").output
    for arguments in ([], ["--password", "lake"]):
        result = run("tree", sealed, *arguments)
        assert result.exit_code == 3
        assert "password" in result.output


def test_a_library_is_created_filled_listed_and_emptied(run, guide, report, tmp_path):
    """Documents are added, recognised, listed and removed."""
    library = tmp_path / "harbour.db"
    added = run("add", guide, report, "--library", library)
    assert added.exit_code == 0
    assert "report.pdf  2 pages, 2 sections" in added.output
    assert "already there" in run("add", guide, "-l", library).output
    listed = json.loads(run("list", "-l", library, "--json").output)
    assert [(item["name"], item["page_count"]) for item in listed] == [("guide.md", 0), ("report.pdf", 2)]
    assert "report.pdf" in run("list", "-l", library).output
    assert run("remove", "report.pdf", "-l", library).exit_code == 0
    assert "report.pdf" not in run("list", "-l", library).output
    again = run("remove", "report.pdf", "-l", library)
    assert (again.exit_code, "report.pdf" in again.output) == (3, True)


def test_the_library_may_come_from_the_environment(run, guide, tmp_path, monkeypatch):
    """No command needs the option then."""
    monkeypatch.setenv("THUMBINDEX_LIBRARY", str(tmp_path / "harbour.db"))
    assert run("add", guide).exit_code == 0
    assert "guide.md" in run("list").output
    assert "12 crowns" in run("ask", "What is the fee for one night?").output


def test_add_takes_folders(run, guide, report, tmp_path):
    """Documents at any depth, without hidden files and unsupported types."""
    (tmp_path / "notes.log").write_text("# Not a document")
    (tmp_path / ".hidden.md").write_text("# Hidden")
    added = json.loads(run("add", tmp_path, "-l", tmp_path / "lib.db", "--password", "river", "--json").output)
    assert [item["name"] for item in added["added"]] == ["guide.md", "report.pdf", "sealed.pdf"]
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run("add", empty, "-l", tmp_path / "lib.db").exit_code == 1


def test_one_bad_file_does_not_stop_the_others(run, guide, tmp_path):
    """It is reported at the end, and the exit code is 1."""
    bad, library = tmp_path / "bad.pdf", tmp_path / "lib.db"
    bad.write_bytes(b"%PDF-1.7 broken")
    result = run("add", bad, guide, tmp_path / "gone.pdf", "-l", library)
    assert result.exit_code == 1
    assert "guide.md  3 sections" in result.output
    assert f"error: {bad}: the PDF is damaged" in result.output
    assert "gone.pdf: there is no such file" in result.output
    assert "2 of 3 files could not be added" in result.output
    assert len(json.loads(run("list", "-l", library, "--json").output)) == 1


def test_search_prints_passages(run, guide, report, tmp_path):
    """With path, location and matching lines; within one document on request."""
    library = tmp_path / "lib.db"
    run("add", guide, report, "-l", library)
    output = run("search", "fee for one night", "-l", library).output
    assert "1. Harbour guide › Fees" in output
    assert "guide.md, lines 9-11" in output
    assert "12 crowns" in output
    found = json.loads(run("search", "harbour", "-l", library, "-d", "report.pdf", "--json", "-k", 1).output)
    assert [(hit["document"], hit["pages"], hit["citation"]) for hit in found["evidence"]] == [
        ("report.pdf", [1, 1], "[report.pdf, p. 1]")
    ]


def test_search_without_results(run, guide, tmp_path):
    """Says so; the exit code is 1, with JSON too."""
    library = tmp_path / "lib.db"
    run("add", guide, "-l", library)
    result = run("search", "zeppelin", "-l", library)
    assert (result.exit_code, "Nothing found" in result.output) == (1, True)
    assert run("search", "zeppelin", "-l", library, "--json").exit_code == 1


def test_read_prints_sections_pages_and_documents(run, guide, report, tmp_path):
    """From a library or directly from a file."""
    library = tmp_path / "lib.db"
    run("add", guide, report, "-l", library)
    hit = json.loads(run("search", "term loan", "-l", library, "--json").output)["evidence"][0]
    for source in (["report.pdf", "-l", library], [report]):
        assert "4.5 percent" in run("read", *source, "--node", hit["id"]).output
        assert "4.5 percent" in run("read", *source, "--node", hit["node_id"]).output
        assert "70 crowns" in run("read", *source, "--pages", 1).output
        assert "[report.pdf, p. 1-2]" in run("read", *source).output
    reading = json.loads(run("read", report, "--pages", "2", "--json").output)
    assert (reading["citation"], reading["pages"]) == ("[report.pdf, p. 2]", [2])


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--pages", "9"], id="no such page"),
        pytest.param(["--pages", "two"], id="not a list of pages"),
        pytest.param(["--node", "nowhere"], id="no such section"),
    ],
)
def test_read_of_a_missing_part(run, report, arguments):
    """One line with the reason, and exit code 3."""
    result = run("read", report, *arguments)
    assert result.exit_code == 3
    assert result.output.startswith("error: ")


def test_ask_prints_the_passage_its_location_and_the_trail(run, report):
    """The first output that a new user sees."""
    result = run("ask", report, "Which rate applies to the term loan?")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[lines.index("Debt") + 1] == "report.pdf, p. 2"
    assert "The term loan bears 4.5 percent." in result.output
    assert "Cite as [report.pdf, p. 2]" in result.output
    assert "Trail" in lines


def test_ask_as_json(run, report):
    """The keys are stable."""
    found = json.loads(run("ask", report, "Which rate applies to the term loan?", "--json").output)
    assert set(found) == {"question", "weak", "evidence", "trail"}
    assert set(found["evidence"][0]) == {
        *("id", "doc_id", "node_id", "document", "source", "section_path", "pages", "page_labels", "lines"),
        *("anchor", "citation", "score", "why", "text"),
    }
    assert found["evidence"][0]["source"] == str(report)
    assert set(found["trail"]) == {"steps", "runners_up"}


def test_ask_warns_if_nothing_fits_well(run, guide):
    """A passage that shares one word by chance does not answer the question."""
    output = run("ask", guide, "Who won the regatta after the storm broke the long rope?").output
    assert "No section fits this question well" in output


def test_ask_several_files_and_folders(run, guide, report, tmp_path):
    """The best passage of all."""
    sealed = tmp_path / "sealed.pdf"
    sealed.unlink()
    assert "12 crowns" in run("ask", tmp_path, "What is the fee for one night?").output
    assert "4.5 percent" in run("ask", guide, report, "Which rate applies to the term loan?").output


def test_ask_continues_without_a_bad_file(run, guide, tmp_path):
    """The answer comes first, then the files that could not be read, every time; the exit code is 1."""
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"%PDF-1.7 broken")
    for _ in range(2):
        result = run("ask", guide, bad, "What is the fee for one night?")
        assert result.exit_code == 1
        assert "12 crowns" in result.output
        assert "bad.pdf: the PDF is damaged" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["ask", "Which rate?"], "Name the files", id="no file"),
        pytest.param(["ask", "guide.md", "Which", "rate?"], "put the question in quotes", id="question without quotes"),
        pytest.param(["ask", "guide.md", "guide.md"], "is a file", id="no question"),
        pytest.param(["ask", "guide.md", " "], "empty", id="blank question"),
        pytest.param(["read", "guide.md", "--node", "1", "--pages", "1"], "together", id="node and pages"),
        pytest.param(["search", "fee"], "--library", id="missing library"),
        pytest.param(["tree"], "Missing argument", id="no argument"),
        pytest.param(["fly"], "No such command", id="no such command"),
    ],
)
def test_wrong_usage(run, guide, monkeypatch, arguments, message):
    """Gives exit code 2 and says how to use the command."""
    monkeypatch.chdir(guide.parent)
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["tree", "gone.pdf"], "gone.pdf: there is no such file", id="missing"),
        pytest.param(["tree", "."], "it is a folder", id="folder"),
        pytest.param(["tree", "empty.md"], "the file is empty", id="empty"),
        pytest.param(["tree", "page.rtf"], "RTF", id="unsupported type"),
        pytest.param(["ask", "gone.pdf", "Which rate?"], "there is no such file", id="ask of a missing file"),
        pytest.param(["search", "fee", "-l", "gone.db"], "There is no library gone.db", id="missing library"),
        pytest.param(["list", "-l", "guide.md"], "guide.md is not a library", id="not a library"),
        pytest.param(
            ["remove", "x", "-l", "guide.md"],
            "guide.md is not a library",
            id="remove from a file that is not a library",
        ),
    ],
)
def test_bad_input(run, guide, monkeypatch, arguments, message):
    """Gives exit code 3 and one line with the file and the remedy; nothing is created."""
    monkeypatch.chdir(guide.parent)
    Path("empty.md").touch()
    Path("page.rtf").write_text(r"{\rtf1 Hello}")
    result = run(*arguments)
    assert result.exit_code == 3
    assert message in result.output
    assert not Path("gone.db").exists()


def test_the_help_names_the_exit_codes(run):
    """Scripts rely on them."""
    assert "3 unusable document" in " ".join(run("--help").output.split())
