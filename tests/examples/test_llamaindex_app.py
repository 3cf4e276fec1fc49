"""The example application of LlamaIndex, as a user runs it."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.llms import MockLLM

ROOT = Path(__file__).parents[2]
REPORT = str(ROOT / "examples" / "annual-report.pdf")
GUIDE = str(ROOT / "examples" / "field-guide.md")
QUESTION = "How do I set the datum?"


@pytest.fixture(scope="module")
def main() -> Callable[..., int]:
    run: Callable[..., int] = runpy.run_path(str(ROOT / "examples" / "llamaindex_app.py"))["main"]
    return run


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """The application listens to the whole process; a test must not leave it there."""
    root = get_dispatcher()
    before = list(root.event_handlers)
    yield
    root.event_handlers[:] = before


def test_without_a_model_it_shows_sections_with_their_place(
    main: Callable[..., int], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Of files with pages and without; the steps go to the error stream, and the library is kept."""
    library = str(tmp_path / "library.db")
    assert main([REPORT, GUIDE, "--library", library, "--question", "Which rate applies to the term loan?"]) == 0
    printed = capsys.readouterr()
    assert "[annual-report.pdf, p. 34] Item 8" in printed.out
    assert "4.35 per cent" in printed.out
    assert "search" in printed.err
    assert main([GUIDE, "--library", library, "--question", QUESTION]) == 0
    assert "[field-guide.md] Heron 3 field guide › Configuration › Setting the datum" in capsys.readouterr().out


@pytest.mark.parametrize("navigator", ["lexical", "select"])
def test_with_a_model_it_answers_and_names_its_sources(
    main: Callable[..., int], capsys: pytest.CaptureFixture[str], navigator: str
) -> None:
    """The model is shown the sections: this one repeats them."""
    assert main([GUIDE, "--navigator", navigator, "--question", QUESTION], llm=MockLLM()) == 0
    out = capsys.readouterr().out
    assert "datum set" in out
    assert "\n[field-guide.md] Heron 3 field guide" in out


@pytest.mark.parametrize("llm", [None, MockLLM()])
def test_without_a_question_it_converses(
    main: Callable[..., int], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, llm: Any
) -> None:
    """Until an empty line."""
    lines = iter([QUESTION, "What is in the case?", ""])
    monkeypatch.setattr("builtins.input", lambda _prompt: next(lines))
    assert main([GUIDE], llm=llm) == 0
    out = capsys.readouterr().out
    assert out.count("[field-guide.md]") >= 2


def test_what_is_wrong_is_said_in_a_line(main: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    """A missing file, a navigator without a model."""
    assert main(["no-such-file.pdf", "--question", "x"]) == 1
    assert "no-such-file.pdf" in capsys.readouterr().err
    assert main([GUIDE, "--navigator", "walk", "--question", "x"]) == 2
    assert "needs --model" in capsys.readouterr().err
