"""Any LangChain chat model as the model that thumbindex asks: replies, usage, faults."""

from __future__ import annotations

import json
import sys
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, InvalidToolCall, SystemMessage
from langchain_core.runnables import RunnableLambda

from langchain_thumbindex import ThumbIndexRetriever
from langchain_thumbindex.models import LangChainChat, as_chat_model
from scripted_langchain import Listener, ScriptedChat
from thumbindex import Lexical, Library
from thumbindex.errors import ModelError, ModelUnavailable
from thumbindex.models import ChatModel, Message, Usage
from thumbindex.models.chat import count_messages
from thumbindex.testing import sample_library

PROMPT = [
    Message("system", "Be short."),
    Message("user", "Hello?"),
    Message("assistant", "Yes?"),
    Message("user", "Hi."),
]
SCHEMA = {
    "title": "greeting",
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}


async def test_messages_text_and_usage_are_translated() -> None:
    """Roles, the reply's text, and what the provider counted, cached tokens included."""
    model = ScriptedChat(lines=["Hi."])
    reply = await LangChainChat(model).chat(PROMPT)
    assert (reply.text, reply.is_cut) == ("Hi.", False)
    assert reply.usage == Usage(tokens_in=11, tokens_out=7, tokens_cached=3, calls=1)
    assert [message.type for message in model.prompts[0]] == ["system", "human", "ai", "human"]
    assert model.prompts[0][0] == SystemMessage("Be short.")
    assert isinstance(LangChainChat(model), ChatModel)


async def test_a_model_that_counts_nothing_gets_an_estimate() -> None:
    """The usage is marked as an estimate."""
    reply = await LangChainChat(ScriptedChat(lines=["Hi there."], usage=None)).chat(PROMPT)
    assert reply.usage.estimated
    assert reply.usage.tokens_in == count_messages(PROMPT)


async def test_content_in_blocks_is_read_and_a_cut_reply_is_marked() -> None:
    """As reasoning models send it: thoughts first, then the text."""
    blocks: list[str | dict[Any, Any]] = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "Hi."}]
    message = AIMessage(blocks, response_metadata={"finish_reason": "length"})
    reply = await LangChainChat(ScriptedChat(lines=[message])).chat(PROMPT)
    assert (reply.text, reply.is_cut) == ("Hi.", True)


@pytest.mark.parametrize("has_tools", [True, False])
async def test_a_reply_is_held_to_a_schema_where_the_model_can(has_tools: bool) -> None:
    """By a tool call or, without tools, by asking: the caller gets JSON as text either way."""
    reply = await LangChainChat(ScriptedChat(lines=[{"word": "hé"}], has_tools=has_tools)).chat(PROMPT, schema=SCHEMA)
    assert json.loads(reply.text) == {"word": "hé"}


async def test_a_tool_call_that_is_no_json_is_handed_on_as_it_is() -> None:
    """Reading what is not quite JSON is the navigator's business, and it can."""
    broken = InvalidToolCall(type="invalid_tool_call", name="greeting", args='{"word": "hi",}', id="1", error="no JSON")
    model = ScriptedChat(lines=[AIMessage("", invalid_tool_calls=[broken])], has_tools=True)
    assert (await LangChainChat(model).chat(PROMPT, schema=SCHEMA)).text == '{"word": "hi",}'


async def test_a_server_without_schemas_is_asked_without_from_then_on() -> None:
    """A single refusal is paid for, not one per step."""
    refusal = RuntimeError("400: 'response_format' of type json_schema is not supported")
    model = ScriptedChat(lines=[refusal, '{"word": "hi"}', '{"word": "ho"}'], has_tools=True)
    chat = LangChainChat(model)
    assert (await chat.chat(PROMPT, schema=SCHEMA)).text == '{"word": "hi"}'
    later = chat.with_config({})
    assert (await later.chat(PROMPT, schema=SCHEMA)).text == '{"word": "ho"}'
    assert len(model.calls) == 3


class CutShort(Exception):
    """As OpenAI's client has it: the reply with a schema ran into its limit."""

    completion = SimpleNamespace(
        choices=[SimpleNamespace(message=SimpleNamespace(content='{"word": "hel'))],
        usage=SimpleNamespace(prompt_tokens=20, completion_tokens=5),
    )


