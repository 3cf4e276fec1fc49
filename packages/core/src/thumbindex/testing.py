"""For tests of programs that use thumbindex: a small library with known contents, and a model that plays a script.

Needs no files, no network and no key.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from .library import Library
from .models import JsonSchema, Message, Reply, Usage
from .models.chat import count_messages
from .store import PassageSelection
from .store.sqlite import SqliteStore
from .text.tokens import estimate_tokens

MANUAL = """\
---
title: Lantern manual
year: 2023
---
# Lantern manual

The lantern burns lamp oil and lights a room of thirty square metres.

## Filling

Unscrew the brass cap and pour in 0.4 litres of lamp oil. Never fill a burning lantern.

## Lighting

Raise the glass with the lever, light the wick and lower the glass again. For the height of the wick see Section 4.2.

## 4 Care

### 4.1 Glass

Wash the glass with warm water once a week.

### 4.2 Wick

Trim the wick to six millimetres before each lighting. A wick lasts about ninety hours.

## Appendix A Spare parts

| Part  | Order number | Price |
|-------|--------------|-------|
| Wick  | L-204        | 3.50  |
| Glass | L-310        | 12.80 |
"""

REPORT = """\
---
title: Harbour report
year: 2024
---
# Harbour report

## Traffic

In 2024 the harbour was called at by 1,204 ships, of which 310 carried grain. The year before it was 1,150 ships.

## Dues

Harbour dues rose to 18.20 per metre of length. Sailing ships pay half; see Appendix B.

## Dredging

The eastern basin was dredged to 7.5 metres in March. The western basin follows next year.

## Appendix B Reductions

Sailing ships, training ships and ships under repair pay half of the dues.
"""


def sample_library() -> Library:
    """A library in memory with two Markdown documents, `lantern.md` and `harbour.md`."""
    library = Library()
    library.add(MANUAL.encode(), name="lantern.md")
    library.add(REPORT.encode(), name="harbour.md")
    return library


class GatedStore(SqliteStore):
    """A store in memory whose searches wait for a gate: for tests of code that must not block an event loop.

    Attributes:
        entered: Set as soon as a search has begun.
        gate: Lets searches go on once it is set.
        blocked: Whether a search waited for longer than `patience` seconds.
    """

    def __init__(self, patience: float = 10.0) -> None:
        super().__init__()
        self.entered, self.gate, self.blocked = threading.Event(), threading.Event(), False
        self._patience = patience

    def select_passages(
        self, terms: Sequence[str], documents: Sequence[str], *, limit: int, scope: Sequence[str] = ()
    ) -> PassageSelection:
        """Waits for the gate, then searches."""
        self.entered.set()
        if not self.gate.wait(self._patience):
            self.blocked = True
        return super().select_passages(terms, documents, limit=limit, scope=scope)


Line = str | Mapping[str, object] | Exception | Callable[[Sequence[Message]], str]
"""What a scripted model does when asked: say a text, say JSON, raise, or answer as a function decides."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a scripted model."""

    messages: tuple[Message, ...]
    schema: JsonSchema | None
    max_tokens: int | None

    @property
    def text(self) -> str:
        """All messages, one after another."""
        return "\n".join(message.content for message in self.messages)


class ScriptedModel:
    """A chat model that plays its lines in order and records what it was asked.

    Its usage counts as cached what a provider's prompt cache would serve: messages equal to those of an earlier call,
    from the first on.

    >>> model = ScriptedModel(["The wick lasts ninety hours [lantern.md, § 4.2 Wick]."])
    >>> sample_library().ask("How long does a wick last?", model=model, navigator=Lexical()).citations[0].status
    'verified'
    >>> model.assert_finished()
    """

    def __init__(self, lines: Iterable[Line], *, name: str = "scripted") -> None:
        self._lines = list(lines)
        self._name = name
        self.calls: list[Call] = []

    @property
    def name(self) -> str:
        """As given."""
        return self._name

    async def chat(
        self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
    ) -> Reply:
        """The next line of the script.

        Raises:
            AssertionError: the script is over.
        """
        asked = tuple(messages)
        cached = max((_shared(asked, call.messages) for call in self.calls), default=0)
        self.calls.append(Call(asked, schema, max_tokens))
        if len(self.calls) > len(self._lines):
            raise AssertionError(
                f"The script has only {len(self._lines)} lines, but the model was asked again:\n{asked[-1].content}"
            )
        line = self._lines[len(self.calls) - 1]
        if isinstance(line, Exception):
            raise line
        text = line if isinstance(line, str) else json.dumps(dict(line)) if isinstance(line, Mapping) else line(asked)
        return Reply(text, Usage(count_messages(asked), estimate_tokens(text), count_messages(asked[:cached]), 1))

    async def stream(
        self, messages: Sequence[Message], on_text: Callable[[str], None], *, max_tokens: int | None = None
    ) -> Reply:
        """The next line of the script, word by word.

        Raises:
            AssertionError: the script is over.
        """
        reply = await self.chat(messages, max_tokens=max_tokens)
        for piece in re.findall(r"\s*\S+|\s+\Z", reply.text):
            on_text(piece)
        return reply

    def assert_finished(self) -> None:
        """Check that every line was played.

        Raises:
            AssertionError: some were not.
        """
        left = len(self._lines) - len(self.calls)
        assert left == 0, f"{left} of {len(self._lines)} lines were not played."


def _shared(first: Sequence[Message], second: Sequence[Message]) -> int:
    """The number of equal messages at the beginning of two conversations."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
