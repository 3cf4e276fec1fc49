"""Over real HTTP: access, many clients at once, and clients that disappear."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from thumbindex import Library
from thumbindex.mcp import http_app, make_server
from thumbindex.mcp.http import is_loopback
from thumbindex.testing import sample_library

if TYPE_CHECKING:
    from tests.core.mcp.conftest import Serve

LIBRARY = sample_library()
TOKEN = "correct-horse-battery-staple"
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "browse_documents", "arguments": {}}}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}


def post(url: str, body: dict[str, Any] = INITIALIZE, **headers: str) -> tuple[int, str]:
    """Sends a raw request and returns status and text; `Host` is the one of a client unless given."""
    address = urlsplit(url)
    content = json.dumps(body).encode()
    head = {
        "Host": address.netloc,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(content)),
        "Connection": "close",
    } | {name.replace("_", "-").title(): value for name, value in headers.items()}
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=20) as connection:
        lines = [
            f"POST {address.path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in head.items() if value),
            "",
            "",
        ]
        connection.sendall("\r\n".join(lines).encode() + content)
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
    return int(received.split(b" ", 2)[1]), received.decode(errors="replace")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({}, 200, id="a client"),
        pytest.param({"origin": "http://localhost:3000"}, 200, id="a page of this machine"),
        pytest.param({"origin": "https://evil.example"}, 403, id="another page"),
        pytest.param({"origin": "http://localhost.evil.example"}, 403, id="a page whose name begins like this machine"),
        pytest.param({"origin": "null"}, 403, id="a page without an origin"),
        pytest.param({"host": "evil.example"}, 421, id="a name that resolves to this machine"),
        pytest.param({"host": "localhost.evil.example:8000"}, 421, id="a name that begins like this machine"),
        pytest.param({"content_type": "text/plain"}, 400, id="a form of a web page"),
    ],
)
def test_a_web_page_cannot_reach_it(serve: Serve, headers: dict[str, str], status: int) -> None:
    """Neither from another origin nor by a name of its own that resolves to this machine."""
    assert post(serve(LIBRARY), **headers)[0] == status


@pytest.mark.parametrize("path", ["tools/call", "initialize"])
def test_the_checks_come_before_any_answer(serve: Serve, path: str) -> None:
    """A refusal contains nothing of the library."""
    body = CALL if path == "tools/call" else INITIALIZE
    status, text = post(serve(LIBRARY), body, host="evil.example")
    assert (status, "lantern" in text) == (421, False)


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN} x"],
)
def test_requests_without_the_token_are_refused(serve: Serve, authorization: str) -> None:
    """The reply names the scheme and nothing else."""
    status, text = post(serve(LIBRARY, token=TOKEN), authorization=authorization)
    assert status == 401
    assert "www-authenticate: bearer" in text.lower()
    assert "thumbindex" not in text


async def test_with_the_token_a_client_works(serve: Serve) -> None:
    """The host is checked, too."""
    url = serve(LIBRARY, token=TOKEN)
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        assert "lantern.md" in (await client.call_tool("browse_documents", {})).content[0].text  # type: ignore[union-attr]
    assert post(url, authorization=f"bearer {TOKEN}")[0] == 200
    assert post(url, authorization=f"Bearer {TOKEN}", host="evil.example")[0] == 421


def test_it_is_never_open_to_the_network_by_accident() -> None:
    """An address that other machines can reach needs a token that is not empty."""
    server = make_server(LIBRARY)
    for host in ("0.0.0.0", "::", "192.168.1.5", "example.com", "localhost.example.com", ""):
        assert not is_loopback(host)
        with pytest.raises(ValueError, match="set a token"):
            http_app(server, host=host)
        http_app(make_server(LIBRARY), host=host or "0.0.0.0", token=TOKEN)
    for host in ("127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost"):
        assert is_loopback(host)
    with pytest.raises(ValueError, match="empty"):
        http_app(server, token=" ")


async def test_fifty_sessions_at_once_each_get_their_own_answers(serve: Serve) -> None:
    """From one server, from connecting to the answer."""
    library = Library()
    for n in range(50):
        library.add(f"# Lamp {n}\n\nLamp {n} burns {1000 + n} hours.\n".encode(), name=f"lamp-{n}.md")
    url = serve(library)

    async def session(n: int) -> str:
        async with Client(url) as client:
            found = await client.call_tool("search_text", {"query": "burns hours", "document": f"lamp-{n}.md"})
        return found.content[0].text  # type: ignore[union-attr]

    for n, found in enumerate(await asyncio.gather(*map(session, range(50)))):
        assert f"burns {1000 + n} hours" in found
        assert found.count("burns") == 1


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files by /proc")
async def test_a_client_that_disappears_leaves_nothing_behind(serve: Serve) -> None:
    """No connection, thread or session, whether it disappears during a request, during a call or between two."""

    class Slow(Library):
        def list(self) -> Any:  # type: ignore[override]
            time.sleep(0.05)
            return super().list()

    library = Slow()
    library.add(b"# A\n\nb\n", name="a.md")
    url = serve(library)
    address = urlsplit(url)
    async with Client(url) as client:
        await client.call_tool("browse_documents", {})
    before = len(os.listdir("/proc/self/fd"))

    body = json.dumps(CALL).encode()
    head = (
        f"POST {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    for part in (head[:40], head, head + body[:20], head + body) * 8:
        with socket.create_connection((address.hostname or "", address.port or 0)) as connection:
            connection.sendall(part)
            # Reset without a closing handshake, like the connection of a killed process.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    for _ in range(1000):
        if len(os.listdir("/proc/self/fd")) <= before:
            break
        await asyncio.sleep(0.05)
    assert len(os.listdir("/proc/self/fd")) <= before
    names = [thread.name for thread in threading.enumerate()]
    assert len(names) < 60, names
    async with Client(url) as client:
        assert "a.md" in (await client.call_tool("browse_documents", {})).content[0].text  # type: ignore[union-attr]
