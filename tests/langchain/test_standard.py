"""LangChain's own standard tests, all of them, without network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests, ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests
from pytest_socket import disable_socket, enable_socket

from langchain_thumbindex import ThumbIndexRetriever, ThumbIndexToolkit
from thumbindex.conformance import QUESTION, sample_library

LIBRARY = sample_library()
TOOLS = {tool.name: tool for tool in ThumbIndexToolkit(LIBRARY).get_tools()}
EXAMPLES: dict[str, dict[str, Any]] = {
    "browse_documents": {},
    "get_document_structure": {"document": "loans"},
    "get_page_content": {"document": "loans", "pages": "2-3"},
    "read_section": {"document": "loans", "node": LIBRARY.retrieve(QUESTION).evidence[0].node_id},
    "search_text": {"query": QUESTION},
    "follow_reference": {"document": "loans", "reference": "page 2"},
}


@pytest.fixture(autouse=True)
def no_network() -> Iterator[None]:
    # Unix sockets stay: an event loop talks to itself through one.
    disable_socket(allow_unix_socket=True)
    yield
    enable_socket()


class TestRetriever(RetrieversIntegrationTests):
    """The number of results, and sync and async calls."""

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return ThumbIndexRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"library": LIBRARY}

    @property
    def retriever_query_example(self) -> str:
        return QUESTION


def standard_tests_of(name: str, standard: type) -> type:
    """A class of standard tests for one tool of the catalogue; LangChain wants one for each set."""
    given = {
        "tool_constructor": property(lambda self: TOOLS[name]),
        "tool_invoke_params_example": property(lambda self: EXAMPLES[name]),
    }
    return type(f"Test_{name}_{standard.__name__}", (standard,), given)


for tool_name in TOOLS:
    for standard in (ToolsUnitTests, ToolsIntegrationTests):
        made = standard_tests_of(tool_name, standard)
        globals()[made.__name__] = made
del standard, made  # or pytest would collect the abstract class
