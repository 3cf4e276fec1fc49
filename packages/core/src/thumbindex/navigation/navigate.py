"""Running a navigator with a model over the documents that fit a question best, and collecting what it does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Literal, assert_never

from ..models import PROMPTS, ChatModel, Prompts
from ..store import DocumentInfo, Store
from ..store.selection import rank_documents
from ..tokens import TokenCounter, estimate_tokens
from ..trail import Step
from ..tree.model import Tree
from .actions import Action, Choose, RankDocuments, Stop
from .desk import Desk, Target
from .select import SelectLimits, select
from .state import State, advance, reading_score
from .walk import WalkLimits, walk

NavigatorName = Literal["lexical", "select", "walk"]
"""`lexical` calls no model, `select` calls it once, `walk` once a step."""

BOOKS = 3
"""Documents whose outlines a model is shown together, where the scope holds more: those that fit the question best."""


async def navigate(
    store: Store,
    tree_of: Callable[[DocumentInfo], Tree],
    question: str,
    documents: Sequence[DocumentInfo],
    model: ChatModel,
    navigator: Literal["select", "walk"],
    *,
    k: int,
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

    Args:
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
    selected = await asyncio.to_thread(rank_documents, store, question, documents, keep=BOOKS)
    # A question in another language than the documents shares no word with them; their outlines may still help.
    infos = [one.info for one in selected] or list(documents[:BOOKS])
    record(RankDocuments(tuple(info.name for info in infos), len(documents), time.perf_counter() - started))
    # By name, so that the next question to the same documents begins with the same prompt.
    desk = await asyncio.to_thread(Desk, store, sorted(infos, key=lambda info: (info.name, info.doc_id)), tree_of)
    if (
        whole_below
        and len(infos) == len(documents)
        and await asyncio.to_thread(_choose_whole, desk, record, whole_below, count)
    ):
        return state
    match navigator:
        case "select":
            await select(
                desk,
                question,
                model,
                record,
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
                record,
                k=k,
                exact_k=exact_k,
                max_tokens=max_tokens,
                limits=walk_limits,
                prompts=prompts,
                count=count,
            )
        case _:
            assert_never(navigator)
    return state


def _choose_whole(desk: Desk, record: Callable[[Action], None], limit: int, count: TokenCounter) -> bool:
    """Choose all passages, if they have fewer tokens than the limit together; whether that was so."""
    passages = [(book.info.doc_id, one) for book in desk.books for one in desk.passages(Target(book.info.doc_id))]
    if not passages or sum(count(one.text) for _, one in passages) >= limit:
        return False
    for place, (doc_id, passage) in enumerate(passages):
        record(Choose(desk.evidence(doc_id, passage, score=reading_score(place), why="short enough to be read whole")))
    record(Stop(f"the documents have fewer than {limit} tokens and are read whole"))
    return True
