"""Streamable HTTP with a bearer token, a check of host names, and no accidental exposure to the network."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterable

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from .server import ThumbIndexServer

PATH = "/mcp"
"""Path of the endpoint."""
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


def http_app(
    server: ThumbIndexServer,
    *,
    host: str = "127.0.0.1",
    token: str | None = None,
    allowed_hosts: Iterable[str] = (),
) -> ASGIApp:
    """The server as an ASGI application, at `/mcp`. It has no sessions, so a client that disappears leaves nothing behind.

    The `Host` header of a request must be one of this machine's names, so that web pages cannot reach the server by a name of
    their own (DNS rebinding); the `Origin` of a browser's request must be one of the same names.

    Args:
        host: The address that the server will be bound to.
        token: Bearer token that clients must send.
        allowed_hosts: Further names under which clients reach the server, with or without a port.

    Raises:
        ValueError: other machines can reach the address and there is no token, or the token is empty.
    """
    if token is not None and not token.strip():
        raise ValueError("The token is empty.")
    if token is None and not is_loopback(host):
        raise ValueError(
            f"{host} can be reached from other machines: set a token (THUMBINDEX_MCP_TOKEN), or bind to 127.0.0.1."
        )
    names = [*_LOOPBACK_NAMES, *([] if is_loopback(host) else [_url_host(host)]), *allowed_hosts]
    hosts = [form for name in names for form in ((name, f"{name}:*") if _has_no_port(name) else (name,))]
    app: Starlette = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        transport_security=TransportSecuritySettings(
            allowed_hosts=hosts,
            allowed_origins=[f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")],
        ),
    )
    return app if token is None else _Bearer(app, token)


async def serve_http(
    server: ThumbIndexServer,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    token: str | None = None,
    allowed_hosts: Iterable[str] = (),
) -> None:
    """Serves clients over HTTP at `http://HOST:PORT/mcp` until interrupted. See `http_app`."""
    app = http_app(server, host=host, token=token, allowed_hosts=allowed_hosts)
    config = uvicorn.Config(app, host=host, port=port, log_level="warning", timeout_graceful_shutdown=3)
    await uvicorn.Server(config).serve()


def is_loopback(host: str) -> bool:
    """Returns whether only this machine can reach an address; False for any name but `localhost`, which may resolve to anything."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class _Bearer:
    """Refuses requests without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            sent = [value for name, value in scope["headers"] if name == b"authorization"]
            if len(sent) != 1 or not self._accepts(sent[0]):
                refused = PlainTextResponse("Unauthorized", 401, {"WWW-Authenticate": "Bearer"})
                await refused(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _accepts(self, header: bytes) -> bool:
        scheme, _, token = header.partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(token, self._token)


def _url_host(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _has_no_port(name: str) -> bool:
    return name.endswith("]") or ":" not in name