async def test_a_reply_that_was_cut_is_handed_on() -> None:
    """It is paid for, and what is nearly JSON can be read."""
    model = ScriptedChat(lines=[CutShort("length limit was reached")], has_tools=True)
    reply = await LangChainChat(model).chat(PROMPT, schema=SCHEMA)
    assert (reply.text, reply.is_cut, reply.usage) == ('{"word": "hel', True, Usage(20, 5, 0, calls=1))


async def test_a_fault_of_the_model_names_it_and_keeps_its_own_error() -> None:
    """As a `ModelError`, tried once: retries are the model's own affair (`max_retries`, `with_retry`)."""
    model = ScriptedChat(lines=[ConnectionError("no route")], has_tools=True)
    with pytest.raises(ModelError, match="scripted-1: ConnectionError: no route") as error:
        await LangChainChat(model).chat(PROMPT, schema=SCHEMA)
    assert isinstance(error.value.__cause__, ConnectionError)
    assert len(model.calls) == 1


async def test_runnables_around_models_are_models_too() -> None:
    """`with_retry` and `with_fallbacks` keep working, schemas included."""
    failing = ScriptedChat(lines=[ConnectionError("down"), {"word": "hi"}], has_tools=True)
    retried = failing.with_retry(stop_after_attempt=2, wait_exponential_jitter=False)
    assert (await LangChainChat(retried).chat(PROMPT)).text == '{"word": "hi"}'
    other = ScriptedChat(lines=[{"word": "ho"}])
    with_other = ScriptedChat(lines=[ConnectionError("down")]).with_fallbacks([other])
    assert json.loads((await LangChainChat(with_other).chat(PROMPT, schema=SCHEMA)).text) == {"word": "ho"}


async def test_sync_code_reaches_the_models_sync_method_in_a_thread() -> None:
    """An HTTP client for sync code never runs in an event loop, and the other way round."""
    model = ScriptedChat(lines=["a", "b"])
    sample_library().ask("wick", model=LangChainChat(model), navigator=Lexical())
    assert (model.calls, threading.get_ident() in model.threads) == (["sync"], False)
    await LangChainChat(model).chat(PROMPT)
    assert (model.calls, threading.get_ident() in model.threads) == (["sync", "async"], True)


def test_it_works_as_a_model_of_thumbindex(listener: Listener) -> None:
    """`Library.ask` with a LangChain model and its callbacks."""
    model = ScriptedChat(lines=["A wick lasts about ninety hours [lantern.md, § 4.2 Wick]."])
    chat = LangChainChat(model, config={"callbacks": [listener], "tags": ["asking"]})
    answer = sample_library().ask("How long does a wick last?", model=chat, navigator=Lexical())
    assert (answer.holds, model.calls) == (True, ["sync"])
    assert answer.usage.tokens_in == 11
    assert listener.tags["model"] == ["asking"]


def test_a_name_of_a_model_is_made_by_langchain(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the package langchain installed; without, the error names what to install."""
    asked: list[str] = []

    def make(name: str) -> ScriptedChat:
        asked.append(name)
        return ScriptedChat()

    monkeypatch.setattr("langchain.chat_models.init_chat_model", make)
    retriever = ThumbIndexRetriever(library=Library(), llm="some-provider:some-model")
    assert isinstance(retriever.llm, LangChainChat)
    assert (asked, retriever.llm.name) == (["some-provider:some-model"], "scripted-1")
    monkeypatch.setitem(sys.modules, "langchain.chat_models", None)
    with pytest.raises(ImportError, match=r"pip install 'langchain-thumbindex\[agents\]'"):
        ThumbIndexRetriever(library=Library(), llm="some-provider:some-model")


def test_something_else_is_refused() -> None:
    """The error lists what is accepted."""
    with pytest.raises(TypeError, match="provider:model"):
        as_chat_model(3)
    assert as_chat_model(RunnableLambda(lambda _: AIMessage("hi"))).name == "RunnableLambda"


async def test_an_error_of_a_structured_call_is_not_taken_for_a_refusal() -> None:
    """A busy server is not one without schemas."""
    model = ScriptedChat(lines=[TimeoutError("busy"), {"word": "hi"}], has_tools=True)
    chat = LangChainChat(model)
    with pytest.raises(ModelUnavailable):
        await chat.chat(PROMPT, schema=SCHEMA)
    assert not chat.quirks.refuses_schemas
