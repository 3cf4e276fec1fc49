"""Any LlamaIndex LLM navigates: by structured prediction or by JSON in its text, sync or async, seen by all handlers."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from llama_index.core import Settings
from llama_index.core.callbacks import CallbackManager, TokenCountingHandler
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.span import SimpleSpan
from llama_index.core.instrumentation.span_handlers import SimpleSpanHandler
from llama_index.core.llms import MockLLM
from llama_index.core.prompts import PromptTemplate

from llama_index.retrievers.thumbindex import LlamaIndexModel, ThumbIndexRetriever
from scripted_llama import Listener, ScriptedLLM
from thumbindex.errors import ModelUnavailable
from thumbindex.models import Message, Usage
from thumbindex.navigation import WalkLimits
from thumbindex.testing import sample_library

QUESTION = "How long does a wick last?"
ONE_NUMBER = {"title": "pick", "type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}


def number_of(title: str, llm: ScriptedLLM) -> str:
    """The number that the outline in the first prompt gives a section."""
    (line, *_) = [line for line in llm.prompts[0].splitlines() if title in line and line.strip()[0].isdigit()]
    return line.strip().split(".")[0]


def picking(title: str, **options: Any) -> ScriptedLLM:
    """A model that picks the section of that title, whatever its number is."""
    probe = ScriptedLLM(lines=['{"sections": []}'])
    ThumbIndexRetriever(sample_library(), 1, navigator="select", llm=probe, documents=["lantern.md"]).retrieve(QUESTION)
    choice = {"sections": [{"number": int(number_of(title, probe)), "reason": "named in the title"}]}
    return ScriptedLLM(
        lines=[choice if options.get("functions") else f"I pick this:\n```json\n{choice}\n```"], **options
    )


def titles(retriever: ThumbIndexRetriever, question: str = QUESTION) -> list[str]:
    return [found.node.metadata["section_path"].split(" › ")[-1] for found in retriever.retrieve(question)]


@pytest.mark.parametrize("functions", [False, True], ids=["JSON in text", "structured prediction"])
async def test_select_calls_once_and_returns_what_the_model_picked(functions: bool) -> None:
    """The picked section first, though its words fit worse; sync and async agree."""
    for is_async in (False, True):
        llm = picking("Filling", functions=functions)
        retriever = ThumbIndexRetriever(sample_library(), 2, navigator="select", llm=llm, documents=["lantern.md"])
        found = await retriever.aretrieve(QUESTION) if is_async else retriever.retrieve(QUESTION)
        assert found[0].node.metadata["section_path"].endswith("Filling")
        assert found[0].score == 1.0
        ((method, messages, tools, _),) = llm.calls
        assert method == ("achat" if is_async else "chat")
        assert [message.role.value for message in messages] == ["system", "user"]
        assert [tool["function"]["name"] for tool in tools] == (["selection"] if functions else [])


def test_structured_prediction_shows_the_librarys_own_schema() -> None:
    """A tool whose only argument is the list of sections, each with number and reason."""
    llm = picking("Filling", functions=True)
    ThumbIndexRetriever(sample_library(), navigator="select", llm=llm, documents=["lantern.md"]).retrieve(QUESTION)
    parameters = llm.calls[0][2][0]["function"]["parameters"]
    assert parameters["required"] == ["sections"]
    assert parameters["properties"]["sections"]["items"]["required"] == ["number", "reason"]


async def test_a_walk_reads_step_by_step() -> None:
    """Search, read what was found, answer: what was read comes back."""
    lines = [
        '{"reason": "find it", "action": "search", "numbers": [], "text": "wick ninety hours"}',
        '{"reason": "it says so", "action": "read", "numbers": [1], "text": ""}',
        '{"reason": "enough", "action": "answer", "numbers": [], "text": ""}',
    ]
    for is_async in (False, True):
        llm = ScriptedLLM(lines=lines)
        retriever = ThumbIndexRetriever(sample_library(), navigator="walk", llm=llm, documents=["lantern.md"])
        found = await retriever.aretrieve(QUESTION) if is_async else retriever.retrieve(QUESTION)
        assert found
        assert {call[0] for call in llm.calls} == {"achat" if is_async else "chat"}
        assert len(llm.calls) == 3


@pytest.mark.parametrize("navigator", ["select", "walk"])
def test_a_navigator_that_needs_a_model_never_takes_the_global_one(
    navigator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`Settings.llm` is set, and still it has to be handed over."""
    monkeypatch.setattr(Settings, "_llm", MockLLM())
    with pytest.raises(ValueError, match=r"needs a model: pass llm=.*Settings\.llm is not used"):
        ThumbIndexRetriever(sample_library(), navigator=navigator)


