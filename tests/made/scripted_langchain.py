"""A LangChain chat model that plays a script, for tests and for the models that documentation leaves to its reader."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field, PrivateAttr

Line = str | Mapping[str, Any] | AIMessage | Exception | Callable[[Sequence[BaseMessage]], str]


class ScriptedChat(BaseChatModel):
    """Plays its lines in order, in sync and in async calls, and streams them word by word.

    A line is a text, JSON, a message, an exception to raise, or a function from the prompt to a text. JSON lines of a model that
    `has_tools` are arguments of the first tool that is bound, which is how most integrations hold a model to a schema.

    Attributes:
        usage: Tokens read, written and cached of each call; None for a model that reports none.
        calls: "sync" or "async" for each call.
        prompts: Messages of each call.
        threads: Ids of the threads of all calls.
    """

    lines: Any = ()  # Iterable[Line], which pydantic would copy
    has_tools: bool = False
    usage: tuple[int, int, int] | None = (11, 7, 3)
    model_name: str = "scripted-1"
    calls: list[str] = Field(default_factory=list)
    prompts: list[Sequence[BaseMessage]] = Field(default_factory=list)
    threads: set[int] = Field(default_factory=set)
    _lines: Iterator[Line] = PrivateAttr()
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    def model_post_init(self, _context: Any) -> None:
        self._lines = iter(self.lines)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_options: Any) -> Runnable[Any, AIMessage]:
        if not self.has_tools:
            raise NotImplementedError
        return self.bind(tools=tools)

    def _play(self, how: str, messages: Sequence[BaseMessage], options: Mapping[str, Any]) -> AIMessage:
        with self._lock:
            line = next(self._lines)
            self.calls.append(how)
            self.prompts.append(messages)
            self.threads.add(threading.get_ident())
        if isinstance(line, Exception):
            raise line
        if isinstance(line, AIMessage):
            message = line.model_copy(deep=True)
        elif isinstance(line, Mapping) and (tools := options.get("tools")):
            name = tools[0].get("title") or tools[0]["function"]["name"]
            message = AIMessage("", tool_calls=[ToolCall(name=name, args=dict(line), id="call-1")])
        elif isinstance(line, str | Mapping):
            message = AIMessage(line if isinstance(line, str) else json.dumps(line))
        else:
            message = AIMessage(line(messages))
        if self.usage is not None and message.usage_metadata is None:
            read, written, cached = self.usage
            message.usage_metadata = {
                "input_tokens": read,
                "output_tokens": written,
                "total_tokens": read + written,
                "input_token_details": {"cache_read": cached},
            }
        return message

    def _generate(self, messages: list[BaseMessage], *_args: Any, **options: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._play("sync", messages, options))])

    async def _agenerate(self, messages: list[BaseMessage], *_args: Any, **options: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._play("async", messages, options))])

    def _stream(self, messages: list[BaseMessage], *_args: Any, **options: Any) -> Iterator[ChatGenerationChunk]:
        yield from _chunks(self._play("sync", messages, options))

    async def _astream(
        self, messages: list[BaseMessage], *_args: Any, **options: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in _chunks(self._play("async", messages, options)):
            yield chunk


def _chunks(message: AIMessage) -> Iterable[ChatGenerationChunk]:
    words = re.findall(r"\s*\S+|\s+\Z", message.content) if isinstance(message.content, str) else [message.content]
    for content in words[:-1]:
        yield ChatGenerationChunk(message=AIMessageChunk(content=content))
    fields = {**message.model_dump(exclude={"type"}), "content": words[-1] if words else ""}
    yield ChatGenerationChunk(message=AIMessageChunk(**fields))


class Listener(BaseCallbackHandler):
    """A callback handler that records runs and custom events in order, as kind, name and data."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str, Any]] = []
        self.tags: dict[str, list[str]] = {}
        self.parents: dict[Any, Any] = {}
        self.names: dict[Any, str] = {}

    def _start(self, kind: str, name: str, data: Any, kwargs: Mapping[str, Any]) -> None:
        self.heard.append((kind, name, data))
        self.tags[name] = kwargs.get("tags") or []
        self.parents[kwargs["run_id"]] = kwargs.get("parent_run_id")
        self.names[kwargs["run_id"]] = name

    def parent_of(self, name: str) -> str | None:
        """Name of the parent of the run with this name."""
        run = next(run for run, its in self.names.items() if its == name)
        return self.names.get(self.parents[run])

    def on_retriever_start(self, serialized: Any, query: str, **kwargs: Any) -> None:
        self._start("retriever", kwargs["name"], query, kwargs)

    def on_chain_start(self, serialized: Any, inputs: Any, **kwargs: Any) -> None:
        self._start("start", kwargs["name"], inputs, kwargs)

    def on_chain_end(self, outputs: Any, **kwargs: Any) -> None:
        self.heard.append(("end", self.names.get(kwargs["run_id"], ""), outputs))

    def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
        self._start("model", "model", messages, kwargs)

    def on_custom_event(self, name: str, data: Any, **kwargs: Any) -> None:
        self.heard.append(("event", name, data))
