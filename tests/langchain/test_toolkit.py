"""The LangChain tools: text for the model, documents for the program, faults reported to the model."""

from __future__ import annotations

import pytest
from langchain_core.documents import Document
from langchain_core.messages import ToolCall, ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from langchain_thumbindex import ThumbIndexToolkit
from langchain_thumbindex.toolkit import TOOL_EVENT, artifact_documents
from scripted_langchain import Listener
from thumbindex import Library
from thumbindex.conformance import QUESTION, sample_library
from thumbindex.text.tokens import estimate_tokens
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


def test_every_argument_is_described(tools: dict[str, BaseTool]) -> None:
    """A model sees what to write where."""
    for tool in tools.values():
        function = convert_to_openai_tool(tool)["function"]
        assert function["description"]
        for name, argument in function["parameters"]["properties"].items():
            assert argument.get("description"), f"{tool.name} does not describe {name}"


def test_filters_narrow_what_the_tools_see() -> None:
    """What does not pass them does not exist for the agent: not in lists, not by name, not in a search."""
    tools = {
        tool.name: tool for tool in ThumbIndexToolkit(sample_library(), filters={"title": "Treasury guide"}).get_tools()
    }
    assert tools["browse_documents"].invoke({}).startswith("1 document:")
    refused = tools["read_section"].invoke(call("read_section", document="loans", node="1"))
    assert refused.status == "error"
    assert "There is no document 'loans'" in refused.text
    found = tools["search_text"].invoke(call("search_text", query=QUESTION)).artifact
    assert {document.metadata["source"] for document in found} == {"treasury.md"}


@pytest.mark.parametrize("cap", [200, 600])
def test_no_output_is_longer_than_its_cap_and_each_says_how_to_go_on(cap: int) -> None:
    """A long section comes in parts, by the hint at the end of each."""
    library = Library()
    body = "\n".join(f"Sentence number {number} of a very long section." for number in range(400))
    library.add(f"# Long\n\n{body}\n".encode(), name="long.md")
    tools = {tool.name: tool for tool in ThumbIndexToolkit(library, max_output_tokens=cap).get_tools()}
    section = library.tree("long.md").nodes[0].id
    first = tools["read_section"].invoke({"document": "long.md", "node": section})
    assert estimate_tokens(first) <= cap
    assert "part=2" in first
    assert tools["read_section"].invoke({"document": "long.md", "node": section, "part": 2}) != first


async def test_each_call_is_an_event_with_the_sections_it_shows(tools: dict[str, BaseTool], listener: Listener) -> None:
    """For a user interface: plain data, in sync and in async."""
    tools["search_text"].invoke({"query": QUESTION}, {"callbacks": [listener]})
    await tools["search_text"].ainvoke({"query": QUESTION}, {"callbacks": [listener]})
    first, second = [data for kind, name, data in listener.heard if (kind, name) == ("event", TOOL_EVENT)]
    assert first == second
    assert first["tool"] == "search_text"
    assert {"id", "section_path", "citation"} == first["sections"][0].keys()
    assert "[loans, p. 2]" in [section["citation"] for section in first["sections"]]


def test_the_artifact_outlives_a_checkpoint(tools: dict[str, BaseTool]) -> None:
    """LangGraph stores it as plain data; the same documents come back of it."""
    message = tools["search_text"].invoke(call("search_text", query=QUESTION))
    serializer = JsonPlusSerializer()
    stored = serializer.loads_typed(serializer.dumps_typed(message))
    assert artifact_documents(stored) == artifact_documents(message) == message.artifact
    assert artifact_documents(ToolMessage("no artifact", tool_call_id="1")) == []
    assert artifact_documents(ToolMessage("another", tool_call_id="1", artifact=[{"rows": 3}, 4])) == []
