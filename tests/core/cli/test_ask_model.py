"""`thumbindex ask --model`: a model answers over real HTTP, and every citation is checked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.core.conftest import Server, completion, fails, says

QUESTION = "What is the fee for one night?"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")


def test_the_answer_is_printed_with_the_check_of_its_citations(
    run: Callable[..., Any], guide: Path, server: Server
) -> None:
    """The trail and the usage follow."""
    server.script = [says(completion("The fee is 12 crowns [guide.md, § Fees]. It was 9 [guide.md, § Fees]."))]
    result = run("ask", guide, QUESTION, "--model", "m", "--base-url", server.base_url)
    assert result.exit_code == 0
    assert "The fee is 12 crowns" in result.output
    assert "verified  [guide.md, § Fees]" in result.output
    assert "unsupported  [guide.md, § Fees]" in result.output
    assert "answer m → 2 citations: 1 verified, 1 unsupported" in result.output
    assert "1 call, 11 tokens read (5 from a cache), 2 written" in result.output


def test_an_answer_can_be_printed_as_json(run: Callable[..., Any], guide: Path, server: Server) -> None:
    """With the text, its citations and the usage."""
    server.script = [says(completion("The fee is 12 crowns [guide.md, § Fees]."))]
    result = run("ask", guide, QUESTION, "--model", "m", "--base-url", server.base_url, "--json")
    answer = json.loads(result.output)
    assert answer["found"]
    assert answer["citations"][0]["status"] == "verified"
    assert answer["usage"]["calls"] == 1


def test_an_answer_that_is_not_found_gives_exit_code_1(run: Callable[..., Any], guide: Path, server: Server) -> None:
    """Like a search without results."""
    server.script = [says(completion("NOT FOUND: no such thing."))]
    assert run("ask", guide, "Who owns the moon?", "--model", "m", "--base-url", server.base_url).exit_code == 1


def test_an_invalid_key_is_one_line_and_exit_code_3(run: Callable[..., Any], guide: Path, server: Server) -> None:
    """Without a traceback."""
    server.script = [fails("401 Unauthorized", "bad key")]
    result = run("ask", guide, QUESTION, "--model", "m", "--base-url", server.base_url)
    assert result.exit_code == 3
    assert "Check the key" in result.output


def test_no_model_is_called_unless_one_is_named(run: Callable[..., Any], guide: Path, server: Server) -> None:
    """Whatever keys are set; a server without a model is wrong usage."""
    assert run("ask", guide, QUESTION).exit_code == 0
    assert server.requests == []
    assert run("ask", guide, QUESTION, "--base-url", server.base_url).exit_code == 2


def test_the_answer_is_printed_once(run: Callable[..., Any], guide: Path, server: Server) -> None:
    """Piece by piece from a server that streams; again if a second attempt gives another text."""

    def streams(*pieces: str, end: bool = True) -> Callable[..., None]:
        events = [json.dumps({"choices": [{"delta": {"content": piece}, "finish_reason": None}]}) for piece in pieces]
        body = "".join(f"data: {event}\n\n" for event in [*events, *["[DONE]"] * end])
        return says(body, content_type="text/event-stream")

    arguments = ("ask", guide, QUESTION, "--model", "m", "--base-url", server.base_url)
    server.script = [streams("The fee is ", "12 crowns ", "[guide.md, § Fees].")]
    output = run(*arguments).output
    assert output.startswith("The fee is 12 crowns [guide.md, § Fees].\n")
    assert output.count("The fee is") == 1
    server.requests.clear()
    server.script = [streams("A crown", end=False), streams("The fee is 12 crowns [guide.md, § Fees].")]
    output = run(*arguments).output
    assert output.startswith("A crown\n\nAnswered again\nThe fee is 12 crowns")
    assert server.requests[0]["stream"] is True
