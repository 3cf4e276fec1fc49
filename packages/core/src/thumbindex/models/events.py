"""A completion that comes as server-sent events, put together while it comes. Pure: bytes in, text out."""

from __future__ import annotations

import json
import re

THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)
_OPENING = "<think"


def joined(content: object) -> str:
    """Content as text; some servers send it in parts."""
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in content]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


class Events:
    """The events of one completion so far.

    Attributes:
        usage: What the server counted, as it sent it; None until it did.
        error: What went wrong in the middle, as the server sent it; None for nothing.
        is_done: Whether the end was said: a connection that closes before broke off.
        is_cut: Whether the reply ran into the limit of its length.
    """

    def __init__(self) -> None:
        self.usage: object = None
        self.error: object = None
        self.is_done = False
        self.is_cut = False
        self._line = bytearray()
        self._written: list[str] = []

    def feed(self, data: bytes) -> None:
        """Take more bytes.

        Raises:
            ValueError: an event holds no JSON.
        """
        # A line may come in many pieces, and a piece may end inside a letter.
        self._line += data
        while (end := self._line.find(b"\n")) >= 0:
            line = bytes(self._line[:end])
            del self._line[: end + 1]
            self._read(line)

    def close(self) -> None:
        """No more bytes come: a last line without its end counts too.

        Raises:
            ValueError: it holds no JSON.
        """
        self.feed(b"\n")

    @property
    def text(self) -> str:
        """What was written so far, without the thoughts that some models write first."""
        written = "".join(self._written)
        self._written = [written]
        begun = written.lstrip()
        if not begun.startswith("<"):
            return written
        is_thinking = _OPENING.startswith(begun[: len(_OPENING)]) and not THOUGHTS.match(written)
        return "" if is_thinking and not self.is_done else THOUGHTS.sub("", written)

    def _read(self, line: bytes) -> None:
        # Other fields (event, id, retry) and comments, which keep the line warm, mean nothing here.
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
