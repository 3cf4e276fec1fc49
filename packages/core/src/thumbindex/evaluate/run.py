"""Puts every question to every retriever and records the results."""

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
from .baselines import Baseline
from .grade import Grade, grade
from .own import OwnRetriever
from .protocol import Found, Retriever
from .questions import Question, documents_of


@dataclass(frozen=True, slots=True)
class Record:
    """The result of one question with one retriever.

    Args:
        page_rank: Rank of the first right page among the distinct pages, best first, from 1; None if no right page was
            found, the question names no pages, or the retriever does not rank.
        section_rank: The same for sections: one with a right title or, if the document has no such title, one on a right
            page.
        has_pages, has_sections: Whether the rank was measured.
        found: Whether something was found, by the answer or, for retrieval alone, by evidence that is not weak.
        tokens: Tokens of the evidence, by our estimate.
        seconds: Wall time of retrieval and of answering.
        usage: Usage of navigating and of answering.
        error: Reason why there is no result.
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
        """True if the result is "not found"."""
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
    """Puts all questions to all retrievers.

    The failure of a model becomes the record of its question, and the run continues; an invalid key ends it.

    Args:
        model: Answers from the evidence of each retriever; None measures retrieval alone.
        judge: Grades answers that neither figures nor a few words decide.
        concurrency: Questions in parallel; more than one distorts the seconds.
        on_record: Called with each record as soon as it is complete.

    Returns:
        One record per retriever and question, in the order of both.

    Raises:
        ModelAccessDenied: a model's server denies access.
        DocumentNotFound: a question names a document that is not in the library.
    """
    infos = await asyncio.to_thread(library.list)
    for question in questions:
        documents_of(question, infos)
    slots = asyncio.Semaphore(max(1, concurrency))

    async def measure(question: Question, retriever: Retriever) -> Record:
        async with slots:
            if isinstance(retriever, Baseline):
                await asyncio.to_thread(retriever.prepare, question)
            try:
                record = await _record(library, question, retriever, model, judge, prompts)
            except (ModelAccessDenied, DocumentNotFound):
                raise
            except ModelError as error:
                record = replace(_empty_record(question, retriever), error=str(error))
            if on_record is not None:
                on_record(record)
            return record

    records: list[Record] = []
    for retriever in retrievers:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(measure(question, retriever)) for question in questions]
        except* Exception as errors:
            # The user should read the first one.
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
    answering_seconds = 0.0
    start = time.perf_counter()
    if model is None:
        found = await retriever.retrieve(question)
        retrieval_seconds = time.perf_counter() - start
    elif isinstance(retriever, OwnRetriever):
        found, answer = await retriever.ask(question, model, prompts=prompts)
        # The last step of the trail is the answer.
        answering_seconds = answer.trail.steps[-1].seconds
        retrieval_seconds = time.perf_counter() - start - answering_seconds
    else:
        found = await retriever.retrieve(question)
        retrieval_seconds = time.perf_counter() - start
        view = AsyncLibraryView(library)
        answer = await view.ask(question.question, model=model, found=found.retrieval, prompts=prompts)
        answering_seconds = time.perf_counter() - start - retrieval_seconds
    evidence = found.retrieval.evidence
    grading = Grade(None)
    if answer is not None and question.answerable:
        grading = await grade(question, answer, judge)
    record = _empty_record(question, retriever)
    return replace(
        record,
        page_rank=_first_hit(_page_hits(library, question, found)) if record.has_pages else None,
        section_rank=_first_hit(_section_hits(library, question, found)) if record.has_sections else None,
        found=answer.found if answer is not None else bool(evidence) and not found.retrieval.weak,
        tokens=sum(estimate_tokens(passage.text) for passage in evidence),
        seconds=(retrieval_seconds, answering_seconds),
        usage=(found.usage, Usage() if answer is None else answer.usage),
        answer=answer,
        grade=grading,
    )


def _empty_record(question: Question, retriever: Retriever) -> Record:
    """A record with the facts that do not depend on the result."""
    can_rank = retriever.is_ranked and question.answerable
    return Record(
        question.id,
        question.kind,
        retriever.name,
        has_pages=can_rank and bool(question.pages),
        has_sections=can_rank and bool(question.pages or question.sections),
        is_answerable=question.answerable,
    )


def _first_hit(hits: Sequence[bool]) -> int | None:
    """The rank of the first hit, from 1."""
    return next((rank for rank, hit in enumerate(hits, 1) if hit), None)


def _page_hits(library: LibraryView, question: Question, found: Found) -> list[bool]:
    """Returns whether each distinct page is correct, best first. The best page of a section comes before its other pages."""
    documents = _document_ids(library, question)
    pages: dict[tuple[str, int], bool] = {}
    for passage in found.retrieval.evidence:
        best = () if passage.best_page is None else (passage.best_page,)
        for page in (*best, *(passage.pages or ())):
            pages.setdefault((passage.doc_id, page), passage.doc_id in documents and page in question.pages)
    return list(pages.values())


def _section_hits(library: LibraryView, question: Question, found: Found) -> list[bool]:
    """Returns whether each section is correct, best first; parts of one section count once."""
    documents = _document_ids(library, question)
    sections: dict[tuple[str, str], bool] = {}
    for passage in found.retrieval.evidence:
        doc_id, node_id = passage.doc_id, passage.node_id
        tree = library.tree(doc_id) if doc_id in documents else None
        key = (doc_id, node_id if tree is None else PassageId.parse(node_id, sections=tree).section)
        hit = tree is not None and _is_right_section(tree, question, passage)
        sections[key] = sections.get(key, False) or hit
    return list(sections.values())


def _document_ids(library: LibraryView, question: Question) -> set[str]:
    return {info.doc_id for info in documents_of(question, library.list())}


def _is_right_section(tree: Tree, question: Question, passage: Evidence) -> bool:
    """Compares by the titles that the tree has; if it has none of them, by pages."""
    titles = {normalize_title(title) for title in question.sections}
    spans = [node.span for node in tree.nodes if normalize_title(node.title) in titles]
    if spans:
        return any(span.first <= passage.lines.last and passage.lines.first <= span.last for span in spans)
    return any(page in question.pages for page in passage.pages or ())
