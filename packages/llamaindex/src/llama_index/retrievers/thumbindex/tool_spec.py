"""The tool catalogue as a LlamaIndex tool spec."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from os import PathLike

from llama_index.core.tools import ToolMetadata
from llama_index.core.tools.tool_spec.base import SPEC_FUNCTION_TYPE, BaseToolSpec

from thumbindex import Library
from thumbindex.library_view import LibraryView
from thumbindex.tools import Tool, ToolResult, catalogue, instructions

from .filters import Filters
from .scope import to_scopes, visible, within


class ThumbIndexToolSpec(BaseToolSpec):
    """Tools that let an agent browse, search and read a library's documents: `to_tool_list()`.

    Each tool is also a pair of methods, such as `search_text` and `asearch_text`. A result prints as the text for the model
    and carries its `evidence`; it is the `raw_output` of the tool's output. `instructions` tell an agent how to use the tools.

    Args:
        library: A library, a view of some of its documents (`library.view(scope)`), or the path of a library's file.
        documents: Ids or names of the documents that the tools can see; None for all.
        filters: Conditions on the metadata of documents; see `ThumbIndexRetriever`.
        max_output_tokens: Limit of each output.
        prefix: Put before each tool's name, for several specs in one agent.

    Raises:
        DocumentNotFound: a document that is named is not in the library.
        TypeError: a single name for `documents`.
        ValueError: filters that documents cannot answer, or a limit or prefix that is not allowed.
    """

    def __init__(
        self,
        library: Library | LibraryView | str | PathLike[str],
        *,
        documents: Sequence[str] | None = None,
        filters: Filters | None = None,
        max_output_tokens: int = 3000,
        prefix: str = "",
    ) -> None:
        self.library = library if isinstance(library, LibraryView) else Library(library)
        self._scopes = to_scopes(self.library, documents, filters)
        self._max_output_tokens, self._prefix = max_output_tokens, prefix
        self.instructions = instructions(prefix)
        self._tools = self._catalogue()
        self.spec_functions: list[SPEC_FUNCTION_TYPE] = [(name, f"a{name}") for name in self._tools]
        for tool in self._tools.values():
            run, run_async = self._functions(tool)
            setattr(self, run.__name__, run)
            setattr(self, run_async.__name__, run_async)

    def within(
        self, *, documents: Sequence[str] | None = None, filters: Filters | None = None
    ) -> AbstractContextManager[None]:
        """Narrows what the tools can see in a block, such as one request of an agent; see `ThumbIndexRetriever.within`."""
        return within(self.library, self._scopes, documents, filters)

    def get_metadata_from_fn_name(
        self,
        fn_name: str,
        spec_functions: list[SPEC_FUNCTION_TYPE] | None = None,  # noqa: ARG002, the base class passes it
    ) -> ToolMetadata:
        """Name, description and argument schema of a tool, from the catalogue."""
        tool = self._tools.get(fn_name) or self._tools[fn_name.removeprefix("a")]
        return ToolMetadata(name=tool.name, description=tool.description, fn_schema=tool.arguments)

    def _catalogue(self) -> dict[str, Tool]:
        """The tools by name, over the documents that can be seen now."""
        view = visible(self.library, self._scopes)
        tools = catalogue(view, max_output_tokens=self._max_output_tokens, prefix=self._prefix)
        return {tool.name: tool for tool in tools}

    def _functions(self, tool: Tool) -> tuple[Callable[..., ToolResult], Callable[..., Awaitable[ToolResult]]]:
        def run(**arguments: object) -> ToolResult:
            return self._catalogue()[tool.name].run(**arguments)

        async def run_async(**arguments: object) -> ToolResult:
            return await asyncio.to_thread(run, **arguments)

        run.__name__, run_async.__name__ = tool.name, f"a{tool.name}"
        run.__doc__ = run_async.__doc__ = tool.description
        return run, run_async
