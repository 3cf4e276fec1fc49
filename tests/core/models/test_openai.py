"""A model behind OpenAI's API, over true HTTP: what is sent, what comes back, and every way in which a server fails."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from tests.core.conftest import Server, completion, fails, says

from thumbindex.errors import MissingExtra, ModelAccessDenied, ModelError, ModelRejected, ModelUnavailable
from thumbindex.models import ChatModel, Message, OpenAIChat, Usage

QUESTION = [Message("system", "Be short."), Message("user", "Is it raining?")]
SCHEMA = {
    "title": "weather",
    "type": "object",
    "properties": {"rain": {"type": "boolean"}},
    "required": ["rain"],
    "additionalProperties": False,
}


def chat(server: Server, **options) -> OpenAIChat:
    """A client that does not wait long."""
    return OpenAIChat("m", server.base_url, "key-1", **{"pause": 0.01, "timeout": 30.0, "patience": 60.0, **options})


# What is sent and what comes back


async def test_it_is_a_chat_model(server: Server) -> None:
    """It fulfils the protocol that all models share."""
    assert isinstance(chat(server), ChatModel)


async def test_a_reply_has_text_and_usage(server: Server) -> None:
    """Its tokens read, written and cached are those that the server counts."""
    server.script = [says(completion("No."))]
    reply = await chat(server).chat(QUESTION)
    assert (reply.text, reply.usage, reply.is_cut) == ("No.", Usage(11, 2, 5, 1), False)


async def test_the_temperature_is_0_and_the_key_goes_in_the_header(server: Server) -> None:
    """Options are sent as they are."""
    server.script = [says(completion())]
    await chat(server, options={"seed": 7}).chat(QUESTION, max_tokens=50)
    (sent,) = server.requests
    assert sent["messages"] == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "Is it raining?"},
    ]
    assert (sent["temperature"], sent["max_tokens"], sent["seed"]) == (0.0, 50, 7)
    assert server.headers[0]["authorization"] == "bearer key-1"


async def test_a_schema_is_sent_as_a_strict_response_format(server: Server) -> None:
    """Servers that can hold a model to a schema do so."""
    server.script = [says(completion('{"rain": false}'))]
    await chat(server).chat(QUESTION, schema=SCHEMA)
    asked = server.requests[0]["response_format"]
    assert asked["type"] == "json_schema"
    assert (asked["json_schema"]["name"], asked["json_schema"]["strict"]) == ("weather", True)


async def test_a_parameter_that_the_server_refuses_is_left_out_from_then_on(server: Server) -> None:
    """A refusal of a schema, of the temperature or of the name of the limit costs one request."""
    server.script = [
        fails("400 Bad Request", "response_format.type json_schema is not supported"),
        fails("400 Bad Request", "response_format is not supported"),
        fails("400 Bad Request", "Unsupported value: 'temperature' does not support 0.0 with this model"),
        fails("400 Bad Request", "'max_tokens' is not supported, use 'max_completion_tokens' instead"),
        says(completion('{"rain": true}')),
    ]
    model = chat(server)
    await model.chat(QUESTION, schema=SCHEMA, max_tokens=9)
    await model.chat(QUESTION, schema=SCHEMA, max_tokens=9)
    assert len(server.requests) == 6
    last = server.requests[-1]
    assert last["max_completion_tokens"] == 9
    assert {"response_format", "temperature", "max_tokens"} & last.keys() == set()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param("<think>Hm, clouds.</think>\nYes.", "Yes.", id="thoughts are no part of the reply"),
        pytest.param([{"type": "text", "text": "Ye"}, {"type": "text", "text": "s."}], "Yes.", id="parts are joined"),
        pytest.param(None, "", id="no content is an empty text"),
    ],
)
async def test_content_comes_in_many_forms(server: Server, content: object, text: str) -> None:
    """Compatible servers differ."""
    server.script = [says(completion(content))]
    assert (await chat(server).chat(QUESTION)).text == text


async def test_tokens_that_a_server_does_not_count_are_estimated(server: Server) -> None:
    """They are marked as an estimate."""
    server.script = [says(completion("Yes.", usage=None))]
    usage = (await chat(server).chat(QUESTION)).usage
    assert usage.estimated
    assert usage.tokens_in > 5


async def test_a_reply_cut_at_its_limit_says_so(server: Server) -> None:
    """Half an answer must not pass for a complete one."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "Ye"}, "finish_reason": "length"}
    server.script = [says(completion(choices=[choice]))]
    assert (await chat(server).chat(QUESTION)).is_cut


