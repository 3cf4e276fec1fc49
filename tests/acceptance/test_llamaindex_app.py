"""Whole LlamaIndex applications, as their users wrote them, with our retriever put in the place of theirs."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.agent.workflow import FunctionAgent, ToolCallResult
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseAsyncGen,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseAsyncGen,
    CompletionResponseGen,
    LLMMetadata,
)
from llama_index.core.base.response.schema import AsyncStreamingResponse, StreamingResponse
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
from llama_index.core.schema import TextNode
from llama_index.core.tools import BaseTool, RetrieverTool
from llama_index.core.workflow import Context, JsonSerializer
from llama_index.retrievers.bm25 import BM25Retriever

from llama_index.retrievers.thumbindex import ThumbIndexRetriever, ThumbIndexToolSpec

if TYPE_CHECKING:
    from tests.acceptance.conftest import Case

ANSWER = "It is in the document, see above."


class Scripted(CustomLLM):
    """A model that always says the same, word by word when streamed, and keeps the prompts it was shown."""

    reply: str = ANSWER
    prompts: list[str] = []  # noqa: RUF012, a pydantic field

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=8000)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        self.prompts.append(prompt)
        return CompletionResponse(text=self.reply)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        self.prompts.append(prompt)
        words = self.reply.split(" ")
        for number in range(1, len(words) + 1):
            text = " ".join(words[:number])
            yield CompletionResponse(text=text, delta=text if number == 1 else f" {words[number - 1]}")


class ScriptedAgentModel(FunctionCallingLLM):
    """A model that plays tool calls and keeps what it was shown: each step a call (name, arguments), or text."""

    script: list[tuple[str, dict[str, Any]] | str]
    seen: list[ChatMessage] = []  # noqa: RUF012, a pydantic field

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=8000, is_function_calling_model=True, is_chat_model=True)

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        self.seen[:] = messages
        done = sum(message.role == "tool" for message in messages)
        step = self.script[done]
        return ChatResponse(
            message=ChatMessage(
                role="assistant",
                content=step if isinstance(step, str) else "",
                additional_kwargs={} if isinstance(step, str) else {"call": [f"call-{done}", *step]},
            )
        )

    def get_tool_calls_from_response(self, response: ChatResponse, *args: Any, **kwargs: Any) -> list[ToolSelection]:
        call = response.message.additional_kwargs.get("call")
        return [ToolSelection(tool_id=call[0], tool_name=call[1], tool_kwargs=call[2])] if call else []

    def _prepare_chat_with_tools(
        self,
        tools: Sequence[BaseTool],
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        verbose: bool = False,
        allow_parallel_tool_calls: bool = False,
        tool_required: bool = False,
        **kwargs: Any,
    ) -> dict[str, Any]:
        assert all(tool.metadata.to_openai_tool() for tool in tools)
        return {"messages": chat_history or []}

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return self.chat(messages)

    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseAsyncGen:
        async def play() -> ChatResponseAsyncGen:
            yield self.chat(messages)

        return play()

    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        raise NotImplementedError

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        raise NotImplementedError

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        raise NotImplementedError

    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        raise NotImplementedError

    async def astream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseAsyncGen:
        raise NotImplementedError


# The user's application, written for any retriever.


def their_retriever(case: Case) -> BaseRetriever:
    """What stood there before: a vector index over pieces of the file."""
    node = TextNode(text=f"{case.answer}.", metadata={"file_name": case.file.name, "page_label": "1"})
    return VectorStoreIndex([node], embed_model=MockEmbedding(embed_dim=8)).as_retriever(similarity_top_k=1)


@functools.cache  # so that the tests read the file once; users call it once anyway
def our_retriever(case: Case) -> ThumbIndexRetriever:
    return ThumbIndexRetriever.from_files([case.file], similarity_top_k=2)


def query_engine(retriever: BaseRetriever, llm: Scripted, streaming: bool = False) -> RetrieverQueryEngine:
    return RetrieverQueryEngine.from_args(retriever, llm=llm, streaming=streaming)


@pytest.fixture(params=[their_retriever, our_retriever])
def retriever(request: pytest.FixtureRequest, case: Case) -> BaseRetriever:
    make: Callable[[Case], BaseRetriever] = request.param
    return make(case)


def test_a_query_engine_answers_sync_and_streams(retriever: BaseRetriever, case: Case) -> None:
    """The passage reaches the prompt and comes back as a source."""
    llm = Scripted()
    response = query_engine(retriever, llm).query(case.question)
    assert str(response) == ANSWER
    assert case.answer in response.source_nodes[0].get_content()
    assert response.source_nodes[0].metadata["file_name"] == case.file.name
    streamed = query_engine(retriever, llm, streaming=True).query(case.question)
    assert isinstance(streamed, StreamingResponse)
    pieces = list(streamed.response_gen)
    assert len(pieces) > 1
    assert "".join(pieces) == ANSWER
    assert len(llm.prompts) == 2
    assert all(case.answer in prompt for prompt in llm.prompts)


async def test_a_query_engine_answers_async_and_many_at_once(retriever: BaseRetriever, case: Case) -> None:
    """aquery, a batch of them, and an async stream."""
    llm = Scripted()
    engine = query_engine(retriever, llm)
    responses = await asyncio.gather(*(engine.aquery(case.question) for _ in range(4)))
    assert [str(response) for response in responses] == [ANSWER] * 4
    assert all(case.answer in prompt for prompt in llm.prompts)
    streamed = await query_engine(retriever, llm, streaming=True).aquery(case.question)
    assert isinstance(streamed, AsyncStreamingResponse)
    assert "".join([piece async for piece in streamed.async_response_gen()]) == ANSWER


async def test_sync_code_runs_in_a_notebook(retriever: BaseRetriever, case: Case) -> None:
    """A cell calls `query` while the notebook's loop runs."""
    assert str(query_engine(retriever, Scripted()).query(case.question)) == ANSWER


