"""A model of the Agents SDK that plays a script; the SDK's own double exists in new versions only."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterator
from typing import Any

from agents import Model, ModelResponse, Tool, Usage, set_tracing_disabled
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputItem,
    ResponseOutputMessage,
    ResponseOutputText,
)

set_tracing_disabled(True)  # traces would be sent to a server

Step = list[tuple[str, dict[str, Any]]] | str
"""Calls of tools, by name and arguments, or a text that ends the turn."""
SEARCH = "the search tool"
"""Stands for the name of the search tool that the agent has."""


class ScriptedAgentModel(Model):
    """Plays its steps in order, and records conversations, instructions and tools.

    Args:
        is_shared: Finds the step in the conversation, by the outputs since the last question, so that the script starts anew for
            each question and several runs can share the model.
    """

    def __init__(self, *script: Step, is_shared: bool = False) -> None:
        self.script, self._is_shared = script, is_shared
        self.conversations: list[Any] = []
        self.instructions: list[str | None] = []
        self.tools: list[list[str]] = []

    def _turn(self, conversation: Any) -> int:
        if not self._is_shared:
            assert len(self.conversations) <= len(self.script), "the script is over"
            return len(self.conversations) - 1
        items = conversation if isinstance(conversation, list) else []
        asked = max((number for number, item in enumerate(items) if item.get("role") == "user"), default=0)
        done = sum(item.get("type") == "function_call_output" for item in items[asked:])
        sizes = [len(step) if isinstance(step, list) else 0 for step in self.script]
        return next(turn for turn in range(len(sizes)) if sum(sizes[:turn]) >= done)

    def _play(self, instructions: str | None, conversation: Any, tools: list[Tool]) -> list[ResponseOutputItem]:
        self.conversations.append(copy.deepcopy(conversation))
        self.instructions.append(instructions)
        self.tools.append([tool.name for tool in tools])
        step, number = self.script[self._turn(conversation)], len(self.conversations)
        if isinstance(step, str):
            text = ResponseOutputText(type="output_text", text=step, annotations=[])
            return [
                ResponseOutputMessage(
                    id=f"m{number}", type="message", role="assistant", status="completed", content=[text]
                )
            ]
        search = next((tool.name for tool in tools if "search" in tool.name), "")
        return [
            ResponseFunctionToolCall(
                type="function_call",
                call_id=f"call-{id(self)}-{number}-{place}",
                name=search if name == SEARCH else name,
                arguments=json.dumps(arguments),
            )
            for place, (name, arguments) in enumerate(step)
        ]

    async def get_response(
        self, system_instructions: Any, input: Any, model_settings: Any, tools: list[Tool], *_args: Any, **_kwargs: Any
    ) -> ModelResponse:
        return ModelResponse(output=self._play(system_instructions, input, tools), usage=Usage(), response_id=None)

    async def stream_response(
        self, system_instructions: Any, input: Any, model_settings: Any, tools: list[Tool], *_args: Any, **_kwargs: Any
    ) -> AsyncIterator[Any]:
        response = Response(
            id="r",
            created_at=0,
            model="scripted",
            object="response",
            output=self._play(system_instructions, input, tools),
            parallel_tool_calls=True,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(type="response.completed", response=response, sequence_number=0)

    def assert_finished(self) -> None:
        """Checks that every step was played."""
        assert len(self.conversations) == len(self.script)

    def outputs(self) -> list[str]:
        """The tool outputs in the last conversation."""
        return [str(item["output"]) for item in self.conversations[-1] if item.get("type") == "function_call_output"]
