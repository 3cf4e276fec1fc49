"""Streams of an answer: steps, pieces of its text, and the checked answer at the end."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Sequence

import pytest

from thumbindex import Answer, AsyncLibrary, Budget, Lexical, Library, Step
from thumbindex.errors import ModelUnavailable
from thumbindex.library_view import Event
from thumbindex.models import JsonSchema, Message, Reply
from thumbindex.testing import ScriptedModel, sample_library

QUESTION = "How long does a wick last?"
PICK = {"sections": [{"number": 6, "reason": "care of the wick"}]}
GOOD = "A wick lasts about ninety hours [lantern.md, § 4.2 Wick]."


def kinds(events: Sequence[Event]) -> str:
    """Returns a letter for each event: step, text, answer."""
    return "".join("s" if isinstance(event, Step) else "t" if isinstance(event, str) else "a" for event in events)


async def both(library: Library, lines: Sequence[object], **options) -> list[list[Event]]:
    """What the sync and the async form tell."""
    sync = [*library.stream(QUESTION, model=ScriptedModel(lines), **options)]
    return [
        sync,
        [events async for events in AsyncLibrary(library).stream(QUESTION, model=ScriptedModel(lines), **options)],
    ]


async def test_steps_then_text_then_the_checked_answer() -> None:
    """The pieces make up the text of the answer, the steps its trail."""
    for events in await both(sample_library(), [PICK, GOOD], budget=Budget(evidence_tokens=200)):
        *_, answer = events
        assert isinstance(answer, Answer)
        assert kinds(events) == "s" * (len(answer.trail.steps) - 1) + "t" * 10 + "sa"
        assert "".join(event for event in events if isinstance(event, str)) == answer.text == GOOD
        assert tuple(event for event in events if isinstance(event, Step)) == answer.trail.steps
        assert answer.holds


async def test_a_model_that_cannot_stream_gives_one_piece() -> None:
    """The same program works with all models."""

    class Plain:
        name = "plain"

        async def chat(
            self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
        ) -> Reply:
            return Reply(GOOD)

    events = [
        event async for event in AsyncLibrary(sample_library()).stream(QUESTION, model=Plain(), navigator=Lexical())
    ]
    assert [event for event in events if isinstance(event, str)] == [GOOD]


async def test_not_found_without_a_call_is_streamed_too() -> None:
    """The text in the stream is that of the answer."""
    events = [
        event
        async for event in AsyncLibrary(sample_library()).stream("zzyzx?", model=ScriptedModel([]), navigator=Lexical())
    ]
    assert [event for event in events if isinstance(event, str)] == ["The documents do not say."]
    assert isinstance(events[-1], Answer)


async def test_errors_of_the_model_end_the_stream() -> None:
    """They come after the events before them."""
    library = sample_library()
    lines = [PICK, ModelUnavailable("m", "gone")]

    async def listen(events: list[Event]) -> None:
        async for event in AsyncLibrary(library).stream(
            QUESTION, model=ScriptedModel(lines), budget=Budget(evidence_tokens=200)
        ):
            events.append(event)

    in_async: list[Event] = []
    in_sync: list[Event] = []
    with pytest.raises(ModelUnavailable):
        await listen(in_async)
    with pytest.raises(ModelUnavailable):
        in_sync.extend(library.stream(QUESTION, model=ScriptedModel(lines), budget=Budget(evidence_tokens=200)))
    assert kinds(in_async) == kinds(in_sync)
    assert kinds(in_async).startswith("ss")


class Endless:
    """Writes for ever, until it is cancelled."""

    name = "endless"

    def __init__(self) -> None:
        self.stopped = asyncio.Event()

    async def chat(
        self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
    ) -> Reply:
        raise AssertionError

    async def stream(self, messages: Sequence[Message], on_text, *, max_tokens: int | None = None) -> Reply:
        try:
            while True:
                on_text("and ")
                await asyncio.sleep(0)
        finally:
            self.stopped.set()


async def test_closing_a_stream_stops_the_model() -> None:
    """Before `aclose` returns in async code, soon after in sync code."""
    model = Endless()
    stream = AsyncLibrary(sample_library()).stream(QUESTION, model=model, navigator=Lexical())
    async for events in stream:
        if events == "and ":
            break
    await stream.aclose()
    assert model.stopped.is_set()

    model = Endless()
    listening = sample_library().stream(QUESTION, model=model, navigator=Lexical())
    assert "and " in listening
    listening.close()
    for _ in range(100):
        if model.stopped.is_set():
            break
        await asyncio.sleep(0.01)
    assert model.stopped.is_set()


def test_streams_take_what_ask_takes() -> None:
    """All arguments but the callbacks, which they replace."""
    for owner in (Library, AsyncLibrary):
        asked = inspect.signature(owner.ask).parameters.keys() - {"on_step", "on_text"}
        assert inspect.signature(owner.stream).parameters.keys() == asked
