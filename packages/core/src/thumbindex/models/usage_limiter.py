"""Limits on what a model may cost, and the sum of what it did."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from ..errors import ModelLimit
from ..trail import Usage
from .chat import ChatModel, JsonSchema, Message, Reply, count_messages, stream_or_chat


class UsageLimiter:
    """A model whose calls are added up, and refused once a limit is reached. A chat model itself.

    Args:
        max_tokens: Tokens read and written in all calls together; a call whose prompt alone would go over is not made.
        seconds: Wall time from now on; a call that is under way when it ends is cancelled.
    """

    def __init__(self, model: ChatModel, *, max_tokens: int | None = None, seconds: float | None = None) -> None:
        self._model, self._max_tokens, self._seconds = model, max_tokens, seconds
        self._started = time.monotonic()
        self._spent = [Usage()]

    @property
    def usage(self) -> Usage:
        """What all calls cost together."""
        return self._spent[0]

    def sharing(self, model: ChatModel) -> UsageLimiter:
        """Another model under the same limits, counted together with this one."""
        other = UsageLimiter(model, max_tokens=self._max_tokens, seconds=self._seconds)
        other._started, other._spent = self._started, self._spent
        return other

    @property
    def name(self) -> str:
        """The name of the metered model."""
        return self._model.name

    async def chat(
        self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
    ) -> Reply:
        """The model's reply.

        Raises:
            ModelLimit: a limit is reached.
            ModelError: as the model says.
        """
        self._check(messages)
        return await self._within(self._model.chat(messages, schema=schema, max_tokens=max_tokens))

    async def stream(
        self, messages: Sequence[Message], on_text: Callable[[str], None], *, max_tokens: int | None = None
    ) -> Reply:
        """The model's reply, in pieces where it can stream, else in one.

        Raises:
            ModelLimit: a limit is reached.
            ModelError: as the model says.
        """
        self._check(messages)
        return await self._within(stream_or_chat(self._model, messages, on_text, max_tokens=max_tokens))

    def _check(self, messages: Sequence[Message]) -> None:
        used = self.usage.tokens_in + self.usage.tokens_out
        if self._max_tokens is not None and used + count_messages(messages) > self._max_tokens:
            raise ModelLimit(
                self.name,
                f"{used} of {self._max_tokens} tokens are used and the next prompt does not fit. Raise max_tokens, or ask less.",
                "tokens",
            )

    async def _within(self, call: Coroutine[Any, Any, Reply]) -> Reply:
        """The reply, if it comes in time, added to what was spent."""
        left = None if self._seconds is None else self._started + self._seconds - time.monotonic()
        timeout = asyncio.timeout(left)
        try:
            async with timeout:
                reply = await call
        except TimeoutError as error:
            if not timeout.expired():
                raise
            raise ModelLimit(
                self.name, f"the {self._seconds:g} seconds granted are over. Grant more, or ask less.", "seconds"
            ) from error
        self._spent[0] += reply.usage
        return reply
