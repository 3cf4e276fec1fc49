"""Prompts are made for caches: each call's messages begin, byte for byte, with those of the call before."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thumbindex import Library, Walk, build_tree
from thumbindex.navigation import NavigatorName, WalkLimits, navigator_named
from thumbindex.testing import ScriptedModel, sample_library

NUMBERS = st.lists(st.integers(-2, 14), max_size=4)
MOVES = st.builds(
    lambda action, numbers, text: json.dumps({"reason": "r", "action": action, "numbers": numbers, "text": text}),
    st.sampled_from(["open", "read", "search", "follow", "split", "back", "fly"]),
    NUMBERS,
    st.sampled_from(["", "wick", "Section 4.2", "glass | wick", "</document_text>", "Appendix A"]),
)
REPLIES = st.lists(st.one_of(MOVES, st.text(max_size=40)), min_size=1, max_size=10)


def prompts(model: ScriptedModel) -> list[bytes]:
    """Each call's prompt as bytes."""
    return [
        "".join(f"\x02{message.role}\x03{message.content}" for message in call.messages).encode("utf-8", "replace")
        for call in model.calls
    ]


@given(REPLIES)
def test_a_walk_only_adds_to_its_end(replies: list[str]) -> None:
    """Whatever the model replies."""
    model = ScriptedModel([*replies, *['{"action": "answer"}'] * 5])
    sample_library().retrieve("wick?", navigator=Walk(model, limits=WalkLimits(steps=len(replies))))
    for before, after in pairwise(prompts(model)):
        assert after.startswith(before)


def test_the_next_question_begins_with_the_same_rules_and_outline() -> None:
    """So the next question reuses the cache too: only the question itself is new."""
    library = Library()
    library.import_tree(build_tree([f"# Part {n}\nText {n} tells of boats." for n in range(40)], name="boats.pdf"))
    model = ScriptedModel(['{"action": "answer"}'] * 4)
    for question in ("Which boats?", "Whose boats?"):
        library.retrieve(question, navigator=Walk(model))
    first, _, second, _ = model.calls
    assert first.messages[0] == second.messages[0]
    assert first.messages[1] != second.messages[1]


@pytest.mark.parametrize("navigator", ["select", "walk"])
def test_the_question_comes_after_the_outline(navigator: NavigatorName) -> None:
    """What changes most stands last."""
    model = ScriptedModel(['{"action": "answer", "sections": []}'] * 2)
    sample_library().retrieve("Where is the brass cap?", navigator=navigator_named(navigator, model))
    system, user = model.calls[0].messages
    assert (system.role, user.role) == ("system", "user")
    assert "brass cap" not in system.content
    assert user.content.startswith("Question: Where is the brass cap?")


def test_turns_alternate() -> None:
    """Templates of many small models refuse two messages of one role in a row."""
    model = ScriptedModel(["?", '{"action": "read", "numbers": [3]}', '{"action": "answer"}'])
    sample_library().retrieve("wick", navigator=Walk(model))
    assert [message.role for message in model.calls[-1].messages] == ["system", *["user", "assistant"] * 2, "user"]
