"""The protocol of language models, and the messages and replies that pass through it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from ..concurrency.bridge import is_own_loop
from ..text.characters import replace_surrogates
from ..text.tokens import estimate_tokens
from ..trail import Usage

Role = Literal["system", "user", "assistant"]
JsonSchema = Mapping[str, object]
"""A JSON schema with a `title`; every object in it closed and all of its properties required, as strict servers demand."""

MESSAGE_OVERHEAD = 4
"""Tokens that a chat format adds to each message: marks of its role, its beginning and its end."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. Lone surrogates are replaced, since no request can carry them."""

    role: Role
    content: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "content", replace_surrogates(self.content))


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply. Lone surrogates in its text are replaced.

    Args:
        is_cut: Whether it ended at the limit on its length.
    """

    text: str
    usage: Usage = field(default_factory=lambda: Usage(calls=1))
    is_cut: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", replace_surrogates(self.text))


@runtime_checkable
class ChatModel(Protocol):
    """Any chat model. Implement these two members to bring your own, and `StreamingModel` if it can stream."""

    @property
    def name(self) -> str:
        """The model's name, as shown in trails and as part of cache keys."""
        ...

    async def chat(
        self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
    ) -> Reply:
        """Returns the reply to a conversation.

        Args:
            schema: The reply should be JSON of that schema where the model can be held to it; callers also read what is
                not quite JSON.
            max_tokens: Limit on the reply.

        Raises:
            ModelError: the model gave no reply.
        """
        ...


@runtime_checkable
class StreamingModel(ChatModel, Protocol):
    """A chat model that can stream its reply."""

    async def stream(
        self, messages: Sequence[Message], on_text: Callable[[str], None], *, max_tokens: int | None = None
    ) -> Reply:
        """Returns the reply to a conversation, after passing each piece of its text to `on_text`.

        The text of the reply is authoritative: it may differ from the pieces where a connection broke and the model was
        asked again.

        Raises:
            ModelError: the model gave no complete reply; some pieces may have been passed on.
        """
        ...


def is_for_sync_caller() -> bool:
    """Returns whether the model call that runs now is made for sync code, such as `library.ask(...)`.

    For models that wrap a client of their own with sync and async methods: an async HTTP client belongs to the loop that
    opened it, and sync callers are served by a loop of thumbindex, so they need the sync methods, in a thread.
    """
    return is_own_loop()


async def stream_or_chat(
    model: ChatModel, messages: Sequence[Message], on_text: Callable[[str], None], *, max_tokens: int | None = None
) -> Reply:
    """Returns the reply of any model, passed on in pieces where it can stream, else in one."""
    if isinstance(model, StreamingModel):
        return await model.stream(messages, on_text, max_tokens=max_tokens)
    reply = await model.chat(messages, max_tokens=max_tokens)
    if reply.text:
        on_text(reply.text)
    return reply


def estimate_usage(messages: Sequence[Message], text: str) -> Usage:
    """Returns the usage of one call whose tokens were not counted, marked as an estimate."""
    return Usage(count_messages(messages), estimate_tokens(text), calls=1, estimated=True)


def count_messages(messages: Sequence[Message]) -> int:
    """Returns the estimated tokens of a prompt."""
    return sum(estimate_tokens(message.content) + MESSAGE_OVERHEAD for message in messages)
