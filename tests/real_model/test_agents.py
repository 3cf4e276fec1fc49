"""An agent of the Agents SDK on the tiny model over true HTTP, by the SDK's own client for chat completions.

The model follows a schema and knows next to nothing: the protocol is asserted, never wisdom. Its server renders no tools, so a
first turn asks for the call as JSON, which the server's grammar enforces.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from agents import (
    Agent,
    AgentOutputSchema,
    ModelResponse,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OutputGuardrailTripwireTriggered,
    Runner,
    ToolCallOutputItem,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from pydantic import BaseModel

from thumbindex import Library
from thumbindex_agents import ThumbIndexTools, thumbindex_tools

pytestmark = [
    pytest.mark.skipif(
        not os.environ.get("THUMBINDEX_REAL_MODEL"), reason="the tiny model runs under `nox -s real_model`"
    ),
    pytest.mark.timeout(600),
]
set_tracing_disabled(True)

REPORT = Path(__file__).parents[2] / "examples" / "annual-report.pdf"
GUIDE = """# Oil

Pour in 0.4 litres of lamp oil. Never fill a burning lantern.

# Wick

Trim the wick to six millimetres. A wick lasts about ninety hours.
"""


class Call(BaseModel):
    query: str


class OverPdf(BaseModel):
    text: Literal["The term loan bears 4.35 per cent.", "The term loan bears 9.99 per cent."]
    citation: Literal["[annual-report.pdf, p. 43]", "[annual-report.pdf, p. 36]"]


class OverMarkdown(BaseModel):
    text: Literal["A wick lasts about ninety hours.", "A wick lasts about nine years."]
    citation: Literal["[lantern.md, § Wick]", "[lantern.md, § Oil]"]


class Tiny(OpenAIChatCompletionsModel):
    """Asks for the arguments of a search as JSON as long as nothing was read."""

    async def get_response(
        self,
        system_instructions: str | None,
        input: Any,
        model_settings: ModelSettings,
        tools: list[Any],
        output_schema: Any,
        *args: Any,
        **kwargs: Any,
    ) -> ModelResponse:
        has_read = not isinstance(input, str) and any(item.get("type") == "function_call_output" for item in input)
        if has_read or not tools:
            # The server's grammar for an answer goes with no tools.
            offered = tools if output_schema is None else []
            return await super().get_response(
                system_instructions, input, model_settings, offered, output_schema, *args, **kwargs
            )
        made = await super().get_response(None, input, model_settings, [], AgentOutputSchema(Call), *args, **kwargs)
        (message,) = made.output
        assert isinstance(message, ResponseOutputMessage)
        (text,) = message.content
        assert isinstance(text, ResponseOutputText)
        query = Call.model_validate_json(text.text).query.strip() or str(input)
        call = ResponseFunctionToolCall(
            type="function_call", call_id="call-1", name="search_text", arguments=Call(query=query).model_dump_json()
        )
        return ModelResponse(output=[call], usage=made.usage, response_id=None)


@pytest.fixture
async def model(base_url: str, key: str) -> AsyncIterator[Tiny]:
    async with AsyncOpenAI(base_url=base_url, api_key=key, timeout=400) as client:
        yield Tiny(model="smollm2", openai_client=client)


@dataclass(frozen=True)
class Case:
    """A bundle over a document with pages, or over one without; a question; and the form of an answer."""

    tools: ThumbIndexTools
    question: str
    answers: type[OverPdf] | type[OverMarkdown]


@pytest.fixture(scope="module", params=["pdf", "markdown"])
def case(request: pytest.FixtureRequest) -> Case:
    library = Library()
    if request.param == "pdf":
        library.add(REPORT)
        question, answers = "Which rate applies to the term loan?", OverPdf
        return Case(thumbindex_tools(library, max_output_tokens=300), question, answers)
    library.add(GUIDE.encode(), name="lantern.md")
    return Case(thumbindex_tools(library, max_output_tokens=300), "How long does a wick last?", OverMarkdown)


def agent(tools: ThumbIndexTools, model: Tiny, mode: Literal["trip", "annotate"], **options: Any) -> Agent[Any]:
    return Agent(
        name="Analyst",
        instructions="Answer from the text in one sentence.",
        tools=tools,
        model=model,
        model_settings=ModelSettings(max_tokens=80, temperature=0),
        output_guardrails=[tools.citation_guardrail(mode)],
        **options,
    )


async def test_it_searches_reads_and_is_checked(case: Case, model: Tiny) -> None:
    """A call with arguments of its own, an answer of its own, and a verdict on each citation it makes."""
    result = await Runner.run(agent(case.tools, model, "annotate"), case.question)
    (output,) = (item.output for item in result.new_items if isinstance(item, ToolCallOutputItem))
    assert output
    assert result.final_output
    assert result.context_wrapper.usage.requests == 2
    info = result.output_guardrail_results[0].output.output_info
    assert (
        info["passes"] == all(citation["status"] in ("verified", "derived") for citation in info["citations"])
        or (info["uncited"])
    )


async def test_its_structured_answer_is_checked_too(case: Case, model: Tiny) -> None:
    """The server's grammar makes it cite; whether that holds is not for the model to say."""
    reading = agent(case.tools, model, "annotate", output_type=case.answers)
    result = await Runner.run(reading, case.question)
    assert isinstance(result.final_output, case.answers)
    info = result.output_guardrail_results[0].output.output_info
    assert {citation["written"] for citation in info["citations"]} == {result.final_output.citation}

    blind = agent(case.tools, model, "trip", output_type=case.answers).clone(tools=[])
    with pytest.raises(OutputGuardrailTripwireTriggered) as error:
        await Runner.run(blind, case.question)
    found = error.value.guardrail_result.output.output_info
    assert found["citations"]
    assert not any(citation["status"] in ("verified", "derived") for citation in found["citations"])
