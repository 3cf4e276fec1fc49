"""The tiny model over true HTTP through langchain-openai: the retriever, a chain and an agent speak its protocol."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import Any

import pytest

from thumbindex import Budget

if not os.environ.get("THUMBINDEX_REAL_MODEL"):
    pytest.skip("the tiny model runs under `nox -s real_model`", allow_module_level=True)

from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_openai import ChatOpenAI
from tests.real_model.test_tiny_model import ACTIONS, GUIDE, QUESTION

from langchain_thumbindex import LangChainChat, ThumbIndexRetriever, ThumbIndexToolkit
from langchain_thumbindex.agents import CitationMiddleware
from scripted_langchain import Listener
from thumbindex import Library, Walk
from thumbindex.navigation import WalkLimits

# One loop for all: langchain-openai keeps the connections of its async clients, which belong to the loop that opened them.
pytestmark = [pytest.mark.timeout(600), pytest.mark.asyncio(loop_scope="module")]


@pytest.fixture(scope="module")
def model(base_url: str, key: str) -> ChatOpenAI:
    return ChatOpenAI(
        model="smollm2", base_url=base_url, api_key=key, max_tokens=60, timeout=400, temperature=0, seed=1
    )


@pytest.fixture(scope="module")
def library() -> Library:
    library = Library()
    library.add(GUIDE, name="lantern.md")
    return library


def steps(listener: Listener) -> list[dict[str, object]]:
    return [data for kind, _, data in listener.heard if kind == "event"]


async def test_it_selects_in_sync_and_in_async_code(library: Library, model: ChatOpenAI) -> None:
    """One client of its own for each, inside a running loop; usage is counted by the server."""
    retriever = ThumbIndexRetriever(library=library, llm=model, k=2)
    for is_async in (False, True):
        listener = Listener()
        config = {"callbacks": [listener]}
        found = await retriever.ainvoke(QUESTION, config) if is_async else retriever.invoke(QUESTION, config)
        assert 1 <= len(found) <= 2
        asked = [step for step in steps(listener) if step["action"] in ("pick", "unusable reply")]
        assert asked
        assert all(int(str(step["tokens_in"])) > 0 and int(str(step["tokens_out"])) > 0 for step in asked)
        assert "model" in listener.tags


async def test_it_walks_within_its_limits(library: Library, model: ChatOpenAI) -> None:
    """Known actions, at most k sections, and an end."""
    listener = Listener()
    limits = WalkLimits(steps=3, context=4000, outline=600, reading=500, evidence=800, reply=60)
    retriever = ThumbIndexRetriever(
        library=library, navigator=Walk(LangChainChat(model), limits=limits, exact_k=True), k=2
    )
    assert 1 <= len(retriever.invoke(QUESTION, {"callbacks": [listener]})) <= 2
    walked = [step["action"] for step in steps(listener) if step["tokens_in"]]
    assert 1 <= len(walked) <= 3
    assert set(walked) <= ACTIONS


async def test_a_cancelled_search_asks_no_more(library: Library, model: ChatOpenAI) -> None:
    """The connection is closed, and the server serves the next one."""
    retriever = ThumbIndexRetriever(library=library, llm=model, navigator="walk")
    asked = threading.Event()

    class Waiting(Listener):
        def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
            super().on_chat_model_start(serialized, messages, **kwargs)
            asked.set()

    listener = Waiting()
    search = asyncio.create_task(retriever.ainvoke(QUESTION, {"callbacks": [listener]}))
    await asyncio.to_thread(asked.wait, 60)
    search.cancel()
    with pytest.raises(asyncio.CancelledError):
        await search
    assert [kind for kind, _, _ in listener.heard].count("model") == 1
    assert (await model.ainvoke("Say hello.")).text


async def test_a_chain_answers_and_streams(library: Library, model: ChatOpenAI) -> None:
    """The user's own chain, with the model on both sides of the retriever."""
    prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
    retriever = ThumbIndexRetriever(library=library, llm=model, k=1)
    chain = (
        {"context": retriever | (lambda found: found[0].page_content), "question": RunnablePassthrough()}
        | prompt
        | model
        | StrOutputParser()
    )
    assert "".join([piece async for piece in chain.astream(QUESTION)])


async def test_an_agent_with_all_tools_comes_to_an_end(library: Library, model: ChatOpenAI) -> None:
    """Its server takes the schemas of the tools; whatever the model says, its citations are checked."""
    agent = create_agent(
        model,
        tools=ThumbIndexToolkit(library, max_output_tokens=300).get_tools(),
        middleware=[CitationMiddleware(library, repairs=0)],
    )
    result = agent.invoke({"messages": [("user", QUESTION)]}, {"recursion_limit": 12})
    assert isinstance(result["messages"][-1], AIMessage)
    assert result["citations"]["passes"] in (True, False)


async def test_it_serves_an_ask(library: Library, model: ChatOpenAI) -> None:
    """Of the library itself, two calls of one model."""
    answer = library.ask(QUESTION, model=LangChainChat(model), k=1, budget=Budget(evidence_tokens=60))
    assert answer.text
    assert answer.usage.calls == 2
    assert not answer.usage.estimated
