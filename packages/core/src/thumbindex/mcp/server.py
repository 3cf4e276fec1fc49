"""The server: the catalogue as tools with annotations and structured output, documents and sections as resources."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any, TypeAlias
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ConfigDict, Field

from ..errors import SourceError
from ..evidence import Evidence
from ..library import Library
from ..library_view import LibraryView
from ..text.tokens import estimate_tokens
from ..text.untrusted import one_line
from ..tools import INSTRUCTIONS, ToolError, ToolResult, catalogue
from .roots import Roots

ThumbIndexServer: TypeAlias = Server[dict[str, Any]]
_Request: TypeAlias = ServerRequestContext[dict[str, Any]]

_URI = re.compile(r"thumbindex://documents/([^/?#]+)(?:/sections/([^/?#]+))?(?:\?part=(\d{1,6}))?")
_RESOURCES_LISTED = 100
_TEXT_SHARE = 0.75
"""Of the cap, for the text of a structured output; its sources take the rest."""
_READS = types.ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_ADDS = types.ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


class SourceOutput(BaseModel):
    """Where a piece of the text stands: pages are physical, 1-based and inclusive; null without pages."""

    citation: str
    section: str
    document: str
    node: str
    first_page: int | None
    last_page: int | None


class Output(BaseModel):
    """What a tool returns: the text that a model reads, and its sources."""

    text: str
    sources: list[SourceOutput]


class AddDocument(BaseModel):
    """Arguments of `add_document`."""

    model_config = ConfigDict(extra="forbid")

    path: Annotated[str, Field(description="path of the file, below the folder that documents may be added from")]


def make_server(
    library: LibraryView,
    *,
    max_output_tokens: int = 3000,
    allow_add: Iterable[str | os.PathLike[str]] = (),
) -> ThumbIndexServer:
    """An MCP server over a library.

    Args:
        library: The documents that clients can see: a library, or a view of some of its documents.
        max_output_tokens: Cap on each output, text and structured form alike, by `estimate_tokens`; at least 400.
        allow_add: Folders from whose files clients may add documents. Without any, clients can only read.

    Raises:
        SourceError: a folder of `allow_add` does not exist.
        ValueError: the cap will not do, or documents are to be added that could not be seen.
    """
    if max_output_tokens < 400:
        raise ValueError(f"max_output_tokens must be at least 400, got {max_output_tokens}.")
    roots = Roots(allow_add)
    if roots and not isinstance(library, Library):
        raise ValueError(
            "Clients that see only some documents cannot add any: leave out `allow_add`, or pass the library."
        )
    desk = _Desk(library, max_output_tokens, roots)
    return Server(
        "thumbindex",
        title="thumbindex",
        version=_version(),
        instructions=INSTRUCTIONS,
        on_list_tools=desk.list_tools,
        on_call_tool=desk.call_tool,
        on_list_resources=desk.list_resources,
        on_list_resource_templates=desk.list_templates,
        on_read_resource=desk.read_resource,
    )


async def serve_stdio(server: ThumbIndexServer) -> None:
    """Serve one client over standard input and output, until it closes them. Nothing else may print there."""
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


class _Desk:
    """Answers the requests of all clients; every answer is computed in a thread."""

    def __init__(self, library: LibraryView, cap: int, roots: Roots) -> None:
        self._library, self._cap, self._roots = library, cap, roots
        tools = catalogue(library, max_output_tokens=int(cap * _TEXT_SHARE))
        self._tools = {tool.name: tool for tool in tools}

    # Tools

    async def list_tools(self, _request: _Request, _page: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        tools = [_tool(tool.name, tool.description, tool.arguments, _READS) for tool in self._tools.values()]
        if self._roots:
            tools.append(_tool("add_document", "Add a file to the library, or its new revision.", AddDocument, _ADDS))
        return types.ListToolsResult(tools=tools)

    async def call_tool(self, request: _Request, called: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = called.arguments or {}
        await request.session.report_progress(0, 1, "Started")
        try:
            if called.name == "add_document" and self._roots:
                result = await asyncio.to_thread(self._add, arguments)
            elif called.name in self._tools:
                result = await asyncio.to_thread(self._tools[called.name].run, **arguments)
            else:
                known = ", ".join(self._tools)
                raise MCPError(types.INVALID_PARAMS, f"There is no tool {called.name!r}; there are {known}.")
        except ToolError as error:
            return types.CallToolResult(content=[types.TextContent(text=str(error))], is_error=True)
        await request.session.report_progress(1, 1, "Done")
        return types.CallToolResult(
            content=[types.TextContent(text=result.text)],
            structured_content=_structured(result, self._cap),
        )

    def _add(self, arguments: dict[str, Any]) -> ToolResult:
        try:
            path = AddDocument.model_validate(arguments).path
        except ValueError as error:
            raise ToolError("Wrong arguments for add_document: give `path`, a text, and nothing else.") from error
        found = self._roots.read(path)
        library = self._library
        assert isinstance(library, Library)  # checked where folders are given
        before = len(library)
        try:
            info = library.add(found.data, name=found.name)
        except SourceError as error:
            raise ToolError(str(error)) from error
        size = f"{info.page_count} pages" if info.page_count else "no pages"
        state = "Added" if len(library) > before else "Already here, revision " + str(info.revision)
        return ToolResult(f"{state}: {info.doc_id} | {one_line(info.name)} | {size}, {info.section_count} sections")

    # Resources

    async def list_resources(
        self, _request: _Request, page: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        start = _cursor(page.cursor if page else None)
        seen = await asyncio.to_thread(self._library.list)
        end = start + _RESOURCES_LISTED
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=f"thumbindex://documents/{quote(info.doc_id, safe='')}",
                    name=one_line(info.name),
                    title=one_line(str(info.metadata.get("title") or info.name)),
                    description=f"Sections of {one_line(info.name)}, {info.section_count} in all.",
                    mime_type="text/plain",
                )
                for info in seen[start:end]
            ],
            next_cursor=str(end) if end < len(seen) else None,
        )

    async def list_templates(
        self, _request: _Request, _page: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        templates = {
            "document": ("thumbindex://documents/{document}{?part}", "Sections of a document, with ids and pages."),
            "section": (
                "thumbindex://documents/{document}/sections/{section}{?part}",
                "Text of a section with its subsections, in parts where it is long.",
            ),
        }
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(name=name, uri_template=uri, description=told, mime_type="text/plain")
                for name, (uri, told) in templates.items()
            ]
        )

    async def read_resource(
        self, _request: _Request, wanted: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(wanted.uri)
        match = _URI.fullmatch(uri)
        if match is None:
            raise MCPError(types.INVALID_PARAMS, f"{one_line(uri)} is no resource of this server; list them first.")
        document, section = unquote(match[1]), unquote(match[2] or "")
        part = int(match[3]) if match[3] else None
        try:
            if section:
                tool = self._tools["read_section"]
                result = await asyncio.to_thread(tool.run, document=document, node=section, part=part)
            else:
                tool = self._tools["get_document_structure"]
                result = await asyncio.to_thread(tool.run, document=document, part=part)
        except ToolError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, text=result.text, mime_type="text/plain")]
        )


def _tool(name: str, description: str, arguments: type[BaseModel], annotations: types.ToolAnnotations) -> types.Tool:
    return types.Tool(
        name=name,
        title=name.replace("_", " ").capitalize(),
        description=description,
        input_schema=arguments.model_json_schema(),
        output_schema=Output.model_json_schema(),
        annotations=annotations,
    )


def _structured(result: ToolResult, cap: int) -> dict[str, Any]:
    """Text and sources, as many as the cap allows: clients may show a model the structured form in place of the text."""
    output = Output(text=result.text, sources=[])
    left = cap - estimate_tokens(json.dumps(output.model_dump(), ensure_ascii=False))
    for one in result.evidence:
        source = _source(one)
        left -= estimate_tokens(json.dumps(source.model_dump(), ensure_ascii=False)) + 1
        if left < 0:
            break
        output.sources.append(source)
    return output.model_dump()


def _source(one: Evidence) -> SourceOutput:
    return SourceOutput(
        citation=one.citation,
        section=one_line(one.section_path),
        document=one.doc_id,
        node=one.node_id,
        first_page=one.pages.first if one.pages else None,
        last_page=one.pages.last if one.pages else None,
    )


def _cursor(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not re.fullmatch(r"\d{1,9}", cursor):
        raise MCPError(types.INVALID_PARAMS, f"{one_line(cursor)} is no cursor of this server.")
    return int(cursor)


def _version() -> str:
    try:
        return version("thumbindex")
    except PackageNotFoundError:  # a copy of the source without its metadata
        return "unknown"
