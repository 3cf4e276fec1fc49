"""`--document` and `--filter` restrict a command to some documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer

from thumbindex import Scope
from thumbindex.cli.scopes import parse_scope
from thumbindex.scope import AllOf, Compare


@pytest.mark.parametrize(
    ("filters", "condition"),
    [
        pytest.param(["year=2023"], Compare("year", "in", ["2023", 2023]), id="number or text"),
        pytest.param(["unit=north"], Compare("unit", "in", ["north"]), id="text"),
        pytest.param(["audited = true"], Compare("audited", "in", ["true", True]), id="truth value, with blanks"),
        pytest.param(["unit!=north"], Compare("unit", "not in", ["north"]), id="other than"),
        pytest.param(["year>=2020"], Compare("year", ">=", 2020), id="from a number"),
        pytest.param(["filed<2021-03-01"], Compare("filed", "<", "2021-03-01"), id="before a date"),
        pytest.param(["note=a=b"], Compare("note", "in", ["a=b"]), id="a value with an equals sign"),
        pytest.param(["unit="], Compare("unit", "in", [""]), id="empty text"),
    ],
)
def test_a_filter_is_a_condition_on_metadata(filters: list[str], condition: Compare) -> None:
    assert parse_scope(None, filters) == Scope(where=AllOf(condition))


def test_all_filters_must_pass() -> None:
    """Together with the documents they make one scope."""
    parts = AllOf(Compare("year", ">", 2020), Compare("year", "<", 2024))
    assert parse_scope(["a.pdf"], ["year>2020", "year<2024"]) == Scope(["a.pdf"], parts)
    assert parse_scope(None, None) == parse_scope([], []) == Scope()


@pytest.mark.parametrize("text", ["year", "=2023", "", ">", "audited>=true"])
def test_a_malformed_filter_is_wrong_usage(run: Any, tmp_path: Path, text: str) -> None:
    """It never means all documents, or none."""
    with pytest.raises(typer.BadParameter, match="--filter"):
        parse_scope(None, [text])
    assert run("list", "-l", tmp_path / "lib.db", "--filter", text).exit_code == 2


@pytest.fixture
def library(run: Any, tmp_path: Path) -> Path:
    path = tmp_path / "lib.db"
    for name, year in (("old", 2020), ("new", 2023)):
        file = tmp_path / f"{name}.md"
        file.write_text(f"# {name.title()} fees\n\nThe fee is {year} crowns.\n", encoding="utf-8")
        run("add", file, "-l", path, "--set", f"year={year}")
    return path


@pytest.mark.parametrize(
    "options", [("--filter", "year>2021"), ("--filter", "year=2023"), ("--document", "new.md"), ("-d", "new.md")]
)
def test_commands_see_only_the_documents_of_the_scope(run: Any, library: Path, options: tuple[str, str]) -> None:
    """In lists, searches, answers and evaluations."""
    listed = json.loads(run("list", "-l", library, *options, "--json").stdout)
    assert [document["name"] for document in listed] == ["new.md"]
    for command in (("search", "fee"), ("ask", "fee")):
        output = run(*command, "-l", library, *options).output
        assert "new.md" in output
        assert "old.md" not in output
    questions = library.with_name("questions.jsonl")
    questions.write_text('{"question": "What is the fee?", "document": "old.md"}')
    assert run("eval", questions, "-l", library, *options).exit_code == 3


def test_files_can_be_filtered_too(run: Any, library: Path) -> None:
    """By name."""
    output = run("ask", library.parent / "old.md", library.parent / "new.md", "fee", "--document", "old.md").output
    assert "2020 crowns" in output
    assert "2023" not in output


def test_a_scope_without_documents(run: Any, library: Path) -> None:
    """Nothing is found, which is said; an unknown document is an error."""
    assert run("list", "-l", library, "-f", "year>2030").output.endswith("lib.db contains no such documents.\n")
    assert run("search", "fee", "-l", library, "-f", "year>2030").exit_code == 1
    assert run("search", "fee", "-l", library, "-d", "gone.md").exit_code == 3