async def test_one_client_serves_any_number_of_loops(server: Server) -> None:
    """Connections belong to the loop that opened them, so each loop gets its own."""
    server.script = [says(completion())]
    model = chat(server)
    for _ in range(2):
        await asyncio.to_thread(lambda: asyncio.run(model.chat(QUESTION)))
    assert (await model.chat(QUESTION)).text == "Yes."
    await model.aclose()


async def test_concurrent_calls_are_limited(server: Server) -> None:
    """More calls would meet a rate limit."""

    def slow(connection: socket.socket, request: dict[str, Any]) -> None:
        time.sleep(0.05)
        says(completion())(connection, request)

    server.script = [slow]
    model = chat(server, concurrency=2)
    await asyncio.gather(*(model.chat(QUESTION) for _ in range(6)))
    assert server.most_under_way == 2


# Access


@pytest.mark.parametrize("status", ["401 Unauthorized", "402 Payment Required", "403 Forbidden"])
async def test_an_invalid_key_fails_at_once(server: Server, status: str) -> None:
    """There is no second attempt; the message says what to check and does not show the key."""
    server.script = [fails(status, "Incorrect API key provided: key-1")]
    with pytest.raises(ModelAccessDenied, match="Check the key") as caught:
        await chat(server).chat(QUESTION)
    assert len(server.requests) == 1
    assert "key-1" not in str(caught.value)


async def test_an_account_without_credit_is_not_tried_again(server: Server) -> None:
    """OpenAI gives it the status of a rate limit."""
    server.script = [fails("429 Too Many Requests", "You exceeded your current quota", "insufficient_quota")]
    with pytest.raises(ModelAccessDenied):
        await chat(server).chat(QUESTION)
    assert len(server.requests) == 1


async def test_without_any_key_the_message_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is sent."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelAccessDenied, match="OPENAI_API_KEY"):
        await OpenAIChat("m").chat(QUESTION)


async def test_a_server_at_a_base_url_needs_no_key(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most local servers have none."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server.script = [says(completion())]
    assert (await OpenAIChat("m", server.base_url).chat(QUESTION)).text == "Yes."


def test_without_the_extra_the_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes when the model is made, not at the first call."""
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(MissingExtra, match=r"pip install 'thumbindex\[openai\]'"):
        OpenAIChat("m")


async def test_an_unknown_model_or_too_long_a_prompt_is_not_tried_again(server: Server) -> None:
    """The same request would be refused again."""
    server.script = [
        fails("404 Not Found", "The model 'm' does not exist"),
        fails("400 Bad", "exceeds the context size"),
    ]
    with pytest.raises(ModelRejected, match="model's name"):
        await chat(server).chat(QUESTION)
    with pytest.raises(ModelRejected, match="too long"):
        await chat(server).chat(QUESTION)
    assert len(server.requests) == 2


# A server that misbehaves


def reset(connection: socket.socket, request: dict[str, Any]) -> None:
    """Breaks the connection off without a word."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def cut_short(connection: socket.socket, request: dict[str, Any]) -> None:
    """Promises more than it sends."""
    says(completion()[:40], length=4000)(connection, request)


def drip(connection: socket.socket, request: dict[str, Any]) -> None:
    """One byte now and then: no timeout between two bytes ever ends that."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
    while True:
        connection.sendall(b" ")
        time.sleep(0.02)


def flood(connection: socket.socket, request: dict[str, Any]) -> None:
    """Ten megabytes and more."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n")
    for _ in range(10):
        connection.sendall(b" " * 1_000_000)


