"""The steps of a retrieval, told to LangChain's callbacks: each is a child run and a custom event."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
    adispatch_custom_event,
    dispatch_custom_event,
)
from langchain_core.runnables import RunnableConfig

from thumbindex.models import ChatModel, JsonSchema, Message, Reply
from thumbindex.trail import Step

STEP_EVENT = "thumbindex_step"
"""Name of the custom event of each step; its data are the fields of `thumbindex.trail.Step`."""
INNER_TAGS = ["thumbindex", "nostream"]
"""Tags of all that runs inside: LangGraph leaves the replies of a model with the second out of a chat's stream."""


@dataclass(slots=True, eq=False)
class Steps:
    """Steps on their way to the callbacks of one retriever run.

    They are told before the model is asked again and at the end: in order, and from where callbacks are at home, which is
    the caller's loop for async ones, and never the loop or the thread that does thumbindex's own work.
    """

    run: CallbackManagerForRetrieverRun | AsyncCallbackManagerForRetrieverRun
    waiting: deque[Step] = field(default_factory=deque)
    # Documents are navigated at the same time; a later step must not overtake one whose handlers still work.
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    @property
    def is_sync(self) -> bool:
        """Whether the caller is sync code."""
        return isinstance(self.run, CallbackManagerForRetrieverRun)

    @property
    def config(self) -> RunnableConfig:
        """What carries the run's callbacks and inherited tags to whatever is called inside."""
        return RunnableConfig(callbacks=self.run.get_child(), tags=INNER_TAGS)

    def tell(self) -> None:
        """Tell what is waiting, in a sync run."""
        with self._lock:
            while self.waiting and isinstance(self.run, CallbackManagerForRetrieverRun):
                step = self.waiting.popleft()
                child = self.run.get_child().on_chain_start(None, _inputs(step), name=_run_name(step))
                child.on_chain_end(_outputs(step))
                config = RunnableConfig(callbacks=self.run.get_child())
                dispatch_custom_event(STEP_EVENT, asdict(step), config=config)

    async def atell(self) -> None:
        """Tell what is waiting, in an async run."""
        async with self._turn:
            while self.waiting and isinstance(self.run, AsyncCallbackManagerForRetrieverRun):
                step = self.waiting.popleft()
                child = await self.run.get_child().on_chain_start(None, _inputs(step), name=_run_name(step))
                await child.on_chain_end(_outputs(step))
                config = RunnableConfig(callbacks=self.run.get_child())
                await adispatch_custom_event(STEP_EVENT, asdict(step), config=config)


@dataclass(frozen=True, slots=True)
class StepReportingModel:
    """A chat model that reports the steps so far to the callbacks before each call."""

    model: ChatModel
    steps: Steps

    @property
    def name(self) -> str:
        """Of the model."""
        return self.model.name

    async def chat(
        self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
    ) -> Reply:
        """The model's reply."""
        if self.steps.is_sync:
            await asyncio.to_thread(self.steps.tell)
        else:
            await self.steps.atell()
        return await self.model.chat(messages, schema=schema, max_tokens=max_tokens)


def _run_name(step: Step) -> str:
    # Alone, "read" or "search" might be the name of a node of the user's graph, which LangGraph tells by its name.
    return f"thumbindex {step.action}"


def _inputs(step: Step) -> dict[str, str]:
    return {"target": step.target, "reason": step.reason}


def _outputs(step: Step) -> dict[str, object]:
    fields = asdict(step)
    return {key: value for key, value in fields.items() if key not in ("action", "target", "reason")}
