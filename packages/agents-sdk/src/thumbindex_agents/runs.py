"""Read logs of a run, where every tool, agent and guardrail of the run finds them, and the texts of a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agents import RunContextWrapper

from thumbindex.citations import ReadLog
from thumbindex.library_view import LibraryView

_ATTRIBUTE = "_thumbindex_read"


class _ReadLogs(dict[str, ReadLog]):
    """The read logs of a run, by the key of their bundle."""

    def __deepcopy__(self, _memo: object) -> _ReadLogs:
        # The SDK copies a run that is interrupted for an approval; the copy gets read logs of its own.
        copied = _ReadLogs(self)
        for key, read_log in self.items():
            copied[key] = read_log.copy()
        return copied


def read_log_of(context: RunContextWrapper[Any], key: str, library: LibraryView) -> ReadLog:
    """The read log of a bundle in this run, the same for all tools, handoffs and nested agents of the run.

    A run's context is the user's and may be None, and a guardrail does not see context variables that a tool sets. The only
    object that all parts of a run share is its usage (checked on 0.20 to 0.24, with streaming, handoffs and `as_tool`).
    """
    read_logs = vars(context.usage).setdefault(_ATTRIBUTE, _ReadLogs())
    read_log: ReadLog = read_logs.setdefault(key, ReadLog(library))
    return read_log


def outputs(items: str | Sequence[Any]) -> Iterator[str]:
    """The texts of the tool outputs in a conversation, in the form of sessions and results."""
    if isinstance(items, str):
        return
    for item in items:
        if isinstance(item, Mapping) and item.get("type") == "function_call_output":
            output = item.get("output")
            parts = [output] if isinstance(output, str) else output if isinstance(output, Sequence) else ()
            for part in parts:
                text = part.get("text") if isinstance(part, Mapping) else part
                if isinstance(text, str):
                    yield text


def last_question(items: str | Sequence[Any]) -> str:
    """The user's last question; empty if it is no plain text."""
    if isinstance(items, str):
        return items
    for item in reversed(items):
        if isinstance(item, Mapping) and item.get("role") == "user":
            content = item.get("content")
            if isinstance(content, str):
                return content
            parts = content if isinstance(content, Sequence) else ()
            return " ".join(str(part["text"]) for part in parts if isinstance(part, Mapping) and "text" in part)
    return ""
