"""Failures of a server of chat completions: which are worth another attempt, and the error of ours for the others. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit, urlunsplit

from ..errors import ModelAccessDenied, ModelError, ModelRejected
from ..text.characters import shorten

_DENIED = frozenset({401, 402, 403})
"""Statuses that no further attempt changes (RFC 9110, section 15.5)."""
_TRANSIENT = frozenset({408, 409, 425, 429})
"""Statuses below 500 that pass: timeout, conflict, too early, too many requests (RFC 9110; RFC 8470; RFC 6585)."""
_SERVER_ERROR = 500
"""From this status on the fault is the server's, and may pass."""
_DEAD_CODES = ("insufficient_quota", "billing_not_active", "account_deactivated", "invalid_api_key")
"""OpenAI's error codes that come with a transient status and do not pass."""
_TOO_LONG = re.compile(
    r"context.{0,20}(length|size|window)|too long|too many tokens|maximum context|exceed", re.IGNORECASE
)
"""Messages of OpenAI, vLLM, llama.cpp and Ollama about a prompt that exceeds the context window."""
_DESCRIPTION_LENGTH = 300
"""Characters of a server's message that an error of ours repeats."""


class TransientFailure(Exception):
    """A failure that is worth another attempt.

    Args:
        after: Seconds that the server asks to wait; None where it does not say.
    """

    def __init__(self, what: str, after: float | None = None) -> None:
        super().__init__(what)
        self.after = after


@dataclass(frozen=True, slots=True)
class ServerFailures:
    """Makes errors of what a server answers.

    Args:
        model: Its name, for the messages.
        api_key: Removed from the messages, which servers may repeat it in.
    """

    model: str
    api_key: str | None = field(default=None, repr=False)

    def by_status(self, status: int, message: str, after: float | None = None) -> ModelError | TransientFailure:
        """Returns the error for an HTTP status and the message that came with it."""
        shown = describe(message)
        if self.api_key:
            shown = shown.replace(self.api_key, "…")
        if status in _DENIED or any(code in message for code in _DEAD_CODES):
            return ModelAccessDenied(
                self.model,
                f"the server denies access ({shown}). Check the key (OPENAI_API_KEY, or api_key), its rights and its credit.",
            )
        if status in _TRANSIENT or status >= _SERVER_ERROR:
            return TransientFailure(f"the server answered {shown}", after)
        if _TOO_LONG.search(message):
            return ModelRejected(
                self.model,
                f"the prompt is too long for this model ({shown}). Choose a smaller budget or another model.",
            )
        return ModelRejected(
            self.model, f"the server refuses the request ({shown}). Check the model's name and base_url."
        )

    def redirected(self, location: str) -> ModelError:
        """Returns the error for a server that sends its clients to another address."""
        shown = describe(without_secrets(location) or "no address")
        return ModelRejected(
            self.model,
            f"the server redirects to {shown}, which is not followed. Set base_url to the server's own address.",
        )

    def in_body(self, error: object) -> ModelError | TransientFailure:
        """Returns the error for one in the body of a successful response, where gateways report the server behind them."""
        code = error.get("code") if isinstance(error, dict) else None
        return self.by_status(code if isinstance(code, int) else _SERVER_ERROR, json.dumps(error))


def without_secrets(address: str | None) -> str | None:
    """Returns an address without the user, password and query that it may contain."""
    if address is None:
        return None
    try:
        parts = urlsplit(address)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "…"
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Returns the seconds that a server asks to wait; None where it does not say.

    A number of seconds or milliseconds, or a date (RFC 9110, section 10.2.3; `retry-after-ms` is OpenAI's).
    """
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


def describe(what: object) -> str:
    """Returns a message of a server or a library on one line, short and without control characters."""
    printable = "".join(character if character.isprintable() else " " for character in str(what))
    line = " ".join(printable.split())
    return shorten(line or type(what).__name__, _DESCRIPTION_LENGTH)
