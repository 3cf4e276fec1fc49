"""The tool catalogue as a LlamaIndex tool spec."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from llama_index.core.tools import ToolMetadata
from llama_index.core.tools.tool_spec.base import SPEC_FUNCTION_TYPE, BaseToolSpec

from thumbindex import Library
from thumbindex.tools import Tool, ToolResult, catalogue, instructions


class ThumbIndexToolSpec(BaseToolSpec):
    """Tools that let an agent browse, search and read a library's documents: `to_tool_list()`.

    Each tool is a method pair too, such as `search_text` and `asearch_text`. A result prints as the text for the model
    and carries its `evidence`; it is the `raw_output` of the tool's output. `instructions` tell an agent how to use them.

    Args:
        library: A `thumbindex.Library`.
        documents: Ids or names of the documents the tools may open; None for all.
        max_output_tokens: Cap on each output.
        prefix: Put before each tool's name, for several specs in one agent.
    """

    def __init__(
        self,
        library: Library,
        *,
        documents: Sequence[str] | None = None,
        max_output_tokens: int = 3000,
        prefix: str = "",
    ) -> None:
        tools = catalogue(library, documents=documents, max_output_tokens=max_output_tokens, prefix=prefix)
        self.instructions = instructions(prefix)
        self._tools = {tool.name: tool for tool in tools}
        self.spec_functions: list[SPEC_FUNCTION_TYPE] = [(tool.name, f"a{tool.name}") for tool in tools]
        for tool in tools:
            run, arun = _functions(tool)
            setattr(self, run.__name__, run)
            setattr(self, arun.__name__, arun)

    def get_metadata_from_fn_name(
        self,
        fn_name: str,
        spec_functions: list[SPEC_FUNCTION_TYPE] | None = None,  # noqa: ARG002, the base class passes it
    ) -> ToolMetadata:
        """Name, description and argument schema of a tool, as the catalogue has them."""
        tool = self._tools.get(fn_name) or self._tools[fn_name.removeprefix("a")]
        return ToolMetadata(name=tool.name, description=tool.description, fn_schema=tool.arguments)


def _functions(tool: Tool) -> tuple[Callable[..., ToolResult], Callable[..., Awaitable[ToolResult]]]:
    def run(**arguments: Any) -> ToolResult:
        return tool.run(**arguments)

    async def arun(**arguments: Any) -> ToolResult:
        return await asyncio.to_thread(tool.run, **arguments)

    run.__name__, arun.__name__ = tool.name, f"a{tool.name}"
    run.__doc__ = arun.__doc__ = tool.description
    return run, arun
