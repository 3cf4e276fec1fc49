"""The ready agent, and what a run of it leaves behind: spans, data on its items, turns within the default limit."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
from agents import (
    Agent,
    ModelSettings,
    OutputGuardrailTripwireTriggered,
    Runner,
    ToolCallOutputItem,
    set_trace_processors,
    set_tracing_disabled,
    trace,
)
from agents.tracing import Span, Trace, TracingProcessor

from scripted_agents import ScriptedAgentModel
from thumbindex import Library
from thumbindex.testing import sample_library
from thumbindex.text.tokens import estimate_tokens
from thumbindex_agents import research_agent, thumbindex_tools

LIBRARY = sample_library()
WICK = "A wick lasts about ninety hours [lantern.md, § 4.2 Wick]."
READ = [("search_text", {"query": "How long does a wick last?"})]


def test_tools_and_instructions_stay_under_1500_tokens() -> None:
    """As the SDK sends them with every request, strict schemas and all."""
    tools = thumbindex_tools(LIBRARY)
    sent = [
        json.dumps({"name": tool.name, "description": tool.description, "parameters": tool.params_json_schema})  # type: ignore[union-attr]
        for tool in tools
    ]
    assert estimate_tokens(tools.instructions) + sum(map(estimate_tokens, sent)) < 1500


async def test_the_ready_agent_reads_and_is_checked() -> None:
    """With the user's instructions before ours."""
    model = ScriptedAgentModel(READ, WICK)
    result = await Runner.run(research_agent(LIBRARY, model=model, instructions="Answer in French."), "?")
    assert result.final_output == WICK
    assert str(model.instructions[0]).startswith("Answer in French.\n\nYou have tools")
    with pytest.raises(OutputGuardrailTripwireTriggered):
        await Runner.run(research_agent(LIBRARY, model=ScriptedAgentModel(WICK)), "?")
    noted = await Runner.run(research_agent(LIBRARY, model=ScriptedAgentModel(WICK), mode="annotate"), "?")
    assert not noted.output_guardrail_results[0].output.output_info["passes"]


@pytest.mark.parametrize("is_streamed", [False, True], ids=["run", "streamed"])
async def test_it_answers_within_the_default_turns(is_streamed: bool) -> None:
    """However much it likes to read: in the ninth turn it is offered no tool. Each run counts for itself."""
    for _ in range(2):
        model = ScriptedAgentModel(*[READ] * 8, WICK)
        reader = research_agent(LIBRARY, model=model)
        if is_streamed:
            result: Any = Runner.run_streamed(reader, "?")
            async for _event in result.stream_events():
                pass
        else:
            result = await Runner.run(reader, "?")
        assert result.final_output == WICK
        assert [len(tools) for tools in model.tools] == [6] * 8 + [0]


async def test_it_serves_as_a_tool_and_as_a_handoff_several_times_in_a_run() -> None:
    """Its turns are counted for each of its own runs."""
    inner = ScriptedAgentModel(*[*[READ] * 8, WICK] * 2)
    reader = research_agent(LIBRARY, model=inner)
    boss = Agent(
        name="Boss",
        model=ScriptedAgentModel([("ask", {"input": "?"})], [("ask", {"input": "?"})], "Done."),
        tools=[reader.as_tool("ask", "Asks.")],
    )
    await Runner.run(boss, "?")
    inner.assert_finished()
    taking_over = research_agent(LIBRARY, model=ScriptedAgentModel(*[READ] * 8, WICK))
    front = Agent(name="Front", model=ScriptedAgentModel([("transfer_to_researcher", {})]), handoffs=[taking_over])
    assert (await Runner.run(front, "?")).final_output == WICK


async def test_the_evidence_is_on_the_items_of_the_run() -> None:
    """For a front end that shows sources; the model sees none of it."""
    model = ScriptedAgentModel(READ, WICK)
    result = await Runner.run(research_agent(LIBRARY, model=model), "?")
    (item,) = (item for item in result.new_items if isinstance(item, ToolCallOutputItem))
    assert item.custom_data is not None
    first = item.custom_data["evidence"][0]
    assert first["section_path"] == "Lantern manual › 4 Care › 4.2 Wick"
    assert first["citation"] == "[lantern.md, § 4.2 Wick]"
    assert "section_id" not in model.outputs()[0]
    json.dumps(item.custom_data)


