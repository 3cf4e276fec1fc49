"""Whole applications of the OpenAI Agents SDK, as their users wrote them, with our tools put in the place of theirs."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from agents import (
    Agent,
    Model,
    OutputGuardrailTripwireTriggered,
    Runner,
    RunResult,
    RunResultStreaming,
    SQLiteSession,
    Tool,
    ToolCallOutputItem,
    function_tool,
)

from scripted_agents import SEARCH, ScriptedAgentModel, Step
from thumbindex import Library
from thumbindex_agents import thumbindex_tools

if TYPE_CHECKING:
    from tests.acceptance.conftest import Case

ANSWER = "It is in the document, see above."


def scripted(*script: Step) -> ScriptedAgentModel:
    """A model that several runs may share."""
    return ScriptedAgentModel(*script, is_shared=True)


# The user's application, written for any tools.


def their_tools(case: Case) -> list[Tool]:
    """What stood there before: a file search of their own, which returns the nearest chunks."""

    @function_tool
    async def file_search(query: str) -> str:
        """Searches the reports.

        Args:
            query: What to look for.
        """
        return json.dumps([{"file": case.file.name, "score": 0.83, "text": f"... {case.answer} ..."}])

    return [file_search]


@functools.cache  # so that the tests read the file once; users call it once anyway
def our_tools(case: Case) -> list[Tool]:
    return thumbindex_tools(Library.from_files([case.file]))


def analyst(tools: list[Tool], model: Model) -> Agent[None]:
    return Agent(name="Analyst", instructions="Answer from the documents.", tools=tools, model=model)


@pytest.fixture(params=[their_tools, our_tools])
def tools(request: pytest.FixtureRequest, case: Case) -> list[Tool]:
    make: Callable[[Case], list[Tool]] = request.param
    return make(case)


def outputs(result: RunResult | RunResultStreaming) -> list[str]:
    return [str(item.output) for item in result.new_items if isinstance(item, ToolCallOutputItem)]


def test_an_agent_runs_sync(tools: list[Tool], case: Case) -> None:
    """The model calls the tool and reads the passage."""
    result = Runner.run_sync(analyst(tools, scripted([(SEARCH, {"query": case.question})], ANSWER)), case.question)
    assert result.final_output == ANSWER
    assert [case.answer in output for output in outputs(result)] == [True]


async def test_an_agent_runs_async_and_many_at_once(tools: list[Tool], case: Case) -> None:
    """Several runs share the agent, its tools and the library."""
    agent = analyst(tools, scripted([(SEARCH, {"query": case.question})], ANSWER))
    results = await asyncio.gather(*(Runner.run(agent, case.question) for _ in range(4)))
    assert [result.final_output for result in results] == [ANSWER] * 4
    assert len({output for result in results for output in outputs(result)}) == 1


async def test_an_agent_streams(tools: list[Tool], case: Case) -> None:
    """A front end sees the call, its output with the passage, and the answer."""
    agent = analyst(tools, scripted([(SEARCH, {"query": case.question})], ANSWER))
    result = Runner.run_streamed(agent, case.question)
    names = [event.name async for event in result.stream_events() if event.type == "run_item_stream_event"]
    assert names == ["tool_called", "tool_output", "message_output_created"]
    assert [case.answer in output for output in outputs(result)] == [True]
    assert result.final_output == ANSWER


async def test_a_conversation_goes_on_in_a_session(tools: list[Tool], case: Case, tmp_path: Path) -> None:
    """The second turn sees what the first one read; the file is the user's own session store."""
    model = scripted([(SEARCH, {"query": case.question})], ANSWER)
    for turn in (1, 2):
        session = SQLiteSession("user-7", tmp_path / "sessions.db")
        result = await Runner.run(analyst(tools, model), case.question, session=session)
        assert result.final_output == ANSWER
        seen = [item for item in model.conversations[-1] if item.get("type") == "function_call_output"]
        assert [case.answer in item["output"] for item in seen] == [True] * turn


async def test_a_triage_agent_hands_over_to_the_analyst(tools: list[Tool], case: Case) -> None:
    """Only the analyst has the tools."""
    # The handoff is an output too, so the analyst's script goes on after it.
    handed_over: list[tuple[str, dict[str, Any]]] = [("transfer_to_analyst", {})]
    expert = analyst(tools, scripted(handed_over, [(SEARCH, {"query": case.question})], ANSWER))
    triage = Agent(name="Triage", model=scripted(handed_over), handoffs=[expert])
    result = await Runner.run(triage, case.question)
    assert (result.final_output, result.last_agent.name) == (ANSWER, "Analyst")
    assert any(case.answer in output for output in outputs(result))


async def test_with_the_guardrail_the_same_agent_answers_only_from_what_it_read(case: Case) -> None:
    """One more line in the user's code: the answer with the right page passes, that with a guess does not."""
    library = Library.from_files([case.file])
    tools = thumbindex_tools(library)
    (mention,) = library.find_all(case.answer)
    place = f"p. {mention.page}" if mention.page else f"§ {case.section}"
    right = f"The document says: “{case.answer}” [{case.file.name}, {place}]."
    for script, passes in (([[(SEARCH, {"query": case.question})], right], True), ([right], False)):
        agent = analyst(tools, scripted(*script))
        agent.output_guardrails = [tools.citation_guardrail()]
        if passes:
            assert (await Runner.run(agent, case.question)).final_output == right
        else:
            with pytest.raises(OutputGuardrailTripwireTriggered):
                await Runner.run(agent, case.question)


async def test_tools_of_one_turn_run_at_once(case: Case) -> None:
    """The SDK calls them concurrently; each answers for itself."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search_text", {"query": case.question}),
        ("browse_documents", {}),
        ("get_document_structure", {"document": case.file.name}),
    ]
    result = await Runner.run(analyst(our_tools(case), scripted(calls, ANSWER)), case.question)
    found, documents, structure = outputs(result)
    assert case.answer in found
    assert case.file.name in documents
    assert f"Sections of {case.file.name}" in structure


async def test_an_agents_mistake_does_not_end_its_run(case: Case) -> None:
    """An unknown document, then a misspelt argument, then the right call: the model reads each error and goes on."""
    model = scripted(
        [("get_page_content", {"document": "x.pdf", "pages": "1"})],
        [("search_text", {"question": "?"})],
        [("search_text", {"query": case.question})],
        ANSWER,
    )
    result = await Runner.run(analyst(our_tools(case), model), case.question)
    wrong, misspelt, right = outputs(result)
    assert "x.pdf" in wrong
    assert "query: Field required" in misspelt
    assert case.answer in right
    assert result.final_output == ANSWER


async def test_two_libraries_serve_one_agent(case: Case, tmp_path: Path) -> None:
    """A prefix each keeps their tools apart; the user's own tools stand beside them."""
    other = tmp_path / "other.md"
    other.write_text("# Other\n\nNothing of interest.\n", encoding="utf-8")
    tools = [
        *thumbindex_tools(Library.from_files([case.file]), prefix="reports_"),
        *thumbindex_tools(Library.from_files([other]), prefix="guides_"),
        *their_tools(case),
    ]
    calls: list[tuple[str, dict[str, Any]]] = [("reports_browse_documents", {}), ("guides_browse_documents", {})]
    model = scripted(calls, ANSWER)
    result = await Runner.run(analyst(tools, model), case.question)
    reports, guides = outputs(result)
    assert case.file.name in reports
    assert "other.md" in guides
    assert len(set(model.tools[0])) == len(tools)
