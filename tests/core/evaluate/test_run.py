"""Every question is put to every retriever; hits, answers and costs are recorded separately."""

from __future__ import annotations

import pytest

from thumbindex import Budget, Library, Scope
from thumbindex.errors import DocumentNotFound, ModelAccessDenied, ModelUnavailable
from thumbindex.evaluate import Question, Record, Share, figures, make_retriever, run
from thumbindex.evaluate.protocol import EVALUATION_BUDGET
from thumbindex.testing import ScriptedModel, sample_library

WICK = Question(
    id="wick", question="How long does a wick last?", documents=("lantern",), sections=("4.2 Wick",), answer="90 hours"
)
MOON = Question(id="moon", question="Who trims a wick on the moon?", documents=("lantern",), answerable=False)
GOOD = "A wick lasts about ninety hours [lantern.md, § 4.2 Wick]."
NOT_FOUND = "NOT FOUND: nothing of it."


async def records(
    library: Library,
    names: list[str],
    questions: list[Question],
    *,
    k: int = 10,
    budget: Budget = EVALUATION_BUDGET,
    model: ScriptedModel | None = None,
) -> list[Record]:
    retrievers = [make_retriever(name, library, model=model, k=k, budget=budget) for name in names]
    return await run(library, questions, retrievers, model=model)


async def test_hits_of_pages_and_sections_are_ranked(paged: Library, hire: Question) -> None:
    """For navigators and baselines alike; a whole document has no order, and costs all of its text."""
    found = await records(paged, ["lexical", "bm25", "chunks", "whole"], [hire])
    by_name = {record.retriever: record for record in found}
    assert (by_name["lexical"].page_rank, by_name["lexical"].section_rank) == (1, 1)
    assert (by_name["bm25"].page_rank, by_name["bm25"].section_rank) == (1, 1)
    assert by_name["chunks"].page_rank == 2  # one chunk contains all three pages
    assert (by_name["whole"].page_rank, by_name["whole"].has_pages) == (None, False)
    assert by_name["whole"].tokens > by_name["bm25"].tokens > 0


async def test_sections_without_pages_are_found_by_title() -> None:
    """Markdown has no pages."""
    (record,) = await records(sample_library(), ["lexical"], [WICK])
    assert (record.has_pages, record.section_rank) == (False, 1)


async def test_answers_are_graded_and_their_citations_counted() -> None:
    """The calls of navigating and answering are counted separately: two with `select`, one with a baseline."""
    pick = {"sections": [{"number": 6, "reason": "care"}]}
    question = WICK.model_copy(update={"documents": ()})
    model = ScriptedModel([pick, GOOD, GOOD])
    select, bm25 = await records(
        sample_library(), ["select", "bm25"], [question], model=model, k=4, budget=Budget(evidence_tokens=200)
    )
    assert [usage.calls for usage in select.usage] == [1, 1]
    assert [usage.calls for usage in bm25.usage] == [0, 1]
    assert select.grade.right
    assert select.answer is not None
    assert select.answer.holds
    model.assert_finished()


async def test_not_found_is_right_for_unanswerable_questions() -> None:
    """And a miss for others."""
    model = ScriptedModel([GOOD, NOT_FOUND, NOT_FOUND, GOOD])
    library = sample_library()
    good = await records(library, ["lexical"], [WICK, MOON], model=model)
    bad = await records(library, ["lexical"], [WICK, MOON], model=model)
    (right,), (wrong,) = figures(good), figures(bad)
    assert (right.abstained, right.missed, right.right) == (Share(1, 1), Share(0, 1), Share(1, 1))
    assert (wrong.abstained, wrong.missed, wrong.right) == (Share(0, 1), Share(1, 1), Share(0, 1))


async def test_without_a_model_weak_retrieval_counts_as_not_found() -> None:
    """Here no word of the question occurs in the document."""
    found = await records(sample_library(), ["lexical", "bm25"], [MOON.model_copy(update={"question": "Zzyzx?"})])
    assert [record.abstains for record in found] == [True, True]


async def test_a_failing_model_fails_one_question_and_an_invalid_key_ends_the_run(
    paged: Library, hire: Question
) -> None:
    """A question without a result is a miss."""
    again = hire.model_copy(update={"id": "again"})
    model = ScriptedModel([ModelUnavailable("m", "gone"), "36,500 crowns [boats.pdf, p. 2]."])
    (row,) = figures(await records(paged, ["bm25"], [hire, again], model=model))
    assert (row.errors, row.right, row.pages[0]) == (1, Share(1, 2), Share(1, 2))
    with pytest.raises(ModelAccessDenied):
        await records(paged, ["bm25"], [hire], model=ScriptedModel([ModelAccessDenied("m", "no")]))


async def test_a_budget_drops_whole_pieces_and_never_the_best(paged: Library, hire: Question) -> None:
    """The budget is the same for all retrievers."""
    found = await records(paged, ["lexical", "bm25"], [hire], budget=Budget(evidence_tokens=3))
    assert [record.page_rank for record in found] == [1, 1]
    assert all(0 < record.tokens < 25 for record in found)


async def test_a_view_is_evaluated_like_a_library() -> None:
    """Questions about other documents are errors, and nothing outside the view is found."""
    view = sample_library().view(Scope(documents=["lantern.md"]))
    (record,) = await run(view, [WICK], [make_retriever("lexical", view)])
    assert record.section_rank == 1
    harbour = WICK.model_copy(update={"documents": ("harbour",)})
    with pytest.raises(DocumentNotFound):
        await run(view, [harbour], [make_retriever("lexical", view)])
