"""Complaints about file search, tool output and citations of agents, and tests that they do not apply here.

Each test retells one public complaint in our words, with its source.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from agents import Agent, OutputGuardrailTripwireTriggered, Runner, ToolCallOutputItem
from mcp import Client

from scripted_agents import ScriptedAgentModel
from thumbindex import Library, Scope
from thumbindex.mcp import make_server
from thumbindex.testing import sample_library
from thumbindex.text.tokens import estimate_tokens
from thumbindex_agents import research_agent, run_with_repair, thumbindex_tools

WICK = "A wick lasts about ninety hours [lantern.md, § 4.2 Wick]."
READ = [("search_text", {"query": "How long does a wick last?"})]


@pytest.fixture(scope="module")
def long_library() -> Library:
    """A document of 50,000 tokens, of which one section alone holds 13,000 in a single line."""
    library = sample_library()
    wall = " ".join(f"Crate {n} holds {n + 7000} lamps and their wicks, packed in straw." for n in range(900))
    notes = "\n\n".join(f"## Note {n}\n\n" + f"Shelf {n} holds ropes, lamps and flags. " * 60 for n in range(100))
    library.add(f"# Store\n\n## Crates\n\n{wall}\n\n{notes}\n".encode(), name="store.md")
    return library


async def test_a_guardrail_sees_what_the_agent_called() -> None:
    """Output guardrails are not told which tools ran and what came back, so nobody can refuse an answer that was given
    without the look-up it needed (openai/openai-agents-js issue 713).
    """
    library = sample_library()
    assert (await Runner.run(research_agent(library, model=ScriptedAgentModel(READ, WICK)), "?")).final_output == WICK
    with pytest.raises(OutputGuardrailTripwireTriggered):
        await Runner.run(research_agent(library, model=ScriptedAgentModel(WICK)), "?")


async def test_an_answer_from_no_document_does_not_pass_and_leaves_a_trace() -> None:
    """An agent with file tools answered things that stand in no document, and no tool result showed how it came to that
    (SciPhi-AI/R2R issue 2181).
    """
    invented = "Lanterns were first sold in 1874 for 12.40 [lantern.md, § Filling]."
    with pytest.raises(OutputGuardrailTripwireTriggered) as error:
        await Runner.run(research_agent(sample_library(), model=ScriptedAgentModel(READ, invented)), "?")
    assert error.value.run_data is not None
    shown = [item for item in error.value.run_data.new_items if isinstance(item, ToolCallOutputItem)]
    assert shown[0].custom_data is not None
    assert shown[0].custom_data["evidence"]


async def test_general_knowledge_gets_no_citation() -> None:
    """Asked for common knowledge, a chatbot decorated its answer with sources that had nothing to do with it
    (epam/statgpt-backend issue 194).
    """
    common = "Water boils at one hundred degrees at sea level"
    decorated = ScriptedAgentModel(READ, f"{common} [lantern.md, § 4.2 Wick].")
    with pytest.raises(OutputGuardrailTripwireTriggered):
        await Runner.run(research_agent(sample_library(), model=decorated), "?")
    plain = ScriptedAgentModel("Oil floats on water.")
    assert (await Runner.run(research_agent(sample_library(), model=plain), "?")).final_output == "Oil floats on water."


async def test_an_agent_that_forgets_to_cite_is_asked_again() -> None:
    """Though citing is switched on and the right passages were found, most answers come without any source
    (infiniflow/ragflow issue 12005).
    """
    model = ScriptedAgentModel(READ, "A wick lasts about ninety hours.", WICK)
    result = await run_with_repair(research_agent(sample_library(), model=model), "?")
    assert result.final_output == WICK
    assert "No source at “A wick lasts about ninety hours.”" in model.conversations[-1][-1]["content"]


async def test_what_is_reported_as_read_is_what_the_model_read() -> None:
    """The sources shown to users came from asking the index once more with the question, not from what the agent had
    retrieved, and so did not match its answer (VforVitorio/F1-StratLab issue 322).
    """
    library = sample_library()
    model = ScriptedAgentModel([("search_text", {"query": "dues of sailing ships", "document": "harbour.md"})], "Done.")
    tools = thumbindex_tools(library)
    result = await Runner.run(Agent(name="A", model=model, tools=tools), "How long does a wick last?")
    (item,) = (item for item in result.new_items if isinstance(item, ToolCallOutputItem))
    assert item.custom_data is not None
    assert {passage["doc_id"] for passage in item.custom_data["evidence"]} == {library.get("harbour.md").doc_id}
    for passage in item.custom_data["evidence"]:
        assert passage["citation"] in str(item.output)
    assert list((await tools.read_log(result)).read()) == [library.get("harbour.md").doc_id]


async def test_the_citations_of_an_answer_can_be_taken_from_the_result() -> None:
    """After a run with hosted file search nobody could say how to get at the documents that the answer cites
    (microsoft/agent-framework issue 1663).
    """
    tools = thumbindex_tools(sample_library())
    result = await Runner.run(Agent(name="A", model=ScriptedAgentModel(READ, WICK), tools=tools), "?")
    (citation,) = (await tools.check(result)).citations
    assert (citation.document, citation.section, citation.status) == ("lantern.md", "4.2 Wick", "verified")


async def every_part(library: Library, document: str, node: str) -> AsyncIterator[str]:
    async with Client(make_server(library, max_output_tokens=2000)) as client:
        for part in range(1, 200):
            read = await client.call_tool("read_section", {"document": document, "node": node, "part": part})
            assert not read.is_error
            assert estimate_tokens(json.dumps(read.structured_content, ensure_ascii=False)) <= 2000
            text = read.content[0].text  # type: ignore[union-attr]
            yield text
            if "This is the end" in text:
                return


async def test_what_follows_a_cut_is_cut_as_well(long_library: Library) -> None:
    """The first call protected the context, but the call that it recommended for the rest returned the whole page of
    900,000 letters at once (nicobailon/pi-web-access issue 112).
    """
    crates = next(node.id for node in long_library.tree("store.md").nodes if node.title == "Crates")
    seen = "".join([text async for text in every_part(long_library, "store.md", crates)])
    for n in (0, 449, 899):
        assert f"Crate {n} holds {n + 7000} lamps" in seen.replace("\n</document_text>", "").replace(
            "<document_text>\n", ""
        )


async def test_what_is_too_long_is_shown_in_part_and_not_lost(long_library: Library) -> None:
    """A result over the limit came back as an error or as the path of a file, with not one line to work with
    (damionrashford/RivalSearchMCP issue 24).
    """
    model = ScriptedAgentModel(
        [("search_text", {"query": "crate 0 lamps packed in straw", "document": "store.md"})], "Done."
    )
    tools = thumbindex_tools(long_library, max_output_tokens=1000)
    await Runner.run(Agent(name="A", model=model, tools=tools), "?")
    (output,) = model.outputs()
    assert "Crate 0 holds 7000 lamps" in output
    assert "part=2 goes on" in output
    assert estimate_tokens(output) <= 1000


async def test_no_call_is_over_the_limit_of_a_client(long_library: Library) -> None:
    """Listing and searching tools answer with 30,000 to 170,000 tokens, which the client refuses whole, whatever is filtered
    (dbt-labs/dbt-mcp issue 178, oraios/serena issue 516).
    """
    root = long_library.tree("store.md").nodes[0].id
    async with Client(make_server(long_library)) as client:
        for name, arguments in [
            ("browse_documents", {}),
            ("get_document_structure", {"document": "store.md"}),
            ("read_section", {"document": "store.md", "node": root}),
            ("search_text", {"query": "ropes lamps flags"}),
            ("search_text", {"query": "lamps", "mode": "every"}),
        ]:
            result = await client.call_tool(name, arguments)
            assert not result.is_error
            assert estimate_tokens(result.content[0].text) <= 3000  # type: ignore[union-attr]


async def test_many_readings_fit_a_budget_that_is_known_before(long_library: Library) -> None:
    """Each page read stays in the conversation, so that after a few steps the context is full and the run fails
    (huggingface/smolagents issue 1930).
    """
    reads = [("search_text", {"query": f"shelf {n} ropes", "document": "store.md"}) for n in range(8)]
    model = ScriptedAgentModel(*[[read] for read in reads], "Done.")
    await Runner.run(research_agent(long_library, model=model, max_output_tokens=500), "?")
    assert len(model.outputs()) == 8
    assert sum(map(estimate_tokens, model.outputs())) <= 8 * 500


@dataclass
class Tenant:
    documents: list[str]


async def test_a_session_of_one_user_reaches_no_document_of_another() -> None:
    """A session is no border: file search over a shared store finds what belongs to others, unless every tool is scoped
    (microsoft/agent-framework issue 8590); and a filter that is passed may be ignored (ministackorg/ministack issue 1761).
    """
    tools = thumbindex_tools(sample_library(), lambda context: Scope(context.context.documents))
    for document, seen in (("lantern.md", True), ("harbour.md", False)):
        model = ScriptedAgentModel(READ, "Done.")
        agent = Agent[Tenant](name="A", model=model, tools=tools)
        await Runner.run(agent, "?", context=Tenant([document]))
        assert ("ninety hours" in model.outputs()[0]) is seen


async def test_a_wrong_call_ends_no_run_and_says_what_was_wrong() -> None:
    """Wrong arguments halted the whole run, and the model never saw the error that it could have corrected
    (VoltAgent/voltagent issue 349).
    """
    model = ScriptedAgentModel([("read_section", {"document": "lantern.md"})], [("read_section", {})], READ, WICK)
    result = await Runner.run(research_agent(sample_library(), model=model), "?")
    assert result.final_output == WICK
    assert "node: Field required" in model.outputs()[0]
