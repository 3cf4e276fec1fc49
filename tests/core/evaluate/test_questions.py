"""Files of questions and prices: several forms are read; errors name the place and give an example."""

from __future__ import annotations

from pathlib import Path

import pytest

from thumbindex.errors import DocumentNotFound, ThumbIndexError
from thumbindex.evaluate import Question, read_prices, read_questions
from thumbindex.evaluate.questions import documents_of
from thumbindex.models import Usage
from thumbindex.testing import sample_library


def questions(folder: Path, text: str) -> list[Question]:
    path = folder / "questions.jsonl"
    path.write_text(text, encoding="utf-8")
    return read_questions(path)


def test_a_line_needs_only_a_question(tmp_path: Path) -> None:
    """Single values or lists, numbers as answers; without an id, the number of the question."""
    first, second = questions(
        tmp_path,
        '{"question": "How much?", "document": "a.pdf", "pages": 6, "answer": 4.35, "kind": "figures"}\n\n'
        '{"id": "b", "question": "Who?", "sections": ["Board", "Chair"]}\n',
    )
    assert (first.id, first.documents, first.pages, first.answer, first.kind) == (
        "1",
        ("a.pdf",),
        (6,),
        "4.35",
        "figures",
    )
    assert (second.id, second.documents, second.sections, second.answer, second.answerable) == (
        "b",
        (),
        ("Board", "Chair"),
        None,
        True,
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('[{"question": "How much?", "doc": "a", "evidence_pages": [6], "type": "x"}]', id="a list"),
        pytest.param(
            '{"questions": [{"question": "How much?", "document": "a", "pages": [6], "kind": "x"}]}', id="an object"
        ),
    ],
)
def test_other_forms_and_names_are_read_too(tmp_path: Path, text: str) -> None:
    """Those that benchmarks publish."""
    (question,) = questions(tmp_path, text)
    assert (question.documents, question.pages, question.kind) == (("a",), (6,), "x")


def test_unanswerable_questions_are_marked(tmp_path: Path) -> None:
    """By `answerable`, or by their kind."""
    unanswerable = questions(
        tmp_path, '{"question": "a?", "answerable": false}\n{"question": "b?", "kind": "unanswerable"}'
    )
    assert [question.answerable for question in unanswerable] == [False, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"question": "a?"}\n{"question": ', "line 2: invalid JSON"),
        ('{"question": "a?"}\n{"pages": [1]}', "line 2: question: Field required"),
        ('{"question": "a?", "pages": ["six"]}', "line 1: pages.0"),
        ('{"id": 1, "question": "a?"}\n{"id": "1", "question": "b?"}', "another question also has the id '1'"),
        ("\n", "contains no questions"),
    ],
)
def test_an_invalid_question_is_reported_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    """And with an example of a valid line."""
    with pytest.raises(ThumbIndexError, match=message):
        questions(tmp_path, text)


def test_documents_are_found_by_name_with_or_without_suffix() -> None:
    """Benchmarks often leave it out; a missing document is an error."""
    infos = sample_library().list()
    assert [info.name for info in documents_of(Question(question="?", documents=("lantern",)), infos)] == ["lantern.md"]
    assert len(documents_of(Question(question="?"), infos)) == 2
    with pytest.raises(DocumentNotFound):
        documents_of(Question(question="?", documents=("nobody",)), infos)


@pytest.mark.parametrize(
    "text",
    ["[m]\ninput = 1.0\ncached = 0.1\noutput = 4.0", '{"m": {"input": 1.0, "cached": 0.1, "output": 4.0}}'],
    ids=["TOML", "JSON"],
)
def test_prices_are_per_million_tokens(tmp_path: Path, text: str) -> None:
    """Cached tokens have their own price; without one they cost as much as others."""
    path = tmp_path / "prices"
    path.write_text(text)
    price = read_prices(path)["m"]
    usage = Usage(tokens_in=300_000, tokens_out=50_000, tokens_cached=200_000, calls=1)
    assert price.of(usage) == pytest.approx(0.1 * 1.0 + 0.2 * 0.1 + 0.05 * 4.0)
    assert price.model_copy(update={"cached": None}).of(usage) == pytest.approx(0.3 + 0.2)


@pytest.mark.parametrize("text", ["[m]\ninput = 1.0", "[m]\ninput = -1\noutput = 1", "m = 3", "{"])
def test_an_invalid_table_of_prices_is_refused(tmp_path: Path, text: str) -> None:
    """With an example of a valid one."""
    path = tmp_path / "prices"
    path.write_text(text)
    with pytest.raises(ThumbIndexError, match="It looks like"):
        read_prices(path)
