"""A completion received as server-sent events, assembled while it arrives. Pure: bytes in, text out."""

from __future__ import annotations

import json
import re

REASONING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)
"""The reasoning that some models write before their reply."""
_OPENING = "<think"


def joined(content: object) -> str:
    """Returns content as text; some servers send it in parts."""
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in content]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


class Events:
    """The events of one completion so far.

    Attributes:
        usage: The token counts as the server sent them; None until it did.
        error: The error that ended the stream, as the server sent it; None without one.
        is_done: Whether the end was announced: a connection that closes before it broke off.
        is_cut: Whether the reply ended at the limit on its length.
    """

    def __init__(self) -> None:
        self.usage: object = None
        self.error: object = None
        self.is_done = False
        self.is_cut = False
        self._line = bytearray()
        self._written: list[str] = []

    def feed(self, data: bytes) -> None:
        """Takes more bytes.

        Raises:
            ValueError: an event holds no JSON.
        """
        # A line may come in many pieces, and a piece may end inside a character.
        self._line += data
        while (end := self._line.find(b"\n")) >= 0:
            line = bytes(self._line[:end])
            del self._line[: end + 1]
            self._read(line)

    def close(self) -> None:
        """Ends the stream: a last line without its line break counts too.

        Raises:
            ValueError: it holds no JSON.
        """
        self.feed(b"\n")

    @property
    def text(self) -> str:
        """The text so far, without the reasoning before it."""
        written = "".join(self._written)
        self._written = [written]
        start = written.lstrip()
        if not start.startswith("<"):
            return written
        is_thinking = _OPENING.startswith(start[: len(_OPENING)]) and not REASONING.match(written)
        return "" if is_thinking and not self.is_done else REASONING.sub("", written)

    def _read(self, line: bytes) -> None:
        # Other fields (event, id, retry) and comments, which keep the connection alive, are ignored.
        name, _, value = line.strip().partition(b":")
        if name != b"data" or not value.strip():
            return
        if value.strip() == b"[DONE]":
            self.is_done = True
            return
        match json.loads(value):
            case {"error": error} if error:
                self.error = error
            case {"choices": list() as choices} as event:
                self.usage = event.get("usage") or self.usage
                for choice in choices[:1]:
                    self._take(choice)

    def _take(self, choice: object) -> None:
        if not isinstance(choice, dict):
            return
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self._written.append(joined(delta.get("content")) or joined(delta.get("refusal")))
        if choice.get("finish_reason"):
            self.is_done = True
            self.is_cut = choice["finish_reason"] == "length"
