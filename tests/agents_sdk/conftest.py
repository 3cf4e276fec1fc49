"""A model that plays a script, for runs of the Agents SDK; its own double exists in new versions only."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from agents import Model, ModelResponse, Tool, Usage, set_tracing_disabled
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

set_tracing_disabled(True)  # traces would be sent to a server

Step = list[tuple[str, dict[str, Any]]] | str


class Scripted(Model):
    """Each step is a list of calls (name, arguments), or a text; it keeps what it was asked and which tools it had."""

    def __init__(self, *script: Step) -> None:
        self.script = list(script)
        self.asked: list[Any] = []
        self.instructions: list[str | None] = []
        self.tools: list[list[str]] = []

    def play(self, instructions: str | None, conversation: Any, tools: list[Tool]) -> list[Any]:
        self.asked.append(copy.deepcopy(conversation))
        self.instructions.append(instructions)
        self.tools.append([tool.name for tool in tools])
        turn = len(self.asked)
        assert turn <= len(self.script), "the script is over"
        step = self.script[turn - 1]
        if isinstance(step, str):
            text = ResponseOutputText(type="output_text", text=step, annotations=[])
            return [
                ResponseOutputMessage(
                    id=f"m{turn}", type="message", role="assistant", status="completed", content=[text]
                )
            ]
        return [
            ResponseFunctionToolCall(
                type="function_call",
                call_id=f"call-{id(self)}-{turn}-{number}",
                name=name,
                arguments=json.dumps(arguments),
            )
            for number, (name, arguments) in enumerate(step)
        ]

    async def get_response(
        self, system_instructions: Any, input: Any, model_settings: Any, tools: list[Tool], *args: Any, **kwargs: Any
    ) -> ModelResponse:
        return ModelResponse(output=self.play(system_instructions, input, tools), usage=Usage(), response_id=None)

    async def stream_response(
        self, system_instructions: Any, input: Any, model_settings: Any, tools: list[Tool], *args: Any, **kwargs: Any
    ) -> AsyncIterator[Any]:
        response = Response(
            id="r",
            created_at=0,
            model="scripted",
            object="response",
            output=self.play(system_instructions, input, tools),
            parallel_tool_calls=True,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(type="response.completed", response=response, sequence_number=0)

    def assert_finished(self) -> None:
        assert len(self.asked) == len(self.script)

    def outputs(self) -> list[str]:
        """The tool outputs that the model saw in its last turn."""
        return [str(item["output"]) for item in self.asked[-1] if item.get("type") == "function_call_output"]


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted
