"""Walking a tree with a scripted model: what each action shows, what ends a walk, and that nothing breaks it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

import pytest

from thumbindex import Budget, Library, Retrieval, Scope, Walk, build_tree
from thumbindex.errors import ModelLimit
from thumbindex.models import Message
from thumbindex.models.chat import count_messages
from thumbindex.navigation import WalkLimits
from thumbindex.testing import Line, ScriptedModel, sample_library
from thumbindex.text.tokens import estimate_tokens

QUESTION = "How high is the wick?"


def act(action: str, *numbers: int, text: str = "", reason: str = "") -> dict[str, object]:
    return {"reason": reason, "action": action, "numbers": list(numbers), "text": text}


def walk(
    *lines: Line,
    library: Library | None = None,
    limits: WalkLimits | None = None,
    question: str = QUESTION,
    documents: Sequence[str] | None = ("lantern.md",),
) -> tuple[Retrieval, ScriptedModel]:
    model = ScriptedModel(lines)
    found = (library or sample_library()).retrieve(
        question, navigator=Walk(model, limits=limits or WalkLimits()), scope=Scope(documents=documents)
    )
    return found, model


def actions(found: Retrieval) -> list[str]:
    return [step.action for step in found.trail.steps if step.action != "rank documents"]


def told(model: ScriptedModel, call: int) -> str:
    """The last message of a call: what the model was told about its reply before."""
    return model.calls[call].messages[-1].content


def test_what_is_read_is_evidence_in_the_order_of_reading() -> None:
    """With the model's reason; scores fall."""
    found, model = walk(act("read", 6, reason="care of the wick"), act("read", 3), act("answer"))
    assert [one.title for one in found.evidence] == ["4.2 Wick", "Lighting"]
    assert found.evidence[0].why == "care of the wick"
    assert found.evidence[0].score == 1.0 > found.evidence[1].score
    assert not found.weak
    model.assert_finished()


def test_what_is_only_opened_is_no_evidence() -> None:
    """Seeing a title is not reading."""
    found, model = walk(act("open", 4), act("answer"))
    assert "4.2 Wick" in told(model, 1)
    assert "choose" in actions(found)
    assert found.weak


def test_several_reads_in_one_step_run_as_one() -> None:
    """They cost one call."""
    found, _ = walk(act("read", 2, 3, 6), act("answer"))
    assert actions(found) == ["read", "conclude", "stop"]
    assert len(found.evidence) == 3


def test_a_section_read_whole_brings_its_descendants() -> None:
    """Care has no text of its own."""
    found, _ = walk(act("read", 4), act("answer"))
    assert [one.title for one in found.evidence] == ["4.1 Glass", "4.2 Wick"]


def test_references_are_shown_with_a_number_and_can_be_followed_by_name() -> None:
    """So that the model can jump."""
    found, model = walk(act("read", 3), act("follow", text="Section 4.2"), act("answer"))
    assert "It refers to:\n6. Lantern manual › 4 Care › 4.2 Wick" in told(model, 1)
    assert [one.title for one in found.evidence] == ["Lighting", "4.2 Wick"]


def test_search_lists_sections_with_numbers_and_the_line_that_fits() -> None:
    """The model reads them next."""
    found, model = walk(act("search", text="warm water"), act("read", 5), act("answer"))
    assert "5. Lantern manual › 4 Care › 4.1 Glass" in told(model, 1)
    assert "Wash the glass with warm water" in told(model, 1)
    assert actions(found)[0] == "search"


def test_a_question_of_several_parts_is_gathered_part_by_part() -> None:
    """Each answer goes on to the next part; the evidence says for which part it was read."""
    found, model = walk(
        act("split", text="height of the wick | price of a glass"),
        act("read", 6, reason="height"),
        act("answer"),
        act("read", 7, reason="prices"),
        act("answer"),
        question="How high is the wick and what does a glass cost?",
    )
    assert told(model, 3) == "Part 2 now: price of a glass"
    assert [one.why for one in found.evidence] == ["height of the wick: height", "price of a glass: prices"]
    model.assert_finished()


