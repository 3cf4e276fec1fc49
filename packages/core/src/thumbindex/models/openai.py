"""Any server that speaks OpenAI's chat completions: the company's own, or a compatible one at another address.

Only this module knows the `openai` package (versions 2 and 3). Its own retries are off: they know no total time, and a
server that drips one byte a second never runs into its timeouts.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Literal

from ..errors import MissingExtra, ModelAccessDenied, ModelError, ModelRejected, ModelUnavailable
from ..text.characters import shorten
from ..trail import Usage
from .chat import JsonSchema, Message, Reply, estimate_usage
from .events import THOUGHTS, Events, joined

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI
    from openai.types.chat import ChatCompletionMessageParam

NO_KEY = "none"
"""Sent to servers at an address of their own when no key is set: most local ones want none, and the client wants one."""
DENIED = frozenset({401, 402, 403})
TRANSIENT = frozenset({408, 409, 425, 429})
DEAD_CODES = ("insufficient_quota", "billing_not_active", "account_deactivated", "invalid_api_key")
"""Error codes that come with a status worth trying again, and are not."""
LONGEST_PAUSE = 30.0
_TOLD_LENGTH = 300


class _Transient(Exception):
    """Worth another attempt; `after` is how many seconds the server wants us to wait."""

    def __init__(self, what: str, after: float | None = None) -> None:
        super().__init__(what)
        self.after = after


@dataclass(frozen=True, slots=True)
class ServerCapabilities:
    """What of the protocol the server takes; learned from its refusals."""

    temperature: bool = True
    limit: Literal["max_tokens", "max_completion_tokens"] | None = "max_tokens"
    structure: Literal["json_schema", "json_object"] | None = "json_schema"
    stream: bool = True
    stream_usage: bool = True

    def without(self, refusal: str, sent: Mapping[str, object]) -> ServerCapabilities | None:
        """The capabilities without the parameter that a refusal speaks of; None if it speaks of none that was sent."""
        if "response_format" in sent and re.search(
            r"response_format|json_schema|json_object|grammar|structured", refusal
        ):
            return replace(self, structure="json_object" if self.structure == "json_schema" else None)
        # "stream_options" before "stream", whose name it holds.
        if "stream_options" in sent and re.search(r"stream_options|include_usage", refusal):
            return replace(self, stream_usage=False)
        if "stream" in sent and "stream" in refusal:
            return replace(self, stream=False)
        if "temperature" in sent and "temperature" in refusal:
            return replace(self, temperature=False)
        if "max_tokens" in sent and ("max_tokens" in refusal or "max_completion_tokens" in refusal):
            # A limit that is too high for the model is refused with the same words and must not be dropped quietly.
            return replace(self, limit="max_completion_tokens") if "max_completion_tokens" in refusal else None
        if "max_completion_tokens" in sent and "max_completion_tokens" in refusal:
            return (
                replace(self, limit="max_tokens")
                if "max_tokens" in refusal.replace("max_completion_tokens", "")
                else None
            )
        return None


class _Listener:
    """Hands on what a reply has more than was handed on; a second attempt that says something else is kept quiet."""

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._given = ""

    def hear(self, text: str) -> None:
        """What the reply is so far."""
        if len(text) > len(self._given) and text.startswith(self._given):
            piece, self._given = text[len(self._given) :], text
            self._on_text(piece)


class OpenAIChat:
    """A chat model behind OpenAI's API or a compatible one (vLLM, llama.cpp, Ollama, LM Studio, OpenRouter, …).

    Args:
        model: Name of the model as the server knows it.
        base_url: The server, up to `/v1`; None for OpenAI, or what `OPENAI_BASE_URL` says.
        api_key: None for what `OPENAI_API_KEY` says; a server at a `base_url` may need none.
        temperature: 0 for the likeliest words; None leaves it to the server. Dropped for models that refuse it.
        timeout: Seconds for one attempt, its whole reply included.
        patience: Seconds for one call with all attempts and the pauses between.
        attempts: How often a call is tried while the server is overloaded, unreachable or talks nonsense.
        pause: Seconds before the second attempt, about doubled for each further one; a server's Retry-After is stronger.
        concurrency: Calls under way at a time; more wait.
        structured: Whether to ask for replies by JSON schema; where the server refuses, later calls go without.
        max_reply_bytes: A longer body is not read to its end.
        options: Sent along with every request as they are, such as `{"reasoning_effort": "low"}`.

    Raises:
        MissingExtra: the extra `openai` is not installed.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        temperature: float | None = 0.0,
        timeout: float = 120.0,
        patience: float = 300.0,
        attempts: int = 6,
        pause: float = 0.5,
        concurrency: int = 8,
        structured: bool = True,
        max_reply_bytes: int = 1_000_000,
        options: Mapping[str, object] | None = None,
    ) -> None:
        try:
            import openai
            import tenacity  # noqa: F401  # told now, not at the first failure
        except ImportError as error:
            raise MissingExtra("openai", "A model behind OpenAI's API") from error
        self._openai = openai
        self._model, self._base_url, self._api_key = model, base_url, api_key
        self._temperature, self._options = temperature, dict(options or {})
        self._timeout, self._patience, self._attempts, self._pause = timeout, patience, attempts, pause
        self._concurrency, self._max_reply_bytes = concurrency, max_reply_bytes
        # Every compatible server knows the older name of the limit; OpenAI's newer models know only the newer.
        self._capabilities = ServerCapabilities(
            limit="max_tokens" if base_url else "max_completion_tokens",
            structure="json_schema" if structured else None,
        )
        # One client and one gate for each loop: connections belong to the loop that opened them.
        self._clients: dict[asyncio.AbstractEventLoop, tuple[AsyncOpenAI, asyncio.Semaphore]] = {}

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    def __repr__(self) -> str:
        return f"OpenAIChat({self._model!r}, base_url={self._base_url!r})"

    async def chat(
        self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
    ) -> Reply:
        """The model's reply; see `ChatModel.chat`.

        Raises:
            ModelAccessDenied: at once, without a second attempt.
            ModelRejected: the server knows no such model, or the prompt is too long for it.
            ModelUnavailable: attempts or patience are used up.
        """
        return await self._call(messages, schema, max_tokens, None)

    async def stream(
        self, messages: Sequence[Message], on_text: Callable[[str], None], *, max_tokens: int | None = None
    ) -> Reply:
        """The model's reply; see `StreamingModel.stream`.

        Where the connection breaks in the middle the model is asked again, and goes on from where the pieces ended if it
        writes the same. A server that does not stream gives one piece.

        Raises:
            ModelError: as `chat` does.
        """
        return await self._call(messages, None, max_tokens, _Listener(on_text))

    async def _call(
        self,
        messages: Sequence[Message],
        schema: JsonSchema | None,
        max_tokens: int | None,
        listener: _Listener | None,
    ) -> Reply:
        from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

        client, gate = self._client()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience
        last = ""

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            after = error.after if isinstance(error, _Transient) else None
            if after is not None:
                # Many calls were told the same time: spread them.
                return after + random.uniform(0, self._pause)
            return random.uniform(0.5, 1.0) * min(LONGEST_PAUSE, self._pause * 2.0 ** (state.attempt_number - 1))

        timeout = asyncio.timeout_at(deadline)
        try:
            async with timeout, gate:
                async for attempt in AsyncRetrying(
                    stop=stop_after_attempt(self._attempts),
                    wait=wait,
                    retry=retry_if_exception_type(_Transient),
                    reraise=True,
                ):
                    with attempt:
                        try:
                            return await self._adapting(client, messages, schema, max_tokens, listener)
                        except _Transient as error:
                            last = str(error)
                            if error.after is not None and loop.time() + error.after > deadline:
                                raise ModelUnavailable(
                                    self._model,
                                    f"{last}, and asks to wait {error.after:.0f} s: longer than the patience of "
                                    f"{self._patience:g} s that is left for this call.",
                                ) from error
                            raise
        except _Transient as error:
            raise ModelUnavailable(
                self._model, f"no usable reply in {self._attempts} attempts; the last time {error}."
            ) from error.__cause__
        except TimeoutError as error:
            if not timeout.expired():
                raise
            raise ModelUnavailable(
                self._model,
                f"no reply within the patience of {self._patience:g} s" + (f"; before that {last}." if last else "."),
            ) from error
        raise AssertionError("the attempts end by a reply or an error")

    async def aclose(self) -> None:
        """Close the connections that the running loop opened."""
        client, _ = self._clients.pop(asyncio.get_running_loop(), (None, None))
        if client is not None:
            await client.close()

    def _client(self) -> tuple[AsyncOpenAI, asyncio.Semaphore]:
        loop = asyncio.get_running_loop()
        for other in [other for other in self._clients if other.is_closed()]:
            del self._clients[other]
        if loop not in self._clients:
            try:
                client = self._openai.AsyncOpenAI(
                    api_key=self._api_key, base_url=self._base_url, timeout=self._timeout, max_retries=0
                )
            except self._openai.OpenAIError as error:
                if self._base_url is None:
                    raise ModelAccessDenied(
                        self._model, "no key is set. Set OPENAI_API_KEY, pass api_key, or name a server with base_url."
                    ) from error
                client = self._openai.AsyncOpenAI(
                    api_key=NO_KEY, base_url=self._base_url, timeout=self._timeout, max_retries=0
                )
            self._clients[loop] = (client, asyncio.Semaphore(self._concurrency))
        return self._clients[loop]

    async def _adapting(
        self,
        client: AsyncOpenAI,
        messages: Sequence[Message],
        schema: JsonSchema | None,
        max_tokens: int | None,
        listener: _Listener | None,
    ) -> Reply:
        """One attempt, repeated at once without a parameter that the server does not know."""
        while True:
            capabilities = self._capabilities
            sent = self._parameters(capabilities, schema, max_tokens)
            if listener is not None and capabilities.stream:
                sent["stream"] = True
                if capabilities.stream_usage:
                    sent["stream_options"] = {"include_usage": True}
            try:
                return await self._attempt(client, messages, sent, listener)
            except self._openai.APIStatusError as error:
                other = capabilities.without(str(error).lower(), sent) if error.status_code in {400, 422} else None
                if other is None:
                    raise self._translated(error) from error
                self._capabilities = other

    def _parameters(
        self, capabilities: ServerCapabilities, schema: JsonSchema | None, max_tokens: int | None
    ) -> dict[str, object]:
        sent: dict[str, object] = dict(self._options)
        if self._temperature is not None and capabilities.temperature:
            sent["temperature"] = self._temperature
        if max_tokens is not None and capabilities.limit:
            sent[capabilities.limit] = max_tokens
        if schema is not None and capabilities.structure == "json_schema":
            described = {"name": str(schema.get("title", "reply")), "strict": True, "schema": dict(schema)}
            sent["response_format"] = {"type": "json_schema", "json_schema": described}
        elif schema is not None and capabilities.structure == "json_object":
            sent["response_format"] = {"type": "json_object"}
        return sent

    async def _attempt(
        self,
        client: AsyncOpenAI,
        messages: Sequence[Message],
        sent: Mapping[str, object],
        listener: _Listener | None,
    ) -> Reply:
        openai = self._openai
        timeout = asyncio.timeout(self._timeout)
        try:
            async with (
                timeout,
                # Streamed, so that a body without end can be left; it is read as a whole all the same.
                client.chat.completions.with_streaming_response.create(
                    model=self._model, messages=[_param(message) for message in messages], extra_body=dict(sent)
                ) as response,
            ):
                body = bytearray()
                # A server that was asked to stream may send one body all the same.
                is_stream = "event-stream" in response.headers.get("content-type", "")
                events = Events() if is_stream and listener is not None else None
                async for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > self._max_reply_bytes:
                        raise _Transient(f"the reply was longer than {self._max_reply_bytes} bytes")
                    if events is not None and listener is not None:
                        self._feed(events, chunk)
                        listener.hear(events.text)
        except openai.APIStatusError:
            raise
        except openai.APITimeoutError as error:
            raise _Transient(f"there was no complete reply within {self._timeout:g} s") from error
        except openai.APIConnectionError as error:
            raise _Transient(f"the server could not be reached ({_told(error.__cause__ or error)})") from error
        except TimeoutError as error:
            if not timeout.expired():
                raise
            raise _Transient(f"there was no complete reply within {self._timeout:g} s") from error
        except Exception as error:
            # While the body is read, errors of the HTTP library come through as they are; versions differ in which.
            if type(error).__module__.split(".")[0] not in {"httpx", "httpcore", "httpx2", "httpcore2", "h11"}:
                raise
            raise _Transient(f"the connection broke ({_told(error)})") from error
        reply = self._reply(bytes(body), messages) if events is None else self._finished(events, messages)
        if listener is not None:
            listener.hear(reply.text)
        return reply

    def _feed(self, events: Events, chunk: bytes | None) -> None:
        """Give bytes to the events, or the end; what the server tells of a failure is raised."""
        try:
            events.close() if chunk is None else events.feed(chunk)
        except ValueError as error:
            raise _Transient(f"an event of the stream was no JSON ({_told(error)})") from error
        if events.error is not None:
            raise self._failure(events.error)

    def _finished(self, events: Events, messages: Sequence[Message]) -> Reply:
        self._feed(events, None)
        if not events.is_done:
            raise _Transient("the stream broke off before its end")
        return Reply(events.text, _usage(events.usage, messages, events.text), events.is_cut)

    def _failure(self, error: object) -> ModelError | _Transient:
        """Some gateways report failures of the server behind them with a status of success."""
        code = error.get("code") if isinstance(error, dict) else None
        return self._by_status(code if isinstance(code, int) else 500, json.dumps(error), None)

    def _reply(self, body: bytes, messages: Sequence[Message]) -> Reply:
        try:
            data = json.loads(body)
        except ValueError as error:
            raise _Transient(f"the reply was no JSON: {_told(body[:80].decode('utf-8', 'replace'))!r}") from error
        match data:
            case {"choices": [{"message": {"content": str() | None | list() as content} as message} as choice, *_]}:
                text = THOUGHTS.sub("", joined(content))
                refusal = message.get("refusal")
                if not text and isinstance(refusal, str):
                    text = refusal
                is_cut = choice.get("finish_reason") == "length"
                return Reply(text, _usage(data.get("usage"), messages, text), is_cut)
            case {"error": error}:
                raise self._failure(error)
            case _:
                raise _Transient(f"the reply was no chat completion: {_told(body[:80].decode('utf-8', 'replace'))!r}")

    def _translated(self, error: APIStatusError) -> ModelError | _Transient:
        after = _retry_after(error.response.headers)
        # The code is not part of the message, and tells an empty account from a busy server.
        return self._by_status(error.status_code, f"{error} {error.code or ''}".strip(), after)

    def _by_status(self, status: int, message: str, after: float | None) -> ModelError | _Transient:
        told = _told(message)
        if self._api_key:
            told = told.replace(self._api_key, "…")
        if status in DENIED or any(code in message for code in DEAD_CODES):
            return ModelAccessDenied(
                self._model,
                f"the server denies access ({told}). Check the key (OPENAI_API_KEY, or api_key), its rights and its credit.",
            )
        if status in TRANSIENT or status >= 500:
            return _Transient(f"the server answered {told}", after)
        if re.search(
            r"context.{0,20}(length|size|window)|too long|too many tokens|maximum context|exceed", message.lower()
        ):
            return ModelRejected(
                self._model,
                f"the prompt is too long for this model ({told}). Choose a smaller budget or another model.",
            )
        return ModelRejected(
            self._model, f"the server refuses the request ({told}). Check the model's name and base_url."
        )


def _param(message: Message) -> ChatCompletionMessageParam:
    match message.role:
        case "system":
            return {"role": "system", "content": message.content}
        case "user":
            return {"role": "user", "content": message.content}
        case "assistant":
            return {"role": "assistant", "content": message.content}


def _usage(given: object, messages: Sequence[Message], text: str) -> Usage:
    """What the server counted, or our estimate where it did not."""
    counted = given if isinstance(given, dict) else {}
    read, wrote = counted.get("prompt_tokens"), counted.get("completion_tokens")
    details = counted.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    guess = estimate_usage(messages, text)
    return Usage(
        tokens_in=read if isinstance(read, int) else guess.tokens_in,
        tokens_out=wrote if isinstance(wrote, int) else guess.tokens_out,
        tokens_cached=cached if isinstance(cached, int) else 0,
        calls=1,
        estimated=not (isinstance(read, int) and isinstance(wrote, int)),
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks us to wait: a number of (milli)seconds, or a date (RFC 9110, section 10.2.3)."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
            return float(value) * unit
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _told(what: object) -> str:
    """What a server or a library said, on one line, without control characters, and short."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in str(what)).split())
    return shorten(line or type(what).__name__, _TOLD_LENGTH)