def test_a_lexical_search_calls_no_model_even_if_it_has_one() -> None:
    """Then the model is for the engines made from it."""
    llm = ScriptedLLM(lines=[AssertionError("called")])
    assert ThumbIndexRetriever(sample_library(), llm=llm).retrieve(QUESTION)
    assert not llm.calls


def test_sync_code_uses_sync_methods_outside_of_the_library_s_loop() -> None:
    """An HTTP client of the LLM must not be opened in a loop that others use; nor may the call block that loop."""
    llm = picking("Filling")
    ThumbIndexRetriever(sample_library(), navigator="select", llm=llm).retrieve(QUESTION)
    ((method, _, _, thread),) = llm.calls
    assert method == "chat"
    assert thread != "thumbindex-loop"
    assert thread != threading.current_thread().name


async def test_the_loop_is_free_while_the_model_thinks() -> None:
    """The model waits for another task of the same loop: it can only answer if that task gets its turn."""
    llm = picking("Filling")
    llm.entered, llm.release = asyncio.Event(), asyncio.Event()

    async def other() -> None:
        await llm.entered.wait()
        llm.release.set()

    retriever = ThumbIndexRetriever(sample_library(), navigator="select", llm=llm, documents=["lantern.md"])
    found, _ = await asyncio.wait_for(asyncio.gather(retriever.aretrieve(QUESTION), other()), 20)
    assert found


async def test_cancelling_a_search_stops_its_model(listener: Listener) -> None:
    """No further call is made, and the handlers hear of the span that was dropped."""
    llm = ScriptedLLM(lines=["never said"], entered=asyncio.Event(), release=asyncio.Event())
    retriever = ThumbIndexRetriever(sample_library(), navigator="walk", llm=llm)
    search = asyncio.create_task(retriever.aretrieve(QUESTION))
    await llm.entered.wait()
    search.cancel()
    with pytest.raises(asyncio.CancelledError):
        await search
    assert not llm.calls
    assert listener.named("SpanDropEvent")
    assert not listener.named("RetrievalEndEvent")


# What goes wrong


def test_a_model_that_answers_in_words_instead_of_calling_is_read_without_asking_again() -> None:
    """Small models do; its text is nearly JSON."""
    words = picking("Filling").lines
    llm = ScriptedLLM(lines=words, functions=True)
    retriever = ThumbIndexRetriever(sample_library(), navigator="select", llm=llm, documents=["lantern.md"])
    assert titles(retriever)[0] == "Filling"
    assert len(llm.calls) == 1


class Refused(Exception):
    """As clients of servers raise it."""

    status_code = 400


def test_a_server_that_refuses_tools_is_asked_in_words_from_then_on() -> None:
    """Once refused, once in words; the next search does not try again."""
    words = picking("Filling").lines
    llm = ScriptedLLM(lines=[Refused("tools are not supported"), *words], functions=True)
    retriever = ThumbIndexRetriever(sample_library(), navigator="select", llm=llm, documents=["lantern.md"])
    assert titles(retriever)[0] == "Filling"
    assert [bool(tools) for _, _, tools, _ in llm.calls] == [True, False]
    assert titles(retriever)[0] == "Filling"
    assert [bool(tools) for _, _, tools, _ in llm.calls] == [True, False, False]


@pytest.mark.parametrize("functions", [False, True])
async def test_an_error_of_the_provider_keeps_its_cause(functions: bool) -> None:
    """One class to catch for all providers, and the provider's own error behind it."""
    llm = ScriptedLLM(lines=[ConnectionError("no route")], functions=functions)
    retriever = ThumbIndexRetriever(sample_library(), navigator="select", llm=llm)
    for search in (asyncio.to_thread(retriever.retrieve, QUESTION), retriever.aretrieve(QUESTION)):
        with pytest.raises(ModelUnavailable, match="ConnectionError: no route") as caught:
            await search
        assert isinstance(caught.value.__cause__, ConnectionError)


async def test_braces_in_a_text_are_no_placeholders() -> None:
    """Documents about programming are full of them; structured prediction takes templates."""
    llm = ScriptedLLM(lines=[{"number": 3}], functions=True)
    text = 'Say {"a": {b}} or {{c}} or {message_0}.'
    reply = await LlamaIndexModel(llm).chat([Message("user", text)], schema=ONE_NUMBER)
    assert reply.text == '{"number": 3}'
    assert llm.calls[0][1][-1].content == text


# Counting


@pytest.mark.parametrize("functions", [False, True])
@pytest.mark.parametrize("is_sync", [False, True])
async def test_tokens_are_those_that_the_provider_counted(functions: bool, is_sync: bool) -> None:
    """Read, written and cached, by either way of asking."""
    llm = ScriptedLLM(lines=[{"number": 3} if functions else '{"number": 3}'], functions=functions)
    reply = await LlamaIndexModel(llm, is_sync=is_sync).chat([Message("user", "Pick.")], schema=ONE_NUMBER)
    assert reply.usage == Usage(tokens_in=120, tokens_out=9, tokens_cached=100, calls=1)


