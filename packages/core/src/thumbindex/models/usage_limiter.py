"""Limits on the tokens and the time of model calls, and the sum of their usage."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from inspect import isawaitable

from ..errors import ModelError, ModelLimit
from ..trail import Usage
from .chat import ChatModel, JsonSchema, Message, Reply, check_model, checked_reply, count_messages, stream_or_chat


class UsageLimiter:
    """A chat model that adds up the usage of another, and refuses calls once a limit is reached.

    Args:
        max_tokens: Tokens read and written in all calls together; a call whose prompt alone would exceed it is not made.
        seconds: Wall time from `started` on; a running call is cancelled when it is over.
        started: Time of `time.monotonic()` from which `seconds` count; None for now.

    Raises:
        ModelError: `model` is no chat model, for example the name of one.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        max_tokens: int | None = None,
        seconds: float | None = None,
        started: float | None = None,
    ) -> None:
        check_model(model)
        self._model, self._max_tokens, self._seconds = model, max_tokens, seconds
        self._started = time.monotonic() if started is None else started
        self._total = [Usage()]

    @property
    def usage(self) -> Usage:
        """The usage of all calls together."""
        return self._total[0]

    def sharing(self, model: ChatModel) -> UsageLimiter:
        """Returns another model under the same limits, counted together with this one."""
        other = UsageLimiter(model, max_tokens=self._max_tokens, seconds=self._seconds, started=self._started)
        other._total = self._total
        return other

    @property
    def name(self) -> str:
        """The name of the limited model."""
        return self._model.name

    async def chat(
        self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
    ) -> Reply:
        """Returns the model's reply.

        Raises:
            ModelLimit: a limit is reached.
            ModelError: raised by the model.
        """
        self._check(messages)
        return await self._within(messages, self._model.chat(messages, schema=schema, max_tokens=max_tokens))

    async def stream(
        self, messages: Sequence[Message], on_text: Callable[[str], None], *, max_tokens: int | None = None
    ) -> Reply:
        """Returns the model's reply, passed on in pieces where it can stream, else in one.

        Raises:
            ModelLimit: a limit is reached.
            ModelError: raised by the model.
        """
        self._check(messages)
        return await self._within(messages, stream_or_chat(self._model, messages, on_text, max_tokens=max_tokens))

    def _check(self, messages: Sequence[Message]) -> None:
        used = self.usage.tokens_in + self.usage.tokens_out
        if self._max_tokens is not None and used + count_messages(messages) > self._max_tokens:
            raise ModelLimit(
                self.name,
                f"{used} of {self._max_tokens} tokens are used and the next prompt does not fit. Raise the limit, or ask less.",
                "tokens",
            )

    async def _within(self, messages: Sequence[Message], call: Awaitable[Reply]) -> Reply:
        """Returns the reply if it comes in time, and adds up its usage."""
        left = None if self._seconds is None else self._started + self._seconds - time.monotonic()
        timeout = asyncio.timeout(left)
        try:
            async with timeout:
                if not isawaitable(call):
                    raise ModelError(self.name, "its `chat` is not async. Declare it as `async def chat(...)`.")
                reply = checked_reply(self.name, await call, messages)
        except TimeoutError as error:
            if not timeout.expired():
                raise
            raise ModelLimit(
                self.name, f"the {self._seconds:g} seconds granted are over. Grant more, or ask less.", "seconds"
            ) from error
        self._total[0] += reply.usage
        return reply
