"""The navigator that walks: open, read, search, follow, until enough was read. One model call per step.

`advance` is pure: it takes the state of a walk, a reply and what came of it, and gives the next state. A reply that cannot be
carried out costs a step, never the run.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..errors import ModelLimit
from ..evidence import Evidence, Retrieval
from ..models import PROMPTS, ChatModel, Prompts
from ..models.chat import check_model, count_messages
from .actions import Choose, Keep, Stop, cost_of
from .log import ActionLog
from .lookups import ScorePassages, SearchDocument
from .opened import OpenedDocument
from .prompt import WALK_SCHEMA
from .protocol import Chat, Flow, Task, chat, look_up
from .several import MAX_DOCUMENTS, Limits, check_max_documents, navigate_documents
from .state import reading_score
from .walk_moves import observe
from .walk_state import WalkLimits, WalkState, advance, begin


@dataclass(frozen=True, slots=True)
class Walk:
    """Lets a model open, read, search and follow references step by step: one model call per step.

    Args:
        model: Walks.
        max_documents: Documents that are navigated: those that fit best, at the same time, each in calls of its own.
        limits: Of one walk; `evidence` is shared by the documents.
        exact_k: Whether `k` sections are chosen in the end, within the budget: the best of what was read, or what was read
            and then what fits by its words. Otherwise all that was read is returned.
        prompts: The rules that the model is given.

    Raises:
        ModelError: `model` is no chat model.
        ValueError: `max_documents` below 1.
    """

    model: ChatModel
    max_documents: int = MAX_DOCUMENTS
    limits: WalkLimits = field(default_factory=WalkLimits)
    exact_k: bool = False
    prompts: Prompts = PROMPTS

    def __post_init__(self) -> None:
        check_model(self.model)
        check_max_documents(self.max_documents)

    @property
    def name(self) -> str:
        """`walk`."""
        return "walk"

    def navigate(self, task: Task) -> Flow[Retrieval]:
        """Walks through the documents that fit the question best.

        Raises:
            ModelError: the model gave no reply.
        """

        def one_document(document: OpenedDocument, log: ActionLog, documents: int) -> Flow[None]:
            # What is read comes together in one answer.
            limits = replace(self.limits, evidence=self.limits.evidence // documents)
            return _walk(self, task, document, log, limits)

        taken = Limits(task.k, task.budget.evidence_tokens) if self.exact_k else Limits(None, None)
        return navigate_documents(task, self.max_documents, one_document, taken)


def _walk(navigator: Walk, task: Task, document: OpenedDocument, log: ActionLog, limits: WalkLimits) -> Flow[None]:
    """Walks through one document. If nothing was read, sections that fit by their words stand in."""
    count = task.budget.count_tokens
    started = time.perf_counter()
    now = begin(document, task.question, limits, prompts=navigator.prompts, count=count)
    reason = "the model has read enough"
    gathered: list[Evidence] = []
    while not now.is_done:
        asked = time.perf_counter()
        exceeded = _exceeded(now, limits, asked - started)
        if exceeded:
            reason = exceeded
            break
        try:
            reply = yield from chat(Chat(navigator.model, now.messages, WALK_SCHEMA, limits.reply))
        except ModelLimit as error:
            if not now.read:
                raise
            # What was read is paid for: it can still be answered from.
            reason = str(error)
            break
        cost = cost_of(reply.usage, time.perf_counter() - asked)
        seen = yield from observe(now, reply.text, document, limits, cost, count=count)
        yield from log.record(seen.action)
        gathered += seen.evidence
        now = advance(now, reply.text, seen)
    if now.read:
        if navigator.exact_k:
            chosen, others = yield from _settle(task, document, gathered)
            if len(chosen) < len(gathered):
                yield from log.record(Keep(chosen, len(gathered)))
            for evidence in others:
                yield from log.record(Choose(evidence))
        yield from log.record(Stop(reason))
        return
    hits = yield from look_up(SearchDocument(document.info, task.question, task.k))
    for hit in hits:
        yield from log.record(Choose(hit))
    found = "without reading; these fit by their words" if hits else ""
    yield from log.record(Stop(f"{reason}, {found}" if found else f"{reason}; nothing was found", weak=True))


def _exceeded(walk: WalkState, limits: WalkLimits, seconds: float) -> str:
    """The limit that ends the walk before its next step, in words; empty if there is none."""
    if walk.step >= limits.steps:
        return f"the limit of {limits.steps} steps is reached"
    if walk.faults >= limits.faults:
        return f"{walk.faults} steps in a row brought nothing"
    if count_messages(walk.messages) + limits.reply > limits.context:
        return f"the context of {limits.context} tokens is full"
    if limits.seconds is not None and seconds > limits.seconds:
        return f"the limit of {limits.seconds:g} seconds is reached"
    return ""


def _settle(
    task: Task, document: OpenedDocument, read: Sequence[Evidence]
) -> Flow[tuple[frozenset[str], list[Evidence]]]:
    """Ids of what was read that is returned, and what comes after it: `k` passages together, within the budget."""
    scores = (yield from look_up(ScorePassages(document.info, task.question))) if read else {}
    best_first = sorted(read, key=lambda evidence: -scores.get(evidence.node_id, 0.0))
    known = {evidence.id for evidence in read}
    hits = yield from look_up(SearchDocument(document.info, task.question, task.k + len(read)))
    found = [hit for hit in hits if hit.id not in known]
    taken: list[Evidence] = []
    left = task.budget.evidence_tokens
    for evidence in (*best_first, *found)[: task.k]:
        if left is not None:
            left -= task.budget.count_tokens(evidence.text)
            if left < 0 and taken:
                break
        taken.append(evidence)
    chosen = frozenset(evidence.id for evidence in taken if evidence.id in known)
    others = taken[len(chosen) :]
    return chosen, [replace(evidence, score=reading_score(len(chosen) + rank)) for rank, evidence in enumerate(others)]
