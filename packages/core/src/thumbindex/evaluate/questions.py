"""Questions with known answers: one JSON object per line, or a list of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from ..errors import DocumentNotFound, ThumbIndexError
from ..library_view import LibraryView
from ..scope import Scope
from ..store import DocumentInfo
from ..store.lookup import find_document

UNSORTED = "all"
"""Kind of a question that names none."""
_EXAMPLE = 'A line looks like {"question": "...", "document": "report.pdf", "pages": [6], "answer": "4.35%"}.'


class QuestionsError(ThumbIndexError, ValueError):
    """A file of questions that cannot be read; the message names the line."""


class Question(BaseModel):
    """One question, the location of its evidence, and its answer. What is left out is not measured.

    Args:
        documents: Names (with or without suffix), ids or sources; empty for the whole library.
        pages: Physical pages that contain the evidence, 1-based.
        sections: Titles of sections that contain it.
        answer: The right answer.
        kind: Figures are also computed for each kind.
        answerable: False if the documents do not contain an answer: "not found" is right then. The kind `unanswerable` implies
            it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    id: str = ""
    question: str = Field(min_length=1)
    documents: tuple[str, ...] = Field((), validation_alias=AliasChoices("documents", "document", "doc"))
    pages: tuple[int, ...] = Field((), validation_alias=AliasChoices("pages", "evidence_pages", "page"))
    sections: tuple[str, ...] = Field((), validation_alias=AliasChoices("sections", "section"))
    answer: str | None = None
    kind: str = Field(UNSORTED, validation_alias=AliasChoices("kind", "type"))
    answerable: bool = True

    @model_validator(mode="before")
    @classmethod
    def _unanswerable(cls, value: object) -> object:
        if isinstance(value, dict) and value.get("kind", value.get("type")) == "unanswerable":
            return {"answerable": False, **value}
        return value

    @field_validator("documents", "pages", "sections", mode="before")
    @classmethod
    def _as_list(cls, value: object) -> object:
        return value if isinstance(value, list | tuple) else () if value is None else (value,)

    @field_validator("id", "answer", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        return str(value) if isinstance(value, int | float) else value


def read_questions(path: str | os.PathLike[str]) -> list[Question]:
    """Reads the questions of a file: a JSON object per line, a JSON list of them, or an object whose `questions` are that list.

    A question without an `id` gets its number.

    Raises:
        QuestionsError: a question is invalid, or two have the same id.
        OSError: the file cannot be read.
    """
    questions: dict[str, Question] = {}
    for number, (place, row) in enumerate(_rows(Path(path)), 1):
        try:
            question = Question.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise QuestionsError(f"{place}: {where + ': ' if where else ''}{first['msg']}. {_EXAMPLE}") from None
        question = question if question.id else question.model_copy(update={"id": str(number)})
        if question.id in questions:
            raise QuestionsError(f"{place}: another question also has the id {question.id!r}.")
        questions[question.id] = question
    if not questions:
        raise QuestionsError(f"{os.fspath(path)} contains no questions. {_EXAMPLE}")
    return list(questions.values())


def _rows(path: Path) -> Iterator[tuple[str, object]]:
    """Yields each question as JSON, with its place in the file."""
    text = path.read_text(encoding="utf-8-sig")
    try:
        content = json.loads(text)
    except ValueError:  # one object per line
        content = None
    rows = content.get("questions") if isinstance(content, dict) else content
    if isinstance(rows, list):
        yield from ((f"{path}, question {number}", row) for number, row in enumerate(rows, 1))
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            place = f"{path}, line {number}"
            try:
                row = json.loads(line)
            except ValueError as error:
                raise QuestionsError(f"{place}: invalid JSON ({error}). {_EXAMPLE}") from None
            yield place, row


def documents_of(question: Question, infos: Sequence[DocumentInfo]) -> list[DocumentInfo]:
    """The documents of a question.

    Raises:
        DocumentNotFound: one of them is not in the library.
    """
    if not question.documents:
        return list(infos)
    return [named(document, infos) for document in question.documents]


def scope_of(question: Question, library: LibraryView) -> Scope:
    """The scope of the documents of a question.

    Raises:
        DocumentNotFound: one of them is not in the library.
    """
    return Scope(documents=[info.doc_id for info in documents_of(question, library.list())])


def named(document: str, infos: Sequence[DocumentInfo]) -> DocumentInfo:
    """The document with that id, name, source, or name without suffix or folder.

    Raises:
        DocumentNotFound: there is none, or several.
    """
    try:
        return find_document(infos, document)
    except DocumentNotFound:
        name = PurePath(document).name
        similar = [info for info in infos if name in (info.name, PurePath(info.name).stem)]
        if len(similar) == 1:
            return similar[0]
        raise
