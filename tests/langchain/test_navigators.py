"""A model navigates: select and walk, from sync and async code, traced, cancelled, and without stopping the loop."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.runnables import ConfigurableField, RunnableConfig, RunnableLambda

from langchain_thumbindex import LangChainChat, ThumbIndexRetriever
from langchain_thumbindex.retriever import STEP_EVENT
from scripted_langchain import Listener, ScriptedChat
from thumbindex import Library, Walk
from thumbindex.conformance import OTHER_QUESTION, QUESTION, sample_library
from thumbindex.errors import ModelError
from thumbindex.navigation import WalkLimits
from thumbindex.store.sqlite import SqliteStore
from thumbindex.testing import ScriptedModel

SELECT: dict[str, Any] = {"sections": [{"number": 2, "reason": "it is about the term loan"}]}
FIRST: dict[str, Any] = {"sections": [{"number": 1, "reason": ""}]}
READ: dict[str, Any] = {"reason": "it should state the rate", "action": "read", "numbers": [2], "text": ""}
ANSWER: dict[str, Any] = {"reason": "enough", "action": "answer", "numbers": [], "text": ""}
WALK = [{"reason": "look inside", "action": "open", "numbers": [1], "text": ""}, READ, ANSWER]


@pytest.fixture(scope="module")
def library() -> Library:
    """One document: of several, each is navigated by itself."""
    library = sample_library()
    library.remove("treasury.md")
    return library


def forever(*lines: Any) -> Iterator[Any]:
    while True:
        yield from lines


def paths(documents: Sequence[Any]) -> list[str]:
    return [document.metadata["section_path"] for document in documents]


# What is chosen


@pytest.mark.parametrize("has_tools", [True, False])
def test_select_asks_once_and_puts_what_the_model_picked_first(library: Library, has_tools: bool) -> None:
    """Exactly `k` sections, whether or not the model has tools; with an `llm` it is what happens by default."""
    model = ScriptedChat(lines=[SELECT], has_tools=has_tools)
    found = ThumbIndexRetriever(library=library, llm=model, k=3).invoke(QUESTION)
    assert paths(found)[0] == "Borrowings › Term loan"
    assert (len(found), len(model.calls)) == (3, 1)


def test_walk_asks_once_per_step_and_puts_what_it_read_first(library: Library) -> None:
    """Open, read, answer: then what fits by its words, so that `k` sections come."""
    model = ScriptedChat(lines=WALK)
    found = ThumbIndexRetriever(library=library, llm=model, navigator="walk", k=3).invoke(QUESTION)
    assert paths(found)[0] == "Borrowings › Term loan"
    assert (len(found), len(model.calls)) == (3, 3)


def test_a_walk_keeps_its_limits(library: Library) -> None:
    """However long the model would go on."""
    model = ScriptedChat(lines=forever(WALK[0]))
    limited = ThumbIndexRetriever(library=library, navigator=Walk(LangChainChat(model), limits=WalkLimits(steps=2)))
    limited.invoke(QUESTION)
    assert len(model.calls) == 2


def test_lexical_calls_no_model_even_if_there_is_one(library: Library) -> None:
    """The navigator decides."""
    model = ScriptedChat(lines=[])
    assert len(ThumbIndexRetriever(library=library, llm=model, navigator="lexical", k=2).invoke(QUESTION)) == 2
    assert model.calls == []


@pytest.mark.parametrize("navigator", ["select", "walk"])
def test_a_navigator_with_a_model_needs_one(library: Library, navigator: Any) -> None:
    """The error comes when the retriever is made, not with the first question."""
    with pytest.raises(ValueError, match="pass llm="):
        ThumbIndexRetriever(library=library, navigator=navigator)


def test_replies_that_are_no_use_cost_a_step_and_not_the_run(library: Library) -> None:
    """Prose, then a number that was never printed: what fits by its words comes back."""
    model = ScriptedChat(lines=["I think it is in the notes.", {"sections": [{"number": 99, "reason": "?"}]}])
    assert len(ThumbIndexRetriever(library=library, llm=model, k=2).invoke(QUESTION)) == 2


def test_a_model_of_thumbindex_will_do_as_well(library: Library) -> None:
    """As `llm`, any object that fulfils its protocol."""
    model = ScriptedModel([SELECT])
    assert ThumbIndexRetriever(library=library, llm=model, k=1).invoke(QUESTION)
    model.assert_finished()


def test_a_section_is_the_same_document_whatever_found_it(library: Library) -> None:
    """Fusion and caches see one section, not three."""
    by_words = ThumbIndexRetriever(library=library, k=1).invoke(QUESTION)
    by_select = ThumbIndexRetriever(library=library, k=1, llm=ScriptedChat(lines=[SELECT])).invoke(QUESTION)
    by_walk = ThumbIndexRetriever(library=library, k=1, llm=ScriptedChat(lines=WALK), navigator="walk").invoke(QUESTION)
    assert by_words == by_select == by_walk


def test_weak_results_can_be_dropped(library: Library) -> None:
    """For a question that the documents do not answer: an empty list instead of the nearest sections."""
    off_topic = "Who won the chess match about interest?"
    assert ThumbIndexRetriever(library=library).invoke(off_topic)
    assert ThumbIndexRetriever(library=library, drop_weak=True).invoke(off_topic) == []
    assert ThumbIndexRetriever(library=library, drop_weak=True).invoke(QUESTION)


# Sync and async


async def test_sync_code_calls_the_models_sync_method_and_async_code_the_async_one(library: Library) -> None:
    """Inside a running loop too."""
    model = ScriptedChat(lines=forever(SELECT))
    retriever = ThumbIndexRetriever(library=library, llm=model, k=1)
    retriever.invoke(QUESTION)
    assert model.calls == ["sync"]
    await retriever.ainvoke(QUESTION)
    assert model.calls == ["sync", "async"]


async def test_batches_of_both_kinds_answer_each_question(library: Library) -> None:
    """From many threads and many tasks at once, each result in its place."""

    def pick(messages: Sequence[BaseMessage]) -> str:
        number = 2 if QUESTION in messages[-1].text else 4
        return json.dumps({"sections": [{"number": number, "reason": ""}]})

    retriever = ThumbIndexRetriever(library=library, llm=ScriptedChat(lines=forever(pick)), k=1)
    questions = [QUESTION, OTHER_QUESTION] * 8
    expected = [["Borrowings › Term loan"], ["Borrowings › Covenants"]] * 8
    assert [paths(found) for found in retriever.batch(questions)] == expected
    assert [paths(found) for found in await retriever.abatch(questions)] == expected
    with ThreadPoolExecutor(8) as pool:
        assert [paths(found) for found in pool.map(retriever.invoke, questions)] == expected


class Gated(ScriptedChat):
    """A model that answers only when the event loop has opened the gate."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(**fields)
        self._gate, self._asked = threading.Event(), threading.Event()

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self._asked.set()
        await asyncio.to_thread(self._gate.wait, 10)
        return await super()._agenerate(messages, *args, **kwargs)


