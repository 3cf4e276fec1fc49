"""LangChain chat models as chat models of thumbindex."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.runnables import Runnable, RunnableConfig, RunnableParallel, RunnableSequence
from langchain_core.runnables.config import merge_configs

from thumbindex.errors import ModelUnavailable
from thumbindex.models import ChatModel, JsonSchema, Message, Reply, Usage, estimate_usage, is_for_sync_caller

_MESSAGE_TYPES = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
_REFUSAL = re.compile(r"response_format|json_schema|json_object|structured|grammar|tool|function", re.IGNORECASE)
"""Words in errors of servers and integrations that accept no schema or tools; they accept the same prompt without."""


@dataclass(slots=True)
class ModelQuirks:
    """Properties of a model that its first calls have shown."""

    refuses_schemas: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class LangChainChat:
    """A LangChain chat model for `Library.ask`, `Library.summarize`, navigators and other users of a `ChatModel`.

    Sync callers reach the model's sync methods, in a thread, and async callers its async methods. Limit the length of replies
    in the model itself (`max_tokens=...`).

    Args:
        model: A chat model, or a runnable around one: `model.with_retry()`, `model.with_fallbacks([...])`.
        method: Method of `with_structured_output` by which replies follow a schema; None for the model's default. A model that
            refuses is called without a schema from then on: replies that are almost JSON can be read too.
        config: Callbacks, tags and metadata of every call.
    """

    model: BaseChatModel | Runnable[Any, Any]
    method: str | None = None
    config: RunnableConfig = field(default_factory=RunnableConfig)
    quirks: ModelQuirks = field(default_factory=ModelQuirks, repr=False)

    def with_config(self, config: RunnableConfig) -> LangChainChat:
        """The same model, called with this config on top of its own."""
        return replace(self, config=merge_configs(self.config, config))

    @property
    def name(self) -> str:
        """The model's own name, else that of its class."""
        for attribute in ("model_name", "model", "model_id"):
            # Wrappers such as `with_retry()` pass attributes on.
            if isinstance(name := getattr(self.model, attribute, None), str):
                return name
        return type(self.model).__name__

    async def chat(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        max_tokens: int | None = None,  # noqa: ARG002
    ) -> Reply:
        """The model's reply. `max_tokens` is not passed on, since integrations have no common name for it.

        Raises:
            ModelUnavailable: the model raised; its own error is the cause.
        """
        prompt: list[BaseMessage] = [_MESSAGE_TYPES[message.role](content=message.content) for message in messages]
        try:
            reply = None if schema is None or self.quirks.refuses_schemas else await self._structured(prompt, schema)
            message, text = reply or _text(await self._call(self.model, prompt))
        except Exception as error:
            raise ModelUnavailable(self.name, f"{type(error).__name__}: {error}") from error
        usage = _usage(message)
        is_cut = message.response_metadata.get("finish_reason") in ("length", "MAX_TOKENS", "max_tokens")
        return Reply(text, estimate_usage(messages, text) if usage is None else usage, is_cut)

    async def _structured(self, prompt: list[BaseMessage], schema: JsonSchema) -> tuple[AIMessage, str] | None:
        """A reply that follows the schema; None if the model cannot be held to one."""
        options = {} if self.method is None else {"method": self.method}
        try:
            structured = self.model.with_structured_output(dict(schema), include_raw=True, **options)  # type: ignore[union-attr]
        except Exception:  # of many kinds; no request was sent: a model without tools, a wrapper without the method
            self.quirks.refuses_schemas = True
            return None
        try:
            answer = await self._call(_without_parser(structured), prompt)
        except OutputParserException:
            return None
        except Exception as error:
            if (cut := _cut_reply(error)) is not None:
                return _text(cut)
            if not _REFUSAL.search(str(error)):
                raise
            self.quirks.refuses_schemas = True
            return None
        return _text(answer if isinstance(answer, AIMessage) else answer["raw"])

    async def _call(self, runnable: Runnable[Any, Any], prompt: list[BaseMessage]) -> Any:
        if is_for_sync_caller():
            return await asyncio.to_thread(runnable.invoke, prompt, self.config)
        return await runnable.ainvoke(prompt, self.config)


def as_chat_model(llm: object) -> ChatModel:
    """Converts a chat model, a runnable around one, a model of thumbindex or "provider:model" to a `ChatModel`.

    Raises:
        ImportError: a model is given by name, and the package langchain is not installed.
        TypeError: any other value.
    """
    if isinstance(llm, str):
        try:
            from langchain.chat_models import init_chat_model
        except ImportError as error:
            raise ImportError(
                f"llm={llm!r} needs the package langchain: pip install 'langchain-thumbindex[agents]', or pass a chat model "
                "such as ChatOpenAI(...)."
            ) from error
        return LangChainChat(init_chat_model(llm))
    if isinstance(llm, Runnable):
        return LangChainChat(llm)
    if isinstance(llm, ChatModel):
        return llm
    raise TypeError(f"llm takes a LangChain chat model or 'provider:model', not {type(llm).__name__}.")


def _without_parser(structured: Runnable[Any, Any]) -> Runnable[Any, Any]:
    """The model inside the result of `with_structured_output`, whose parser would add eight runs to the trace of each call."""
    first = structured.first if isinstance(structured, RunnableSequence) else None
    return first.steps__.get("raw", structured) if isinstance(first, RunnableParallel) else structured


def _text(message: AIMessage) -> tuple[AIMessage, str]:
    """A message with its text, or else the arguments of its tool call, even if they are no valid JSON."""
    if text := message.text.strip():
        return message, text
    if message.tool_calls:
        return message, json.dumps(message.tool_calls[0]["args"], ensure_ascii=False)
    return message, (message.invalid_tool_calls[0]["args"] or "") if message.invalid_tool_calls else ""


def _cut_reply(error: Any) -> AIMessage | None:
    """The reply so far, from the error that OpenAI's client raises if a reply with a schema reaches its token limit."""
    try:
        text, usage = error.completion.choices[0].message.content or "", error.completion.usage
    except (AttributeError, IndexError):
        return None
    message = AIMessage(text, response_metadata={"finish_reason": "length"})
    if usage is not None:
        read, written = usage.prompt_tokens, usage.completion_tokens
        message.usage_metadata = UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)
    return message


def _usage(message: AIMessage) -> Usage | None:
    counted = message.usage_metadata
    if counted is None:
        return None
    details: Mapping[str, object] = counted.get("input_token_details") or {}
    cached = details.get("cache_read")
    return Usage(counted["input_tokens"], counted["output_tokens"], cached if isinstance(cached, int) else 0, calls=1)
