"""`thumbindex mcp`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...sources.folders import expand
from ..cache import OpenLibrary
from ..opening import open_library, use_files
from ..options import DocumentNames, Filters, LimitSettings, OptionalLibraryPath, Tenant
from ..progress import StatusLine
from ..reading import ReadingOptions
from ..scopes import parse_scope
from ..serving import ServerOptions, check_options, serve
from ..terminal import print_error


def mcp(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Documents, or folders of documents, to serve.", show_default=False)
    ] = None,
    library: OptionalLibraryPath = None,
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP, at /mcp, instead of standard input.")] = False,
    host: Annotated[
        str, typer.Option(help="Address to listen on; an address that other machines can reach needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="THUMBINDEX_MCP_TOKEN", help="Bearer token that HTTP clients must send.", show_default=False
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Another name under which HTTP clients reach this machine. May be repeated."),
    ] = None,
    allow_add: Annotated[
        list[Path] | None,
        typer.Option(help="Let clients add documents from this folder and its subfolders. May be repeated."),
    ] = None,
    documents: DocumentNames = None,
    filters: Filters = None,
    tenant: Tenant = None,
    limit: LimitSettings = None,
    max_output_tokens: Annotated[int, typer.Option(min=400, help="Maximum number of tokens of each output.")] = 3000,
) -> None:
    """Serve documents to clients of the Model Context Protocol: Claude, Cursor and agent frameworks.

    Clients can only read, unless --allow-add names a folder. Standard input serves one client, HTTP any number.
    """
    if allow_add and (documents or filters):
        raise typer.BadParameter(
            "Clients that see only some documents cannot add any: leave out --allow-add, or --document and --filter."
        )
    server = ServerOptions(
        address=(host, port) if http else None,
        token=token,
        allowed_hosts=tuple(allow_host or ()),
        scope=parse_scope(documents, filters, tenant),
        allow_add=tuple(allow_add or ()),
        max_output_tokens=max_output_tokens,
    )
    try:
        check_options(server)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    options = ReadingOptions.parse(limits=limit)
    if files:
        if allow_add:
            raise typer.BadParameter("Documents are added to a library: name one with --library, and no files.")
        _serve_files(expand(files), server, options)
    elif library is not None:
        with open_library(library, create=bool(allow_add), limits=options.limits) as opened:
            serve(opened, server)
    else:
        raise typer.BadParameter("Name the files to serve, or a library: thumbindex mcp report.pdf")


def _serve_files(files: list[Path], server: ServerOptions, options: ReadingOptions) -> None:
    # First to fill the cache, then to serve from it: a server that is killed then leaves no draft of a cache entry behind.
    _, failures = use_files(files, lambda _opened, _status: None, options)
    for failure in failures:
        print_error(str(failure))

    def use(opened: OpenLibrary, status: StatusLine) -> None:
        status.stop()
        serve(opened.library, server)

    use_files(files, use, options)
