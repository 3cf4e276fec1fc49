"""The model that the page leaves to the reader: it searches for what it is asked, and answers from the report."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from agents import Model, ModelResponse, Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

ANSWER = "The term loan bears interest at a fixed rate of 4.35 per cent a year [annual-report.pdf, p. 43]."


class Reader(Model):
    def play(self, conversation: Any) -> list[Any]:
        items = conversation if isinstance(conversation, list) else [{"role": "user", "content": conversation}]
        asked = max(at for at, item in enumerate(items) if item.get("role") == "user")
        if any(item.get("type") == "function_call_output" for item in items[asked:]):
            text = ResponseOutputText(type="output_text", text=ANSWER, annotations=[])
            return [ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])]
        arguments = json.dumps({"query": items[asked]["content"]})
        return [
            ResponseFunctionToolCall(
                type="function_call", call_id=f"call-{len(items)}", name="search_text", arguments=arguments
            )
        ]

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        return ModelResponse(output=self.play(input), usage=Usage(), response_id=None)

    async def stream_response(
        self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any
    ) -> AsyncIterator[Any]:
        response = Response(
            id="r",
            created_at=0,
            model="reader",
            object="response",
            output=self.play(input),
            parallel_tool_calls=True,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(type="response.completed", response=response, sequence_number=0)


model = Reader()
