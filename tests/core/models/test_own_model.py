"""Any model can be brought along: one whose call blocks, one that is awaited; the caller's context and wishes go with it."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Coroutine, Sequence

import pytest

from thumbindex import AsyncLibrary, Budget, Lexical, Library, Select
from thumbindex.models import ChatModel, JsonSchema, Message, Reply, estimate_usage, is_for_sync_caller
from thumbindex.testing import ScriptedModel, sample_library
from thumbindex.trail import Step

QUESTION = "How long does a wick last?"
PICK = '{"sections": [{"number": 6, "reason": "care"}]}'
GOOD = "A wick lasts about ninety hours [lantern.md, § 4.2 Wick]."
RUN: contextvars.ContextVar[str] = contextvars.ContextVar("run", default="none")


class Framework:
    """A framework's model: one method that blocks, one that is awaited, each seeing the run that it belongs to."""

    def __init__(self) -> None:
        self.replies = [PICK, GOOD]
        self.runs: list[str] = []
        self.threads: list[threading.Thread] = []

    def invoke(self, messages: list[dict[str, str]]) -> str:
        self.runs.append(RUN.get())
        self.threads.append(threading.current_thread())
        return self.replies.pop(0)

    async def ainvoke(self, messages: list[dict[str, str]]) -> str:
        await asyncio.sleep(0)
        return self.invoke(messages)


def plain(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]


class Blocking:
    """The framework's model by its sync method alone."""

    name = "blocking"

    def __init__(self, llm: Framework) -> None:
        self.llm = llm

    async def chat(
        self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
    ) -> Reply:
        text = await asyncio.to_thread(self.llm.invoke, plain(messages))
        return Reply(text, estimate_usage(messages, text))


class Awaited(Blocking):
    """By its async method."""

    name = "awaited"

    async def chat(
        self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
    ) -> Reply:
        text = await self.llm.ainvoke(plain(messages))
        return Reply(text, estimate_usage(messages, text))


@pytest.fixture
def library() -> Library:
    return sample_library()


def test_a_model_whose_call_blocks_serves_a_sync_question(library: Library) -> None:
    """It is called in a thread, not on the loop of other questions, and in the context of the caller."""
    llm = Framework()
    model = Blocking(llm)
    assert isinstance(model, ChatModel)
    RUN.set("traced")
    answer = library.ask(QUESTION, model=model, budget=Budget(evidence_tokens=200))
    assert (answer.holds, llm.runs) == (True, ["traced", "traced"])
    assert "thumbindex-loop" not in {thread.name for thread in llm.threads}
    assert answer.usage.estimated
    assert answer.usage.tokens_in > 100


async def test_an_awaited_model_serves_an_async_question_on_its_own_loop(library: Library) -> None:
    """A framework's client belongs to the loop of its user."""
    llm = Framework()
    RUN.set("traced")
    answer = await AsyncLibrary(library).ask(QUESTION, model=Awaited(llm), budget=Budget(evidence_tokens=200))
    assert (answer.holds, llm.runs) == (True, ["traced", "traced"])
    assert {*llm.threads} == {threading.current_thread()}


async def test_each_question_runs_in_the_context_of_its_caller(library: Library) -> None:
    """Concurrent questions do not mix, so that tracing assigns each call to its run."""

    async def ask(name: str) -> list[str]:
        RUN.set(name)
        llm = Framework()
        await AsyncLibrary(library).ask(QUESTION, model=Awaited(llm), budget=Budget(evidence_tokens=200))
        return llm.runs

    assert [*await asyncio.gather(ask("a"), ask("b"))] == [["a", "a"], ["b", "b"]]


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
async def test_steps_come_as_they_happen_with_their_tokens(library: Library, is_async: bool) -> None:
    """Each step of a model comes before its next call, with its tokens, in the context of the caller."""
    order: list[str] = []
    seen: list[Step] = []
    runs: set[str] = set()

    def says(text: str):
        def line(messages: Sequence[Message]) -> str:
            order.append("call")
            return text

        return line

    def on_step(step: Step) -> None:
        order.append(step.action)
        runs.add(RUN.get())
        seen.append(step)

    RUN.set("traced")
    model = ScriptedModel([says(PICK), says(GOOD)])
    if is_async:
        await AsyncLibrary(library).ask(QUESTION, model=model, on_step=on_step, budget=Budget(evidence_tokens=200))
    else:
        library.ask(QUESTION, model=model, on_step=on_step, budget=Budget(evidence_tokens=200))
    assert order == ["rank documents", "call", "pick", *["choose"] * order.count("choose"), "stop", "call", "answer"]
    paid = [step for step in seen if step.action in ("pick", "answer")]
    assert all(step.tokens_in > 100 and step.tokens_out > 5 for step in paid)
    assert runs == {"traced"}


@pytest.mark.parametrize("work", ["retrieve", "ask", "summarize"])
async def test_cancelling_stops_the_running_call_and_makes_no_other(library: Library, work: str) -> None:
    """A question that is no longer awaited costs nothing more."""
    began, stopped = asyncio.Event(), 0
    calls = 0

    class Slow:
        name = "slow"

        async def chat(
            self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
        ) -> Reply:
            nonlocal stopped, calls
            calls += 1
            began.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                stopped += 1
                raise
            return Reply(PICK)

    coroutine: Coroutine[object, object, object]
    match work:
        case "retrieve":
            coroutine = AsyncLibrary(library).retrieve(QUESTION, navigator=Select(Slow()))
        case "ask":
            coroutine = AsyncLibrary(library).ask(QUESTION, model=Slow(), budget=Budget(evidence_tokens=200))
        case _:
            coroutine = AsyncLibrary(library).summarize("harbour.md", model=Slow())
    task = asyncio.ensure_future(coroutine)
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0.05)
    assert calls == stopped >= 1


def test_a_blocking_call_leaves_the_loop_to_others(library: Library) -> None:
    """One slow model delays no question of another thread."""
    release = threading.Event()

    class Stuck(Framework):
        def invoke(self, messages: list[dict[str, str]]) -> str:
            assert release.wait(10)
            return super().invoke(messages)

    slow = threading.Thread(
        target=lambda: library.ask(QUESTION, model=Blocking(Stuck()), budget=Budget(evidence_tokens=200))
    )
    slow.start()
    time.sleep(0.05)
    assert library.ask(QUESTION, model=Awaited(Framework()), budget=Budget(evidence_tokens=200)).holds
    assert slow.is_alive()
    release.set()
    slow.join()


async def test_a_model_learns_whether_sync_code_called_it(library: Library) -> None:
    """A model with a sync and an async client can take the one that belongs to the caller."""
    seen: list[bool] = []

    class Curious(ScriptedModel):
        async def chat(
            self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
        ) -> Reply:
            seen.append(is_for_sync_caller())
            return await super().chat(messages, schema=schema, max_tokens=max_tokens)

    await asyncio.to_thread(library.ask, QUESTION, model=Curious([GOOD]), navigator=Lexical())
    library.ask(QUESTION, model=Curious([GOOD]), navigator=Lexical())
    await AsyncLibrary(library).ask(QUESTION, model=Curious([GOOD]), navigator=Lexical())
    assert seen == [True, True, False]
