"""The models that the page leaves to the reader."""

import contextlib
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, CompletionResponse, LLMMetadata, MessageRole, ToolCallBlock
from llama_index.core.llms import CustomLLM, MockLLM
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.utils import globals_helper

# What the page warns of: NLTK refuses a file that uv has linked, at the first use only.
with contextlib.suppress(PermissionError):
    globals_helper.punkt_tokenizer  # noqa: B018, made at first use


class Saying(CustomLLM):
    """Says one thing where it is asked for sections, another where it answers."""

    answer: str = "It is 4.35 per cent."

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=8000)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        if "Reply with JSON only" in prompt:
            return CompletionResponse(text='{"sections": [{"number": 4, "reason": "it has the notes"}]}')
        return CompletionResponse(text=self.answer)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError


def reply(messages: Sequence[ChatMessage], **_options: Any) -> ChatMessage:
    """Search first; answer when the result is there."""
    if messages[-1].role is MessageRole.TOOL:
        return ChatMessage(role="assistant", content="The note on borrowings states it.")
    call = ToolCallBlock(tool_name="search_text", tool_kwargs={"query": "term loan rate"}, tool_call_id="1")
    return ChatMessage(role="assistant", blocks=[call])


llm = MockLLM()
navigator = Saying()
writer = Saying(answer="The term loan bears a fixed rate of 4.35 per cent [annual-report.pdf, p. 43].")
agent_llm = MockFunctionCallingLLM(response_generator=reply, is_chat_model=True)