class SlowStore(SqliteStore):
    """A store whose documents are listed only when the event loop has opened the gate; `blocked` if the loop never did."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.blocked = threading.Event(), False
        self.gate.set()

    def documents(self, *args: Any, **kwargs: Any) -> Any:
        self.blocked |= not self.gate.wait(10)
        return super().documents(*args, **kwargs)


@pytest.mark.parametrize(
    "options", [{}, {"llm": ScriptedChat(lines=[FIRST])}, {"filters": {"title": "Treasury guide"}}]
)
async def test_the_loop_goes_on_while_a_slow_library_is_read(options: dict[str, Any]) -> None:
    """For every navigator, and for the scope of a call: a task of the same loop has to end the wait."""
    store = SlowStore()
    library = Library(store=store)
    library.add(b"---\ntitle: Treasury guide\n---\n# Paying interest\n\nOn the term loan.\n", name="treasury.md")
    store.gate.clear()

    async def heartbeat() -> None:
        for _ in range(3):
            await asyncio.sleep(0.01)
        store.gate.set()

    retriever = ThumbIndexRetriever(library=library, **options)
    found, _ = await asyncio.gather(retriever.ainvoke(QUESTION, documents=["treasury.md"]), heartbeat())
    assert found
    assert not store.blocked


async def test_two_searches_wait_for_the_model_side_by_side(library: Library) -> None:
    """Neither blocks the loop, or the other search."""
    models = [Gated(lines=[SELECT]), Gated(lines=[SELECT])]
    searches = [
        asyncio.create_task(ThumbIndexRetriever(library=library, llm=model, k=1).ainvoke(QUESTION)) for model in models
    ]
    for model in models:
        await asyncio.to_thread(model._asked.wait, 10)
    for model in models:
        model._gate.set()
    assert [paths(found) for found in await asyncio.gather(*searches)] == [["Borrowings › Term loan"]] * 2


async def test_cancelling_ends_the_work(library: Library) -> None:
    """The call under way is cancelled, and no further one is made."""
    model = Gated(lines=forever(WALK[0]))
    search = asyncio.create_task(ThumbIndexRetriever(library=library, llm=model, navigator="walk").ainvoke(QUESTION))
    await asyncio.to_thread(model._asked.wait, 10)
    search.cancel()
    with pytest.raises(asyncio.CancelledError):
        await search
    model._gate.set()
    await asyncio.sleep(0.05)
    assert model.calls == []
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []


# Tracing


def test_the_steps_of_a_walk_are_child_runs_with_inputs_outputs_and_tokens(
    library: Library, listener: Listener
) -> None:
    """A trace reads as the walk went: the model is asked, a step is taken, the model is asked."""
    retriever = ThumbIndexRetriever(library=library, llm=ScriptedChat(lines=WALK), navigator="walk", k=1)
    retriever.invoke(QUESTION, {"callbacks": [listener]})
    runs = [name for kind, name, _ in listener.heard if kind in ("start", "model")]
    assert runs[:8] == [
        "thumbindex rank documents",
        "model",
        "thumbindex open",
        "model",
        "thumbindex read",
        "model",
        "thumbindex conclude",
        "thumbindex stop",
    ]
    assert {listener.parent_of(name) for name in runs} == {"ThumbIndexRetriever"}
    (inputs,) = [data for kind, name, data in listener.heard if (kind, name) == ("start", "thumbindex read")]
    (outputs,) = [data for kind, name, data in listener.heard if (kind, name) == ("end", "thumbindex read")]
    assert inputs == {"target": "Term loan (p. 2)", "reason": "it should state the rate"}
    assert outputs.pop("seconds") > 0
    assert outputs == {"outcome": "1 passages, 25 tokens", "tokens_in": 11, "tokens_out": 7, "tokens_cached": 3}


def test_each_step_is_reported_before_the_next_model_call(library: Library, listener: Listener) -> None:
    """A user interface shows progress while the walk goes on, not all of it at the end."""
    retriever = ThumbIndexRetriever(library=library, llm=ScriptedChat(lines=WALK), navigator="walk", k=1)
    retriever.invoke(QUESTION, {"callbacks": [listener]})
    order = [
        (kind, name if kind == "model" else data["action"])
        for kind, name, data in listener.heard
        if kind in ("event", "model")
    ]
    assert order[:5] == [
        ("event", "rank documents"), ("model", "model"), ("event", "open"), ("model", "model"), ("event", "read"),
    ]  # fmt: skip


@pytest.mark.parametrize("has_tools", [True, False])
async def test_tags_and_callbacks_of_the_chain_reach_the_inner_model(
    library: Library, listener: Listener, has_tools: bool
) -> None:
    """In sync and async; a tag of ours marks its calls, and a tag of LangGraph leaves them out of a chat's stream."""
    retriever = ThumbIndexRetriever(
        library=library, llm=ScriptedChat(lines=forever(SELECT), has_tools=has_tools), k=1, tags=["local"]
    )
    chain = RunnableLambda(lambda question: question) | retriever
    config: RunnableConfig = {"callbacks": [listener], "tags": ["mine"]}
    for run in (chain.invoke, chain.ainvoke):
        listener.tags.clear()
        result = run(QUESTION, config)
        await result if asyncio.iscoroutine(result) else None
        assert {"mine", "thumbindex", "nostream"} <= set(listener.tags["model"])
        assert "local" not in listener.tags["model"]


