"""The example application, run from the command line and in a conversation with a scripted model."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolCall

from scripted_langchain import ScriptedChat

EXAMPLES = Path(__file__).parents[2] / "examples"
REPORT = str(EXAMPLES / "annual-report.pdf")
QUESTION = "Which rate applies to the term loan?"


@pytest.fixture(scope="module")
def main() -> Any:
    return runpy.run_path(str(EXAMPLES / "langchain_app.py"))["main"]


def test_without_a_model_it_shows_passages(main: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """With their place; the library stays in the file that was named."""
    main([REPORT, QUESTION, "--library", str(tmp_path / "reports.db")])
    printed = capsys.readouterr().out
    assert printed.startswith(f"{REPORT}, p. 43: Item 8 Financial statements › Note 14 Debt › 14.2 Term loan\n")
    assert "fixed rate of 4.35 per cent" in printed
    main([str(EXAMPLES / "field-guide.md"), "What do three blinks mean?"])
    assert ", line 7" in capsys.readouterr().out


def turns() -> Iterator[AIMessage]:
    for number in range(2):
        yield AIMessage("", tool_calls=[ToolCall(name="search_text", args={"query": QUESTION}, id=f"call-{number}")])
        yield AIMessage(f"It is fixed at 4.35 per cent [annual-report.pdf, p. {43 + number}].")
    yield AIMessage("It is fixed at 4.35 per cent [annual-report.pdf, p. 12].")


def test_with_a_model_it_converses(
    main: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Progress, answer, and the check; the second answer cites a wrong page, even after its repair, and is marked."""
    typed = iter([QUESTION, "And since when?", ""])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    main([REPORT], model=ScriptedChat(lines=turns(), has_tools=True))
    printed = capsys.readouterr().out
    assert "  search_text: [annual-report.pdf, p. 43]" in printed
    assert (
        "It is fixed at 4.35 per cent [annual-report.pdf, p. 43].\n  [annual-report.pdf, p. 43] verified\n" in printed
    )
    assert "[annual-report.pdf, p. 12] (not verified: wrong place)." in printed
