"""The models that the page leaves to the reader."""

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models.fake_chat_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable


class ToolCallingModel(GenericFakeChatModel):
    """Plays its messages whatever tools it is given."""

    def bind_tools(self, tools: Sequence[Any], **_options: Any) -> Runnable[Any, AIMessage]:
        return self


model = FakeListChatModel(responses=["The note on borrowings states it."])
agent_model = ToolCallingModel(
    messages=iter(
        [
            AIMessage("", tool_calls=[{"name": "search_text", "args": {"query": "term loan rate"}, "id": "1"}]),
            AIMessage("The note on borrowings states it."),
        ]
    )
)
