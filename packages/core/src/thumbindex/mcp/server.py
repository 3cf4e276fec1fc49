"""The server: tools with structured output, and documents and sections as resources, over a view of a library."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeAlias

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from ..library import Library
from ..library_view import LibraryView
from ..scope import Scope
from ..tools import INSTRUCTIONS, Tool, catalogue
from .adding import adding_tool
from .resources import Resources
from .roots import Roots
from .tool_runner import ToolRunner

ThumbIndexServer: TypeAlias = Server[dict[str, Any]]

MIN_OUTPUT_TOKENS = 400
"""Smallest limit on outputs: a structured output repeats the JSON around its text and has room for one source."""
_TEXT_SHARE = 0.75
"""Share of the limit for the text of a structured output; its sources take the rest."""


def make_server(
    library: LibraryView,
    *,
    max_output_tokens: int = 3000,
    allow_add: Iterable[str | os.PathLike[str]] = (),
    tenant: str | None = None,
) -> ThumbIndexServer:
    """An MCP server over a library, or over a view of some of its documents.

    Args:
        library: The documents that clients can see.
        max_output_tokens: Limit on each output, text and structured form alike, by `estimate_tokens`; at least 400.
        allow_add: Folders from whose files clients may add documents, which takes a `Library`. Without any, clients can only
            read.
        tenant: Namespace whose documents clients can see, and to which they add; None for all, adding to none.

    Raises:
        SourceError: a folder of `allow_add` does not exist.
        ValueError: the limit is too low, or clients that see only some documents could add others.
    """
    if max_output_tokens < MIN_OUTPUT_TOKENS:
        raise ValueError(f"max_output_tokens must be at least {MIN_OUTPUT_TOKENS}, got {max_output_tokens}.")
    adding = _adding_tools(library, Roots(allow_add), tenant or "")
    if tenant is not None:
        library = library.view(Scope(tenant=tenant))
    reading = catalogue(library, max_output_tokens=int(max_output_tokens * _TEXT_SHARE))
    tools = ToolRunner(reading, adding, max_output_tokens)
    resources = Resources(library, reading)
    return Server(
        "thumbindex",
        title="thumbindex",
        version=_version(),
        instructions=INSTRUCTIONS,
        on_list_tools=tools.list_tools,
        on_call_tool=tools.call_tool,
        on_list_resources=resources.list,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read,
    )


async def serve_stdio(server: ThumbIndexServer) -> None:
    """Serves one client over standard input and output, until it closes them. Nothing else may print there."""
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


def _adding_tools(library: LibraryView, roots: Roots, tenant: str) -> list[Tool]:
    if not roots:
        return []
    if not isinstance(library, Library):
        raise ValueError(
            "Clients that see only some documents cannot add any: leave out `allow_add`, or pass the library."
        )
    return [adding_tool(library, roots, tenant)]


def _version() -> str:
    try:
        return version("thumbindex")
    except PackageNotFoundError:  # a copy of the source without its metadata
        return "unknown"
