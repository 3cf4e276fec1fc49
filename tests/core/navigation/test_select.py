"""Selecting with a scripted model: what it is shown, what comes of its picks, and what of bad ones."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest

from thumbindex import Library, Retrieval, Select, build_tree
from thumbindex.models import Message
from thumbindex.models.chat import count_messages
from thumbindex.testing import Line, ScriptedModel, sample_library

QUESTION = "How do I care for the glass?"


def pick(*numbers: int, reason: str = "it says so") -> dict[str, object]:
    return {"sections": [{"number": number, "reason": reason} for number in numbers]}


def select(
    *lines: Line, k: int = 1, library: Library | None = None, question: str = QUESTION, **options
) -> tuple[Retrieval, ScriptedModel]:
    model = ScriptedModel(lines)
    found = (library or sample_library()).retrieve(question, k=k, **options, navigator=Select(model))
    model.assert_finished()
    return found, model


def test_one_call_shows_the_outline_and_gets_numbers_with_reasons() -> None:
    """The section comes with the model's reason."""
    found, model = select(pick(5, reason="glass is washed there"))
    assert "5. 4.1 Glass, lines 19-22" in model.calls[0].text
    assert [(one.title, one.why) for one in found.evidence] == [("4.1 Glass", "glass is washed there")]
    assert not found.weak


def test_a_schema_is_asked_for() -> None:
    """Servers that can are told the form of the reply."""
    _, model = select(pick(5))
    assert (model.calls[0].schema or {})["title"] == "selection"


def test_descendants_of_a_picked_section_come_along() -> None:
    """Care has no text of its own; what fits the question comes first."""
    found, _ = select(pick(4), k=2)
    assert [one.title for one in found.evidence] == ["4.1 Glass", "4.2 Wick"]


def test_exactly_k_sections_come_back() -> None:
    """What fits by its words fills up what the model left open."""
    found, _ = select(pick(5), k=3)
    assert found.evidence[0].title == "4.1 Glass"
    assert len(found.evidence) == 3
    scores = [one.score for one in found.evidence]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 3


def test_one_place_in_four_is_kept_for_what_fits_by_its_words() -> None:
    """A weak model's wrong picks do not push everything else out."""
    found, _ = select(pick(2, 3, 4, 7), k=4, question="Unscrew the brass cap")
    assert "Filling" in [one.title for one in found.evidence]


def test_what_did_not_fit_is_a_runner_up() -> None:
    """With its path, for the reviewer."""
    found, _ = select(pick(5, 6), k=1)
    assert found.trail.runners_up[0].section_path.endswith("4.2 Wick")


def test_the_trail_keeps_the_reasons() -> None:
    """A reviewer reads why."""
    found, _ = select(pick(5, reason="glass is washed there"))
    step = next(step for step in found.trail.steps if step.action == "pick")
    assert (step.target, step.reason) == ("4.1 Glass (lines 19-22)", "glass is washed there")
    assert step.tokens_in > 0


def test_no_pick_leaves_what_fits_by_its_words_and_says_that_it_is_weak() -> None:
    """The model looked and saw nothing."""
    found, _ = select(pick())
    assert found.weak
    assert found.evidence


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("I would look in the chapter on care.", "Reply with one JSON"),
        (pick(98, 99), "No section has the number 98, 99"),
    ],
)
def test_a_bad_reply_is_told_why_and_asked_once_more(reply: Line, told: str) -> None:
    """It costs a call, not the run."""
    found, model = select(reply, pick(5))
    assert told in model.calls[1].messages[-1].content
    assert found.evidence[0].title == "4.1 Glass"


def test_two_bad_replies_leave_what_fits_by_its_words() -> None:
    """A model that cannot follow is no reason to fail."""
    found, _ = select("?", "??")
    assert found.weak
    assert [step.action for step in found.trail.steps].count("unusable reply") == 2


@pytest.fixture(scope="module")
def large() -> Library:
    """Sixty chapters of ten sections each: 660 sections on 600 pages."""
    pages = []
    for chapter in range(1, 61):
        for section in range(1, 11):
            head = f"# Chapter {chapter} on ships and their long voyages\n" if section == 1 else ""
            pages.append(
                f"{head}## Section {chapter}.{section} about a matter of some importance\nFact {chapter}.{section}."
            )
    library = Library()
    library.import_tree(build_tree(pages, name="large.pdf"))
    return library


def by_title(title: str) -> Line:
    """Picks the section of that title from what was printed last."""

    def reply(messages: Sequence[Message]) -> str:
        text = "\n".join(message.content for message in messages)
        numbers = re.findall(rf"^\s*(\d+)\. {re.escape(title)}", text, re.MULTILINE)
        return json.dumps(pick(int(numbers[-1])))

    return reply


def test_an_outline_over_its_budget_is_shown_level_by_level(large: Library) -> None:
    """Chapters first; what is picked is opened in the next call."""
    found, model = select(
        by_title("Chapter 31 on ships"),
        by_title("Section 31.4 about"),
        library=large,
        question="What of voyage thirty-one?",
    )
    assert [one.title for one in found.evidence] == ["Section 31.4 about a matter of some importance"]
    assert all(count_messages(call.messages) < 4200 for call in model.calls)
    assert model.calls[1].messages[: len(model.calls[0].messages)] == model.calls[0].messages


def test_what_is_opened_and_not_narrowed_down_is_kept(large: Library) -> None:
    """Better a chapter than nothing."""
    found, _ = select(by_title("Chapter 31 on ships"), pick(), library=large, question="What of voyage thirty-one?")
    assert found.evidence[0].section_path.startswith("Chapter 31")
    assert not found.weak
