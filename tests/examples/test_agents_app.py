"""The example application of the Agents SDK, talked to over standard input."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
from agents import set_tracing_disabled

from thumbindex import Library

ROOT = Path(__file__).parents[2]


async def test_it_answers_until_an_empty_line_and_shows_what_the_check_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An answer that the documents do not bear out is not shown as one."""
    set_tracing_disabled(True)
    example: dict[str, Any] = runpy.run_path(str(ROOT / "examples" / "agents_app.py"))
    model = runpy.run_path(str(ROOT / "tests" / "docs" / "models" / "docs_openai-agents.py"))["model"]
    lines = iter(["Which rate applies to the term loan?", ""])
    monkeypatch.setattr("builtins.input", lambda _prompt: next(lines))
    await example["talk"](Library.from_files([ROOT / "examples" / "annual-report.pdf"]), model)
    printed = capsys.readouterr().out
    assert "4.35 per cent" in printed
    assert "verified: [annual-report.pdf, p. 43]" in printed

    library = Library()
    library.add(b"# Loan\n\nThe term loan bears interest at a fixed rate of 5 per cent.\n", name="annual-report.pdf.md")
    lines = iter(["Which rate applies to the term loan?", ""])
    await example["talk"](library, model)
    printed = capsys.readouterr().out
    assert printed.startswith("No answer that the documents support:")
