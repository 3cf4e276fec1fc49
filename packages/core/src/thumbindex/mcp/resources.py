"""Documents and sections as resources; their texts are those of the tools, with the same limits and messages."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

from ..library_view import LibraryView
from ..store import DocumentInfo
from ..text.untrusted import one_line
from ..tools import Tool, ToolError
from .tool_runner import Request

_URI = re.compile(r"thumbindex://documents/([^/?#]+)(?:/sections/([^/?#]+))?(?:\?part=(\d{1,6}))?")
_CURSOR = re.compile(r"\d{1,9}")
_PAGE_SIZE = 100
"""Documents per page of a list."""
_TEMPLATES = [
    types.ResourceTemplate(
        name="document",
        uri_template="thumbindex://documents/{document}{?part}",
        description="Sections of a document, with ids and pages.",
        mime_type="text/plain",
    ),
    types.ResourceTemplate(
        name="section",
        uri_template="thumbindex://documents/{document}/sections/{section}{?part}",
        description="Text of a section with its subsections, in parts where it is long.",
        mime_type="text/plain",
    ),
]


class Resources:
    """The documents of a view and their sections as resources.

    Args:
        tools: The tools of `thumbindex.tools.catalogue` over the same view.
    """

    def __init__(self, view: LibraryView, tools: Iterable[Tool]) -> None:
        by_name = {tool.name: tool for tool in tools}
        self._view = view
        self._structure, self._section = by_name["get_document_structure"], by_name["read_section"]

    async def list(self, _request: Request, page: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """Answers `resources/list` with one page of documents."""
        start = _offset(page.cursor if page else None)
        infos = await asyncio.to_thread(self._view.list)
        end = start + _PAGE_SIZE
        return types.ListResourcesResult(
            resources=[_resource(info) for info in infos[start:end]],
            next_cursor=str(end) if end < len(infos) else None,
        )

    async def list_templates(
        self, _request: Request, _page: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """Answers `resources/templates/list`."""
        return types.ListResourceTemplatesResult(resource_templates=_TEMPLATES)

    async def read(self, _request: Request, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """Answers `resources/read` with the sections of a document or the text of a section."""
        uri = str(params.uri)
        match = _URI.fullmatch(uri)
        if match is None:
            raise MCPError(types.INVALID_PARAMS, f"{one_line(uri)} is not a resource of this server; list them first.")
        arguments: dict[str, object] = {"document": unquote(match[1]), "part": int(match[3]) if match[3] else None}
        tool = self._structure
        if match[2]:
            tool = self._section
            arguments["node"] = unquote(match[2])
        try:
            result = await asyncio.to_thread(tool.run, **arguments)
        except ToolError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, text=result.text, mime_type="text/plain")]
        )


def _resource(info: DocumentInfo) -> types.Resource:
    return types.Resource(
        uri=f"thumbindex://documents/{quote(info.doc_id, safe='')}",
        name=one_line(info.name),
        title=one_line(str(info.metadata.get("title") or info.name)),
        description=f"Sections of {one_line(info.name)}, {info.section_count} in all.",
        mime_type="text/plain",
    )


def _offset(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not _CURSOR.fullmatch(cursor):
        raise MCPError(types.INVALID_PARAMS, f"{one_line(cursor)} is not a cursor of this server.")
    return int(cursor)
