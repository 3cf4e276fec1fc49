"""Chat models that play a script, as LangChain integrations behave, and handlers that write down what they hear."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field, PrivateAttr


class Scripted(BaseChatModel):
    """Plays its lines in order, in sync and in async calls, and keeps what it was asked and how.

    A line is a text, JSON, a message, an exception, or a function from the prompt to a text.

    The lines of a model that `has_tools` are played as arguments of the tool it was given, as most integrations hold a
    model to a schema.
    """

    lines: Any = ()
    has_tools: bool = False
    usage: tuple[int, int, int] | None = (11, 7, 3)
    calls: list[str] = Field(default_factory=list)
    prompts: list[Sequence[BaseMessage]] = Field(default_factory=list)
    threads: set[int] = Field(default_factory=set)
    model_name: str = "scripted-1"
    _lines: Any = PrivateAttr()
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    def model_post_init(self, context: Any) -> None:
        self._lines = iter(self.lines)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        if not self.has_tools:
            raise NotImplementedError
        return self.bind(tools=tools)

    def _play(self, how: str, messages: Sequence[BaseMessage], kwargs: Mapping[str, Any]) -> ChatResult:
        with self._lock:
            line = next(self._lines)
            self.calls.append(how)
            self.prompts.append(messages)
            self.threads.add(threading.get_ident())
        if callable(line) and not isinstance(line, AIMessage):
            line = line(messages)
        if isinstance(line, Exception):
            raise line
        message = line if isinstance(line, AIMessage) else self._message(line, kwargs)
        if self.usage is not None and message.usage_metadata is None:
            read, written, cached = self.usage
            message.usage_metadata = {
                "input_tokens": read,
                "output_tokens": written,
                "total_tokens": read + written,
                "input_token_details": {"cache_read": cached},
            }
        return ChatResult(generations=[ChatGeneration(message=message)])

    @staticmethod
    def _message(line: Any, kwargs: Mapping[str, Any]) -> AIMessage:
        if isinstance(line, Mapping) and kwargs.get("tools"):
            tool = kwargs["tools"][0]
            name = tool.get("title") or tool["function"]["name"]
            return AIMessage("", tool_calls=[ToolCall(name=name, args=dict(line), id="call-1")])
        return AIMessage(line if isinstance(line, str) else json.dumps(line))

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return self._play("sync", messages, kwargs)

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return self._play("async", messages, kwargs)


class Listener(BaseCallbackHandler):
    """Keeps the runs and custom events it hears, in order: (kind, name, data, tags, id, parent's id)."""

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
        """Name of the run that a run with this name is a child of."""
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


@pytest.fixture
def listener() -> Listener:
    return Listener()