async def test_tokens_that_nobody_counted_are_estimated_and_marked() -> None:
    """Local models often tell none."""
    reply = await LlamaIndexModel(ScriptedLLM(lines=["three words here"], usage=False)).chat(
        [Message("user", "Hello.")]
    )
    assert reply.usage.estimated
    assert reply.usage.tokens_in > 0
    assert reply.usage.tokens_out >= 3


@pytest.mark.parametrize("functions", [False, True])
async def test_token_counting_handlers_see_every_inner_call(functions: bool) -> None:
    """LlamaIndex's own handler on the LLM, sync and async."""
    counter = TokenCountingHandler(tokenizer=str.split)
    llm = picking("Filling", functions=functions, callback_manager=CallbackManager([counter]))
    retriever = ThumbIndexRetriever(sample_library(), navigator="select", llm=llm)
    retriever.retrieve(QUESTION)
    assert counter.total_llm_token_count == 129
    await retriever.aretrieve(QUESTION)
    assert counter.total_llm_token_count == 258


async def test_model_calls_are_spans_and_events_inside_of_the_search(listener: Listener) -> None:
    """A span for each call of the model under that of the retrieval; the step reports its cost."""
    root, spans = get_dispatcher(), SimpleSpanHandler()
    root.add_span_handler(spans)
    try:
        for is_async in (False, True):
            spans.completed_spans.clear()
            listener.events.clear()
            llm = picking("Filling")
            listener.events.clear()
            spans.completed_spans.clear()
            retriever = ThumbIndexRetriever(sample_library(), navigator="select", llm=llm)
            await retriever.aretrieve(QUESTION) if is_async else retriever.retrieve(QUESTION)
            assert len(listener.named("LLMChatStartEvent")) == len(listener.named("LLMChatEndEvent")) == 1
            (pick,) = [event for event in listener.named("TreeStepEvent") if event.tokens_in]
            assert (pick.tokens_in, pick.tokens_out, pick.tokens_cached) == (120, 9, 100)
            (end,) = listener.named("TreeTrailEvent")
            assert (end.tokens_in, end.tokens_out, end.weak) == (120, 9, False)
            by_id = {span.id_: span for span in spans.completed_spans}
            (call,) = [span for span in spans.completed_spans if span.id_.startswith("LlamaIndexModel.chat")]
            assert ancestors(call, by_id)[-1].startswith(
                "ThumbIndexRetriever." + ("aretrieve" if is_async else "retrieve")
            )
    finally:
        root.span_handlers.remove(spans)


def ancestors(span: SimpleSpan, by_id: dict[str, SimpleSpan]) -> list[str]:
    found = []
    while span.parent_id is not None:
        span = by_id[span.parent_id]
        found.append(span.id_)
    return found


# Prompts


def test_prompts_are_reached_and_replaced_as_in_any_module() -> None:
    """`get_prompts` shows them as they are sent, `update_prompts` replaces one of them and leaves the other."""
    llm = ScriptedLLM(lines=['{"sections": []}'])
    retriever = ThumbIndexRetriever(sample_library(), navigator="select", llm=llm)
    before = retriever.get_prompts()
    assert before.keys() == {"select_prompt", "walk_prompt"}
    retriever.retrieve(QUESTION)
    assert str(llm.calls[-1][1][0].content).startswith(before["select_prompt"].get_template())
    retriever.update_prompts({"select_prompt": PromptTemplate('Pick, as {"sections": [{"number": 1}]}.')})
    retriever.retrieve(QUESTION)
    assert str(llm.calls[-1][1][0].content).startswith('Pick, as {"sections": [{"number": 1}]}.\n\n')
    assert retriever.get_prompts()["walk_prompt"] == before["walk_prompt"]


def test_a_copy_with_other_prompts_leaves_the_first_alone() -> None:
    """Scoped retrievers share the library, not what is changed in one of them."""
    retriever = ThumbIndexRetriever(sample_library(), navigator="select", llm=ScriptedLLM(lines=["{}"]))
    scoped = retriever.scoped(documents=["lantern.md"])
    scoped.update_prompts({"select_prompt": PromptTemplate("Pick.")})
    assert retriever.get_prompts()["select_prompt"].get_template() != "Pick."


def test_a_walk_fits_the_context_of_its_model() -> None:
    """A small window lowers the limits, a large one leaves them."""
    made = {
        window: ThumbIndexRetriever(sample_library(), navigator="walk", llm=ScriptedLLM(lines=["x"], window=window))
        for window in (4096, 200_000)
    }
    limits = {window: getattr(retriever.navigator, "limits", None) for window, retriever in made.items()}
    assert limits == {4096: WalkLimits.for_context(4096), 200_000: WalkLimits()}
