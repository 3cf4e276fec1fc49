"""A LlamaIndex LLM as a chat model of the library."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import cached_property, lru_cache
from typing import Any, Self

from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.callbacks.token_counting import get_tokens_from_response
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.llm import LLMChatEndEvent
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import LLM
from llama_index.core.prompts import ChatPromptTemplate
from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from thumbindex.errors import ModelUnavailable
from thumbindex.models import JsonSchema, Message, Reply, Usage, estimate_usage

dispatcher = get_dispatcher(__name__)

_UNSUPPORTED = (400, 404, 405, 415, 422, 501)
"""HTTP statuses with which servers refuse a kind of request that they do not know."""

_responses: ContextVar[list[ChatResponse] | None] = ContextVar("thumbindex_responses", default=None)
"""Collects the responses behind a structured prediction."""


class LlamaIndexModel:
    """Any LlamaIndex LLM, for `Library.ask`, `Library.summarize` and navigators.

    Where the LLM calls functions or supports structured outputs, replies that have to be JSON are asked for by its structured
    prediction; otherwise the prompt asks for JSON, and the library reads what is nearly JSON. Tokens are those that the
    provider counted, or an estimate. Set the length of replies on the LLM (`max_tokens` and the like): each provider names it
    differently.

    Args:
        llm: Answers; its callbacks and instrumentation see every call.
        is_sync: Calls the LLM's sync methods, each in a thread. An HTTP client belongs to the loop that opened it, so
            sync code must not use the async one on another loop.
    """

    def __init__(self, llm: LLM, *, is_sync: bool = False) -> None:
        self._llm, self._is_sync = llm, is_sync
        self._is_refused = False  # by a provider that knows no structured prediction

    @cached_property
    def sync(self) -> Self:
        """The same LLM, called by its sync methods."""
        return self if self._is_sync else type(self)(self._llm, is_sync=True)

    @property
    def name(self) -> str:
        """The model's name as the LLM gives it."""
        return str(self._llm.metadata.model_name)

    @dispatcher.span
    async def chat(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        max_tokens: int | None = None,  # noqa: ARG002, part of the protocol
    ) -> Reply:
        """The LLM's reply; see `thumbindex.models.ChatModel.chat`. `max_tokens` is left to the LLM's own setting.

        Raises:
            ModelUnavailable: the LLM raised; its own error is the cause.
        """
        try:
            text, response = await self._ask(messages, schema)
        except Exception as error:  # providers have no common class of errors
            raise ModelUnavailable(self.name, f"it gave no reply ({type(error).__name__}: {error}).") from error
        return Reply(text, _usage(response, messages, text))

    async def _ask(self, messages: Sequence[Message], schema: JsonSchema | None) -> tuple[str, ChatResponse | None]:
        if schema is not None and not self._is_refused and _is_structured(self._llm):
            predicted = await self._predict(messages, schema)
            if predicted is not None:
                return predicted
        asked = [ChatMessage(role=message.role, content=message.content) for message in messages]
        response: ChatResponse = await self._run(self._llm.chat, self._llm.achat, asked)
        return response.message.content or "", response

    async def _predict(self, messages: Sequence[Message], schema: JsonSchema) -> tuple[str, ChatResponse | None] | None:
        """The reply by structured prediction; None where the provider does not support it."""
        # Texts go in as variables: braces in a document must not be taken for those of a template.
        texts = {f"message_{number}": message.content for number, message in enumerate(messages)}
        template = ChatPromptTemplate(
            [
                ChatMessage(role=message.role, content=f"{{{name}}}")
                for name, message in zip(texts, messages, strict=True)
            ]
        )
        responses: list[ChatResponse] = []
        token = _responses.set(responses)
        try:
            predicted: BaseModel = await self._run(
                self._llm.structured_predict,
                self._llm.astructured_predict,
                _response_model(json.dumps(schema)),
                template,
                **texts,
            )
        except Exception as error:
            if responses:
                # It replied in another form: the text is read like that of any other reply.
                return self._text(responses[-1]), responses[-1]
            if not isinstance(error, ValueError | NotImplementedError) and _status(error) not in _UNSUPPORTED:
                raise
            self._is_refused = True
            return None
        finally:
            _responses.reset(token)
        return json.dumps(predicted.model_dump(), ensure_ascii=False), responses[-1] if responses else None

    def _text(self, response: ChatResponse) -> str:
        """The text of a reply, or the arguments of the function that it called."""
        if response.message.content or not isinstance(self._llm, FunctionCallingLLM):
            return response.message.content or ""
        calls = self._llm.get_tool_calls_from_response(response, error_on_no_tool_call=False)
        return "\n".join(json.dumps(call.tool_kwargs, ensure_ascii=False) for call in calls)

    async def _run(
        self, method: Callable[..., Any], amethod: Callable[..., Awaitable[Any]], *arguments: object, **named: object
    ) -> Any:
        if self._is_sync:
            return await asyncio.to_thread(method, *arguments, **named)
        return await amethod(*arguments, **named)


