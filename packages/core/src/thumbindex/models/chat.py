"""The protocol of language models, and the messages and replies that pass through it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeGuard, runtime_checkable

from ..concurrency.bridge import is_own_loop
from ..errors import ModelError
from ..text.characters import replace_surrogates, shorten
from ..text.tokens import estimate_tokens
from ..trail import Usage

Role = Literal["system", "user", "assistant"]
JsonSchema = Mapping[str, object]
"""A JSON schema with a `title`; every object in it closed and all of its properties required, as strict servers demand."""

MAX_CALL_TOKENS = 10_000_000
"""Tokens that one call can have read or written: the largest context window of a published model (Llama 4 Scout). A higher count
is a fault of the server."""
_SHOWN = 80
"""Characters of a value that is no reply that an error shows."""
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

    Raises:
        ModelError: The text is not a string.
    """

    text: str
    usage: Usage = field(default_factory=lambda: Usage(calls=1))
    is_cut: bool = False

    def __post_init__(self) -> None:
        text: object = self.text
        if not isinstance(text, str):
            raise ModelError("model", f"the text of a reply must be a string, but it is {_described(text)}.")
        object.__setattr__(self, "text", replace_surrogates(text))


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
    reply = checked_reply(model.name, await model.chat(messages, max_tokens=max_tokens), messages)
    if reply.text:
        on_text(reply.text)
    return reply


def check_model(model: object) -> None:
    """Checks that an object can be called as a model, where a caller passes it.

    Raises:
        ModelError: It is not a `ChatModel`, for example the name of a model.
    """
    if isinstance(model, str):
        raise ModelError(
            model,
            f"a model is an object, not its name. Pass OpenAIChat({model!r}), or another object with `name` and `chat`.",
        )
    if isinstance(model, type):
        raise ModelError(model.__name__, f"a model is an object, not its class. Pass {model.__name__}(...).")
    if not isinstance(model, ChatModel):
        raise ModelError(
            _described(model), "this is no chat model. Pass an object with `name` and `chat`, such as OpenAIChat."
        )


def checked_reply(model: str, reply: object, messages: Sequence[Message]) -> Reply:
    """Returns a model's reply with token counts that can be added up.

    Counts that are impossible (negative, above `MAX_CALL_TOKENS`, no integers) are replaced by estimates and marked as such.

    Args:
        model: The model's name, for the message.
        messages: The prompt, for the estimate.

    Raises:
        ModelError: It is not a `Reply`.
    """
    if not isinstance(reply, Reply):
        raise ModelError(model, f"it replied {_described(reply)}; `chat` must return a Reply.")
    usage: object = reply.usage
    estimate = estimate_usage(messages, reply.text)
    if not isinstance(usage, Usage):
        return replace(reply, usage=estimate)
    read, wrote = is_token_count(usage.tokens_in), is_token_count(usage.tokens_out)
    tokens_in = usage.tokens_in if read else estimate.tokens_in
    cached = usage.tokens_cached if is_token_count(usage.tokens_cached) else 0
    is_valid = read and wrote and usage.tokens_cached == min(cached, tokens_in) and is_token_count(usage.calls)
    if is_valid:
        return reply
    return replace(
        reply,
        usage=Usage(
            tokens_in,
            usage.tokens_out if wrote else estimate.tokens_out,
            min(cached, tokens_in),
            usage.calls if is_token_count(usage.calls) else 1,
            estimated=True,
        ),
    )


def is_token_count(value: object) -> TypeGuard[int]:
    """Returns whether a value can be a number of tokens of one call."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_CALL_TOKENS


def _described(value: object) -> str:
    """Returns the type of a value, and its beginning if it has one worth showing."""
    if value is None:
        return "None"
    shown = value if isinstance(value, str) else ", ".join(map(str, value)) if isinstance(value, dict) else ""
    line = " ".join(shown.split())
    return f"{type(value).__name__} ({shorten(line, _SHOWN)})" if line else type(value).__name__


def estimate_usage(messages: Sequence[Message], text: str) -> Usage:
    """Returns the usage of one call whose tokens were not counted, marked as an estimate."""
    return Usage(count_messages(messages), estimate_tokens(text), calls=1, estimated=True)


def count_messages(messages: Sequence[Message]) -> int:
    """Returns the estimated tokens of a prompt."""
    return sum(estimate_tokens(message.content) + MESSAGE_OVERHEAD for message in messages)