class Spans(TracingProcessor):
    def __init__(self) -> None:
        self.ended: list[Span[Any]] = []

    def on_trace_start(self, trace: Trace) -> None: ...
    def on_trace_end(self, trace: Trace) -> None: ...
    def on_span_start(self, span: Span[Any]) -> None: ...
    def on_span_end(self, span: Span[Any]) -> None:
        self.ended.append(span)

    def shutdown(self) -> None: ...
    def force_flush(self) -> None: ...


async def test_each_call_is_a_span_with_its_evidence() -> None:
    """Under the SDK's own span of the call; a fault marks the span as failed."""
    spans = Spans()
    set_trace_processors([spans])
    set_tracing_disabled(False)
    try:
        wrong = [("get_document_structure", {"document": "none.md"})]
        await Runner.run(research_agent(LIBRARY, model=ScriptedAgentModel([*READ, *wrong], WICK)), "?")
    finally:
        set_tracing_disabled(True)
        set_trace_processors([])
    ours = {span.span_data.name: span for span in spans.ended if span.span_data.type == "custom"}
    searched = ours["thumbindex.search_text"]
    parents = {span.span_id: span for span in spans.ended}
    assert parents[str(searched.parent_id)].span_data.export()["name"] == "search_text"
    data = searched.span_data.export()["data"]
    assert data["evidence"][0]["citation"] == "[lantern.md, § 4.2 Wick]"
    assert data["read"][0][0] == LIBRARY.get("lantern.md").doc_id
    json.dumps(data)
    failed = ours["thumbindex.get_document_structure"].error
    assert failed is not None
    assert "none.md" in failed["message"]


async def test_a_call_that_takes_too_long_is_abandoned_with_a_message_to_the_model() -> None:
    """The run goes on; what comes too late was not read."""

    class Slow(Library):
        def retrieve(self, *args: object, **kwargs: object) -> Any:  # type: ignore[override]
            time.sleep(0.3)
            return super().retrieve(*args, **kwargs)  # type: ignore[arg-type]

    library = Slow()
    library.add(b"# Wick\n\nA wick lasts about ninety hours.\n", name="lantern.md")
    tools = thumbindex_tools(library, timeout=0.05)
    model = ScriptedAgentModel(READ, "I could not read it.")
    reader = Agent(name="A", model=model, tools=tools)
    result = await Runner.run(reader, "?")
    assert "search_text took longer than 0.05 seconds" in model.outputs()[0]
    assert "one document, fewer pages" in model.outputs()[0]
    await asyncio.sleep(0.5)
    assert (await tools.read_log(result)).read() == {}


async def test_parallel_calls_of_one_turn_are_all_read() -> None:
    """The SDK runs them at once."""
    tree = LIBRARY.tree("lantern.md")
    calls = [("read_section", {"document": "lantern.md", "node": node.id}) for node in tree.nodes] * 3
    tools = thumbindex_tools(LIBRARY)
    settings = ModelSettings(parallel_tool_calls=True)
    result = await Runner.run(
        Agent(name="A", model=ScriptedAgentModel(calls, WICK), tools=tools, model_settings=settings), "?"
    )
    read_log = await tools.read_log(result)
    filled = [n for n, line in enumerate(tree.lines, 1) if line.strip() and n >= tree.nodes[0].span.first]
    seen = {n for lines in read_log.read()[LIBRARY.get("lantern.md").doc_id] for n in lines}
    assert set(filled) <= seen


def test_a_trace_is_not_needed() -> None:
    """Outside of any trace the tools work as well."""
    with trace("x", disabled=True):
        tools = thumbindex_tools(LIBRARY)
    assert tools.check_sync("The documents do not say.").passes