class UsageHandler(BaseEventHandler):
    """Collects the response behind a structured prediction, whose result has no token counts."""

    @classmethod
    def class_name(cls) -> str:
        return "ThumbIndexUsageHandler"

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:  # noqa: ARG002, the base class names them
        responses = _responses.get()
        if responses is not None and isinstance(event, LLMChatEndEvent) and event.response is not None:
            responses.append(event.response)


# The dispatcher through which LLMs report their calls.
get_dispatcher("llama_index.core.llms.callbacks").add_event_handler(UsageHandler())


def _is_structured(llm: LLM) -> bool:
    return llm.metadata.is_function_calling_model or bool(getattr(llm, "should_use_structured_outputs", False))


def _status(error: Exception) -> object:
    return getattr(error, "status_code", getattr(error, "code", None))


@lru_cache(maxsize=16)
def _response_model(schema: str) -> type[BaseModel]:
    """A pydantic model that shows LlamaIndex this JSON schema. It checks only that the required fields are there: their
    values are checked where replies are read."""
    json_schema: dict[str, Any] = json.loads(schema)

    class ResponseModel(BaseModel):
        model_config = ConfigDict(extra="allow")

        @model_validator(mode="before")
        @classmethod
        def _has_required_fields(cls, values: dict[str, Any]) -> dict[str, Any]:
            # Some versions first call a tool of one argument without its name, and by its name only if that fails.
            missing = [name for name in json_schema.get("required", ()) if name not in values]
            if missing:
                raise ValueError(f"{', '.join(missing)} missing")
            return values

        @classmethod
        def __get_pydantic_json_schema__(cls, _core: CoreSchema, _handler: GetJsonSchemaHandler) -> dict[str, Any]:
            return dict(json_schema)

    ResponseModel.__name__ = ResponseModel.__qualname__ = str(json_schema["title"])
    return ResponseModel


def _usage(response: ChatResponse | None, messages: Sequence[Message], text: str) -> Usage:
    try:
        tokens_in, tokens_out = get_tokens_from_response(response) if response is not None else (0, 0)
    except (AttributeError, TypeError, ValueError):  # a raw response of a shape that LlamaIndex does not know
        tokens_in = tokens_out = 0
    if not tokens_in and not tokens_out:
        return estimate_usage(messages, text)
    return Usage(
        tokens_in or 0, tokens_out or 0, _cached_tokens(response.raw if response is not None else None), calls=1
    )


def _cached_tokens(raw: object) -> int:
    """Prompt tokens from the provider's cache, as OpenAI-compatible servers, Anthropic and Google report them."""
    usage = _field(raw, "usage") or _field(raw, "usage_metadata")
    details = _field(usage, "prompt_tokens_details")
    for count in (
        _field(details, "cached_tokens"),
        _field(usage, "cache_read_input_tokens"),
        _field(usage, "cached_content_token_count"),
    ):
        if isinstance(count, int):
            return count
    return 0


def _field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