def test_the_prompt_says_where_a_passage_stands(case: Case) -> None:
    """So that a model can cite it: the section path, and the page where there is one."""
    llm = Scripted()
    query_engine(our_retriever(case), llm).query(case.question)
    (path, *_) = [line for line in llm.prompts[0].splitlines() if line.startswith("section_path: ")]
    assert case.section in path
    assert ("page_label: " in llm.prompts[0]) is (case.file.suffix == ".pdf")


@pytest.mark.parametrize("mode", ["reciprocal_rerank", "relative_score", "simple"])
@pytest.mark.parametrize("use_async", [True, False])
def test_fusion_with_bm25_finds_each_section_once(case: Case, mode: str, use_async: bool) -> None:
    """Both arms return the same sections for two wordings: each comes once, the right one among them."""
    library = our_retriever(case).library
    everything = [found.node for found in ThumbIndexRetriever(library, similarity_top_k=20).retrieve(case.question)]
    fusion = QueryFusionRetriever(
        [BM25Retriever.from_defaults(nodes=everything, similarity_top_k=2), our_retriever(case)],
        llm=Scripted(reply=f"please: {case.question}"),
        num_queries=2,
        similarity_top_k=3,
        mode=mode,  # type: ignore[arg-type]
        use_async=use_async,
    )
    found = fusion.retrieve(case.question)
    assert any(case.section in node.node.metadata["section_path"] for node in found)
    assert len({node.node.node_id for node in found}) == len(found)


async def test_fusion_runs_async(case: Case) -> None:
    """The same answer from `aretrieve`, and the scores of the retriever below are not changed by it."""
    ours = our_retriever(case)
    before = [(found.node.node_id, found.score) for found in ours.retrieve(case.question)]
    fusion = QueryFusionRetriever([ours, ours], llm=Scripted(), num_queries=1, similarity_top_k=2)
    found = await fusion.aretrieve(case.question)
    assert [node.node.node_id for node in found] == [node_id for node_id, _ in before]
    assert [(found.node.node_id, found.score) for found in ours.retrieve(case.question)] == before


# Agents: the user's tool, then ours.


def their_tools(case: Case) -> list[BaseTool]:
    return [RetrieverTool.from_defaults(their_retriever(case), name="search_text", description="Searches reports.")]


def our_tools(case: Case) -> list[BaseTool]:
    return [*ThumbIndexToolSpec(our_retriever(case).library).to_tool_list()]


@pytest.mark.parametrize("make_tools", [their_tools, our_tools])
@pytest.mark.parametrize("streaming", [True, False])
async def test_a_function_agent_runs(make_tools: Callable[[Case], list[BaseTool]], streaming: bool, case: Case) -> None:
    """The agent calls the tool, the model sees the passage, and the stream shows the call and its result."""
    tools = make_tools(case)
    argument = "input" if make_tools is their_tools else "query"
    llm = ScriptedAgentModel(script=[("search_text", {argument: case.question}), ANSWER])
    agent = FunctionAgent(tools=tools, llm=llm, streaming=streaming)
    handler = agent.run(case.question)
    results = [event async for event in handler.stream_events() if isinstance(event, ToolCallResult)]
    assert str(await handler) == ANSWER
    assert [case.answer in str(result.tool_output) for result in results] == [True]
    assert case.answer in str(llm.seen[-1].content)


async def test_an_agents_mistake_does_not_end_its_run(case: Case) -> None:
    """An unknown document, then the right call: the model is told and goes on."""
    llm = ScriptedAgentModel(
        script=[
            ("get_page_content", {"document": "x.pdf", "pages": "1"}),
            ("search_text", {"query": case.question}),
            ANSWER,
        ]
    )
    handler = FunctionAgent(tools=our_tools(case), llm=llm).run(case.question)
    wrong, right = [e.tool_output async for e in handler.stream_events() if isinstance(e, ToolCallResult)]
    assert (wrong.is_error, right.is_error) == (True, False)
    assert "x.pdf" in str(wrong)
    assert str(await handler) == ANSWER


async def test_an_agents_context_can_be_saved(case: Case) -> None:
    """Applications store the context between two requests as JSON; tool outputs must not stand in the way."""
    llm = ScriptedAgentModel(script=[("search_text", {"query": case.question}), ANSWER])
    agent = FunctionAgent(tools=our_tools(case), llm=llm)
    context = Context(agent)
    await agent.run(case.question, ctx=context)
    saved = context.to_dict(serializer=JsonSerializer())
    assert (
        str(await agent.run(case.question, ctx=Context.from_dict(agent, saved, serializer=JsonSerializer()))) == ANSWER
    )
