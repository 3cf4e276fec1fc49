"""Streamed replies over real HTTP: requests, pieces, and servers that fail midway."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.conftest import Behaviour, Server, completion, fails, says

from thumbindex.errors import ModelAccessDenied, ModelLimit, ModelUnavailable
from thumbindex.models import Message, OpenAIChat, StreamingModel, Usage, UsageLimiter
from thumbindex.models.events import Events

QUESTION = [Message("user", "Is it raining?")]


def event(text: str | None = None, *, end: str | None = None, **more: object) -> str:
    """One event of a stream."""
    choice = {"index": 0, "delta": {} if text is None else {"content": text}, "finish_reason": end}
    return "data: " + json.dumps({"object": "chat.completion.chunk", "choices": [choice]} | more) + "\n\n"


COUNTED = {"prompt_tokens": 11, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 5}}
USAGE = "data: " + json.dumps({"choices": [], "usage": COUNTED}) + "\n\n"
END = event(end="stop") + USAGE + "data: [DONE]\n\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def streams(*pieces: str, pause: float = 0.0) -> Behaviour:
    """Sends each piece on its own, then closes."""

    def behaviour(connection: socket.socket, request: dict[str, Any]) -> None:
        connection.sendall(HEAD)
        for piece in pieces:
            connection.sendall(piece.encode())
            time.sleep(pause)

    return behaviour


def resets(*pieces: str) -> Behaviour:
    """Sends the pieces, then breaks the connection off."""

    def behaviour(connection: socket.socket, request: dict[str, Any]) -> None:
        streams(*pieces, pause=0.05)(connection, request)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return behaviour


def drips(connection: socket.socket, request: dict[str, Any]) -> None:
    """A comment now and then, for ever: what gateways send to keep a line warm."""
    connection.sendall(HEAD + event("No").encode())
    while True:
        connection.sendall(b": still thinking\n\n")
        time.sleep(0.02)


def floods(connection: socket.socket, request: dict[str, Any]) -> None:
    """Ten megabytes without an end of a line."""
    connection.sendall(HEAD)
    for _ in range(10):
        connection.sendall(b"x" * 1_000_000)


def chat(server: Server, **options) -> OpenAIChat:
    return OpenAIChat("m", server.base_url, "key-1", **{"pause": 0.01, "timeout": 30.0, "patience": 60.0, **options})


async def test_pieces_come_before_the_reply_is_complete(server: Server) -> None:
    """They make up its text; its usage comes with the last event."""
    pieces: list[str] = []
    arrived = threading.Semaphore(0)

    def behaviour(connection: socket.socket, request: dict[str, Any]) -> None:
        connection.sendall(HEAD)
        for piece in ("No", ", the sun", " shines."):
            connection.sendall(event(piece).encode())
            if not arrived.acquire(timeout=30):  # held back until the piece before it has come
                return
        connection.sendall(END.encode())

    def take(piece: str) -> None:
        pieces.append(piece)
        arrived.release()

    server.script = [behaviour]
    model = chat(server)
    assert isinstance(model, StreamingModel)
    reply = await model.stream(QUESTION, take, max_tokens=9)
    assert pieces == ["No", ", the sun", " shines."]
    assert (reply.text, reply.usage, reply.is_cut) == ("No, the sun shines.", Usage(11, 4, 5, 1), False)
    (sent,) = server.requests
    assert (sent["stream"], sent["stream_options"], sent["max_tokens"]) == (True, {"include_usage": True}, 9)


@given(st.lists(st.integers(1, 40), max_size=30))
def test_events_may_be_split_anywhere(sizes: list[int]) -> None:
    """Inside a word, a character or a line break."""
    data = (": hello\r\n" + event("Où est ") + event("l’été ? 夏") + END.replace("\n", "\r\n")).encode()
    events = Events()
    for size in [*sizes, len(data)]:
        events.feed(data[:size])
        data = data[size:]
    events.close()
    assert (events.text, events.usage, events.is_done) == ("Où est l’été ? 夏", COUNTED, True)


async def test_reasoning_is_not_streamed(server: Server) -> None:
    """It is no part of the reply, wherever its marks are split."""
    server.script = [
        streams("", event("<thi"), event("nk>Hm, "), event("clouds</think>\n"), event("Yes."), END, pause=0.02)
    ]
    pieces: list[str] = []
    reply = await chat(server).stream(QUESTION, pieces.append)
    assert (pieces, reply.text) == (["Yes."], "Yes.")


async def test_a_reply_cut_at_its_limit_says_so(server: Server) -> None:
    """Usage that the server does not report is estimated."""
    server.script = [streams(event("Ye"), event(end="length"))]
    reply = await chat(server).stream(QUESTION, lambda _: None)
    assert (reply.is_cut, reply.usage.estimated) == (True, True)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([says(completion("No."))], id="sends one body all the same"),
        pytest.param(
            [fails("400 Bad Request", "Unknown parameter: stream_options"), streams(event("No."), END)],
            id="does not know stream_options",
        ),
        pytest.param(
            [fails("400 Bad Request", "stream is not supported for this model"), says(completion("No."))],
            id="cannot stream",
        ),
    ],
)
async def test_a_server_may_stream_in_another_way_or_not_at_all(server: Server, script: list[Behaviour]) -> None:
    """The reply is the same, and further requests leave out what it refuses."""
    server.script = script
    model = chat(server)
    pieces: list[str] = []
    assert (await model.stream(QUESTION, pieces.append)).text == "No."
    assert pieces == ["No."]
    assert (await model.stream(QUESTION, pieces.append)).text == "No."
    assert len(server.requests) == len(script) + 1


BROKEN = {
    "reset": resets(event("No, the")),
    "closed too early": streams(event("No, the")),
    "half an event": streams(event("No, the"), 'data: {"choices": [{"del'),
    "no JSON": streams(event("No, the"), "data: <html>\n\n"),
    "an error as an event": streams(event("No, the"), 'data: {"error": {"message": "busy", "code": 503}}\n\n'),
    "flood": floods,
    "nothing": streams(),
}


@pytest.mark.parametrize("fault", BROKEN)
async def test_a_stream_that_breaks_is_requested_again_and_continued(server: Server, fault: str) -> None:
    """No piece is repeated."""
    server.script = [BROKEN[fault], streams(event("No, "), event("the sun shines."), END)]
    pieces: list[str] = []
    reply = await chat(server).stream(QUESTION, pieces.append)
    assert "".join(pieces) == reply.text == "No, the sun shines."
    assert len(server.requests) == 2


@pytest.mark.parametrize("fault", BROKEN)
async def test_a_stream_that_keeps_breaking_raises_an_error_that_names_the_fault(server: Server, fault: str) -> None:
    """It is raised after the configured number of attempts."""
    server.script = [BROKEN[fault]]
    with pytest.raises(ModelUnavailable, match="in 3 attempts; the last time"):
        await chat(server, attempts=3).stream(QUESTION, lambda _: None)
    assert len(server.requests) == 3


async def test_a_second_attempt_that_writes_something_else_is_the_reply(server: Server) -> None:
    """Its text is not mixed into the pieces that were passed on."""
    server.script = [streams(event("No, the")), streams(event("It rains."), END)]
    pieces: list[str] = []
    reply = await chat(server).stream(QUESTION, pieces.append)
    assert (pieces, reply.text) == (["No, the"], "It rains.")


async def test_a_stream_without_a_reply_is_cut_at_the_timeout(server: Server) -> None:
    """Comments that keep the connection alive are no reply."""
    server.script = [drips]
    with pytest.raises(ModelUnavailable, match=r"within 0\.2 s"):
        await chat(server, timeout=0.2, attempts=2).stream(QUESTION, lambda _: None)


async def test_denied_access_in_a_stream_fails_at_once(server: Server) -> None:
    """Credit may run out while a model writes."""
    server.script = [streams(event("No"), 'data: {"error": {"message": "x", "code": "insufficient_quota"}}\n\n')]
    with pytest.raises(ModelAccessDenied):
        await chat(server).stream(QUESTION, lambda _: None)
    assert len(server.requests) == 1


async def test_limits_hold_for_streams_too(server: Server) -> None:
    """The limit on seconds ends a running stream; its usage is added up."""
    server.script = [streams(event("No."), END), drips]
    limiter = UsageLimiter(chat(server), seconds=1.0)
    await limiter.stream(QUESTION, lambda _: None)
    assert limiter.usage == Usage(11, 4, 5, 1)
    with pytest.raises(ModelLimit, match="seconds"):
        await limiter.stream(QUESTION, lambda _: None)
