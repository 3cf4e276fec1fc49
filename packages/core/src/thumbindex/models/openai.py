"""A client for servers of OpenAI's chat completions: the company's own, or a compatible one at another address.

Only this module imports the `openai` package (versions 2 and 3). Its own retries are off: they know no total time, and a
server that drips one byte a second never runs into its timeouts.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from ..errors import MissingExtra, ModelAccessDenied, ModelUnavailable
from ..trail import Usage
from .chat import JsonSchema, Message, Reply, estimate_usage, is_token_count
from .events import REASONING, Events, joined
from .server_capabilities import ServerCapabilities
from .server_failures import ServerFailures, TransientFailure, describe, retry_after, without_secrets

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletionMessageParam

_NO_KEY = "none"
"""Sent to servers at an address of their own when no key is set: most local ones need none, and the client demands one."""
_LONGEST_PAUSE = 30.0
"""Seconds between two attempts, at most, unless the server asks for more."""
_JITTER = 0.5
"""The shortest pause as a share of the full one: calls that failed together should not come back together."""
_BODY_SHOWN = 80
"""Bytes of an unreadable reply that an error shows."""
_REFUSED_PARAMETER = frozenset({400, 422})
"""Statuses with which servers refuse a parameter that they do not know."""
_HTTP_LIBRARIES = frozenset({"httpx", "httpcore", "httpx2", "httpcore2", "h11"})
"""Packages whose errors come through as they are while a body is read; versions differ in which."""


class _PieceForwarder:
    """Forwards the pieces by which a reply grows. A second attempt that writes something else is not forwarded."""

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._forwarded = ""

    def forward(self, text: str) -> None:
        """Forwards what a reply has beyond what was forwarded.

        Args:
            text: The reply so far.
        """
        if len(text) > len(self._forwarded) and text.startswith(self._forwarded):
            piece, self._forwarded = text[len(self._forwarded) :], text
            self._on_text(piece)


class OpenAIChat:
    """A chat model behind OpenAI's API or a compatible one (vLLM, llama.cpp, Ollama, LM Studio, OpenRouter, …).

    Args:
        model: Name of the model as the server knows it.
        base_url: The server, up to `/v1`; None for the value of `OPENAI_BASE_URL`, else OpenAI.
        api_key: None for the value of `OPENAI_API_KEY`; a server at a `base_url` may need none.
        temperature: 0 for the likeliest words; None leaves it to the server. Dropped for models that refuse it.
        timeout: Seconds for one attempt with its whole reply.
        patience: Seconds for one call with all attempts and the pauses between them.
        attempts: Attempts of a call while the server is overloaded, unreachable or sends no valid reply.
        pause: Seconds before the second attempt, about doubled for each further one; a server's Retry-After overrides it.
        concurrency: Concurrent calls; more wait.
        structured: Whether to ask for replies by JSON schema; where the server refuses, later calls do without.
        max_reply_bytes: Longest body; a longer one is not read to its end.
        options: Further parameters of every request, such as `{"reasoning_effort": "low"}`.

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
            import tenacity  # noqa: F401, a missing package should show now, not at the first failure
        except ImportError as error:
            raise MissingExtra("openai", "A model behind OpenAI's API") from error
        self._openai = openai
        self._model, self._base_url, self._api_key = model, base_url, api_key
        self._temperature, self._options = temperature, dict(options or {})
        self._timeout, self._patience, self._attempts, self._pause = timeout, patience, attempts, pause
        self._concurrency, self._max_reply_bytes = concurrency, max_reply_bytes
        self._failures = ServerFailures(model, api_key)
        # Every compatible server knows the older name of the limit; OpenAI's newer models know only the newer.
        self._capabilities = ServerCapabilities(
            limit="max_tokens" if base_url else "max_completion_tokens",
            structure="json_schema" if structured else None,
        )
        # One client and one semaphore for each loop: connections belong to the loop that opened them.
        self._clients: dict[asyncio.AbstractEventLoop, tuple[AsyncOpenAI, asyncio.Semaphore]] = {}

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    def __repr__(self) -> str:
        return f"OpenAIChat({self._model!r}, base_url={without_secrets(self._base_url)!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "OpenAIChat holds a key and connections, so it cannot be pickled. Make another where it is needed."
        )

    async def chat(
        self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
    ) -> Reply:
        """Returns the model's reply; see `ChatModel.chat`.

        Raises:
            ModelAccessDenied: at once, without a second attempt.
            ModelRejected: the server knows no such model, or the prompt is too long for it.
            ModelUnavailable: attempts or patience are used up.
        """
        return await self._call(messages, schema, max_tokens, None)

    async def stream(
        self, messages: Sequence[Message], on_text: Callable[[str], None], *, max_tokens: int | None = None
    ) -> Reply:
        """Returns the model's reply; see `StreamingModel.stream`.

        Where the connection breaks off the model is asked again, and pieces continue where they ended if it writes the same
        text. A server that does not stream makes one piece.

        Raises:
            ModelError: as `chat` does.
        """
        return await self._call(messages, None, max_tokens, _PieceForwarder(on_text))

    async def _call(
        self,
        messages: Sequence[Message],
        schema: JsonSchema | None,
        max_tokens: int | None,
        forwarder: _PieceForwarder | None,
    ) -> Reply:
        from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

        client, gate = self._client()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience
        last = ""

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            after = error.after if isinstance(error, TransientFailure) else None
            if after is not None:
                # Concurrent calls are asked to wait equally long: spread them.
                return after + random.uniform(0, self._pause)
            return random.uniform(_JITTER, 1.0) * min(_LONGEST_PAUSE, self._pause * 2.0 ** (state.attempt_number - 1))

        timeout = asyncio.timeout_at(deadline)
        try:
            async with timeout, gate:
                async for attempt in AsyncRetrying(
                    stop=stop_after_attempt(self._attempts),
                    wait=wait,
                    retry=retry_if_exception_type(TransientFailure),
                    reraise=True,
                ):
                    with attempt:
                        try:
                            return await self._adapting(client, messages, schema, max_tokens, forwarder)
                        except TransientFailure as error:
                            last = str(error)
                            if error.after is not None and loop.time() + error.after > deadline:
                                raise ModelUnavailable(
                                    self._model,
                                    f"{last}, and asks to wait {error.after:.0f} s: longer than the patience of "
                                    f"{self._patience:g} s that is left for this call.",
                                ) from error
                            raise
        except TransientFailure as error:
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
        """Closes the connections that the running loop opened."""
        client, _ = self._clients.pop(asyncio.get_running_loop(), (None, None))
        if client is not None:
            await client.close()

    def _client(self) -> tuple[AsyncOpenAI, asyncio.Semaphore]:
        loop = asyncio.get_running_loop()
        for other in [other for other in self._clients if other.is_closed()]:
            del self._clients[other]
        if loop not in self._clients:
            try:
                client = self._connect(self._api_key)
            except self._openai.OpenAIError as error:
                if self._base_url is None:
                    raise ModelAccessDenied(
                        self._model, "no key is set. Set OPENAI_API_KEY, pass api_key, or name a server with base_url."
                    ) from error
                client = self._connect(_NO_KEY)
            self._clients[loop] = (client, asyncio.Semaphore(self._concurrency))
        return self._clients[loop]

    def _connect(self, api_key: str | None) -> AsyncOpenAI:
        return self._openai.AsyncOpenAI(
            api_key=api_key,
            base_url=self._base_url,
            timeout=self._timeout,
            max_retries=0,
            # A redirect may lead anywhere, round in a circle too: the address is the user's choice alone.
            http_client=self._openai.DefaultAsyncHttpxClient(follow_redirects=False),
        )

    async def _adapting(
        self,
        client: AsyncOpenAI,
        messages: Sequence[Message],
        schema: JsonSchema | None,
        max_tokens: int | None,
        forwarder: _PieceForwarder | None,
    ) -> Reply:
        """Makes one attempt, repeated at once without a parameter that the server does not accept."""
        while True:
            capabilities = self._capabilities
            sent = self._options | capabilities.parameters(
                temperature=self._temperature,
                schema=schema,
                max_tokens=max_tokens,
                is_streamed=forwarder is not None,
            )
            try:
                return await self._attempt(client, messages, sent, forwarder)
            except self._openai.APIStatusError as error:
                is_refusal = error.status_code in _REFUSED_PARAMETER
                fewer = capabilities.without(str(error).lower(), sent) if is_refusal else None
                if error.response.is_redirect:
                    raise self._failures.redirected(error.response.headers.get("location", "")) from error
                if fewer is None:
                    # The code is not part of the message, and tells an empty account from a busy server.
                    message = f"{error} {error.code or ''}".strip()
                    after = retry_after(error.response.headers)
                    raise self._failures.by_status(error.status_code, message, after) from error
                self._capabilities = fewer

    async def _attempt(
        self,
        client: AsyncOpenAI,
        messages: Sequence[Message],
        sent: Mapping[str, object],
        forwarder: _PieceForwarder | None,
    ) -> Reply:
        openai = self._openai
        timeout = asyncio.timeout(self._timeout)
        try:
            async with (
                timeout,
                # Streamed even without a stream of events, so that an endless body can be abandoned.
                client.chat.completions.with_streaming_response.create(
                    model=self._model, messages=[_param(message) for message in messages], extra_body=dict(sent)
                ) as response,
            ):
                body = bytearray()
                # A server that was asked to stream may send one body nevertheless.
                is_stream = "event-stream" in response.headers.get("content-type", "")
                events = Events() if is_stream and forwarder is not None else None
                async for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > self._max_reply_bytes:
                        raise TransientFailure(f"the reply was longer than {self._max_reply_bytes} bytes")
                    if events is not None and forwarder is not None:
                        self._feed(events, chunk)
                        forwarder.forward(events.text)
        except openai.APIStatusError:
            raise
        except openai.APITimeoutError as error:
            raise TransientFailure(f"there was no complete reply within {self._timeout:g} s") from error
        except openai.APIConnectionError as error:
            raise TransientFailure(f"the server could not be reached ({describe(error.__cause__ or error)})") from error
        except TimeoutError as error:
            if not timeout.expired():
                raise
            raise TransientFailure(f"there was no complete reply within {self._timeout:g} s") from error
        except Exception as error:
            if type(error).__module__.split(".")[0] not in _HTTP_LIBRARIES:
                raise
            raise TransientFailure(f"the connection broke ({describe(error)})") from error
        reply = self._reply(bytes(body), messages) if events is None else self._finished(events, messages)
        if forwarder is not None:
            forwarder.forward(reply.text)
        return reply

    def _feed(self, events: Events, chunk: bytes | None) -> None:
        """Gives bytes to the events, or their end where `chunk` is None, and raises a failure that they report."""
        try:
            events.close() if chunk is None else events.feed(chunk)
        except RecursionError as error:
            raise TransientFailure("an event of the stream was JSON nested too deeply") from error
        except ValueError as error:
            raise TransientFailure(f"an event of the stream was no JSON ({describe(error)})") from error
        if events.error is not None:
            raise self._failures.in_body(events.error)

    def _finished(self, events: Events, messages: Sequence[Message]) -> Reply:
        self._feed(events, None)
        if not events.is_done:
            raise TransientFailure("the stream broke off before its end")
        return Reply(events.text, _usage(events.usage, messages, events.text), events.is_cut)

    def _reply(self, body: bytes, messages: Sequence[Message]) -> Reply:
        try:
            data = json.loads(body)
        except RecursionError as error:
            raise TransientFailure(f"the reply was JSON nested too deeply: {_beginning(body)!r}") from error
        except ValueError as error:
            raise TransientFailure(f"the reply was no JSON: {_beginning(body)!r}") from error
        match data:
            case {"choices": [{"message": {"content": str() | None | list() as content} as message} as choice, *_]}:
                text = REASONING.sub("", joined(content))
                refusal = message.get("refusal")
                if not text and isinstance(refusal, str):
                    text = refusal
                is_cut = choice.get("finish_reason") == "length"
                return Reply(text, _usage(data.get("usage"), messages, text), is_cut)
            case {"error": error}:
                raise self._failures.in_body(error)
            case _:
                raise TransientFailure(f"the reply was no chat completion: {_beginning(body)!r}")


def _param(message: Message) -> ChatCompletionMessageParam:
    match message.role:
        case "system":
            return {"role": "system", "content": message.content}
        case "user":
            return {"role": "user", "content": message.content}
        case "assistant":
            return {"role": "assistant", "content": message.content}


def _usage(given: object, messages: Sequence[Message], text: str) -> Usage:
    """Returns the tokens that the server counted, or an estimate where it did not."""
    counted = given if isinstance(given, dict) else {}
    read, wrote = counted.get("prompt_tokens"), counted.get("completion_tokens")
    details = counted.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    estimate = estimate_usage(messages, text)
    is_counted = is_token_count(read) and is_token_count(wrote)
    tokens_in = read if is_token_count(read) else estimate.tokens_in
    return Usage(
        tokens_in=tokens_in,
        tokens_out=wrote if is_token_count(wrote) else estimate.tokens_out,
        tokens_cached=min(cached, tokens_in) if is_token_count(cached) else 0,
        calls=1,
        estimated=not is_counted,
    )


def _beginning(body: bytes) -> str:
    return describe(body[:_BODY_SHOWN].decode("utf-8", "replace"))
