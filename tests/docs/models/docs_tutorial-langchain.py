"""The model that the tutorial leaves to the reader: it answers, searches, cites a wrong page, and mends that."""

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable


class ToolCallingModel(GenericFakeChatModel):
    """Plays its messages whatever tools it is given."""

    def bind_tools(self, tools: Sequence[Any], **_options: Any) -> Runnable[Any, AIMessage]:
        return self


def turns() -> Iterator[AIMessage]:
    """The replies, in the order in which the tutorial asks for them."""
    yield AIMessage("It is fixed at 4.35 per cent [annual-report.pdf, p. 43].")
    yield AIMessage("", tool_calls=[{"name": "search_text", "args": {"query": "term loan rate"}, "id": "call-1"}])
    yield AIMessage("The term loan bears a fixed rate of 4.35 per cent [annual-report.pdf, p. 12].")
    yield AIMessage("The term loan bears a fixed rate of 4.35 per cent [annual-report.pdf, p. 43].")
    yield AIMessage("It was drawn in June 2024 for seven years [annual-report.pdf, p. 43].")
    yield from repeat(AIMessage('{"sections": []}'))


chat_model = ToolCallingModel(messages=turns())
