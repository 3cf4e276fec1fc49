"""Carrying out what navigators request: one driver for sync code and one for async code.

Both advance a flow in the queue of searches (`concurrency.queue`), where it also looks things up; it comes back when it
needs a model, and with its result. Models are async: the sync driver hands a flow that needs one to the background loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..budget import Budget
from ..concurrency.bridge import run_sync
from ..concurrency.queue import run_inline, run_queued, run_queued_async
from ..models import ChatModel, Reply, UsageLimiter
from ..trail import Step, Usage
from .lookups import SearchableDocuments
from .protocol import Chat, Flow, Report, Together, Written

T = TypeVar("T")


class Driver(Generic[T]):
    """Drives a flow over some documents, within the budget of one question.

    Args:
        on_step: Called with each step of the trail: by the sync driver in the caller's thread or, where a model is asked, on
            the background loop; by the async one on the running loop.
        on_text: Called with each piece of an answer while a model writes it.
        is_own_code: Whether the flow calls no code but the package's own while it looks things up. Foreign code (an
            embedding, a token counter, another navigator) may wait for anything and stays out of the queue.
    """

    def __init__(
        self,
        documents: SearchableDocuments,
        budget: Budget,
        on_step: Callable[[Step], None] | None = None,
        on_text: Callable[[str], None] | None = None,
        is_own_code: bool = True,
    ) -> None:
        self._documents, self._on_step, self._on_text, self._is_own_code = documents, on_step, on_text, is_own_code
        self._budget = budget
        self._limiter: UsageLimiter | None = None
        self._started = time.monotonic()

    @property
    def usage(self) -> Usage:
        """The usage of all model calls so far."""
        return Usage() if self._limiter is None else self._limiter.usage

    def _limited(self, model: ChatModel) -> UsageLimiter:
        """The model under the limits that all model calls share."""
        if self._limiter is None:
            budget = self._budget
            self._limiter = UsageLimiter(
                model, max_tokens=budget.total_tokens, seconds=budget.seconds, started=self._started
            )
            return self._limiter
        return self._limiter.sharing(model)

    def run(self, flow: Flow[T]) -> T:
        """Drives the flow to its end for sync code, in a running event loop or not.

        Raises:
            RuntimeError: called from the background loop itself.
        """
        stop = self._advance_queued(flow, None)
        if isinstance(stop.request, Chat | Together):
            return run_sync(self._go_on(flow, stop))
        self._report(stop)
        return stop.value()

    async def run_async(self, flow: Flow[T]) -> T:
        """Drives the flow to its end on the running loop, which stays free."""
        return await self._go_on(flow, await self._advance_async(flow, None))

    async def _go_on(self, flow: Flow[T], stop: _Stop[T]) -> T:
        try:
            while True:
                self._report(stop)
                if stop.request is None:
                    return stop.value()
                try:
                    response = await self._respond(stop.request)
                except Exception as error:
                    # The flow may go on without the reply: a walk answers from what it has read.
                    stop = await self._advance_async(flow, None, error)
                else:
                    stop = await self._advance_async(flow, response)
        finally:
            # A flow that still advances in its thread, for a task that was cancelled, cannot be closed from here: it ends there.
            with suppress(ValueError):
                flow.close()

    async def _respond(self, request: Chat | Together[Any]) -> Reply | list[Any]:
        if isinstance(request, Together):
            return await self._run_together(request)
        model = self._limited(request.model)
        if request.is_answer and self._on_text is not None:
            return await model.stream(request.messages, self._on_text, max_tokens=request.max_tokens)
        return await model.chat(request.messages, schema=request.schema, max_tokens=request.max_tokens)

    async def _run_together(self, request: Together[Any]) -> list[Any]:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self.run_async(flow)) for flow in request.flows]
        except* Exception as errors:
            # The first that failed stopped the others.
            raise errors.exceptions[0] from None
        return [task.result() for task in tasks]

    def _report(self, stop: _Stop[T]) -> None:
        for event in stop.events:
            if isinstance(event, Step):
                if self._on_step is not None:
                    self._on_step(event)
            elif self._on_text is not None:
                self._on_text(event)

    def _advance_queued(self, flow: Flow[T], response: object) -> _Stop[T]:
        run = run_queued if self._is_own_code else run_inline
        return run(lambda: self._advance(flow, response))

    async def _advance_async(self, flow: Flow[T], response: object, error: Exception | None = None) -> _Stop[T]:
        if self._is_own_code:
            return await run_queued_async(lambda: self._advance(flow, response, error))
        return await asyncio.to_thread(run_inline, lambda: self._advance(flow, response, error))

    def _advance(self, flow: Flow[T], response: object, error: Exception | None = None) -> _Stop[T]:
        """Advances the flow, looking up what it requests, until it needs a model or ends."""
        events: list[Step | str] = []
        # One snapshot for all that is looked up here: no document goes between being listed and being read.
        with self._documents.store.snapshot():
            try:
                while True:
                    request = flow.send(response) if error is None else flow.throw(error)
                    response = error = None
                    if isinstance(request, Chat | Together):
                        return _Stop(tuple(events), request)
                    if isinstance(request, Report):
                        events.append(request.step)
                    elif isinstance(request, Written):
                        events.append(request.text)
                    else:
                        try:
                            response = request.look_up(self._documents)
                        except Exception as failure:
                            error = failure
            except StopIteration as end:
                return _Stop(tuple(events), None, end.value)
            except Exception as failure:
                # Raised where the steps before it have been reported.
                return _Stop(tuple(events), None, error=failure)


@dataclass(frozen=True, slots=True)
class _Stop(Generic[T]):
    """A flow at rest: the steps and text since it last rested, and the request it waits for or, at its end, its result or error."""

    events: tuple[Step | str, ...]
    request: Chat | Together[Any] | None
    result: T | None = None
    error: Exception | None = None

    def value(self) -> T:
        if self.error is not None:
            raise self.error
        # A result may be None where T is.
        return self.result  # type: ignore[return-value]
