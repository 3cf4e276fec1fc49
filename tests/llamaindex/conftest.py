"""A listener to LlamaIndex's instrumentation."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.utils import globals_helper

from scripted_llama import Listener


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
