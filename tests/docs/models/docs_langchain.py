"""The models that the page leaves to the reader."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from langchain_core.language_models.fake_chat_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable


class ToolCallingModel(GenericFakeChatModel):
    """Plays its messages whatever tools it is given."""

    def bind_tools(self, tools: Sequence[Any], **_options: Any) -> Runnable[Any, AIMessage]:
        return self


model = FakeListChatModel(responses=["The note on borrowings states it."])
navigator_model = FakeListChatModel(
    responses=[
        '{"reason": "", "action": "search", "numbers": [], "text": "term loan rate"}',
        '{"reason": "its title says so", "action": "read", "numbers": [30], "text": ""}',
        '{"reason": "", "action": "answer", "numbers": [], "text": ""}',
    ]
)


def turns() -> Iterator[AIMessage]:
    """A search and an answer, again and again; new messages each time, as those of real models are."""
    for number in count():
        call = {"name": "search_text", "args": {"query": "term loan rate"}, "id": f"call-{number}"}
        yield AIMessage("", tool_calls=[call])
        yield AIMessage("The term loan bears a fixed rate of 4.35 per cent [annual-report.pdf, p. 43].")


agent_model = ToolCallingModel(messages=turns())
