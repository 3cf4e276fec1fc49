"""A real HTTP server on loopback that does what a test tells it, well-behaved or not."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

Behaviour = Callable[[socket.socket, dict[str, Any]], None]


@dataclass
class Server:
    """Plays one behaviour a request, the last one again and again; keeps what it was sent."""

    base_url: str = ""
    script: list[Behaviour] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    moments: list[float] = field(default_factory=list)
    under_way: int = 0
    most_under_way: int = 0
    broken_off: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def response(
    body: bytes | str,
    status: str = "200 OK",
    content_type: str = "application/json",
    length: int | None = None,
    **headers: str,
) -> bytes:
    body = body.encode() if isinstance(body, str) else body
    lines = [
        f"HTTP/1.1 {status}",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(body) if length is None else length}",
        "Connection: close",
        *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def completion(text: object = "Yes.", **more: object) -> str:
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 11, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 5}}
    data = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "usage": usage}
    return json.dumps(data | {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]} | more)


def says(body: bytes | str, status: str = "200 OK", **options) -> Behaviour:
    return lambda connection, request: connection.sendall(response(body, status, **options))


def fails(status: str, message: str = "busy", code: str | None = None, **headers: str) -> Behaviour:
    return says(json.dumps({"error": {"message": message, "code": code}}), status, **headers)


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()
    listening = socket.create_server(("127.0.0.1", 0))
    state.base_url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"

    def accept() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    def serve(connection: socket.socket) -> None:
        with connection:
            data = b""
            while b"\r\n\r\n" not in data:
                if not (chunk := connection.recv(65536)):
                    return
                data += chunk
            head, _, body = data.partition(b"\r\n\r\n")
            headers = dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:])
            while len(body) < int(headers.get("content-length", 0)):
                body += connection.recv(65536)
            request = json.loads(body)
            with state.lock:
                behaviour = state.script[min(len(state.requests), len(state.script) - 1)]
                state.requests.append(request)
                state.headers.append(headers)
                state.moments.append(time.monotonic())
                state.under_way += 1
                state.most_under_way = max(state.most_under_way, state.under_way)
            try:
                behaviour(connection, request)
            except OSError:
                with state.lock:
                    state.broken_off += 1
            finally:
                with state.lock:
                    state.under_way -= 1

    threading.Thread(target=accept, daemon=True).start()
    yield state
    listening.close()
