"""What we ask of a language model, and what it gives back."""

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
"""Tokens that a chat format adds to each message: marks for role, beginning and end."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation, of whole letters: no request could carry others."""

    role: Role
    content: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "content", replace_surrogates(self.content))


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model wrote, of whole letters; `is_cut` where it ran into the limit of its length."""

    text: str
    usage: Usage = field(default_factory=lambda: Usage(calls=1))
    is_cut: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", replace_surrogates(self.text))


@runtime_checkable
class ChatModel(Protocol):
    """Any language model that chats; implement these two to bring your own, and `StreamingModel` if it can stream."""

    @property
    def name(self) -> str:
        """What the model is called, in trails and as part of cache keys."""
        ...

    async def chat(
        self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
    ) -> Reply:
        """The reply to a conversation.

        A reply should be JSON of that `schema` where the model can be held to it; callers read what is not quite JSON too.
        `max_tokens` limits the reply.

        Raises:
            ModelError: the model gave no reply.
        """
        ...


@runtime_checkable
class StreamingModel(ChatModel, Protocol):
    """A chat model that can hand over its reply while it writes it."""

    async def stream(
        self, messages: Sequence[Message], on_text: Callable[[str], None], *, max_tokens: int | None = None
    ) -> Reply:
        """The reply to a conversation, after each piece of its text was given to `on_text`.

        The reply's own text is what counts: it may differ from the pieces where a connection broke and the model was asked
        again.

        Raises:
            ModelError: the model gave no whole reply; some pieces may have been given.
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
    """The reply of any model: in pieces where it can stream, else in one."""
    if isinstance(model, StreamingModel):
        return await model.stream(messages, on_text, max_tokens=max_tokens)
    reply = await model.chat(messages, max_tokens=max_tokens)
    if reply.text:
        on_text(reply.text)
    return reply


def estimate_usage(messages: Sequence[Message], text: str) -> Usage:
    """The usage of one call whose tokens nobody counted, marked as an estimate."""
    return Usage(count_messages(messages), estimate_tokens(text), calls=1, estimated=True)


def count_messages(messages: Sequence[Message]) -> int:
    """Tokens of a prompt, estimated."""
    return sum(estimate_tokens(message.content) + MESSAGE_OVERHEAD for message in messages)
