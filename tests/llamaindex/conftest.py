"""A listener to LlamaIndex's instrumentation."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.utils import globals_helper
from pydantic import Field


class Listener(BaseEventHandler):
    """Records the events that it receives."""

    events: list[Any] = Field(default_factory=list)

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        self.events.append(event)

    def named(self, name: str) -> list[Any]:
        return [event for event in self.events if event.class_name() == name]


@pytest.fixture
def listener() -> Iterator[Listener]:
    """A handler on the root dispatcher, where applications put theirs."""
    root, handler = get_dispatcher(), Listener()
    root.add_event_handler(handler)
    yield handler
    root.event_handlers.remove(handler)


@pytest.fixture(scope="session", autouse=True)
def splitter() -> None:
    """Prepares LlamaIndex's splitter in an environment whose files uv has linked and not copied.

    NLTK refuses a linked list of stop words, at the first use only, and the splitter does not need it.
    """
    with contextlib.suppress(PermissionError):
        globals_helper.punkt_tokenizer  # noqa: B018, made at first use
