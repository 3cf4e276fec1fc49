"""LLMs that play a script through LlamaIndex's own classes, and a listener to its instrumentation."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    LLMMetadata,
)
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.llms.callbacks import llm_chat_callback
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools import BaseTool
from llama_index.core.utils import globals_helper
from pydantic import Field

from made_llama import ChatOnly

USAGE = {"prompt_tokens": 120, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 100}}

Line = str | dict[str, Any] | Exception


class ScriptedLLM(ChatOnly):
    """Plays its lines in order: text is said, a dict is the arguments of a call to the tool it was given, an error raised.

    Args:
        functions: Whether it says that it calls functions.
        usage: Whether it tells its tokens as OpenAI does.
        calls: What it was asked: the method, the messages, the tools, the thread.
        entered: Set when an async call begins, which then waits for `release`.
    """

    lines: list[Any]
    functions: bool = False
    usage: bool = True
    window: int = 32_000
    calls: list[tuple[str, list[ChatMessage], list[dict[str, Any]], str]] = Field(default_factory=list)
    entered: Any = None
    release: Any = None

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(
            model_name="scripted",
            context_window=self.window,
            is_chat_model=True,
            is_function_calling_model=self.functions,
        )

    def prompts(self) -> list[str]:
        return ["\n".join(str(message.content) for message in messages) for _, messages, _, _ in self.calls]

    def _play(self, method: str, messages: Sequence[ChatMessage], tools: list[dict[str, Any]]) -> ChatResponse:
        self.calls.append((method, list(messages), tools, threading.current_thread().name))
        line = self.lines[min(len(self.calls), len(self.lines)) - 1]
        if isinstance(line, Exception):
            raise line
        text, call = (line, None) if isinstance(line, str) else ("", line)
        message = ChatMessage(role="assistant", content=text, additional_kwargs={} if call is None else {"call": call})
        return ChatResponse(message=message, raw={"usage": USAGE} if self.usage else None)

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return self._play("chat", messages, kwargs.get("tools", []))

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        if self.entered is not None:
            self.entered.set()
            await self.release.wait()
        return self._play("achat", messages, kwargs.get("tools", []))

    def get_tool_calls_from_response(
        self, response: ChatResponse, error_on_no_tool_call: bool = True, **kwargs: Any
    ) -> list[ToolSelection]:
        call = response.message.additional_kwargs.get("call")
        if call is None:
            if error_on_no_tool_call:
                raise ValueError("no tool was called")
            return []
        return [ToolSelection(tool_id="1", tool_name=kwargs.get("name", "selection"), tool_kwargs=call)]

    def _prepare_chat_with_tools(
        self,
        tools: Sequence[BaseTool],
        user_msg: Any = None,
        chat_history: Any = None,
        verbose: bool = False,
        allow_parallel_tool_calls: bool = False,
        tool_required: bool = False,
        **kwargs: Any,
    ) -> dict[str, Any]:
        return {"messages": chat_history, "tools": [tool.metadata.to_openai_tool() for tool in tools]}


class Listener(BaseEventHandler):
    """Keeps the events it hears."""

    heard: list[Any] = Field(default_factory=list)

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        self.heard.append(event)

    def named(self, name: str) -> list[Any]:
        return [event for event in self.heard if event.class_name() == name]


@pytest.fixture
def listener() -> Iterator[Listener]:
    """On the root dispatcher, where applications put theirs."""
    root, handler = get_dispatcher(), Listener()
    root.add_event_handler(handler)
    yield handler
    root.event_handlers.remove(handler)


@pytest.fixture(scope="session", autouse=True)
def splitter() -> None:
    """Make LlamaIndex's splitter ready in an environment whose files uv has linked and not copied.

    NLTK refuses a linked list of stop words, at the first use only, and the splitter does not need it.
    """
    with contextlib.suppress(PermissionError):
        globals_helper.punkt_tokenizer  # noqa: B018, made at first use


@pytest.fixture(scope="session")
def scripted() -> type[ScriptedLLM]:
    """The class of LLMs that play a script."""
    return ScriptedLLM
