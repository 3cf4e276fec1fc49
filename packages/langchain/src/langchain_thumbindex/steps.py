"""Reports the steps of a retrieval to LangChain's callbacks: each is a child run and a custom event."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
    adispatch_custom_event,
    dispatch_custom_event,
)
from langchain_core.runnables import RunnableConfig

from thumbindex import Select, Step, Walk
from thumbindex.models import ChatModel, JsonSchema, Message, Reply
from thumbindex.navigation import Navigator

from .models import LangChainChat

STEP_EVENT = "thumbindex_step"
"""Name of the custom event of each step; its data are the fields of `thumbindex.Step`."""
INNER_TAGS = ["thumbindex", "nostream"]
"""Tags of all runs inside a retriever's own: LangGraph leaves the replies of a model with the second out of a chat's stream."""


@dataclass(slots=True, eq=False)
class StepReporter:
    """Reports steps to the callbacks of a retriever run, in order.

    Steps are pending until the next model call, or the end of the run: async callbacks run on the caller's event loop, and none
    runs on thumbindex's own loop or search threads.
    """

    run: CallbackManagerForRetrieverRun | AsyncCallbackManagerForRetrieverRun
    pending: deque[Step] = field(default_factory=deque)
    # Documents are navigated at the same time: a later step must not overtake one whose handlers are still running.
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _async_lock: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    @property
    def config(self) -> RunnableConfig:
        """The config of runnables that are called inside the run: its callbacks and inherited tags."""
        return RunnableConfig(callbacks=self.run.get_child(), tags=INNER_TAGS)

    def watch(self, navigator: Navigator) -> Navigator:
        """Returns the navigator with a model that reports the pending steps before each call, and is called with `config`."""
        if not isinstance(navigator, Select | Walk):
            return navigator
        model = navigator.model
        if isinstance(model, LangChainChat):
            model = model.with_config(self.config)
        return replace(navigator, model=_ReportingModel(model, self))

    def report(self) -> None:
        """Reports the pending steps of a sync run."""
        with self._lock:
            while self.pending and isinstance(self.run, CallbackManagerForRetrieverRun):
                step = self.pending.popleft()
                child = self.run.get_child().on_chain_start(None, _inputs(step), name=_run_name(step))
                child.on_chain_end(_outputs(step))
                config = RunnableConfig(callbacks=self.run.get_child())
                dispatch_custom_event(STEP_EVENT, asdict(step), config=config)

    async def report_async(self) -> None:
        """Reports the pending steps of a run of either kind."""
        if isinstance(self.run, CallbackManagerForRetrieverRun):
            await asyncio.to_thread(self.report)
            return
        async with self._async_lock:
            while self.pending:
                step = self.pending.popleft()
                child = await self.run.get_child().on_chain_start(None, _inputs(step), name=_run_name(step))
                await child.on_chain_end(_outputs(step))
                config = RunnableConfig(callbacks=self.run.get_child())
                await adispatch_custom_event(STEP_EVENT, asdict(step), config=config)


@dataclass(frozen=True, slots=True)
class _ReportingModel:
    """A chat model that reports the pending steps before each call."""

    model: ChatModel
    steps: StepReporter

    @property
    def name(self) -> str:
        return self.model.name

    async def chat(
        self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
    ) -> Reply:
        await self.steps.report_async()
        return await self.model.chat(messages, schema=schema, max_tokens=max_tokens)


def _run_name(step: Step) -> str:
    # LangGraph recognises nodes of the user's graph by name, and "read" or "search" may be one.
    return f"thumbindex {step.action}"


def _inputs(step: Step) -> dict[str, str]:
    return {"target": step.target, "reason": step.reason}


def _outputs(step: Step) -> dict[str, object]:
    return {key: value for key, value in asdict(step).items() if key not in ("action", "target", "reason")}
