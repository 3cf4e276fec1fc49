"""The tool catalogue as function tools with strict schemas."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from agents import FunctionTool, SpanError, Tool, get_current_span
from agents.tool_context import ToolContext
from pydantic import TypeAdapter, ValidationError

from thumbindex import Library
from thumbindex import tools as catalogue_tools

_ARGUMENTS = TypeAdapter(dict[str, object])


class ThumbIndexTools(list[Tool]):
    """A list of tools, as `Agent(tools=...)` wants it, and `instructions` that tell an agent how to use them."""

    def __init__(self, tools: Iterable[Tool], instructions: str) -> None:
        super().__init__(tools)
        self.instructions = instructions


def thumbindex_tools(
    library: Library,
    *,
    documents: Sequence[str] | None = None,
    max_output_tokens: int = 3000,
    prefix: str = "",
    timeout: float | None = 30.0,
) -> ThumbIndexTools:
    """Tools that let an agent browse, search and read a library's documents.

    What a model did wrong (an unknown id, a bad argument) comes back to it as text; anything else ends the run.

    Args:
        library: A `thumbindex.Library`.
        documents: Ids or names of the documents the tools may open; None for all.
        max_output_tokens: Cap on each output.
        prefix: Put before each tool's name. The SDK lets tools of the same name hide each other without an error, so
            an agent with several libraries needs one for each.
        timeout: Seconds after which a call is given up and the model is told so; None for no limit.
    """
    tools = catalogue_tools.catalogue(library, documents=documents, max_output_tokens=max_output_tokens, prefix=prefix)
    return ThumbIndexTools([_function_tool(tool, timeout) for tool in tools], catalogue_tools.instructions(prefix))


def _function_tool(tool: catalogue_tools.Tool, timeout: float | None) -> FunctionTool:
    async def invoke(_context: ToolContext[Any], arguments: str) -> str:
        try:
            given = _ARGUMENTS.validate_json(arguments or "{}")
            return (await asyncio.to_thread(tool.run, **given)).text
        except ValidationError:
            return _refuse(f"The arguments of {tool.name} must be one JSON object. Send them again.")
        except catalogue_tools.ToolError as error:
            return _refuse(str(error))

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.arguments.model_json_schema(),
        on_invoke_tool=invoke,
        strict_json_schema=True,
        timeout_seconds=timeout,
    )


def _refuse(message: str) -> str:
    """The message for the model, noted as an error in the trace too."""
    if span := get_current_span():
        span.set_error(SpanError(message=message, data=None))
    return message
