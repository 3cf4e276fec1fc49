"""An MCP server over real HTTP on loopback, in its own thread."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import uvicorn

from thumbindex import Library
from thumbindex.mcp import http_app, make_server

Serve = Callable[..., str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """A function that serves a library and returns the URL of its MCP endpoint."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(library: Library, *, token: str | None = None, **options: Any) -> str:
        listening = socket.create_server(("127.0.0.1", 0))
        app = http_app(make_server(library, **options), token=token)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        running.append((server, thread))
        while not server.started:
            time.sleep(0.01)
        return f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join(10)