def test_the_top_stays_reachable() -> None:
    """Back says so, and its numbers hold to the end."""
    found, model = walk(act("open", 4), act("back"), act("read", 2), act("answer"))
    assert "top" in told(model, 2)
    assert [one.title for one in found.evidence] == ["Filling"]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        pytest.param("Hm.", "no JSON", id="no JSON"),
        pytest.param(act("fly"), "There is no action 'fly'", id="an invented action"),
        pytest.param(act("read", 99), "No section has the number 99: numbers go from 1 to 7", id="an unknown number"),
        pytest.param(act("read"), 'takes "numbers"', id="no number"),
        pytest.param(act("follow", text="Appendix Z"), "Nothing here is called", id="a reference to nothing"),
        pytest.param(act("split", text="one"), "two to five parts", id="a split into one"),
    ],
)
def test_a_bad_reply_costs_a_step_and_is_told_why(reply: Line, words: str) -> None:
    """The run goes on."""
    found, model = walk(reply, act("read", 6), act("answer"))
    assert words in told(model, 1)
    assert actions(found) == ["unusable reply", "read", "conclude", "stop"]
    assert [one.title for one in found.evidence] == ["4.2 Wick"]


def test_who_answers_at_once_is_asked_to_read_first() -> None:
    """Small models answer from memory; if nothing fits, the second time counts."""
    found, model = walk(act("answer"), act("answer"))
    assert "Nothing was read yet" in told(model, 1)
    assert actions(found)[:2] == ["unusable reply", "conclude"]
    assert found.weak


def test_of_several_numbers_the_known_ones_are_read() -> None:
    """And the unknown ones are told."""
    found, model = walk(act("read", 6, 99), act("answer"))
    assert "number 99" in told(model, 1)
    assert len(found.evidence) == 1


def test_what_was_read_is_not_shown_again() -> None:
    """It stands above."""
    found, model = walk(act("read", 6), act("read", 6), act("answer"))
    assert told(model, 2) == "4.2 Wick (lines 23-26) was read above. Read another section, or answer."
    assert len(found.evidence) == 1


def test_a_model_that_reads_the_same_again_and_again_is_stopped() -> None:
    """What it read once is kept; the rest of the steps is saved."""
    found, model = walk(*[act("read", 6)] * 4, limits=WalkLimits(faults=3))
    assert "3 steps in a row brought nothing" in found.trail.steps[-1].reason
    assert [one.title for one in found.evidence] == ["4.2 Wick"]
    model.assert_finished()


# Limits


@pytest.mark.parametrize(
    ("limits", "lines", "reason"),
    [
        pytest.param(WalkLimits(steps=2), [act("open", 4)] * 2, "2 steps", id="steps"),
        pytest.param(WalkLimits(faults=3), ["?"] * 3, "3 steps in a row", id="bad replies in a row"),
        pytest.param(WalkLimits(context=900), [act("open", 4)] * 30, "context of 900 tokens is full", id="context"),
    ],
)
def test_every_limit_ends_the_walk_and_sections_that_fit_stand_in(
    limits: WalkLimits, lines: list[Line], reason: str
) -> None:
    """Nobody is left without anything."""
    found, _ = walk(*lines, limits=limits)
    assert reason in found.trail.steps[-1].reason
    assert found.evidence
    assert found.weak


def test_what_was_read_is_kept_when_money_runs_out() -> None:
    """It is paid for."""
    found, _ = walk(act("read", 6), ModelLimit("m", "no tokens are left.", "tokens"))
    assert [one.title for one in found.evidence] == ["4.2 Wick"]
    assert "no tokens" in found.trail.steps[-1].reason


LONG = [f"# Chapter {n}\n" + f"Word {n} of the long story goes on and on. " * 120 for n in range(1, 9)]


def long_library(pages: list[str] = LONG) -> Library:
    library = Library()
    library.import_tree(build_tree(pages, name="story.pdf"))
    return library


def test_text_over_the_limit_of_a_step_can_be_read_on_by_number() -> None:
    """The first part is shown, the rest gets numbers."""
    found, model = walk(
        act("read", 1, 2, 3), act("read", 9), act("answer"), library=long_library(), documents=None, question="story"
    )
    assert "It goes on; read what you need:\n9. " in told(model, 1)
    assert len(found.evidence) > 2