class AsyncListener(AsyncCallbackHandler):
    def __init__(self) -> None:
        self.heard: list[str] = []
        self.threads: set[int] = set()

    async def on_custom_event(self, name: str, data: Any, **kwargs: Any) -> None:
        await asyncio.sleep(0)
        self.threads.add(threading.get_ident())
        self.heard.append(data["action"])


async def test_async_handlers_get_the_steps_in_their_own_loop_and_in_order(library: Library) -> None:
    """They may use the loop's objects."""
    heard = AsyncListener()
    retriever = ThumbIndexRetriever(library=library, llm=ScriptedChat(lines=WALK), navigator="walk", k=1)
    await retriever.ainvoke(QUESTION, {"callbacks": [heard]})
    assert heard.heard[:5] == ["rank documents", "open", "read", "conclude", "stop"]
    assert heard.threads == {threading.get_ident()}


@pytest.mark.parametrize("is_async", [True, False])
async def test_steps_before_a_fault_are_reported(library: Library, listener: Listener, is_async: bool) -> None:
    """The trace of a failed run shows how far it came; the error names the model."""
    model = ScriptedChat(lines=[WALK[0], ConnectionError("gone")])
    retriever = ThumbIndexRetriever(library=library, llm=model, navigator="walk")
    run = retriever.ainvoke if is_async else RunnableLambda(retriever.invoke).ainvoke
    with pytest.raises(ModelError, match="scripted-1: ConnectionError: gone"):
        await run(QUESTION, {"callbacks": [listener]})
    assert [data["action"] for kind, name, data in listener.heard if name == STEP_EVENT] == ["rank documents", "open"]


