"""The parameters of chat completions that a server accepts, learned from its refusals. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from .chat import JsonSchema


@dataclass(frozen=True, slots=True)
class ServerCapabilities:
    """The parameters that a server accepts.

    Args:
        limit: Name of the parameter that limits a reply; None for none.
        structure: The strictest kind of `response_format`; None for none.
        stream_usage: Whether a stream reports its usage.
    """

    temperature: bool = True
    limit: Literal["max_tokens", "max_completion_tokens"] | None = "max_tokens"
    structure: Literal["json_schema", "json_object"] | None = "json_schema"
    stream: bool = True
    stream_usage: bool = True

    def parameters(
        self, *, temperature: float | None, schema: JsonSchema | None, max_tokens: int | None, is_streamed: bool
    ) -> dict[str, object]:
        """Returns the parameters of a request, without those that the server does not accept."""
        sent: dict[str, object] = {}
        if temperature is not None and self.temperature:
            sent["temperature"] = temperature
        if max_tokens is not None and self.limit:
            sent[self.limit] = max_tokens
        if schema is not None and self.structure == "json_schema":
            described = {"name": str(schema.get("title", "reply")), "strict": True, "schema": dict(schema)}
            sent["response_format"] = {"type": "json_schema", "json_schema": described}
        elif schema is not None and self.structure == "json_object":
            sent["response_format"] = {"type": "json_object"}
        if is_streamed and self.stream:
            sent["stream"] = True
            if self.stream_usage:
                sent["stream_options"] = {"include_usage": True}
        return sent

    def without(self, refusal: str, sent: Mapping[str, object]) -> ServerCapabilities | None:
        """Returns the capabilities without the parameter that a refusal names; None where it names none that was sent.

        Args:
            refusal: The server's message in lower case.
            sent: The parameters of the refused request.
        """
        if "response_format" in sent and re.search(
            r"response_format|json_schema|json_object|grammar|structured", refusal
        ):
            return replace(self, structure="json_object" if self.structure == "json_schema" else None)
        # "stream_options" before "stream", whose name it contains.
        if "stream_options" in sent and re.search(r"stream_options|include_usage", refusal):
            return replace(self, stream_usage=False)
        if "stream" in sent and "stream" in refusal:
            return replace(self, stream=False)
        if "temperature" in sent and "temperature" in refusal:
            return replace(self, temperature=False)
        if "max_tokens" in sent and ("max_tokens" in refusal or "max_completion_tokens" in refusal):
            # A limit that is too high for the model is refused with the same words and must not be dropped silently.
            return replace(self, limit="max_completion_tokens") if "max_completion_tokens" in refusal else None
        if "max_completion_tokens" in sent and "max_completion_tokens" in refusal:
            names_older = "max_tokens" in refusal.replace("max_completion_tokens", "")
            return replace(self, limit="max_tokens") if names_older else None
        return None
