"""Asking a library: evidence in, answer out, each citation checked, whatever the model says."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from thumbindex import AsyncLibrary, Budget, Lexical, Library, Scope, Select, build_tree
from thumbindex.errors import DocumentNotFound, ModelLimit, ModelUnavailable
from thumbindex.navigation import navigator_named
from thumbindex.testing import ScriptedModel, sample_library

GOOD = "A wick lasts about ninety hours [lantern.md, § 4.2 Wick]."
QUESTION = "How long does a wick last?"
PICK = {"sections": [{"number": 6, "reason": "care of the wick"}]}


def pages(*texts: str, name: str = "report.pdf") -> Library:
    library = Library()
    library.import_tree(build_tree(list(texts), name=name))
    return library


def test_an_answer_carries_text_citations_evidence_trail_and_usage() -> None:
    """They are what a reader needs to judge it."""
    model = ScriptedModel([GOOD])
    answer = sample_library().ask(QUESTION, model=model, navigator=Lexical())
    assert (answer.text, answer.found, answer.holds) == (GOOD, True, True)
    assert [citation.status for citation in answer.citations] == ["verified"]
    assert answer.evidence[0].title == "4.2 Wick"
    assert answer.trail.steps[-1].outcome == "1 citation: 1 verified"
    assert answer.usage.calls == 1
    model.assert_finished()


async def test_sync_and_async_code_get_the_same_answer() -> None:
    """Sync code may ask from within a running loop."""
    library = sample_library()
    by_async = await AsyncLibrary(library).ask(
        QUESTION, model=ScriptedModel([PICK, GOOD]), budget=Budget(evidence_tokens=200)
    )
    by_sync = library.ask(QUESTION, model=ScriptedModel([PICK, GOOD]), budget=Budget(evidence_tokens=200))
    assert (by_async.text, by_async.citations, by_async.evidence, by_async.usage) == (
        by_sync.text,
        by_sync.citations,
        by_sync.evidence,
        by_sync.usage,
    )


def test_evidence_that_was_chosen_before_can_be_answered_from() -> None:
    """The trail continues that of the retrieval."""
    library = sample_library()
    found = library.retrieve(QUESTION)
    answer = library.ask(
        replace(found, evidence=found.evidence[:1]).question,
        model=ScriptedModel([GOOD]),
        found=replace(found, evidence=found.evidence[:1]),
    )
    assert (answer.holds, len(answer.evidence), answer.usage.calls) == (True, 1, 1)
    assert answer.trail.steps[:-1] == found.trail.steps


def test_with_select_an_ask_is_two_calls() -> None:
    """One call picks sections, the other answers."""
    model = ScriptedModel([PICK, GOOD])
    answer = sample_library().ask(QUESTION, model=model, budget=Budget(evidence_tokens=200))
    assert answer.usage.calls == len(model.calls) == 2
    assert answer.evidence[0].why == "care of the wick"


def test_navigating_and_answering_may_be_two_models() -> None:
    """A small one navigates, a good one answers; their usage is added up."""
    small, good = ScriptedModel([PICK], name="small"), ScriptedModel([GOOD], name="good")
    answer = sample_library().ask(QUESTION, model=good, navigator=Select(small), budget=Budget(evidence_tokens=200))
    small.assert_finished()
    good.assert_finished()
    assert answer.usage.calls == 2


def test_short_documents_are_shown_whole() -> None:
    """Nothing is picked where all of it fits, so there is one call."""
    model = ScriptedModel([GOOD])
    answer = sample_library().ask(QUESTION, model=model, scope=Scope(documents=["lantern.md"]))
    assert "Appendix A Spare parts" in model.calls[0].text
    assert answer.trail.steps[-2].reason.endswith("are read whole")
    assert answer.usage.calls == 1


@pytest.mark.parametrize(
    "text", ["NOT FOUND: no price is given.", "**Not found.** The manual does not say.", "NOT_FOUND"]
)
def test_not_found_is_an_answer(text: str) -> None:
    """Its trail shows where the model searched."""
    answer = sample_library().ask("What does a wick cost in Paris?", model=ScriptedModel([text]), navigator=Lexical())
    assert (answer.found, answer.holds, answer.uncited) == (False, False, ())
    assert answer.trail.steps[-1].outcome == "not found"
    assert answer.evidence


def test_without_evidence_no_model_is_called() -> None:
    """That nothing was found is the answer."""
    model = ScriptedModel([])
    answer = sample_library().ask("zzyzx?", model=model, navigator=Lexical())
    assert (answer.found, answer.text, model.calls) == (False, "The documents do not say.", [])


def test_excerpts_stand_page_by_page_under_their_bracket() -> None:
    """A section on two pages becomes two excerpts, so that a citation can name one page."""
    library = pages("# Hire\nThe hire is 36,500 crowns.", "It grows by 3.5 percent.")
    model = ScriptedModel(["It grows by 3.5 percent [report.pdf, p. 2]."])
    answer = library.ask("How much is the hire and how does it grow?", model=model)
    asked = model.calls[0].text
    assert asked.index("[report.pdf, p. 1] Hire") < asked.index("36,500") < asked.index("[report.pdf, p. 2] Hire")
    assert answer.citations[0].status == "verified"


def test_documents_of_one_name_are_cited_by_id(tmp_path: Path) -> None:
    """A name that two documents share is ambiguous."""
    library = Library()
    for price in (3, 4):
        path = tmp_path / str(price) / "oil.md"
        path.parent.mkdir()
        path.write_text(f"# Oil\n\nOil costs {price} crowns.")
        library.add(path)
    first, second = (info.doc_id for info in library.list())
    model = ScriptedModel([f"Oil costs 4 crowns a litre [{second}, § Oil]."])
    answer = library.ask("What does oil cost?", model=model)
    assert f"[{first}, § Oil]" in model.calls[0].text
    assert answer.citations[0].doc_id == second


def test_a_cut_or_empty_reply_is_noted() -> None:
    """Half an answer must not pass for a complete one."""
    answer = sample_library().ask(QUESTION, model=ScriptedModel([""]), navigator=Lexical())
    assert (answer.found, answer.notes) == (False, ("The model wrote nothing.",))


def test_steps_are_reported_while_they_happen() -> None:
    """The step of the answer comes last."""
    seen: list[str] = []
    sample_library().ask(
        QUESTION,
        model=ScriptedModel([PICK, GOOD]),
        on_step=lambda step: seen.append(step.action),
        budget=Budget(evidence_tokens=200),
    )
    assert seen[:2] == ["rank documents", "pick"]
    assert seen[-1] == "answer"


def test_limits_hold_for_the_whole_question() -> None:
    """The tokens of all its calls count together."""
    with pytest.raises(ModelLimit):
        sample_library().ask(
            QUESTION, model=ScriptedModel([PICK, GOOD]), budget=Budget(evidence_tokens=200, total_tokens=400)
        )


def test_errors_of_the_model_come_through() -> None:
    """There is no answer then."""
    with pytest.raises(ModelUnavailable):
        sample_library().ask(QUESTION, model=ScriptedModel([ModelUnavailable("m", "gone")]), navigator=Lexical())


def test_an_unknown_document_fails_before_any_model_is_called() -> None:
    """It raises as in `retrieve`."""
    with pytest.raises(DocumentNotFound):
        sample_library().ask(QUESTION, model=ScriptedModel([]), scope=Scope(documents=["nobody.md"]))


def test_a_model_is_used_only_where_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys in the environment do not matter."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-something")
    assert sample_library().retrieve(QUESTION).evidence
    with pytest.raises(ValueError, match="needs a model"):
        navigator_named("walk")


async def test_questions_run_side_by_side() -> None:
    """Each gets its own answer."""
    library = sample_library()
    answers = await asyncio.gather(
        *(
            AsyncLibrary(library).ask(
                QUESTION, model=ScriptedModel([f"It lasts ninety hours ({n})."]), navigator=Lexical()
            )
            for n in range(8)
        )
    )
    assert [answer.text[-3] for answer in answers] == [str(n) for n in range(8)]
