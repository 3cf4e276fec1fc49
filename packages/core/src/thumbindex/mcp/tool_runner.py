"""Requests for tools: the list of tools with annotations, and calls with structured output."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, TypeAlias

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from ..tools import Tool, ToolError
from .outputs import Output, structured

Request: TypeAlias = ServerRequestContext[dict[str, Any]]

_READS = types.ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_ADDS = types.ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


class ToolRunner:
    """Runs the tools of a server for all clients, each call in a thread.

    Args:
        reading: Tools that change nothing.
        adding: Tools that add to the library.
        max_output_tokens: Maximum size of each output, by `estimate_tokens`.
    """

    def __init__(self, reading: Iterable[Tool], adding: Iterable[Tool], max_output_tokens: int) -> None:
        annotated = [*((tool, _READS) for tool in reading), *((tool, _ADDS) for tool in adding)]
        self._tools = {tool.name: tool for tool, _ in annotated}
        self._listed = [_description(tool, annotations) for tool, annotations in annotated]
        self._max_output_tokens = max_output_tokens

    async def list_tools(self, _request: Request, _page: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """Answers `tools/list`."""
        return types.ListToolsResult(tools=self._listed)

    async def call_tool(self, request: Request, call: types.CallToolRequestParams) -> types.CallToolResult:
        """Answers `tools/call`; a mistake of the model is a result that it can read, an unknown tool is a protocol error."""
        await request.session.report_progress(0, 1, "Started")
        tool = self._tools.get(call.name)
        if tool is None:
            known = ", ".join(self._tools)
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {call.name!r}; there are {known}.")
        try:
            result = await asyncio.to_thread(tool.run, **(call.arguments or {}))
        except ToolError as error:
            return types.CallToolResult(content=[types.TextContent(text=str(error))], is_error=True)
        await request.session.report_progress(1, 1, "Done")
        return types.CallToolResult(
            content=[types.TextContent(text=result.text)],
            structured_content=structured(result, self._max_output_tokens),
        )


def _description(tool: Tool, annotations: types.ToolAnnotations) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.name.replace("_", " ").capitalize(),
        description=tool.description,
        input_schema=tool.arguments.model_json_schema(),
        output_schema=Output.model_json_schema(),
        annotations=annotations,
    )
