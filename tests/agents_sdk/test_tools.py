"""The tools for the Agents SDK: strict schemas, text for the model, faults reported to the model."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest
from agents import Agent, FunctionTool, RunContextWrapper, set_tracing_disabled
from agents.tool_context import ToolContext

from thumbindex import Library, Scope
from thumbindex.conformance import QUESTION, sample_library
from thumbindex.tools import INSTRUCTIONS, catalogue
from thumbindex_agents import ThumbIndexTools, thumbindex_tools

set_tracing_disabled(True)  # traces would be sent to a server


@pytest.fixture(scope="module")
def tools() -> ThumbIndexTools:
    return thumbindex_tools(sample_library())


def by_name(tools: ThumbIndexTools) -> dict[str, FunctionTool]:
    return {tool.name: tool for tool in tools if isinstance(tool, FunctionTool)}


async def call(tools: ThumbIndexTools, name: str, arguments: str) -> object:
    context = ToolContext(context=None, tool_name=name, tool_call_id="call-1", tool_arguments=arguments)
    return await by_name(tools)[name].on_invoke_tool(context, arguments)


def test_the_bundle_is_the_catalogue_and_its_instructions(tools: ThumbIndexTools) -> None:
    """A list, as `Agent` wants it, with the instructions beside it."""
    assert isinstance(tools, list)
    assert tools.instructions == INSTRUCTIONS
    expected = {tool.name: tool.description for tool in catalogue(sample_library())}
    assert {name: tool.description for name, tool in by_name(tools).items()} == expected


def test_schemas_are_strict(tools: ThumbIndexTools) -> None:
    """Every property is required and no other is allowed, in every object."""
    for tool in by_name(tools).values():
        assert tool.strict_json_schema
        assert tool.params_json_schema["additionalProperties"] is False
        assert set(tool.params_json_schema["required"]) == set(tool.params_json_schema["properties"])


async def test_an_agent_takes_the_bundle_and_sees_every_tool(tools: ThumbIndexTools) -> None:
    """Alone, or unpacked beside the user's own tools."""
    agent = Agent(name="Reader", instructions=tools.instructions, tools=tools)
    assert await agent.get_all_tools(RunContextWrapper(None)) == list(tools)


async def test_the_model_gets_the_text_of_the_catalogue(tools: ThumbIndexTools) -> None:
    """Nothing is added, nothing is cut."""
    (tool,) = [tool for tool in catalogue(sample_library()) if tool.name == "search_text"]
    given = tool.arguments(query=QUESTION)
    assert await call(tools, "search_text", given.model_dump_json()) == tool.run(**dict(given)).text


async def test_optional_arguments_may_be_left_out_or_null(tools: ThumbIndexTools) -> None:
    """Strict models send null for what they do not use, others leave it out."""
    asked = json.dumps({"query": QUESTION})
    nulls = json.dumps({"query": QUESTION, "document": None, "cursor": None})
    assert await call(tools, "search_text", asked) == await call(tools, "search_text", nulls)
    assert "loans" in str(await call(tools, "browse_documents", ""))


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        pytest.param("get_page_content", '{"document": "no-such.pdf", "pages": "1"}', "no-such.pdf", id="a fault"),
        pytest.param("get_page_content", '{"pages": "1"}', "document: Field required", id="an argument is missing"),
        pytest.param("search_text", '{"query": 7}', "query: Input should be a valid string", id="a wrong type"),
        pytest.param("search_text", '{"query": "te', "one JSON object", id="half an argument"),
        pytest.param("search_text", "null", "one JSON object", id="no object at all"),
    ],
)
async def test_mistakes_of_the_model_are_explained_to_it(
    tools: ThumbIndexTools, name: str, arguments: str, expected: str
) -> None:
    """The SDK's own text would hide the reason."""
    assert expected in str(await call(tools, name, arguments))


async def test_a_broken_library_ends_the_run(tmp_path: object) -> None:
    """Faults that no model can correct must not be hidden in a conversation."""
    library = Library()
    tools = thumbindex_tools(library)
    library.close()
    with pytest.raises(Exception, match=r"clos"):
        await call(tools, "search_text", json.dumps({"query": QUESTION}))


async def test_the_loop_is_free_while_a_tool_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK runs all calls of a turn at once; each works in a thread."""
    threads: set[int] = set()

    class Watched(Library):
        def retrieve(self, *args: object, **kwargs: object) -> object:  # type: ignore[override]
            threads.add(threading.get_ident())
            return super().retrieve(*args, **kwargs)  # type: ignore[arg-type]

    library = Watched()
    library.add(b"# Guide\n\nRun the installer.\n", name="guide.md")
    tools = thumbindex_tools(library)
    answers = await asyncio.gather(*(call(tools, "search_text", '{"query": "installer"}') for _ in range(4)))
    assert len(set(map(str, answers))) == 1
    assert threading.get_ident() not in threads


def test_a_bundle_may_be_bound_to_documents_a_cap_a_prefix_and_a_timeout() -> None:
    """The options of the catalogue, and the SDK's own."""
    tools = thumbindex_tools(
        sample_library(), scope=Scope(["treasury.md"]), max_output_tokens=200, prefix="guide_", timeout=5
    )
    assert all(name.startswith("guide_") for name in by_name(tools))
    assert {tool.timeout_seconds for tool in by_name(tools).values()} == {5}
    listed = str(asyncio.run(call(tools, "guide_browse_documents", "{}")))
    assert "treasury.md" in listed
    assert "| loans |" not in listed
    assert "guide_search_text" in tools.instructions
