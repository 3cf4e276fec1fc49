"""Asking every question of every retriever, and keeping what came of each."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ..async_library import AsyncLibraryView
from ..errors import DocumentNotFound, ModelAccessDenied, ModelError
from ..evidence import Answer, Evidence, PassageId
from ..library_view import LibraryView
from ..models import PROMPTS, ChatModel, Prompts, Usage
from ..text.characters import normalize_title
from ..text.tokens import estimate_tokens
from ..tree.model import Tree
from .grade import Grade, grade
from .questions import Question, documents_of
from .retrievers import Baseline, Found, OwnRetriever, Retriever


@dataclass(frozen=True, slots=True)
class Record:
    """What came of one question with one retriever.

    Args:
        page_rank: Place of the first page with evidence among the distinct pages, best first, from 1; None if it is not among
            them, or nothing is known of pages, or the retriever does not rank.
        section_rank: The same for sections: for one of a right title, or, where the document has no such title, one on a page with
            evidence.
        has_pages, has_sections: Whether a rank could have been found.
        tokens: Of the text that was handed over, by our estimate.
        seconds: Of retrieval, and of answering.
        usage: Of navigating, and of answering.
        found: Whether it claims to have found something: for retrieval alone, whether it calls its evidence not weak.
        error: Why there is no result.
    """

    question: str
    kind: str
    retriever: str
    page_rank: int | None = None
    section_rank: int | None = None
    has_pages: bool = False
    has_sections: bool = False
    is_answerable: bool = True
    found: bool = False
    tokens: int = 0
    seconds: tuple[float, float] = (0.0, 0.0)
    usage: tuple[Usage, Usage] = (Usage(), Usage())
    answer: Answer | None = field(default=None, repr=False)
    grade: Grade = field(default_factory=lambda: Grade(None))
    error: str = ""

    @property
    def abstains(self) -> bool:
        """Whether it says that the documents do not say."""
        return not self.found and not self.error


async def run(
    library: LibraryView,
    questions: Sequence[Question],
    retrievers: Sequence[Retriever],
    *,
    model: ChatModel | None = None,
    judge: ChatModel | None = None,
    prompts: Prompts = PROMPTS,
    concurrency: int = 1,
    on_record: Callable[[Record], None] | None = None,
) -> list[Record]:
    """Records of all questions with all retrievers, retriever by retriever in the order of the questions.

    A model's failure is kept as the record of its question and the run goes on; a dead key ends it.

    Args:
        model: Answers from what each retriever finds; None measures retrieval alone.
        judge: Decides where neither figures nor a few words do.
        concurrency: Questions under way at a time; seconds are those of a busy machine then.

    Raises:
        ModelAccessDenied: a model's server denies access.
        DocumentNotFound: a question names a document that the library does not hold.
    """
    infos = await asyncio.to_thread(library.list)
    for question in questions:
        documents_of(question, infos)
    gate = asyncio.Semaphore(max(1, concurrency))

    async def one(question: Question, retriever: Retriever) -> Record:
        async with gate:
            if isinstance(retriever, Baseline):
                await asyncio.to_thread(retriever.prepare, question)
            try:
                record = await _record(library, question, retriever, model, judge, prompts)
            except (ModelAccessDenied, DocumentNotFound):
                raise
            except ModelError as error:
                record = replace(_expected(question, retriever), error=str(error))
            if on_record is not None:
                on_record(record)
            return record

    records: list[Record] = []
    for retriever in retrievers:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(question, retriever)) for question in questions]
        except* Exception as errors:
            # The first is what the user should read.
            raise errors.exceptions[0] from None
        records += [task.result() for task in tasks]
    return records


async def _record(
    library: LibraryView,
    question: Question,
    retriever: Retriever,
    model: ChatModel | None,
    judge: ChatModel | None,
    prompts: Prompts,
) -> Record:
    answer: Answer | None = None
    answered_in = 0.0
    began = time.perf_counter()
    if model is None:
        found = await retriever.retrieve(question)
        retrieved_in = time.perf_counter() - began
    elif isinstance(retriever, OwnRetriever):
        found, answer = await retriever.ask(question, model, prompts=prompts)
        # The trail's last step is the answer.
        answered_in = answer.trail.steps[-1].seconds
        retrieved_in = time.perf_counter() - began - answered_in
    else:
        found = await retriever.retrieve(question)
        retrieved_in = time.perf_counter() - began
        asking = AsyncLibraryView(library)
        answer = await asking.ask(question.question, model=model, found=found.retrieval, prompts=prompts)
        answered_in = time.perf_counter() - began - retrieved_in
    evidence = found.retrieval.evidence
    grading = Grade(None)
    if answer is not None and question.answerable:
        grading = await grade(question, answer, judge)
    expected = _expected(question, retriever)
    return replace(
        expected,
        page_rank=_first(_ranked_pages(library, question, found)) if expected.has_pages else None,
        section_rank=_first(_ranked_sections(library, question, found)) if expected.has_sections else None,
        found=answer.found if answer is not None else bool(evidence) and not found.retrieval.weak,
        tokens=sum(estimate_tokens(one.text) for one in evidence),
        seconds=(retrieved_in, answered_in),
        usage=(found.usage, Usage() if answer is None else answer.usage),
        answer=answer,
        grade=grading,
    )


def _expected(question: Question, retriever: Retriever) -> Record:
    """A record that holds what is known before anything is found."""
    can_rank = retriever.is_ranked and question.answerable
    return Record(
        question.id,
        question.kind,
        retriever.name,
        has_pages=can_rank and bool(question.pages),
        has_sections=can_rank and bool(question.pages or question.sections),
        is_answerable=question.answerable,
    )


def _first(hits: Sequence[bool]) -> int | None:
    return next((place for place, hit in enumerate(hits, 1) if hit), None)


def _ranked_pages(library: LibraryView, question: Question, found: Found) -> list[bool]:
    """For each distinct page, best first, whether it holds evidence. Of a section its best page comes first."""
    asked = _asked(library, question)
    pages: dict[tuple[str, int], bool] = {}
    for one in found.retrieval.evidence:
        best = () if one.best_page is None else (one.best_page,)
        for page in (*best, *(one.pages or ())):
            pages.setdefault((one.doc_id, page), one.doc_id in asked and page in question.pages)
    return list(pages.values())


def _ranked_sections(library: LibraryView, question: Question, found: Found) -> list[bool]:
    """For each section, best first, whether it holds evidence; parts of one section count once."""
    asked = _asked(library, question)
    sections: dict[tuple[str, str], bool] = {}
    for one in found.retrieval.evidence:
        tree = library.tree(one.doc_id) if one.doc_id in asked else None
        key = (one.doc_id, one.node_id if tree is None else PassageId.parse(one.node_id, sections=tree).section)
        hit = tree is not None and _holds(tree, question, one)
        sections[key] = sections.get(key, False) or hit
    return list(sections.values())


def _asked(library: LibraryView, question: Question) -> set[str]:
    return {info.doc_id for info in documents_of(question, library.list())}


def _holds(tree: Tree, question: Question, one: Evidence) -> bool:
    """By the titles that the tree knows; where it knows none of them, by pages."""
    wanted = {normalize_title(title) for title in question.sections}
    spans = [node.span for node in tree.nodes if normalize_title(node.title) in wanted]
    if spans:
        return any(span.first <= one.lines.last and one.lines.first <= span.last for span in spans)
    return any(page in question.pages for page in one.pages or ())
