"""Questions whose answers are known: one JSON object a line, or a list of them."""

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
_EXAMPLE = 'A line looks like {"question": "...", "document": "report.pdf", "pages": [6], "answer": "4.35%"}.'


class QuestionsError(ThumbIndexError, ValueError):
    """A file of questions that cannot be read; the message names the line."""


class Question(BaseModel):
    """One question, where its evidence stands, and its answer. Of what is not known nothing is measured.

    Args:
        documents: Names (with or without suffix), ids or sources; empty for the whole library.
        pages: Physical pages that hold the evidence, 1-based.
        sections: Titles of sections that hold it.
        answer: The right answer.
        kind: Figures are also given for each kind apart.
        answerable: False where the documents do not say: then "not found" is right. Without it, the kind `unanswerable` says so.
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
    def _listed(cls, value: object) -> object:
        return value if isinstance(value, list | tuple) else () if value is None else (value,)

    @field_validator("id", "answer", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        return str(value) if isinstance(value, int | float) else value


def read_questions(path: str | os.PathLike[str]) -> list[Question]:
    """The questions of a file: a JSON object a line, a JSON list of them, or an object whose `questions` are that list.

    Without an `id` a question has its number.

    Raises:
        QuestionsError: one is no question, or two have the same id.
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
            raise QuestionsError(f"{place}: another question has the id {question.id!r} too.")
        questions[question.id] = question
    if not questions:
        raise QuestionsError(f"{os.fspath(path)} holds no questions. {_EXAMPLE}")
    return list(questions.values())


def _rows(path: Path) -> Iterator[tuple[str, object]]:
    """Each question as JSON has it, and where it stands."""
    text = path.read_text(encoding="utf-8-sig")
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None
    listed = whole.get("questions") if isinstance(whole, dict) else whole
    if isinstance(listed, list):
        yield from ((f"{path}, question {number}", row) for number, row in enumerate(listed, 1))
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            place = f"{path}, line {number}"
            try:
                row = json.loads(line)
            except ValueError as error:
                raise QuestionsError(f"{place}: no JSON ({error}). {_EXAMPLE}") from None
            yield place, row


def documents_of(question: Question, infos: Sequence[DocumentInfo]) -> list[DocumentInfo]:
    """The documents that a question is about.

    Raises:
        DocumentNotFound: one of them is not in the library.
    """
    if not question.documents:
        return list(infos)
    return [named(document, infos) for document in question.documents]


def scope_of(question: Question, library: LibraryView) -> Scope:
    """The scope of the documents that a question is about.

    Raises:
        DocumentNotFound: one of them is not in the library.
    """
    return Scope(documents=[info.doc_id for info in documents_of(question, library.list())])


def named(document: str, infos: Sequence[DocumentInfo]) -> DocumentInfo:
    """The one document of that id, name, source, or name without suffix or folder.

    Raises:
        DocumentNotFound: there is none, or several.
    """
    try:
        return find_document(infos, document)
    except DocumentNotFound:
        name = PurePath(document).name
        loose = [info for info in infos if name in (info.name, PurePath(info.name).stem)]
        if len(loose) == 1:
            return loose[0]
        raise
