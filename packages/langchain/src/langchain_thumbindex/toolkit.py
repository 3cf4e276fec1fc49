"""The tool catalogue as LangChain tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from langchain_core.callbacks import Callbacks, adispatch_custom_event, dispatch_custom_event
from langchain_core.documents import Document
from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, BaseToolkit, StructuredTool, ToolException
from pydantic import ConfigDict, Field

from thumbindex.library_view import LibraryView
from thumbindex.tools import Tool, ToolError, ToolResult, catalogue, instructions

from .documents import to_document
from .filters import Filters, to_scope

TOOL_EVENT = "thumbindex_tool"
"""Name of the custom event of each call that succeeds; in a LangGraph graph its data are also written to the `custom` stream."""


class ThumbIndexToolkit(BaseToolkit):
    """Tools that let an agent browse, search and read a library's documents. They can only read.

    A tool's text is for the model; the sections behind it are the tool message's artifact, as documents.

    Args:
        library: A `thumbindex.Library`, or a view of some of its documents: `library.view(Scope(...))`.
        documents: Ids or names of the documents that the tools can see; None for all.
        filters: Conditions on a document's metadata; see `Filters`.
        max_output_tokens: Limit of each output.
        prefix: Put before each tool's name, for several toolkits in one agent.

    Raises:
        DocumentNotFound: one of `documents` is not in the library.
        ValueError: filters, a limit or a prefix that is not allowed.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    library: LibraryView = Field(exclude=True, repr=False)
    max_output_tokens: int = Field(default=3000, ge=1)
    prefix: str = ""

    # `ThumbIndexToolkit(library)`, as the other adapters have it; pydantic alone would insist on the keyword.
    def __init__(
        self,
        library: LibraryView,
        *,
        documents: Sequence[str] | None = None,
        filters: Filters | None = None,
        max_output_tokens: int = 3000,
        prefix: str = "",
    ) -> None:
        fields = {"max_output_tokens": max_output_tokens, "prefix": prefix}
        super().__init__(library=library.view(to_scope(documents, filters)), **fields)  # type: ignore[call-arg]

    @property
    def instructions(self) -> str:
        """Instructions for using the tools, for the agent's system prompt."""
        return instructions(self.prefix)

    def get_tools(self) -> list[BaseTool]:
        """The tools, sync and async; a model's mistake comes back to it as an error message."""
        tools = catalogue(self.library, max_output_tokens=self.max_output_tokens, prefix=self.prefix)
        return [_structured_tool(tool) for tool in tools]


def artifact_documents(message: ToolMessage) -> list[Document]:
    """The documents of a tool message, also of one from a checkpoint, which stores them as plain data."""
    artifact = message.artifact if isinstance(message.artifact, list) else []
    return [
        item if isinstance(item, Document) else Document.model_validate(item)
        for item in artifact
        if isinstance(item, Document) or (isinstance(item, dict) and isinstance(item.get("page_content"), str))
    ]


def _structured_tool(tool: Tool) -> StructuredTool:
    def call(arguments: dict[str, Any]) -> ToolResult:
        try:
            return tool.run(**arguments)
        except ToolError as error:
            raise ToolException(str(error)) from error

    def run(callbacks: Callbacks = None, **arguments: Any) -> tuple[str, list[Document]]:
        result = call(arguments)
        if callbacks is not None:
            dispatch_custom_event(TOOL_EVENT, _event(tool.name, result), config=RunnableConfig(callbacks=callbacks))
        return deliver(result)

    async def arun(callbacks: Callbacks = None, **arguments: Any) -> tuple[str, list[Document]]:
        result = await asyncio.to_thread(call, arguments)
        if callbacks is not None:
            event, config = _event(tool.name, result), RunnableConfig(callbacks=callbacks)
            await adispatch_custom_event(TOOL_EVENT, event, config=config)
        return deliver(result)

    def deliver(result: ToolResult) -> tuple[str, list[Document]]:
        _write_to_stream(_event(tool.name, result))
        return result.text, [to_document(evidence) for evidence in result.evidence]

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.arguments,
        func=run,
        coroutine=arun,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def _event(name: str, result: ToolResult) -> dict[str, Any]:
    """A call and the sections that it found, for a user interface: plain data."""
    return {
        "type": TOOL_EVENT,
        "tool": name,
        "sections": [
            {"id": evidence.id, "section_path": evidence.section_path, "citation": evidence.citation}
            for evidence in result.evidence
        ],
    }


def _write_to_stream(event: dict[str, Any]) -> None:
    """Writes to the `custom` stream of the graph that runs the tool, if there is one."""
    get_stream_writer = _graph_stream()
    writer = None
    with suppress(RuntimeError, KeyError):  # called outside a graph
        writer = get_stream_writer and get_stream_writer()
    if writer is not None:
        writer(event)


@cache
def _graph_stream() -> Callable[[], Callable[[Any], None]] | None:
    try:
        from langgraph.config import get_stream_writer
    except ImportError:
        return None
    return get_stream_writer
