"""The frameworks' own MCP clients: each lists the tools, searches, and gets the message of a mistake."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from thumbindex import Library
from thumbindex.testing import sample_library

if TYPE_CHECKING:
    from tests.core.mcp.conftest import Serve

PROGRAM = str(Path(sysconfig.get_path("scripts"), "thumbindex"))
QUESTION = {"query": "How long does a wick last?"}
MISTAKE = {"document": "none.md"}


@pytest.fixture
def path(tmp_path: Path) -> str:
    """The path of a library file, for servers in their own process."""
    with Library(tmp_path / "my.db") as library:
        for info in (sample := sample_library()).list():
            library.import_tree(sample.tree(info.doc_id), source=info.name)
    return str(tmp_path / "my.db")


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_the_agents_sdk(path: str, serve: Serve, transport: str) -> None:
    """Over both transports; the model gets the text, or the structured form on request."""
    agents_mcp = pytest.importorskip("agents.mcp")
    if transport == "stdio":
        connection = agents_mcp.MCPServerStdio(
            {"command": PROGRAM, "args": ["mcp", "--library", path]},
            cache_tools_list=True,
            client_session_timeout_seconds=60,
        )
    else:
        connection = agents_mcp.MCPServerStreamableHttp(
            {"url": serve(sample_library())}, use_structured_content=True, client_session_timeout_seconds=60
        )
    async with connection as server:
        assert len(await server.list_tools()) == 6
        found = await server.call_tool("search_text", QUESTION)
        assert "about ninety hours" in str(found.content)
        mistake = await server.call_tool("get_document_structure", MISTAKE)
        assert "Call browse_documents for ids" in str(mistake.content)


async def test_an_agent_reads_over_mcp(serve: Serve) -> None:
    """In a complete run with no other tools."""
    agents = pytest.importorskip("agents")
    agents_mcp = pytest.importorskip("agents.mcp")
    from scripted_agents import ScriptedAgentModel

    model = ScriptedAgentModel([("search_text", {"query": "wick lasts"})], "Ninety hours.")
    async with agents_mcp.MCPServerStreamableHttp(
        {"url": serve(sample_library())}, client_session_timeout_seconds=60
    ) as server:
        agent = agents.Agent(name="A", model=model, mcp_servers=[server])
        result = await agents.Runner.run(agent, "?")
    assert result.final_output == "Ninety hours."
    assert "about ninety hours" in model.outputs()[-1]


async def test_langchain(path: str) -> None:
    """The model gets the text, the artifact is the structured form, mistakes are errors."""
    langchain_mcp = pytest.importorskip("langchain.mcp", reason="pip install 'langchain[mcp]'")
    from fastmcp.client.transports import StdioTransport

    async with langchain_mcp.MCPAdapter(StdioTransport(PROGRAM, ["mcp", "--library", path])) as adapter:
        tools = {tool.name: tool for tool in await adapter.list_tools()}
        assert len(tools) == 6
        call = {"type": "tool_call", "id": "1"}
        found = await tools["search_text"].ainvoke(call | {"name": "search_text", "args": QUESTION})
        assert "about ninety hours" in str(found.content)
        assert "4.2 Wick" in str(found.artifact)
        mistake = await tools["get_document_structure"].ainvoke(
            call | {"name": "get_document_structure", "args": MISTAKE}
        )
        assert mistake.status == "error"
        assert "Call browse_documents for ids" in str(mistake.content)


async def test_llamaindex(path: str, serve: Serve) -> None:
    """Over both transports."""
    llama = pytest.importorskip("llama_index.tools.mcp", reason="pip install llama-index-tools-mcp")
    for client in (
        llama.BasicMCPClient(PROGRAM, args=["mcp", "--library", path]),
        llama.BasicMCPClient(serve(sample_library())),
    ):
        tools = {tool.metadata.name: tool for tool in await llama.McpToolSpec(client).to_tool_list_async()}
        assert len(tools) == 6
        found = await tools["search_text"].acall(**QUESTION)
        assert "about ninety hours" in str(found)
        assert "Call browse_documents for ids" in str(await tools["get_document_structure"].acall(**MISTAKE))
