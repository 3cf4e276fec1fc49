"""The tools for every client of the Model Context Protocol: over standard input and output, or streamable HTTP.

The catalogue is the same as for agent frameworks, its documents and sections are resources too, and nothing can be changed
unless a folder is named from which documents may be added. Needs the extra `thumbindex[mcp]`.
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
