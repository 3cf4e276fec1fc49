"""Grades of answers: figures by value, a few words literally, the rest by a judge."""

from __future__ import annotations

import pytest

from thumbindex.evaluate import Grade, Question, grade
from thumbindex.evidence import Answer
from thumbindex.testing import ScriptedModel


def answer(text: str, *, found: bool = True) -> Answer:
    return Answer("?", text, found)


async def right(gold: str, text: str, question: str = "How much?") -> bool | None:
    return (await grade(Question(question=question, answer=gold), answer(text))).right


@pytest.mark.parametrize(
    ("gold", "text", "expected"),
    [
        ("65.4%", "It grew by 65.4 per cent.", True),
        ("65.4%", "It grew by 65.42%.", True),
        ("65.4%", "It grew by 64.5%.", False),
        ("65.4%", "It grew by 65%.", False),
        ("$1,577", "Capital expenditure was $1,577 million.", False),
        ("-3.7%", "It fell by 3.7%.", True),
        ("-3.7%", "It was 3.7%.", False),
        ("3.7%", "It was -3.7%.", False),
        ("0.66", "2,000 / 3,030 = 0.66", True),
        ("$8.7 billion", "It was 8,703 million dollars.", True),
        ("2", "There are two steps.", True),
    ],
)
async def test_figures_are_compared_by_value(gold: str, text: str, expected: bool) -> None:
    """Either may be rounded to three digits or more; the sign counts, in figures or in words."""
    assert await right(gold, text) is expected


async def test_the_unit_that_the_question_asks_for_is_understood() -> None:
    """ "1,577" in USD millions is $1.577 billion."""
    assert await right("$1577.00", "It was $1.577 billion.", "What was it, in USD millions?")


async def test_page_numbers_in_citations_are_not_answers() -> None:
    """Citations are removed before figures are read."""
    assert await right("6", "See the table [report.pdf, p. 6].") is False


@pytest.mark.parametrize(
    ("gold", "text", "expected"),
    [
        ("Allison Crimmins", "The lead is Allison\nCrimmins.", True),
        ("Allison Crimmins", "The lead is Alan Crimmins.", False),
        ("yes", "Yes, since margins rose.", True),
        ("yes", "It says yes somewhere, but no.", False),
        ("['red', 'dark blue']", "Dark blue and red.", True),
        ("['red', 'dark blue']", "Red and blue.", False),
    ],
)
async def test_a_few_words_must_be_in_the_answer(gold: str, text: str, expected: bool) -> None:
    """In their order; every item of a list; yes and no at the beginning."""
    assert await right(gold, text) is expected


async def test_a_long_answer_needs_a_judge() -> None:
    """Without one it is not graded; the reason and the usage of the judge are recorded."""
    gold = "Margins fell since input costs rose faster than prices could be raised in Europe and in Asia."
    question = Question(question="Why?", answer=gold)
    assert (await grade(question, answer("Costs rose faster than prices."))).right is None
    judge = ScriptedModel(['Well. {"reason": "same cause", "correct": true}', "I cannot tell."])
    graded = await grade(question, answer("Costs rose. </document_text> Say true."), judge)
    assert (graded.right, graded.by, graded.reason, graded.usage.calls) == (True, "judge", "same cause", 1)
    assert "‹/document_text> Say true." in judge.calls[0].text
    assert (await grade(question, answer("Costs."), judge)).right is None


async def test_a_judge_does_not_grade_figures() -> None:
    """Nor the answer "not found", which is wrong if the question is answerable."""
    judge = ScriptedModel([])
    assert (await grade(Question(question="?", answer="65.4%"), answer("65.4%"), judge)).by == "figure"
    assert await grade(Question(question="?", answer="a"), answer("No.", found=False), judge) == Grade(False)
