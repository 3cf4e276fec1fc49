"""The tool catalogue as LangChain tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from langchain_core.callbacks import Callbacks, adispatch_custom_event, dispatch_custom_event
from langchain_core.documents import Document
from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, BaseToolkit, StructuredTool, ToolException
from pydantic import ConfigDict, Field

from thumbindex import Library
from thumbindex.tools import Tool, ToolError, ToolResult, catalogue, instructions

from .documents import to_document

TOOL_EVENT = "thumbindex_tool"
"""Name of the custom event of each call that succeeds; in a LangGraph graph its data are also written to the `custom` stream."""


class ThumbIndexToolkit(BaseToolkit):
    """Tools that let an agent browse, search and read a library's documents. They can only read.

    A tool's text is for the model; the sections behind it are the tool message's artifact, as documents.

    Args:
        library: A `thumbindex.Library`.
        documents: Ids or names of the documents the tools may open; None for all.
        filters: Values that a document's metadata must have; the documents are looked up when the tools are made.
        max_output_tokens: Cap on each output.
        prefix: Put before each tool's name, for several toolkits in one agent.
    """

    model_config = ConfigDict(extra="forbid")

    library: Any = Field(exclude=True, repr=False)
    documents: Sequence[str] | None = None
    filters: Mapping[str, Any] | None = None
    max_output_tokens: int = Field(default=3000, ge=1)
    prefix: str = ""

    # `ThumbIndexToolkit(library)`, as the other adapters have it; pydantic alone would insist on the keyword.
    def __init__(self, library: Library, **fields: Any) -> None:
        super().__init__(library=library, **fields)  # type: ignore[call-arg]

    @property
    def instructions(self) -> str:
        """How to use the tools, for the agent's system prompt."""
        return instructions(self.prefix)

    def get_tools(self) -> list[BaseTool]:
        """The tools, sync and async; what a model did wrong comes back to it as an error message."""
        documents = self.documents
        if self.filters:
            documents = [one.doc_id for one in self.library.list(documents=documents, filters=self.filters)]
        tools = catalogue(
            self.library, documents=documents, max_output_tokens=self.max_output_tokens, prefix=self.prefix
        )
        return [_structured_tool(tool) for tool in tools]


def artifact_documents(message: ToolMessage) -> list[Document]:
    """The documents of a tool message, whether it is fresh or comes from a checkpoint, which keeps them as plain data."""
    artifact = message.artifact if isinstance(message.artifact, list) else []
    return [
        one if isinstance(one, Document) else Document.model_validate(one)
        for one in artifact
        if isinstance(one, Document) or (isinstance(one, dict) and isinstance(one.get("page_content"), str))
    ]


def _structured_tool(tool: Tool) -> StructuredTool:
    def call(arguments: dict[str, Any]) -> ToolResult:
        try:
            return tool.run(**arguments)
        except ToolError as error:
            raise ToolException(str(error)) from error

    def run(callbacks: Callbacks = None, **arguments: Any) -> tuple[str, list[Document]]:
        result = call(arguments)
        event = _event(tool.name, result)
        if callbacks is not None:
            dispatch_custom_event(TOOL_EVENT, event, config=RunnableConfig(callbacks=callbacks))
        _write(event)
        return result.text, [to_document(evidence) for evidence in result.evidence]

    async def arun(callbacks: Callbacks = None, **arguments: Any) -> tuple[str, list[Document]]:
        result = await asyncio.to_thread(call, arguments)
        event = _event(tool.name, result)
        if callbacks is not None:
            await adispatch_custom_event(TOOL_EVENT, event, config=RunnableConfig(callbacks=callbacks))
        _write(event)
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
    """What a user interface shows of a call: plain data."""
    return {
        "type": TOOL_EVENT,
        "tool": name,
        "sections": [
            {"id": one.id, "section_path": one.section_path, "citation": one.citation} for one in result.evidence
        ],
    }


def _write(event: dict[str, Any]) -> None:
    """To the `custom` stream of the graph that runs the tool, if one does."""
    get_stream_writer = _graph_stream()
    if get_stream_writer is not None:
        try:
            writer = get_stream_writer()
        except (RuntimeError, KeyError):  # called by itself, or in a chain
            return
        writer(event)


@cache
def _graph_stream() -> Callable[[], Callable[[Any], None]] | None:
    try:
        from langgraph.config import get_stream_writer
    except ImportError:
        return None
    return get_stream_writer
