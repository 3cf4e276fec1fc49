"""The LangChain tools: text for the model, documents for the program, faults told to the model."""

from __future__ import annotations

import pytest
from langchain_core.documents import Document
from langchain_core.messages import ToolCall, ToolMessage
from langchain_core.tools import BaseTool

from langchain_thumbindex import ThumbIndexToolkit
from thumbindex.conformance import QUESTION, sample_library
from thumbindex.tools import catalogue


@pytest.fixture(scope="module")
def tools() -> dict[str, BaseTool]:
    return {tool.name: tool for tool in ThumbIndexToolkit(sample_library()).get_tools()}


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall(name=name, args=arguments, id="call-1", type="tool_call")


def test_the_toolkit_is_the_catalogue(tools: dict[str, BaseTool]) -> None:
    """Names, descriptions and arguments are decided in one place for all frameworks."""
    expected = {tool.name: (tool.description, tool.arguments) for tool in catalogue(sample_library())}
    assert {name: (tool.description, tool.args_schema) for name, tool in tools.items()} == expected


def test_a_tool_gives_text_to_the_model_and_documents_to_the_program(tools: dict[str, BaseTool]) -> None:
    """The artifact holds the sections that the text quotes, as the retriever would return them."""
    message = tools["search_text"].invoke(call("search_text", query=QUESTION))
    assert isinstance(message, ToolMessage)
    assert "4.25" in message.text or "Term loan" in message.text
    assert message.artifact
    assert all(isinstance(document, Document) for document in message.artifact)
    assert "Borrowings › Term loan" in {document.metadata["section_path"] for document in message.artifact}


async def test_sync_and_async_agree(tools: dict[str, BaseTool]) -> None:
    """One implementation behind both."""
    asked = call("search_text", query=QUESTION)
    assert (await tools["search_text"].ainvoke(asked)).content == tools["search_text"].invoke(asked).content


def test_a_tool_without_sections_has_an_empty_artifact(tools: dict[str, BaseTool]) -> None:
    """Never None, which LangChain's standard tests forbid."""
    assert tools["browse_documents"].invoke(call("browse_documents")).artifact == []


def test_what_the_model_did_wrong_comes_back_as_an_error_message(tools: dict[str, BaseTool]) -> None:
    """It says what to do next, and the run goes on."""
    message = tools["get_page_content"].invoke(call("get_page_content", document="no-such-file.pdf", pages="1"))
    assert message.status == "error"
    assert "no-such-file.pdf" in message.text


def test_a_toolkit_may_be_bound_to_documents_a_cap_and_a_prefix() -> None:
    """The three options of the catalogue."""
    toolkit = ThumbIndexToolkit(sample_library(), documents=["treasury.md"], max_output_tokens=200, prefix="guide_")
    tools = {tool.name: tool for tool in toolkit.get_tools()}
    assert all(name.startswith("guide_") for name in tools)
    listed = tools["guide_browse_documents"].invoke({})
    assert "treasury.md" in listed
    assert "| loans |" not in listed
    assert "guide_search_text" in toolkit.instructions
