"""Serving a library to MCP clients: what `thumbindex mcp` does once its options are read."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from ..library import Library


@dataclass(frozen=True, slots=True)
class Serving:
    """Over standard input and output, or at an address.

    Args:
        address: Host and port for HTTP; None for standard input and output.
        documents: Ids or names that clients may see; empty for all.
        allow_add: Folders from which clients may add documents.
        allowed_hosts: Further names of this machine that HTTP clients use.
    """

    address: tuple[str, int] | None
    token: str | None
    documents: Sequence[str]
    allow_add: Sequence[Path]
    allowed_hosts: Sequence[str]
    max_output_tokens: int

    def check(self) -> None:
        """Whether it can be served so.

        Raises:
            MissingExtra: the MCP SDK is not installed.
            ValueError: it would be open to the network; or what is asked does not go together.
        """
        from ..mcp import http_app, make_server

        server = make_server(
            Library(),
            documents=[] if self.documents else None,
            max_output_tokens=self.max_output_tokens,
            allow_add=self.allow_add,
        )
        if self.address is not None:
            http_app(server, host=self.address[0], token=self.token, allowed_hosts=self.allowed_hosts)

    def serve(self, library: Library) -> None:
        """Serve until the client goes, or an interrupt."""
        from ..mcp import make_server, serve_http, serve_stdio

        server = make_server(
            library,
            documents=list(self.documents) or None,
            max_output_tokens=self.max_output_tokens,
            allow_add=self.allow_add,
        )
        if self.address is None:
            _end_on_signal(library)
            asyncio.run(serve_stdio(server))
        else:
            host, port = self.address
            asyncio.run(serve_http(server, host=host, port=port, token=self.token, allowed_hosts=self.allowed_hosts))


def _end_on_signal(library: Library) -> None:
    """Let an interrupt end the process, though a thread waits for standard input, from which nothing wakes it."""

    def end(signal_number: int, _frame: FrameType | None) -> None:
        library.close()
        os._exit(128 + signal_number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
