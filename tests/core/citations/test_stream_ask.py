"""An answer told while it is made: steps, pieces of text, and the checked answer last."""

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


def kinds(told: Sequence[Event]) -> str:
    """A letter for each: step, text, answer."""
    return "".join("s" if isinstance(one, Step) else "t" if isinstance(one, str) else "a" for one in told)


async def both(library: Library, lines: Sequence[object], **options) -> list[list[Event]]:
    """What the sync and the async form tell."""
    sync = [*library.stream(QUESTION, model=ScriptedModel(lines), **options)]
    return [
        sync,
        [told async for told in AsyncLibrary(library).stream(QUESTION, model=ScriptedModel(lines), **options)],
    ]


async def test_steps_then_text_then_the_checked_answer() -> None:
    """The pieces make up the answer's text; its trail holds the steps."""
    for told in await both(sample_library(), [PICK, GOOD], budget=Budget(evidence_tokens=200)):
        *_, answer = told
        assert isinstance(answer, Answer)
        assert kinds(told) == "s" * (len(answer.trail.steps) - 1) + "t" * 10 + "sa"
        assert "".join(one for one in told if isinstance(one, str)) == answer.text == GOOD
        assert tuple(one for one in told if isinstance(one, Step)) == answer.trail.steps
        assert answer.holds


async def test_a_model_that_cannot_stream_gives_one_piece() -> None:
    """The same program serves all models."""

    class Plain:
        name = "plain"

        async def chat(
            self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
        ) -> Reply:
            return Reply(GOOD)

    told = [one async for one in AsyncLibrary(sample_library()).stream(QUESTION, model=Plain(), navigator=Lexical())]
    assert [one for one in told if isinstance(one, str)] == [GOOD]


async def test_not_found_without_a_call_is_told_as_text_too() -> None:
    """A reader sees the same words in a stream as at its end."""
    told = [
        one
        async for one in AsyncLibrary(sample_library()).stream("zzyzx?", model=ScriptedModel([]), navigator=Lexical())
    ]
    assert [one for one in told if isinstance(one, str)] == ["The documents do not say."]
    assert isinstance(told[-1], Answer)


async def test_errors_come_through() -> None:
    """After what was told before."""
    library = sample_library()
    lines = [PICK, ModelUnavailable("m", "gone")]

    async def listen(told: list[Event]) -> None:
        async for one in AsyncLibrary(library).stream(
            QUESTION, model=ScriptedModel(lines), budget=Budget(evidence_tokens=200)
        ):
            told.append(one)

    one: list[Event] = []
    two: list[Event] = []
    with pytest.raises(ModelUnavailable):
        await listen(one)
    with pytest.raises(ModelUnavailable):
        two.extend(library.stream(QUESTION, model=ScriptedModel(lines), budget=Budget(evidence_tokens=200)))
    assert kinds(one) == kinds(two)
    assert kinds(one).startswith("ss")


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


async def test_who_stops_listening_stops_the_model() -> None:
    """On the async side before `aclose` returns, on the sync side soon."""
    model = Endless()
    stream = AsyncLibrary(sample_library()).stream(QUESTION, model=model, navigator=Lexical())
    async for told in stream:
        if told == "and ":
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
    """All but the callbacks, whose place they take."""
    for owner in (Library, AsyncLibrary):
        asked = inspect.signature(owner.ask).parameters.keys() - {"on_step", "on_text"}
        assert inspect.signature(owner.stream).parameters.keys() == asked