def test_reading_ends_at_the_limit_of_evidence() -> None:
    """And the model is told to answer."""
    limits = WalkLimits(reading=1500, evidence=2000)
    found, model = walk(
        act("read", 1), act("read", 2), act("read", 3), act("answer"), library=long_library(), limits=limits, documents=None, question="story",
    )  # fmt: skip
    assert "Answer now" in told(model, 3)
    assert sum(estimate_tokens(one.text) for one in found.evidence) <= 2000


def test_a_walk_fits_a_context_of_4096_tokens() -> None:
    """By configuration: no prompt is ever larger, replies counted."""
    model = ScriptedModel([act("read", n % 8 + 1) for n in range(12)])
    limits = WalkLimits.for_context(4096)
    long_library().retrieve("long story", navigator=Walk(model, limits=limits or WalkLimits()))
    assert max(count_messages(call.messages) for call in model.calls) + limits.reply <= 4096
    assert len(model.calls) > 2


def test_a_context_too_small_for_any_walk_is_refused() -> None:
    """With what is needed."""
    with pytest.raises(ValueError, match="2048"):
        WalkLimits.for_context(1000)


# Large documents


@pytest.fixture(scope="module")
def thousand_pages() -> Library:
    """A thousand pages without any heading but one a page."""
    return long_library([f"# Matter {n}\nPage {n} says something about matter {n}." for n in range(1, 1001)])


def test_the_first_prompt_does_not_grow_with_the_document(thousand_pages: Library) -> None:
    """A thousand pages take less than 3,000 tokens."""
    _, model = walk(act("back"), act("answer"), library=thousand_pages, documents=None, question="matter 777")
    assert count_messages(model.calls[0].messages) < 3000


def test_every_section_of_a_flat_document_is_reachable(thousand_pages: Library) -> None:
    """Stretches of siblings open into smaller ones."""

    def open_towards(page: int) -> Callable[[Sequence[Message]], str]:
        def reply(messages: Sequence[Message]) -> str:
            last = messages[0].content if len(messages) == 2 else messages[-1].content
            for number, first, final in re.findall(r"^(\d+)\. .*, p\. (\d+)(?:-(\d+))?", last, re.MULTILINE):
                if int(first) <= page <= int(final or first):
                    is_leaf = not final or final == first
                    return json.dumps(act("read" if is_leaf else "open", int(number)))
            raise AssertionError(last)

        return reply

    found, model = walk(
        *[open_towards(777)] * 2, act("answer"), library=thousand_pages, documents=None, question="page 777 matter"
    )
    assert [one.pages.first for one in found.evidence if one.pages] == [777]
    model.assert_finished()


@pytest.mark.parametrize(
    ("k", "titles"),
    [
        pytest.param(1, ["4.2 Wick"], id="fewer than it read: the one that fits best"),
        pytest.param(2, ["Filling", "4.2 Wick"], id="as many as it read"),
        pytest.param(3, ["Filling", "4.2 Wick", "Appendix A Spare parts"], id="more: then what fits by its words"),
    ],
)
def test_exactly_k_sections_come_if_that_is_asked_for(k: int, titles: list[str]) -> None:
    """What was read comes first, in the order of reading; scores fall, and the trail says what was left out."""
    model = ScriptedModel([act("read", 2), act("read", 6), act("answer")])
    found = sample_library().retrieve(
        "How long does a wick last?", k=k, navigator=Walk(model, exact_k=True), scope=Scope(documents=["lantern.md"])
    )
    assert [one.title for one in found.evidence] == titles
    assert [one.score for one in found.evidence] == sorted({one.score for one in found.evidence}, reverse=True)
    assert ("keep" in actions(found)) == (k == 1)


def test_a_budget_holds_for_a_walk_with_exactly_k_too() -> None:
    """Whole passages are left out, never the best one."""
    model = ScriptedModel([act("read", 2), act("read", 6), act("answer")])
    found = sample_library().retrieve(
        "How long does a wick last?",
        navigator=Walk(model, exact_k=True),
        scope=Scope(["lantern.md"]),
        budget=Budget(evidence_tokens=5),
    )
    assert [one.title for one in found.evidence] == ["4.2 Wick"]
