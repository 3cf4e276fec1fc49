"""Whatever a model sends as a call's arguments, strict JSON or not, the tool answers with a text that can be sent."""

from __future__ import annotations

import json

from agents import FunctionTool
from agents.tool_context import ToolContext
from hypothesis import example, given
from hypothesis import strategies as st

from odd_texts import JSON_VALUES, ODD_TEXTS
from thumbindex.testing import sample_library
from thumbindex_agents import thumbindex_tools

TOOLS = [tool for tool in thumbindex_tools(sample_library()) if isinstance(tool, FunctionTool)]
FIELDS = st.dictionaries(
    st.sampled_from(["document", "node", "pages", "query", "reference", "mode", "filter", "part", "cursor"]),
    st.none() | st.sampled_from(["lantern.md", "wick", "1", "best", "every", "Section 4.2"]) | JSON_VALUES,
    max_size=5,
)
SENT = st.one_of(
    FIELDS.map(json.dumps), FIELDS.map(lambda value: json.dumps(value)[:-1]), JSON_VALUES.map(json.dumps), ODD_TEXTS
)


@given(st.sampled_from(TOOLS), SENT)
@example(TOOLS[-1], "")
@example(TOOLS[-1], "null")
@example(TOOLS[-1], '{"query": "\\ud800"}')
@example(TOOLS[-1], "[" * 100_000)
@example(TOOLS[-1], '{"query": "wick", "query": NaN}')
async def test_any_arguments_are_answered(tool: FunctionTool, sent: str) -> None:
    """A run goes on, and the model reads what to do."""
    context = ToolContext(context=None, tool_name=tool.name, tool_call_id="call-1", tool_arguments=sent)
    output = await tool.on_invoke_tool(context, sent)
    assert isinstance(output, str)
    assert output.strip()
    output.encode("utf-8")
