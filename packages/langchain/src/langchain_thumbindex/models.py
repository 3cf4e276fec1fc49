"""Any LangChain chat model as the chat model that thumbindex asks."""

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
# Words of servers and integrations that refuse a schema or tools, and would take the same prompt without.
_REFUSAL = re.compile(r"response_format|json_schema|json_object|structured|grammar|tool|function", re.IGNORECASE)


@dataclass(slots=True)
class ModelQuirks:
    """What calls have shown about a model."""

    refuses_schemas: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class LangChainChat:
    """A LangChain chat model for `Library.ask`, `Library.summarize` and wherever else thumbindex takes a model.

    Sync calls of the library reach the model's sync methods, in a thread, and async calls its async ones.
    Its own settings hold: a limit on the reply, if there is to be one, belongs in the model (`max_tokens=...`).

    Args:
        model: A chat model, or a runnable around one: `model.with_retry()`, `model.with_fallbacks([...])`.
        method: How replies are held to a schema, as `with_structured_output(method=...)` takes it; None for the model's own
            way. A model that refuses is asked without from then on: replies that are not quite JSON are read too.
        config: Goes along with every call: callbacks, tags, metadata.
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
            # Wrapped models answer for the one inside.
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
        """A reply held to the schema; None where the model knows no way to do that."""
        options = {} if self.method is None else {"method": self.method}
        try:
            held = self.model.with_structured_output(dict(schema), include_raw=True, **options)  # type: ignore[union-attr]
        except Exception:  # of many kinds, and nothing was asked yet: a model without tools, a wrapper that cannot
            self.quirks.refuses_schemas = True
            return None
        try:
            answer = await self._call(_without_parser(held), prompt)
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
    """From what `llm=` takes: a chat model, a runnable around one, a model of thumbindex, or "provider:model".

    Raises:
        ImportError: the text names a model, and the package that makes models of names is not installed.
        TypeError: it is none of these.
    """
    if isinstance(llm, str):
        try:
            from langchain.chat_models import init_chat_model
        except ImportError as error:
            raise ImportError(
                f"llm={llm!r} is made by the package langchain, which is not installed: pip install "
                "'langchain-thumbindex[agents]', or pass a chat model such as ChatOpenAI(...)."
            ) from error
        return LangChainChat(init_chat_model(llm))
    if isinstance(llm, Runnable):
        return LangChainChat(llm)
    if isinstance(llm, ChatModel):
        return llm
    raise TypeError(f"llm takes a LangChain chat model or 'provider:model', not {type(llm).__name__}.")


def _without_parser(held: Runnable[Any, Any]) -> Runnable[Any, Any]:
    """Only the model of what `with_structured_output` makes: its parser would be eight more runs in the trace of each step."""
    first = held.first if isinstance(held, RunnableSequence) else None
    return first.steps__.get("raw", held) if isinstance(first, RunnableParallel) else held


def _text(message: AIMessage) -> tuple[AIMessage, str]:
    """A message and what it says: text, or what it would call a tool with, even if that is no valid JSON."""
    if text := message.text.strip():
        return message, text
    if message.tool_calls:
        return message, json.dumps(message.tool_calls[0]["args"], ensure_ascii=False)
    return message, (message.invalid_tool_calls[0]["args"] or "") if message.invalid_tool_calls else ""


def _cut_reply(error: Any) -> AIMessage | None:
    """What the model had written, where OpenAI's client raises because a reply with a schema ran into its limit."""
    try:
        (choice, *_), usage = error.completion.choices, error.completion.usage
        counted = None if usage is None else (usage.prompt_tokens, usage.completion_tokens)
        written = choice.message.content or ""
    except (AttributeError, ValueError):
        return None
    message = AIMessage(written, response_metadata={"finish_reason": "length"})
    if counted is not None:
        message.usage_metadata = UsageMetadata(
            input_tokens=counted[0], output_tokens=counted[1], total_tokens=sum(counted)
        )
    return message


def _usage(message: AIMessage) -> Usage | None:
    counted = message.usage_metadata
    if counted is None:
        return None
    details: Mapping[str, object] = counted.get("input_token_details") or {}
    cached = details.get("cache_read")
    return Usage(counted["input_tokens"], counted["output_tokens"], cached if isinstance(cached, int) else 0, calls=1)
