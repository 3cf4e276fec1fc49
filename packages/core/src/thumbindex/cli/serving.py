"""Serving a library to MCP clients, as the options of `thumbindex mcp` ask for it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from ..library import Library
from ..scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """The options of a server.

    Args:
        address: Host and port for HTTP; None for standard input and output.
        token: Bearer token that HTTP clients must send.
        allowed_hosts: Further names of this machine that HTTP clients use.
        scope: The documents that clients can see.
        allow_add: Folders from which clients may add documents.
        max_output_tokens: Maximum number of tokens of each output.
    """

    address: tuple[str, int] | None
    token: str | None
    allowed_hosts: tuple[str, ...]
    scope: Scope
    allow_add: tuple[Path, ...]
    max_output_tokens: int


def check_options(options: ServerOptions) -> None:
    """Checks the options before any file is read.

    Raises:
        MissingExtra: the MCP SDK is not installed.
        SourceError: a folder of `allow_add` does not exist.
        ValueError: the server would be open to the network, or two options exclude each other.
    """
    from ..mcp import http_app, make_server

    server = make_server(Library(), max_output_tokens=options.max_output_tokens, allow_add=options.allow_add)
    if options.address is not None:
        http_app(server, host=options.address[0], token=options.token, allowed_hosts=options.allowed_hosts)


def serve(library: Library, options: ServerOptions) -> None:
    """Serves a library until the client closes the connection, or until an interrupt."""
    from ..mcp import make_server, serve_http, serve_stdio

    server = make_server(
        library if options.scope in (Scope(), Scope(tenant=options.scope.tenant)) else library.view(options.scope),
        max_output_tokens=options.max_output_tokens,
        allow_add=options.allow_add,
        tenant=options.scope.tenant,
    )
    if options.address is None:
        _exit_on_signals(library)

        async def serve_until_closed() -> None:
            with waking_on_signals():
                await serve_stdio(server)

        asyncio.run(serve_until_closed())
    else:
        host, port = options.address
        asyncio.run(serve_http(server, host=host, port=port, token=options.token, allowed_hosts=options.allowed_hosts))


def _exit_on_signals(library: Library) -> None:
    """Lets an interrupt end the process: a thread that reads standard input cannot be woken otherwise."""

    def handle(signal_number: int, _frame: FrameType | None) -> None:
        library.close()
        os._exit(128 + signal_number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handle)


@contextmanager
def waking_on_signals() -> Iterator[None]:
    """Wakes the running event loop at each signal, so that its handler runs at once.

    A signal that arrives just before the loop waits, or in another thread, would be handled only after the next event
    (`signal.set_wakeup_fd`). On Windows the loop does this by itself.
    """
    if sys.platform == "win32":
        yield
        return
    loop = asyncio.get_running_loop()
    reader, writer = socket.socketpair()
    with reader, writer:
        reader.setblocking(False)
        writer.setblocking(False)
        previous = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        loop.add_reader(reader, reader.recv, 4096)
        try:
            yield
        finally:
            loop.remove_reader(reader)
            signal.set_wakeup_fd(previous)
