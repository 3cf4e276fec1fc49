"""`thumbindex eval` and `thumbindex summarize`: tables, JSON, and no model unless one is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.core.conftest import Server, completion, says

GUIDE = "# Fees\n\nThe fee is 12 crowns a year.\n\n# Rules\n\nNo dogs are allowed on the grass.\n"


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    path = tmp_path / "guide.md"
    path.write_text(GUIDE)
    return path


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    rows = [
        {"question": "How high is the fee?", "document": "guide", "sections": ["Fees"], "answer": "12", "kind": "fees"},
        {"question": "Are dogs allowed?", "document": "guide", "sections": ["Rules"], "answer": "no", "kind": "rules"},
        {"question": "Is the fee for dogs higher?", "document": "guide", "kind": "unanswerable"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_retrieval_is_measured_without_a_model(
    run: Callable[..., Any], guide: Path, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our navigator and two baselines, by kind and for all questions."""
    monkeypatch.setenv("COLUMNS", "40")
    result = run("eval", questions, guide)
    assert result.exit_code == 0
    lines = [line.split() for line in result.output.splitlines()]
    assert "unanswerable" in result.output  # not truncated, however narrow the terminal
    for name in ("lexical", "bm25", "chunks"):
        assert [line[1] for line in lines if line[:1] == [name]][:4] == ["fees", "rules", "unanswerable", "all"]
    assert "Answers" not in result.output
    assert "turns" not in result.output


def test_answers_are_measured_separately(
    run: Callable[..., Any], guide: Path, questions: Path, server: Server, tmp_path: Path
) -> None:
    """Right answers, "not found", and the cost by a table of prices."""
    prices = tmp_path / "prices.toml"
    prices.write_text("[m]\ninput = 1.0\ncached = 0.5\noutput = 10.0\n")
    server.script = [
        says(completion("The fee is 12 crowns [guide.md, § Fees].")),
        says(completion("Yes, dogs are allowed [guide.md, § Rules].")),
        says(completion("NOT FOUND: no fee for dogs.")),
    ]
    arguments = (
        "eval",
        questions,
        guide,
        "-r",
        "bm25",
        "--model",
        "m",
        "--base-url",
        server.base_url,
        "--prices",
        prices,
    )
    data = json.loads(run(*arguments, "--json").output)
    total = data["figures"][-1]
    assert (total["kind"], total["right"], total["abstained"], total["missed"]) == (
        "",
        {"hits": 1, "of": 2},
        {"hits": 1, "of": 1},
        {"hits": 0, "of": 2},
    )
    assert total["money"] == pytest.approx((6 * 1.0 + 5 * 0.5 + 2 * 10.0) / 1e6)
    assert [record["grade"]["right"] for record in data["records"]] == [True, False, None]
    server.requests.clear()
    output = run(*arguments).output
    assert "Answers" in output
    assert "0.00003" in output


def test_unusable_input_is_one_line(run: Callable[..., Any], guide: Path, questions: Path, tmp_path: Path) -> None:
    """With the exit code of bad input or wrong usage."""
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"question": "?", "document": "nobody"}')
    result = run("eval", broken, guide)
    assert (result.exit_code, "nobody" in result.output) == (3, True)
    assert run("eval", questions).exit_code == 2
    assert run("eval", tmp_path / "absent.jsonl", guide).exit_code == 2
    assert "needs a model" in run("eval", questions, guide, "-r", "walk").output


def test_summaries_are_stored_beside_the_library(
    run: Callable[..., Any], guide: Path, server: Server, tmp_path: Path
) -> None:
    """Key phrases without a model; a model's summaries are cached, and their cost can be estimated before."""
    guide.write_text("# Fees\n\n" + "The fee of twelve crowns is due in May and covers the boat house. " * 6)
    library = ("--library", tmp_path / "my.db")
    run("add", guide, *library)
    assert "guide.md  1 section\n" in run("summarize", *library).output
    assert "2 sections, 2 calls, at most" in run("summarize", "--estimate", *library).output
    assert server.requests == []
    server.script = [says(completion('{"summaries": [{"number": 1, "summary": "fee, twelve crowns, May"}]}'))]
    model = ("--model", "m", "--base-url", server.base_url)
    first = run("summarize", *library, *model)
    assert "2 calls" in first.output
    assert "fee, twelve crowns, May" in first.output
    again = json.loads(run("summarize", *library, *model, "--json").output)
    assert (len(server.requests), again[0]["cached"], again[0]["description"]) == (2, 2, "fee, twelve crowns, May")
