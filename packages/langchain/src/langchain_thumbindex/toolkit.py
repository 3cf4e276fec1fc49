"""The tool catalogue as LangChain tools."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.tools import BaseTool, BaseToolkit, StructuredTool, ToolException
from pydantic import Field

from thumbindex import Library
from thumbindex.tools import Tool, ToolError, catalogue, instructions

from .documents import to_document


class ThumbIndexToolkit(BaseToolkit):
    """Tools that let an agent browse, search and read a library's documents.

    A tool's text is for the model; the documents behind it are the tool message's artifact.

    Args:
        library: A `thumbindex.Library`.
        documents: Ids or names of the documents the tools may open; None for all.
        max_output_tokens: Cap on each output.
        prefix: Put before each tool's name, for several toolkits in one agent.
    """

    library: Any = Field(exclude=True, repr=False)
    documents: Sequence[str] | None = None
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
        tools = catalogue(
            self.library, documents=self.documents, max_output_tokens=self.max_output_tokens, prefix=self.prefix
        )
        return [_structured_tool(tool) for tool in tools]


def _structured_tool(tool: Tool) -> StructuredTool:
    def run(**arguments: Any) -> tuple[str, list[Document]]:
        try:
            result = tool.run(**arguments)
        except ToolError as error:
            raise ToolException(str(error)) from error
        return result.text, [to_document(evidence) for evidence in result.evidence]

    async def arun(**arguments: Any) -> tuple[str, list[Document]]:
        return await asyncio.to_thread(run, **arguments)

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.arguments,
        func=run,
        coroutine=arun,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )
