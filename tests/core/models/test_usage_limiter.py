"""Limits on the tokens and the time of model calls."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from thumbindex.errors import ModelLimit
from thumbindex.models import Message, Reply, UsageLimiter
from thumbindex.testing import ScriptedModel

ASK = [Message("user", "Is it raining? " * 10)]


async def test_usage_of_all_calls_is_added_up() -> None:
    """Cached tokens are counted apart."""
    limiter = UsageLimiter(ScriptedModel(["No.", "Yes."]))
    await limiter.chat(ASK)
    await limiter.chat([*ASK, Message("assistant", "No."), Message("user", "And now?")])
    assert limiter.usage.calls == 2
    assert 0 < limiter.usage.tokens_cached < limiter.usage.tokens_in


async def test_a_prompt_over_the_limit_is_not_sent() -> None:
    """The limit is checked before the call."""
    model = ScriptedModel(["No."])
    limiter = UsageLimiter(model, max_tokens=60)
    await limiter.chat(ASK)
    with pytest.raises(ModelLimit, match="Raise the limit") as caught:
        await limiter.chat(ASK)
    assert caught.value.limit == "tokens"
    model.assert_finished()


async def test_a_call_that_takes_too_long_is_cancelled() -> None:
    """The error names the limit, not the network."""
    cancelled = asyncio.Event()

    class Sleeper:
        name = "sleeper"

        async def chat(self, messages: Sequence[Message], **options: object) -> Reply:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.set()
                raise
            return Reply("")

    with pytest.raises(ModelLimit) as caught:
        await UsageLimiter(Sleeper(), seconds=0.05).chat(ASK)
    assert caught.value.limit == "seconds"
    assert cancelled.is_set()
