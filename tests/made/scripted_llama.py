"""A LlamaIndex LLM that plays a script and a listener to the instrumentation, for all tests that run LlamaIndex."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseAsyncGen,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseAsyncGen,
    CompletionResponseGen,
    LLMMetadata,
)
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.llms.callbacks import llm_chat_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools import BaseTool
from pydantic import Field

USAGE = {"prompt_tokens": 120, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 100}}


class ScriptedLLM(FunctionCallingLLM):
    """Plays its lines in order, and the last one for all further calls.

    Args:
        lines: A text is the reply, a dict the arguments for the only tool, a pair calls the tool with that name, an exception
            is raised, and a function makes a line of the prompt.
        functions: Whether it reports that it calls functions.
        chats: Whether it reports that it is a chat model.
        usage: Whether it reports its tokens as OpenAI does.
        window: Context window in tokens.
        calls: Method, messages, tools and thread of each call.
        entered: An event that is set when an async call begins; the call then waits for `release`.
    """

    lines: list[Any]
    functions: bool = False
    chats: bool = True
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
            is_chat_model=self.chats,
            is_function_calling_model=self.functions,
        )

    @property
    def prompts(self) -> list[str]:
        """The messages of each call, joined."""
        return ["\n".join(str(message.content) for message in messages) for _, messages, _, _ in self.calls]

    def _play(self, method: str, messages: Sequence[ChatMessage], tools: list[dict[str, Any]]) -> ChatResponse:
        self.calls.append((method, list(messages), tools, threading.current_thread().name))
        line = self.lines[min(len(self.calls), len(self.lines)) - 1]
        if callable(line):
            line = line(self.prompts[-1])
        if isinstance(line, Exception):
            raise line
        message = ChatMessage(role="assistant", content=line if isinstance(line, str) else "")
        if not isinstance(line, str):
            message.additional_kwargs["call"] = ("", line) if isinstance(line, dict) else line
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

    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        response = self._play("stream_chat", messages, kwargs.get("tools", []))
        yield from _streamed(response)

    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseAsyncGen:
        async def stream() -> ChatResponseAsyncGen:
            for response in _streamed(self._play("astream_chat", messages, kwargs.get("tools", []))):
                yield response

        return stream()

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return _completion(self._play("complete", [ChatMessage(content=prompt)], []))

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        response = self._play("stream_complete", [ChatMessage(content=prompt)], [])
        yield from map(_completion, _streamed(response))

    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return _completion(self._play("acomplete", [ChatMessage(content=prompt)], []))

    async def astream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseAsyncGen:
        async def stream() -> CompletionResponseAsyncGen:
            for response in _streamed(self._play("astream_complete", [ChatMessage(content=prompt)], [])):
                yield _completion(response)

        return stream()

    def get_tool_calls_from_response(
        self, response: ChatResponse, error_on_no_tool_call: bool = True, **kwargs: Any
    ) -> list[ToolSelection]:
        call = response.message.additional_kwargs.get("call")
        if call is None:
            if error_on_no_tool_call:
                raise ValueError("no tool was called")
            return []
        name, arguments = call
        return [ToolSelection(tool_id=f"call-{len(self.calls)}", tool_name=name or "selection", tool_kwargs=arguments)]

    def _prepare_chat_with_tools(
        self,
        tools: Sequence[BaseTool],
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        verbose: bool = False,
        allow_parallel_tool_calls: bool = False,
        tool_required: bool = False,
        **kwargs: Any,
    ) -> dict[str, Any]:
        return {"messages": chat_history or [], "tools": [tool.metadata.to_openai_tool() for tool in tools]}


def _streamed(response: ChatResponse) -> Iterator[ChatResponse]:
    """The response word by word, each time with all words so far."""
    text = response.message.content or ""
    words = text.split(" ")
    for number in range(1, len(words) + 1):
        message = response.message.model_copy(update={"blocks": []})
        message.content = " ".join(words[:number])
        yield ChatResponse(
            message=message, delta=words[0] if number == 1 else f" {words[number - 1]}", raw=response.raw
        )


def _completion(response: ChatResponse) -> CompletionResponse:
    return CompletionResponse(text=response.message.content or "", delta=response.delta, raw=response.raw)


class Listener(BaseEventHandler):
    """Records the events that it receives."""

    events: list[Any] = Field(default_factory=list)

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        self.events.append(event)

    def named(self, name: str) -> list[Any]:
        return [event for event in self.events if event.class_name() == name]
