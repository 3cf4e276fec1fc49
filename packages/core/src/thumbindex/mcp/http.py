"""Streamable HTTP: only for who has the token, only under names that are meant, and never open to the network by accident."""

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
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


def http_app(
    server: ThumbIndexServer,
    *,
    host: str = "127.0.0.1",
    token: str | None = None,
    allowed_hosts: Iterable[str] = (),
) -> ASGIApp:
    """The server as an ASGI application, at `/mcp`. It keeps no sessions, so a client that vanishes leaves nothing behind.

    Requests must name this machine in `Host` as it is meant to be called, which keeps web pages from reaching it by a
    name of theirs; browsers' requests must come from the same names.

    Args:
        host: The address that it will be bound to.
        token: What clients send as `Authorization: Bearer ...`.
        allowed_hosts: Further names under which clients call it, with or without a port.

    Raises:
        ValueError: the address is not of this machine alone and there is no token.
    """
    if token is not None and not token.strip():
        raise ValueError("The token is empty.")
    if token is None and not is_loopback(host):
        raise ValueError(
            f"{host} can be reached from other machines: give a token (THUMBINDEX_MCP_TOKEN), or bind to 127.0.0.1."
        )
    names = [*_LOOPBACK_NAMES, *([] if is_loopback(host) else [_in_url(host)]), *allowed_hosts]
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
    """Serve clients over HTTP at `http://HOST:PORT/mcp`, until interrupted. See `http_app`."""
    app = http_app(server, host=host, token=token, allowed_hosts=allowed_hosts)
    config = uvicorn.Config(app, host=host, port=port, log_level="warning", timeout_graceful_shutdown=3)
    await uvicorn.Server(config).serve()


def is_loopback(host: str) -> bool:
    """Whether an address is of this machine alone. Names other than `localhost` may mean anything."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class _Bearer:
    """Lets requests with the token through, and tells the others nothing."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            given = [value.partition(b" ") for name, value in scope["headers"] if name == b"authorization"]
            if [one[0].lower() for one in given] != [b"bearer"] or not hmac.compare_digest(given[0][2], self._token):
                refused = PlainTextResponse("Unauthorized", 401, {"WWW-Authenticate": "Bearer"})
                await refused(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _has_no_port(name: str) -> bool:
    return name.endswith("]") or ":" not in name
