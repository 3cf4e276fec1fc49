"""`--json` prints exactly the keys that its types declare."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

import pytest
from tests.core.conftest import Server, completion, says

from thumbindex.cli import json_output as contract


def check(value: object, expected: Any, where: str = "$") -> None:
    """Asserts that a JSON value has the declared type, key by key and in the declared order."""
    if is_typeddict(expected):
        fields = get_type_hints(expected)
        assert isinstance(value, dict), where
        assert list(value) == list(fields), where
        for key, kind in fields.items():
            check(value[key], kind, f"{where}.{key}")
    elif get_origin(expected) is list:
        assert isinstance(value, list), where
        for item in value:
            check(item, get_args(expected)[0], f"{where}[]")
    elif get_origin(expected) is dict:
        assert isinstance(value, dict), where
    elif get_origin(expected) is UnionType:
        (kind,) = (part for part in get_args(expected) if part is not NoneType)
        if value is not None:
            check(value, kind, where)
    elif expected is float:
        assert isinstance(value, int | float), where
    else:
        assert isinstance(value, expected), where


@pytest.fixture
def library(run, guide: Path, report: Path, tmp_path: Path) -> Path:
    path = tmp_path / "lib.db"
    run("add", guide, report, "-l", path)
    return path


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param(["list"], list[contract.DocumentJson], id="list"),
        pytest.param(["add", "guide.md", "gone.md"], contract.AddedJson, id="add"),
        pytest.param(["search", "term loan"], contract.RetrievalJson, id="search"),
        pytest.param(["ask", "term loan"], contract.RetrievalJson, id="ask"),
        pytest.param(["read", "report.pdf", "--pages", "1"], contract.ReadingJson, id="read"),
        pytest.param(["check"], list[contract.HealthJson], id="check"),
        pytest.param(["repair"], contract.RepairJson, id="repair of an intact file"),
        pytest.param(["summarize"], list[contract.SummariesJson], id="summarize"),
        pytest.param(["summarize", "--estimate"], list[contract.EstimateJson], id="estimate"),
        pytest.param(["eval", "questions.jsonl"], contract.EvaluationJson, id="eval"),
    ],
)
def test_commands_print_what_their_types_declare(run, library, monkeypatch, arguments, expected) -> None:
    """Programs rely on the keys."""
    monkeypatch.chdir(library.parent)
    Path("questions.jsonl").write_text('{"question": "What is the fee?", "document": "guide.md", "sections": ["Fees"]}')
    check(json.loads(run(*arguments, "-l", library, "--json").stdout), expected)


def test_a_damaged_library_and_its_repair(run, library) -> None:
    """One document is damaged and lost, the other is recovered."""
    with closing(sqlite3.connect(library)) as connection:
        connection.execute("UPDATE trees SET tree = x'00' WHERE document = 1")
        connection.commit()
    check(json.loads(run("check", "-l", library, "--json").stdout), contract.DamagedFileJson)
    repaired = json.loads(run("repair", "-l", library, "--json").stdout)
    check(repaired, contract.RepairJson)
    assert (len(repaired["kept"]), len(repaired["lost"])) == (1, 1)


def test_an_answer(run, guide, server: Server, monkeypatch) -> None:
    """With citations."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    server.script = [says(completion("The fee is 12 crowns [guide.md, § Fees]."))]
    output = run("ask", guide, "What is the fee?", "--model", "m", "--base-url", server.base_url, "--json").stdout
    check(json.loads(output), contract.AnswerJson)
