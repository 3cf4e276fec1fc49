"""What models are told can be read, and replaced text by text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from thumbindex import Budget, Library
from thumbindex.models import Prompts
from thumbindex.navigation import NavigatorName, navigator_named
from thumbindex.testing import ScriptedModel, sample_library

QUESTION = "How long does a wick last?"
MINE = Prompts(select="Choose.", walk="Go.", answer="Tell.", summarize="Use {words} words.")


@pytest.mark.parametrize(("navigator", "rules"), [("select", "Choose."), ("walk", "Go.")])
def test_rules_of_ones_own_stand_before_the_outline(navigator: NavigatorName, rules: str) -> None:
    """The outline still follows them, and the question that."""
    model = ScriptedModel(['{"sections": [], "action": "answer"}'] * 2)
    sample_library().retrieve(QUESTION, navigator=navigator_named(navigator, model, prompts=MINE))
    assert model.calls[0].messages[0].content.startswith(f"{rules}\n\nDocument ")


def test_one_text_may_be_replaced_alone() -> None:
    """The others stay as they come along."""
    prompts = replace(Prompts(), answer=Prompts().answer + "\n- Write as to a child.")
    model = ScriptedModel(['{"sections": [{"number": 6, "reason": ""}]}', "Ninety hours [lantern.md, § 4.2 Wick]."])
    answer = sample_library().ask(QUESTION, model=model, prompts=prompts, budget=Budget(evidence_tokens=200))
    select, tell = (call.messages[0].content for call in model.calls)
    assert select.startswith(Prompts().select)
    assert tell.endswith("- Write as to a child.")
    assert answer.citations[0].status == "verified"


def test_other_rules_for_summaries_make_other_summaries() -> None:
    """What was written under the old ones is not taken from the cache."""
    library = Library()
    library.add(b"# Oil\n\n" + b"Lamp oil is clear and burns without soot. " * 12, name="oil.md")
    cache: dict[str, str] = {}
    for prompts, expected in ((Prompts(), 2), (Prompts(), 0), (MINE, 2)):
        model = ScriptedModel(['{"summaries": [{"number": 1, "summary": "clear, no soot"}]}'] * 4)
        library.summarize("oil.md", model=model, cache=cache, prompts=prompts)
        assert len(model.calls) == expected
    assert model.calls[0].messages[0].content == "Use 30 words."


def test_an_empty_text_is_refused() -> None:
    """A model without rules would guess."""
    with pytest.raises(ValueError, match="'walk' is empty"):
        Prompts(walk=" ")


def test_the_rules_are_short() -> None:
    """They are paid for at every question."""
    from thumbindex.text.tokens import estimate_tokens

    prompts = Prompts()
    assert all(
        estimate_tokens(text) < 500 for text in (prompts.select, prompts.walk, prompts.answer, prompts.summarize)
    )
