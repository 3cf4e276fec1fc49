"""A server for clients of the Model Context Protocol, over standard input and output or streamable HTTP.

It offers the same tools as the agent frameworks, and documents and sections as resources. Clients can only read, unless a folder
is named from which they may add documents. Needs the extra `thumbindex[mcp]`.
"""

from __future__ import annotations

from ..errors import MissingExtra

try:
    import mcp as _sdk  # noqa: F401
except ImportError as error:
    raise MissingExtra("mcp", "The MCP server") from error

from .http import http_app, serve_http
from .server import make_server, serve_stdio

__all__ = ["http_app", "make_server", "serve_http", "serve_stdio"]
