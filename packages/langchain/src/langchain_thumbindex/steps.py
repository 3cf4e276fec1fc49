"""The steps of a retrieval as LangChain's callbacks hear them: each is a child run and a custom event."""

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
    """Reports steps to the callbacks of one retriever run, in order.

    Steps wait until the model is asked again, or the run ends: callbacks are called where they are at home, which is the
    caller's loop for async ones, and never in a loop or thread that does thumbindex's own work.
    """

    run: CallbackManagerForRetrieverRun | AsyncCallbackManagerForRetrieverRun
    pending: deque[Step] = field(default_factory=deque)
    # Documents are navigated at the same time; a later step must not overtake one whose handlers still work.
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _async_lock: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    @property
    def config(self) -> RunnableConfig:
        """Carries the run's callbacks and inherited tags to whatever is called inside."""
        return RunnableConfig(callbacks=self.run.get_child(), tags=INNER_TAGS)

    def watch(self, navigator: Navigator) -> Navigator:
        """The same navigator, whose model is called with `config` and after the pending steps are reported."""
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
    """A chat model that has the steps so far reported before each call."""

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
    # Alone, "read" or "search" might be the name of a node of the user's graph, which LangGraph recognises by its name.
    return f"thumbindex {step.action}"


def _inputs(step: Step) -> dict[str, str]:
    return {"target": step.target, "reason": step.reason}


def _outputs(step: Step) -> dict[str, object]:
    return {key: value for key, value in asdict(step).items() if key not in ("action", "target", "reason")}
