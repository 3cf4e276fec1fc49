"""Through no tool, span, item or check of a run does a document outside its scope show, not even its name."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from agents import FunctionTool, RunContextWrapper, Usage
from agents.tool_context import ToolContext
from hypothesis import given, settings
from hypothesis import strategies as st

from scoped_library import ARGUMENTS, HIDDEN, LIBRARY, NAMES, NORTH, SECRET, SECTIONS, VIEW, without_the_question
from thumbindex import Scope
from thumbindex.tools import catalogue
from thumbindex_agents import ThumbIndexTools, thumbindex_tools


async def of_the_run(context: RunContextWrapper[Any]) -> Scope:
    return Scope(where={"tenant": context.context["tenant"]})


BUNDLES = [
    thumbindex_tools(VIEW),
    thumbindex_tools(LIBRARY, NORTH),
    thumbindex_tools(LIBRARY, Scope(["rates.md"])),
    thumbindex_tools(LIBRARY, of_the_run),
    thumbindex_tools(VIEW, lambda _: Scope([HIDDEN, f"{SECRET}.md", "rates.md"])),
]
CONTEXT = {"tenant": "north"}


def readings(bundle: ThumbIndexTools) -> list[Any]:
    return [tool for tool in bundle if isinstance(tool, FunctionTool)]


@settings(max_examples=300)
@given(st.sampled_from([(bundle, tool) for bundle in BUNDLES for tool in readings(bundle)]), ARGUMENTS)
async def test_tools_show_nothing_outside(bundle_tool: tuple[ThumbIndexTools, Any], arguments: dict[str, Any]) -> None:
    """Text for the model, data for the program, and the record of the run."""
    bundle, tool = bundle_tool
    fitting = {name: value for name, value in arguments.items() if name in tool.params_json_schema["properties"]}
    context = ToolContext(
        context=CONTEXT, usage=Usage(), tool_name=tool.name, tool_call_id="1", tool_arguments=json.dumps(fitting)
    )
    output = await tool.on_invoke_tool(context, json.dumps(fitting))
    data = tool.custom_data_extractor(SimpleNamespace(tool_context=context))
    read = (await bundle.read_log(context)).read()
    for shown in (output, repr(data), repr(read)):
        assert SECRET not in without_the_question(shown, fitting)


@pytest.mark.parametrize("bundle", BUNDLES)
@given(NAMES, SECTIONS, st.sampled_from(["7", "4 per cent"]))
async def test_the_check_of_citations_shows_nothing_outside(
    bundle: ThumbIndexTools, document: str, section: str, figure: str
) -> None:
    """Even where earlier turns of the conversation quote a document outside."""
    outside = next(tool for tool in catalogue(LIBRARY) if tool.name == "search_text").run(query=SECRET)
    assert SECRET in outside.text
    earlier: Any = [{"type": "function_call_output", "call_id": "1", "output": outside.text}]
    context = RunContextWrapper(CONTEXT, turn_input=earlier)
    answer = f"The rate is {figure} [{document}, § {section}]."
    guardrail = bundle.citation_guardrail()
    checked = await guardrail.run(agent=SimpleNamespace(name="A"), agent_output=answer, context=context)  # type: ignore[arg-type]
    info = {key: value for key, value in checked.output.output_info.items() if key != "annotated"}
    assert SECRET not in without_the_question(repr(info), {"document": document, "section": section})
    assert HIDDEN not in (await bundle.read_log(context)).read()
