"""The tool catalogue as a LlamaIndex tool spec."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from llama_index.core.tools import ToolMetadata
from llama_index.core.tools.tool_spec.base import SPEC_FUNCTION_TYPE, BaseToolSpec

from thumbindex import Library
from thumbindex.tools import Tool, ToolResult, catalogue, instructions

from .filters import Filters
from .scope import Scope, within


class ThumbIndexToolSpec(BaseToolSpec):
    """Tools that let an agent browse, search and read a library's documents: `to_tool_list()`.

    Each tool is a method pair too, such as `search_text` and `asearch_text`. A result prints as the text for the model
    and carries its `evidence`; it is the `raw_output` of the tool's output. `instructions` tell an agent how to use them.

    Args:
        library: A `thumbindex.Library`, or the path of its file.
        documents: Ids or names of the documents the tools may open; None for all.
        filters: What a document's metadata must be; see `ThumbIndexRetriever`.
        max_output_tokens: Cap on each output.
        prefix: Put before each tool's name, for several specs in one agent.

    Raises:
        DocumentNotFound: a document that was named is not in the library.
        ValueError: filters that documents cannot answer, or a cap or prefix that will not do.
    """

    def __init__(
        self,
        library: Library | str | os.PathLike[str],
        *,
        documents: Sequence[str] | None = None,
        filters: Filters | None = None,
        max_output_tokens: int = 3000,
        prefix: str = "",
    ) -> None:
        self.library = library if isinstance(library, Library) else Library(library)
        self._scope = Scope().narrowed(documents, filters)
        self._cap, self._prefix = max_output_tokens, prefix
        self.instructions = instructions(prefix)
        self._tools = self._catalogue()
        self.spec_functions: list[SPEC_FUNCTION_TYPE] = [(name, f"a{name}") for name in self._tools]
        for tool in self._tools.values():
            run, arun = self._functions(tool)
            setattr(self, run.__name__, run)
            setattr(self, arun.__name__, arun)

    def within(
        self, *, documents: Sequence[str] | None = None, filters: Filters | None = None
    ) -> AbstractContextManager[None]:
        """Narrow what the tools see in a block, such as one request of an agent; see `ThumbIndexRetriever.within`."""
        return within(self.library, documents, filters)

    def get_metadata_from_fn_name(
        self,
        fn_name: str,
        spec_functions: list[SPEC_FUNCTION_TYPE] | None = None,  # noqa: ARG002, the base class passes it
    ) -> ToolMetadata:
        """Name, description and argument schema of a tool, as the catalogue has them."""
        tool = self._tools.get(fn_name) or self._tools[fn_name.removeprefix("a")]
        return ToolMetadata(name=tool.name, description=tool.description, fn_schema=tool.arguments)

    def _catalogue(self) -> dict[str, Tool]:
        """The tools by name, over the documents that the call under way may see."""
        visible = self._scope.visible(self.library)
        documents = None if visible is None else [info.doc_id for info in visible]
        tools = catalogue(self.library, documents=documents, max_output_tokens=self._cap, prefix=self._prefix)
        return {tool.name: tool for tool in tools}

    def _functions(self, tool: Tool) -> tuple[Callable[..., ToolResult], Callable[..., Awaitable[ToolResult]]]:
        def run(**arguments: Any) -> ToolResult:
            return self._catalogue()[tool.name].run(**arguments)

        async def arun(**arguments: Any) -> ToolResult:
            return await asyncio.to_thread(run, **arguments)

        run.__name__, arun.__name__ = tool.name, f"a{tool.name}"
        run.__doc__ = arun.__doc__ = tool.description
        return run, arun
