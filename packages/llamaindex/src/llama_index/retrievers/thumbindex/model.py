"""A LlamaIndex LLM as the library's chat model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

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

_REFUSED = (400, 404, 405, 415, 422, 501)
"""HTTP statuses by which servers refuse a way of asking that they do not know."""

_heard: ContextVar[list[ChatResponse] | None] = ContextVar("thumbindex_heard", default=None)


class LlamaIndexModel:
    """Any LlamaIndex LLM, as `Library.retrieve` and `Library.ask` take a model.

    Where the LLM calls functions or promises structured outputs, replies that have to be JSON come by its structured
    prediction; else the prompt asks for JSON, and the library reads what is nearly JSON. Tokens are those that the provider
    counted, or an estimate where it tells none. The length of replies is the LLM's own setting (`max_tokens` and its like):
    each provider names it otherwise.

    Args:
        llm: Answers; its callbacks and instrumentation see every call.
        is_sync: Whether to call its sync methods, each in a thread. An HTTP client belongs to the loop that opened it, so
            sync code must not use the async one on another loop.
    """

    def __init__(self, llm: LLM, *, is_sync: bool = False) -> None:
        self._llm, self._is_sync = llm, is_sync
        self._is_refused = False

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
        """The reply by structured prediction; None where the LLM does not know it after all."""
        # Texts go in as variables: braces in a document must not be taken for those of a template.
        names = [f"message_{number}" for number in range(len(messages))]
        prompt = ChatPromptTemplate(
            [
                ChatMessage(role=message.role, content=f"{{{name}}}")
                for name, message in zip(names, messages, strict=True)
            ]
        )
        texts = {name: message.content for name, message in zip(names, messages, strict=True)}
        heard: list[ChatResponse] = []
        token = _heard.set(heard)
        try:
            form: BaseModel = await self._run(
                self._llm.structured_predict, self._llm.astructured_predict, _form(json.dumps(schema)), prompt, **texts
            )
        except Exception as error:
            if heard:
                # It replied, and not in the form: what it wrote is read like any other text.
                return self._written(heard[-1]), heard[-1]
            if not isinstance(error, ValueError | NotImplementedError) and _status(error) not in _REFUSED:
                raise
            self._is_refused = True
            return None
        finally:
            _heard.reset(token)
        return json.dumps(form.model_dump(), ensure_ascii=False), heard[-1] if heard else None

    def _written(self, response: ChatResponse) -> str:
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
    """Hears the response behind a structured prediction, which returns only the form: tokens are counted from it."""

    @classmethod
    def class_name(cls) -> str:
        return "ThumbIndexUsageHandler"

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:  # noqa: ARG002, the base class names them
        heard = _heard.get()
        if heard is not None and isinstance(event, LLMChatEndEvent) and event.response is not None:
            heard.append(event.response)


# The dispatcher through which LLMs report their calls.
get_dispatcher("llama_index.core.llms.callbacks").add_event_handler(UsageHandler())


def _is_structured(llm: LLM) -> bool:
    return llm.metadata.is_function_calling_model or bool(getattr(llm, "should_use_structured_outputs", False))


def _status(error: Exception) -> object:
    return getattr(error, "status_code", getattr(error, "code", None))


@lru_cache(maxsize=16)
def _form(schema: str) -> type[BaseModel]:
    """A class that LlamaIndex takes for structured prediction: it shows this JSON schema, and takes any fields besides those
    that it requires; what is in them is judged where replies are read."""
    wanted: dict[str, Any] = json.loads(schema)

    class Form(BaseModel):
        model_config = ConfigDict(extra="allow")

        @model_validator(mode="before")
        @classmethod
        def _is_filled(cls, values: dict[str, Any]) -> dict[str, Any]:
            # Some versions first call a tool of one argument without its name, and by its name only if that fails.
            missing = [name for name in wanted.get("required", ()) if name not in values]
            if missing:
                raise ValueError(f"{', '.join(missing)} missing")
            return values

        @classmethod
        def __get_pydantic_json_schema__(cls, _core: CoreSchema, _handler: GetJsonSchemaHandler) -> dict[str, Any]:
            return dict(wanted)

    Form.__name__ = Form.__qualname__ = str(wanted["title"])
    return Form


def _usage(response: ChatResponse | None, messages: Sequence[Message], text: str) -> Usage:
    try:
        tokens_in, tokens_out = get_tokens_from_response(response) if response is not None else (0, 0)
    except (AttributeError, TypeError, ValueError):  # a raw response of a shape that LlamaIndex does not know
        tokens_in = tokens_out = 0
    if not tokens_in and not tokens_out:
        return estimate_usage(messages, text)
    return Usage(tokens_in or 0, tokens_out or 0, _cached(response.raw if response is not None else None), calls=1)


def _cached(raw: object) -> int:
    """Tokens of the prompt that came from the provider's cache, as OpenAI and its like, Anthropic or Google tell them."""
    usage = _field(raw, "usage") or _field(raw, "usage_metadata")
    details = _field(usage, "prompt_tokens_details")
    for told in (
        _field(details, "cached_tokens"),
        _field(usage, "cache_read_input_tokens"),
        _field(usage, "cached_content_token_count"),
    ):
        if isinstance(told, int):
            return told
    return 0


def _field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
