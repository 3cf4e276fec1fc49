"""Running a navigator with a model over the documents that fit a question best, and collecting what it does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from ..models import PROMPTS, ChatModel, Prompts
from ..search.documents import rank_documents
from ..store import DocumentInfo, Store
from ..text.tokens import TokenCounter, estimate_tokens
from ..trail import Step
from ..tree.model import Tree
from .actions import Action, Choose, RankDocuments, Stop
from .desk import Desk, Target
from .merge import merge
from .select import SelectLimits, section_of, select
from .state import State, advance, reading_score
from .walk import WalkLimits, walk

NavigatorName = Literal["lexical", "select", "walk"]
"""`lexical` calls no model, `select` calls it once, `walk` once a step."""

BOOKS = 3
"""Documents that a model navigates at once, where the scope holds more: those that fit the question best."""


async def navigate(
    store: Store,
    tree_of: Callable[[DocumentInfo], Tree],
    question: str,
    documents: Sequence[DocumentInfo],
    model: ChatModel,
    navigator: Literal["select", "walk"],
    *,
    k: int,
    books: int = BOOKS,
    max_tokens: int | None = None,
    exact_k: bool = False,
    whole: bool = False,
    whole_below: int = 0,
    select_limits: SelectLimits | None = None,
    walk_limits: WalkLimits | None = None,
    prompts: Prompts = PROMPTS,
    count: TokenCounter = estimate_tokens,
    on_step: Callable[[Step], None] | None = None,
) -> State:
    """The state after a navigator with a model has come to its end.

    Several documents are navigated at the same time, each on its own: with `select` that is a call for each. What they give is
    taken in turn.

    Args:
        books: Documents to navigate at most.
        exact_k: Whether a walk chooses `k` sections in the end, within `max_tokens`, and not all that it read.
        whole: Whether all parts of a chosen section come along, not only the best.
        whole_below: Documents that together have fewer tokens are chosen whole, without asking the model.

    Raises:
        ModelError: the model gave no reply.
    """
    state = State(question)

    def record(action: Action) -> None:
        nonlocal state
        state = advance(state, action)
        if on_step is not None:
            on_step(state.steps[-1])

    if not question.strip():
        record(Stop("there is no question"))
        return state
    if not documents:
        record(Stop("there is no document to search"))
        return state
    started = time.perf_counter()
    selected = await asyncio.to_thread(rank_documents, store, question, documents, keep=books)
    # A question in another language than the documents shares no word with them; their outlines may still help.
    infos = [one.info for one in selected] or list(documents[:books])
    record(RankDocuments(tuple(info.name for info in infos), len(documents), time.perf_counter() - started))
    desks = [await asyncio.to_thread(Desk, store, info, tree_of) for info in infos]
    if (
        whole_below
        and len(infos) == len(documents)
        and await asyncio.to_thread(_choose_whole, desks, record, whole_below, count)
    ):
        return state
    if navigator == "walk":
        limits = walk_limits or WalkLimits()
        # What is read comes together in one answer.
        walk_limits = replace(limits, evidence=limits.evidence // len(desks))

    async def run(desk: Desk, keep: Callable[[Action], None]) -> None:
        match navigator:
            case "select":
                await select(
                    desk,
                    question,
                    model,
                    keep,
                    k=k,
                    max_tokens=max_tokens,
                    whole=whole,
                    limits=select_limits,
                    prompts=prompts,
                    count=count,
                )
            case "walk":
                await walk(
                    desk,
                    question,
                    model,
                    keep,
                    k=k,
                    exact_k=exact_k,
                    max_tokens=max_tokens,
                    limits=walk_limits,
                    prompts=prompts,
                    count=count,
                )
            case _:
                assert_never(navigator)

    if len(desks) == 1:
        await run(desks[0], record)
        return state

    def note(step: Step) -> None:
        nonlocal state
        state = replace(state, steps=(*state.steps, step))
        if on_step is not None:
            on_step(step)

    parts = [_Part(State(question), one.info.name, note) for one in desks]
    try:
        async with asyncio.TaskGroup() as group:
            for desk, part in zip(desks, parts, strict=True):
                group.create_task(run(desk, part.record))
    except* Exception as errors:
        # The first one stopped the others.
        raise errors.exceptions[0] from None
    by_id = {desk.info.doc_id: desk for desk in desks}
    found = await asyncio.to_thread(
        merge,
        [part.state for part in parts],
        lambda one: section_of(by_id[one.doc_id], one),
        k=k if navigator == "select" or exact_k else None,
        max_tokens=max_tokens if navigator == "select" or exact_k else None,
        count=count,
    )
    record(found)
    return state


@dataclass
class _Part:
    """The run in one of several documents; its steps are told with the document's name."""

    state: State
    name: str
    note: Callable[[Step], None]

    def record(self, action: Action) -> None:
        self.state = advance(self.state, action)
        step = self.state.steps[-1]
        self.note(replace(step, target=f"{self.name}: {step.target}".rstrip(": ")))


def _choose_whole(desks: Sequence[Desk], record: Callable[[Action], None], limit: int, count: TokenCounter) -> bool:
    """Choose all passages, if they have fewer tokens than the limit together; whether that was so."""
    passages = [(desk, one) for desk in desks for one in desk.passages(Target())]
    if not passages or sum(count(one.text) for _, one in passages) >= limit:
        return False
    for place, (desk, passage) in enumerate(passages):
        record(Choose(desk.evidence(passage, score=reading_score(place), why="short enough to be read whole")))
    record(Stop(f"the documents have fewer than {limit} tokens and are read whole"))
    return True