def test_a_failing_model_may_fall_back_to_words(library: Library) -> None:
    """As any runnable does."""
    failing = ThumbIndexRetriever(library=library, llm=ScriptedChat(lines=[ConnectionError("gone")]))
    assert len(failing.with_fallbacks([ThumbIndexRetriever(library=library, k=2)]).invoke(QUESTION)) == 2


async def test_several_documents_are_navigated_at_once_and_reported_in_order() -> None:
    """Each step once, in sync and in async code; what both documents give comes together."""

    def step(messages: Sequence[BaseMessage]) -> str:
        return json.dumps(WALK[sum(message.type == "ai" for message in messages)])

    model = ScriptedChat(lines=forever(step))
    retriever = ThumbIndexRetriever(library=sample_library(), llm=model, navigator="walk", k=4)
    for run in (retriever.invoke, retriever.ainvoke):
        heard = AsyncListener()
        result = run(QUESTION, {"callbacks": [heard]})
        found = await result if asyncio.iscoroutine(result) else result
        assert {document.metadata["source"] for document in found} == {"loans", "treasury.md"}
        assert heard.heard[0] == "rank documents"
        assert heard.heard.count("read") == heard.heard.count("conclude") == 2
        assert heard.heard[-1] in ("stop", "choose", "merge")
    assert len(model.calls) == 12


def test_k_navigator_and_filters_may_be_configured_for_a_call() -> None:
    """The library is shared, and what is not configured stays."""
    model = ScriptedChat(lines=WALK)
    retriever = ThumbIndexRetriever(library=sample_library(), llm=model, k=3).configurable_fields(
        k=ConfigurableField(id="k"),
        navigator=ConfigurableField(id="navigator"),
        filters=ConfigurableField(id="filters"),
    )
    lexical = {"k": 1, "navigator": "lexical", "filters": {"title": "Treasury guide"}}
    (found,) = retriever.invoke(QUESTION, {"configurable": lexical})
    assert found.metadata["source"] == "treasury.md"
    assert model.calls == []
    assert retriever.invoke(QUESTION, {"configurable": {"navigator": "walk"}}, documents=["loans"])
    assert len(model.calls) == 3
