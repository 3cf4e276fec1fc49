"""The tool with which clients add documents from the folders that are named."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import SourceError
from ..library import Library
from ..text.untrusted import one_line
from ..tools import Tool, ToolError, ToolResult
from .roots import Roots


class AddDocument(BaseModel):
    """Arguments of `add_document`."""

    model_config = ConfigDict(extra="forbid")

    path: Annotated[str, Field(description="path of the file, below the folder that documents may be added from")]


def adding_tool(library: Library, roots: Roots, tenant: str = "") -> Tool:
    """The tool `add_document`, which adds files below `roots` to a tenant of a library."""

    def run(**arguments: object) -> ToolResult:
        try:
            path = AddDocument.model_validate(arguments).path
        except ValidationError as error:
            raise ToolError("Wrong arguments for add_document: pass only `path`, a string.") from error
        return _add(library, roots, path, tenant)

    return Tool("add_document", "Add a file to the library, or its new revision.", AddDocument, run)


def _add(library: Library, roots: Roots, path: str, tenant: str) -> ToolResult:
    file = roots.read(path)
    count = len(library)
    try:
        info = library.add(file.data, name=file.name, tenant=tenant)
    except SourceError as error:
        raise ToolError(str(error)) from error
    size = f"{info.page_count} pages" if info.page_count else "no pages"
    state = "Added" if len(library) > count else f"Already here, revision {info.revision}"
    return ToolResult(f"{state}: {info.doc_id} | {one_line(info.name)} | {size}, {info.section_count} sections")
