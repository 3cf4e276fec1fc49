"""Navigating with a model over the documents that fit a question best: each in a flow of its own, then merged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..evidence import Evidence, Retrieval
from ..store import Passage
from .actions import Choose, Merge, RankDocuments, Stop
from .log import ActionLog
from .lookups import OpenDocuments, ReadPassages
from .merge import merge
from .opened import OpenedDocument, Target
from .protocol import Flow, Task, look_up, together
from .state import State, reading_score

MAX_DOCUMENTS = 3
"""Documents that a model navigates, where the scope holds more: those that fit the question best."""

WHOLE_SHARE = 2
"""For an answer, documents are taken whole where they have fewer tokens than one in so many of the evidence budget."""

OneDocument = Callable[[OpenedDocument, ActionLog, int], Flow[None]]
"""Navigates one document, recording to the log; the number is that of the documents navigated together."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the merged evidence of several documents: `k` sections and `max_tokens` tokens; None for no limit."""

    k: int | None
    max_tokens: int | None


def check_max_documents(max_documents: int) -> None:
    """Refuses a number of documents below 1.

    Raises:
        ValueError: it is below 1.
    """
    if max_documents < 1:
        raise ValueError(f"max_documents is the number of documents to navigate, at least 1, got {max_documents}.")


def navigate_documents(task: Task, max_documents: int, one_document: OneDocument, limits: Limits) -> Flow[Retrieval]:
    """Navigates the documents that fit the question best, side by side.

    Raises:
        ModelError: the model gave no reply.
    """
    log = ActionLog(task.question)
    if not task.question.strip():
        yield from log.record(Stop("there is no question"))
        return log.retrieval()
    opened = yield from look_up(OpenDocuments(task.question, max_documents))
    documents = opened.documents
    if not documents:
        yield from log.record(Stop("there is no document to search"))
        return log.retrieval()
    names = tuple(document.info.name for document in documents)
    yield from log.record(RankDocuments(names, opened.considered, opened.seconds))
    if task.for_answer and len(documents) == opened.considered and (yield from _choose_whole(task, documents, log)):
        return log.retrieval()
    if len(documents) == 1:
        yield from one_document(documents[0], log, 1)
        return log.retrieval()
    logs = [log.branch(document.info.name) for document in documents]
    flows = [one_document(document, own, len(documents)) for document, own in zip(documents, logs, strict=True)]
    yield from together(flows)
    return (yield from _merged(task, log, documents, [own.state for own in logs], limits))


def _merged(
    task: Task, log: ActionLog, documents: tuple[OpenedDocument, ...], states: list[State], limits: Limits
) -> Flow[Retrieval]:
    by_id = {document.info.doc_id: document for document in documents}

    def section_of(evidence: Evidence) -> Target:
        return by_id[evidence.doc_id].section_of(evidence)

    found: Merge = merge(states, section_of, k=limits.k, max_tokens=limits.max_tokens, count=task.budget.count_tokens)
    log.join()
    yield from log.record(found)
    return log.retrieval()


def _choose_whole(task: Task, documents: tuple[OpenedDocument, ...], log: ActionLog) -> Flow[bool]:
    """Chooses all passages, if they have few tokens together; returns whether that was so."""
    limit = (task.budget.evidence_tokens or 0) // WHOLE_SHARE
    passages: list[tuple[OpenedDocument, Passage]] = []
    for document in documents:
        passages += ((document, passage) for passage in (yield from look_up(ReadPassages(document, Target()))))
    count = task.budget.count_tokens
    if not passages or sum(count(passage.text) for _, passage in passages) >= limit:
        return False
    for rank, (document, passage) in enumerate(passages):
        evidence = document.evidence(passage, score=reading_score(rank), why="short enough to be read whole")
        yield from log.record(Choose(evidence))
    yield from log.record(Stop(f"the documents have fewer than {limit} tokens and are read whole"))
    return True