FAULTS = {
    "reset": reset,
    "cut short": cut_short,
    "half JSON": says(completion()[:60]),
    "no completion": says('{"hello": 1}'),
    "empty": says(""),
    "a page of a proxy": says("<html>Sign in</html>", content_type="text/html"),
    "500": fails("500 Internal Server Error"),
    "503": fails("503 Service Unavailable"),
    "429": fails("429 Too Many Requests"),
    "failure under a status of success": says('{"error": {"message": "upstream", "code": 502}}'),
    "flood": flood,
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_transient_fault_costs_an_attempt(server: Server, fault: str) -> None:
    """The next attempt succeeds."""
    server.script = [FAULTS[fault], says(completion("No."))]
    assert (await chat(server).chat(QUESTION)).text == "No."
    assert len(server.requests) == 2


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_lasting_fault_raises_an_error_that_names_it(server: Server, fault: str) -> None:
    """It is raised after the configured number of attempts."""
    server.script = [FAULTS[fault]]
    with pytest.raises(ModelUnavailable, match="in 3 attempts; the last time") as caught:
        await chat(server, attempts=3).chat(QUESTION)
    assert len(server.requests) == 3
    assert len(str(caught.value)) < 500


async def test_a_reply_that_drips_is_cut_at_the_timeout(server: Server) -> None:
    """The timeout is for the whole reply, not for the time between two bytes."""
    server.script = [drip, says(completion("No."))]
    assert (await chat(server, timeout=0.3).chat(QUESTION)).text == "No."


async def test_patience_ends_the_call_whatever_the_server_does(server: Server) -> None:
    """Attempts and pauses count together."""
    server.script = [drip]
    with pytest.raises(ModelUnavailable, match="within"):
        await chat(server, timeout=0.2, patience=0.5, attempts=100).chat(QUESTION)
    assert len(server.requests) <= 3


async def test_a_wrong_content_type_does_not_matter(server: Server) -> None:
    """The body is parsed as it is."""
    server.script = [says(completion("No."), content_type="text/plain")]
    assert (await chat(server).chat(QUESTION)).text == "No."


async def test_a_server_that_cannot_be_reached_is_unavailable(server: Server) -> None:
    """The error gives the reason on one line."""
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(ModelUnavailable, match="could not be reached"):
        await OpenAIChat("m", f"http://127.0.0.1:{port}/v1", "k", pause=0.01, attempts=2).chat(QUESTION)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"retry_after": "0.3"}, id="seconds"),
        pytest.param({"retry_after_ms": "300"}, id="milliseconds"),
    ],
)
async def test_the_pause_that_a_server_asks_for_is_made(server: Server, value: dict[str, str]) -> None:
    """It overrides the configured pause."""
    server.script = [fails("429 Too Many Requests", **value), says(completion())]
    await chat(server, pause=0.001).chat(QUESTION)
    first, second = server.moments
    assert second - first >= 0.3


async def test_a_server_may_ask_to_wait_until_a_date(server: Server) -> None:
    """A date in the past means at once."""
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=5), usegmt=True)
    server.script = [fails("503 Service Unavailable", retry_after=past), says(completion())]
    assert (await chat(server).chat(QUESTION)).text == "Yes."


async def test_a_pause_beyond_the_patience_fails_at_once(server: Server) -> None:
    """Waiting would end in the same error."""
    server.script = [fails("429 Too Many Requests", retry_after="3600")]
    with pytest.raises(ModelUnavailable, match="3600 s"):
        await chat(server).chat(QUESTION)
    assert len(server.requests) == 1


async def test_many_calls_survive_a_rate_limit(server: Server) -> None:
    """Twenty concurrent calls to a server that refuses the first thirty requests are all answered."""
    server.script = [*[fails("429 Too Many Requests", retry_after="0.02")] * 30, says(completion("No."))]
    model = chat(server, attempts=40, concurrency=20)
    replies = await asyncio.gather(*(model.chat(QUESTION) for _ in range(20)))
    assert {reply.text for reply in replies} == {"No."}


async def test_cancelling_closes_the_connection(server: Server) -> None:
    """A question that is no longer awaited costs nothing more."""
    server.script = [drip]
    task = asyncio.create_task(chat(server).chat(QUESTION))
    for _ in range(500):
        if server.requests:
            break
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for _ in range(200):
        if server.broken_off:
            break
        await asyncio.sleep(0.02)
    assert server.broken_off == 1


def test_model_errors_have_attributes_that_survive_pickling() -> None:
    """One class catches all of them."""
    import pickle

    error = pickle.loads(pickle.dumps(ModelUnavailable("m", "it rains.")))
    assert isinstance(error, ModelError)
    assert (error.model, str(error)) == ("m", "m: it rains.")
    assert json.dumps(str(error))
