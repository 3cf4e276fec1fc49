"""The models that the page leaves to the reader."""

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms import MockLLM
from llama_index.core.llms.mock import MockFunctionCallingLLM


def reply(messages: Sequence[ChatMessage], **_options: Any) -> ChatMessage:
    """Search first; answer when the result is there."""
    if messages[-1].role is MessageRole.TOOL:
        return ChatMessage(role="assistant", content="The note on borrowings states it.")
    call = ToolCallBlock(tool_name="search_text", tool_kwargs={"query": "term loan rate"}, tool_call_id="1")
    return ChatMessage(role="assistant", blocks=[call])


llm = MockLLM()
agent_llm = MockFunctionCallingLLM(response_generator=reply, is_chat_model=True)
