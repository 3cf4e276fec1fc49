"""Whole LlamaIndex applications, as their users wrote them, with our retriever put in the place of theirs."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core import Document, MockEmbedding, Settings, VectorStoreIndex, get_response_synthesizer
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ToolCallResult
from llama_index.core.base.response.schema import AsyncStreamingResponse, StreamingResponse
from llama_index.core.chat_engine import CondensePlusContextChatEngine
from llama_index.core.chat_engine.types import ChatMode
from llama_index.core.postprocessor import LLMRerank, SimilarityPostprocessor
from llama_index.core.query_engine import (
    CitationQueryEngine,
    RetrieverQueryEngine,
    RouterQueryEngine,
    SubQuestionQueryEngine,
)
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.response_synthesizers import ResponseMode
from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import TextNode
from llama_index.core.selectors import LLMSingleSelector
from llama_index.core.tools import BaseTool, QueryEngineTool, RetrieverTool
from llama_index.core.utils import globals_helper
from llama_index.core.workflow import Context, Event, JsonSerializer, StartEvent, StopEvent, Workflow, step
from llama_index.retrievers.bm25 import BM25Retriever

from llama_index.retrievers.thumbindex import ThumbIndexRetriever, ThumbIndexToolSpec
from scripted_llama import ScriptedLLM

if TYPE_CHECKING:
    from tests.acceptance.conftest import Case

ANSWER = "It is in the document, see above."
REPORT = Path(__file__).parents[2] / "examples" / "annual-report.pdf"
GUIDE = """# Pump guide

## Starting

Open the inlet valve before the motor starts, or the seal runs dry.
"""

# NLTK refuses a list of stop words that uv has linked and not copied, at the first use only; no splitter needs it.
with contextlib.suppress(PermissionError):
    globals_helper.punkt_tokenizer  # noqa: B018, made at first use


def answering(reply: str | Callable[[str], str] = ANSWER) -> ScriptedLLM:
    """A model that always gives the same reply, or one made of the prompt."""
    return ScriptedLLM(lines=[reply], chats=False, window=8000)


def calling(*lines: tuple[str, dict[str, Any]] | str) -> ScriptedLLM:
    """A model that calls tools, then answers."""
    return ScriptedLLM(lines=list(lines), functions=True)


# The user's application, written for any retriever.


def their_retriever(case: Case) -> BaseRetriever:
    """The retriever that was replaced: a vector index over pieces of the file."""
    node = TextNode(text=f"{case.answer}.", metadata={"file_name": case.file.name, "page_label": "1"})
    return VectorStoreIndex([node], embed_model=MockEmbedding(embed_dim=8)).as_retriever(similarity_top_k=1)


@functools.cache  # so that the tests read the file once; users call it once anyway
def our_retriever(case: Case) -> ThumbIndexRetriever:
    return ThumbIndexRetriever.from_files([case.file], similarity_top_k=2)


def query_engine(retriever: BaseRetriever, llm: ScriptedLLM, streaming: bool = False) -> RetrieverQueryEngine:
    return RetrieverQueryEngine.from_args(retriever, llm=llm, streaming=streaming)


@pytest.fixture(params=[their_retriever, our_retriever])
def retriever(request: pytest.FixtureRequest, case: Case) -> BaseRetriever:
    make: Callable[[Case], BaseRetriever] = request.param
    return make(case)


def test_a_query_engine_answers_sync_and_streams(retriever: BaseRetriever, case: Case) -> None:
    """The passage reaches the prompt and comes back as a source."""
    llm = answering()
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
    llm = answering()
    engine = query_engine(retriever, llm)
    responses = await asyncio.gather(*(engine.aquery(case.question) for _ in range(4)))
    assert [str(response) for response in responses] == [ANSWER] * 4
    assert all(case.answer in prompt for prompt in llm.prompts)
    streamed = await query_engine(retriever, llm, streaming=True).aquery(case.question)
    assert isinstance(streamed, AsyncStreamingResponse)
    assert "".join([piece async for piece in streamed.async_response_gen()]) == ANSWER


async def test_sync_code_runs_in_a_notebook(retriever: BaseRetriever, case: Case) -> None:
    """A cell calls `query` while the notebook's loop runs."""
    assert str(query_engine(retriever, answering()).query(case.question)) == ANSWER


def test_the_prompt_says_where_a_passage_stands(case: Case) -> None:
    """So that a model can cite it: the section path, and the page where there is one."""
    llm = answering()
    query_engine(our_retriever(case), llm).query(case.question)
    (path, *_) = [line for line in llm.prompts[0].splitlines() if line.startswith("section_path: ")]
    assert case.section in path
    assert ("page_label: " in llm.prompts[0]) is (case.file.suffix == ".pdf")


@pytest.mark.parametrize("mode", [mode.value for mode in FUSION_MODES])
@pytest.mark.parametrize("use_async", [True, False])
def test_fusion_with_bm25_finds_each_section_once(case: Case, mode: str, use_async: bool) -> None:
    """Both arms return the same sections for two wordings: each comes once, the right one among them."""
    library = our_retriever(case).library
    everything = [found.node for found in ThumbIndexRetriever(library, similarity_top_k=20).retrieve(case.question)]
    fusion = QueryFusionRetriever(
        [BM25Retriever.from_defaults(nodes=everything, similarity_top_k=2), our_retriever(case)],
        llm=answering(f"please: {case.question}"),
        num_queries=2,
        similarity_top_k=3,
        mode=mode,  # type: ignore[arg-type]
        use_async=use_async,
    )
    for found in (fusion.retrieve(case.question), asyncio.run(fusion.aretrieve(case.question))):
        assert any(case.section in node.node.metadata["section_path"] for node in found)
        assert len({node.node.node_id for node in found}) == len(found)


async def test_fusion_runs_async(case: Case) -> None:
    """The same answer from `aretrieve`, and the scores of the retriever below are not changed by it."""
    ours = our_retriever(case)
    before = [(found.node.node_id, found.score) for found in ours.retrieve(case.question)]
    fusion = QueryFusionRetriever([ours, ours], llm=answering(), num_queries=1, similarity_top_k=2)
    found = await fusion.aretrieve(case.question)
    assert [node.node.node_id for node in found] == [node_id for node_id, _ in before]
    assert [(found.node.node_id, found.score) for found in ours.retrieve(case.question)] == before


@pytest.mark.parametrize("mode", ResponseMode)
@pytest.mark.parametrize("streaming", [False, True])
async def test_every_response_mode(
    retriever: BaseRetriever, case: Case, mode: ResponseMode, streaming: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sync and async, whole or streamed; each gives the sources, and the passage to the model where it shows any."""
    if streaming and "accumulate" in mode.value:
        pytest.skip("LlamaIndex does not stream this mode")
    llm = answering()
    monkeypatch.setattr(Settings, "_llm", llm)  # which LlamaIndex asks for in the modes that call none
    engine = RetrieverQueryEngine.from_args(retriever, llm=llm, response_mode=mode, streaming=streaming)
    for response in (engine.query(case.question), await engine.aquery(case.question)):
        text = str(await response.get_response() if isinstance(response, AsyncStreamingResponse) else response)
        expected = {ResponseMode.CONTEXT_ONLY: case.answer, ResponseMode.NO_TEXT: ""}.get(mode, ANSWER)
        assert expected in text
        assert any(case.answer in source.get_content() for source in response.source_nodes)
    calls_none = mode in (ResponseMode.CONTEXT_ONLY, ResponseMode.NO_TEXT)
    assert bool(llm.prompts) is not calls_none
    if not calls_none and mode is not ResponseMode.GENERATION:
        assert any(case.answer in prompt for prompt in llm.prompts)


def test_a_citation_engine_numbers_sources_whose_page_is_right(case: Case) -> None:
    """It cuts sections to pieces that keep the section's metadata: with a node for each page, the label holds for each."""
    library = our_retriever(case).library
    retriever = ThumbIndexRetriever(library, similarity_top_k=3, granularity="page")
    llm = answering("It is so [1].")
    engine = CitationQueryEngine(retriever, llm=llm, citation_chunk_size=64, citation_chunk_overlap=0)
    sources = engine.query(case.question).source_nodes
    assert len(sources) > (3 if case.file.suffix == ".pdf" else 1)
    assert "Source 1:" in llm.prompts[0]
    assert any(case.answer in " ".join(source.get_content().split()) for source in sources)
    if case.file.suffix != ".pdf":
        return
    tree = library.tree(case.file.name)
    for source in sources:
        words = source.get_content().partition(":\n")[2].split()
        (page,) = [p for p in tree.pages or () if (p.label or str(p.number)) == source.metadata["page_label"]]
        assert " ".join(words) in " ".join(tree.page_text(page.number).split())


def engine_tools(case: Case, make: Callable[[Case], BaseRetriever], llm: ScriptedLLM) -> list[QueryEngineTool]:
    """The engine in question next to another."""
    names = {"weather": VectorStoreIndex([TextNode(text="Rain.")], embed_model=MockEmbedding(8)).as_retriever()}
    names["documents"] = make(case)
    return [
        QueryEngineTool.from_defaults(query_engine(retriever, llm), name=name, description=f"Knows the {name}.")
        for name, retriever in names.items()
    ]


@pytest.mark.parametrize("make", [their_retriever, our_retriever])
async def test_a_router_sends_the_question_to_the_right_engine(
    case: Case, make: Callable[[Case], BaseRetriever]
) -> None:
    """Its choice is the model's; the sources come through."""
    llm = answering(lambda prompt: '[{"choice": 2, "reason": "it says so"}]' if "choices" in prompt else ANSWER)
    engine = RouterQueryEngine.from_defaults(
        engine_tools(case, make, llm), llm=llm, selector=LLMSingleSelector.from_defaults(llm=llm)
    )
    for response in (engine.query(case.question), await engine.aquery(case.question)):
        assert str(response) == ANSWER
        assert case.answer in response.source_nodes[0].get_content()


@pytest.mark.parametrize("make", [their_retriever, our_retriever])
@pytest.mark.parametrize("use_async", [False, True])
def test_sub_questions_keep_their_sources(case: Case, make: Callable[[Case], BaseRetriever], use_async: bool) -> None:
    """Two questions made of one; the sources of each answer have file and place."""
    asked = json.dumps({"items": [{"sub_question": case.question, "tool_name": "documents"}] * 2})
    llm = answering(lambda prompt: asked if "sub_question" in prompt else ANSWER)
    engine = SubQuestionQueryEngine.from_defaults(
        engine_tools(case, make, llm),
        llm=llm,
        question_gen=LLMQuestionGenerator.from_defaults(llm=llm),
        use_async=use_async,
        verbose=False,
        # The engine would take Settings.llm for its own answer.
        response_synthesizer=get_response_synthesizer(llm=llm, use_async=use_async),
    )
    response = engine.query(case.question)
    assert str(response) == ANSWER
    found = [source for source in response.source_nodes if case.answer in source.get_content()]
    assert {source.metadata.get("file_name") for source in found if "file_name" in source.metadata} == {case.file.name}


async def test_a_chat_engine_condenses_and_remembers(retriever: BaseRetriever, case: Case) -> None:
    """Two turns: the second is rewritten with the first; sync, streamed and async."""
    llm = answering(lambda prompt: case.question if "standalone" in prompt.lower() else ANSWER)
    engine = CondensePlusContextChatEngine.from_defaults(retriever=retriever, llm=llm)
    assert str(engine.chat(case.question)) == ANSWER
    again = engine.chat("And once more?")
    assert case.answer in again.source_nodes[0].get_content()
    assert any("once more" in prompt and "standalone" in prompt.lower() for prompt in llm.prompts)
    assert "".join(engine.stream_chat("Streamed?").response_gen) == ANSWER
    response = await engine.achat("Async?")
    assert case.answer in response.source_nodes[0].get_content()


def test_what_fits_well_survives_the_usual_cut(case: Case) -> None:
    """0.7, as for similarities of embeddings; everything above it comes before everything below."""
    everything = ThumbIndexRetriever(our_retriever(case).library, similarity_top_k=12).retrieve(case.question)
    kept = SimilarityPostprocessor(similarity_cutoff=0.7).postprocess_nodes(everything)
    assert any(case.answer in hit.get_content() for hit in kept)
    assert 0 < len(kept) < len(everything)
    assert kept == everything[: len(kept)]


async def test_a_reranker_puts_sections_into_another_order(case: Case) -> None:
    """A model's scores take the place of ours, in copies: the next search is as before."""
    ours = our_retriever(case)
    before = [(found.node.node_id, found.score) for found in ours.retrieve(case.question)]
    llm = answering("Doc: 2, Relevance: 9\nDoc: 1, Relevance: 3")
    reranked = LLMRerank(llm=llm, top_n=2).postprocess_nodes(ours.retrieve(case.question), query_str=case.question)
    assert [(hit.node.node_id, hit.score) for hit in reranked] == [(before[1][0], 9.0), (before[0][0], 3.0)]
    assert [(found.node.node_id, found.score) for found in await ours.aretrieve(case.question)] == before


# For people who come from an index.


def loaded(case: Case) -> list[Document]:
    """The documents of a LlamaIndex reader: one per page, or one for the file."""
    file = {"file_name": case.file.name, "file_path": str(case.file)}
    tree = our_retriever(case).library.tree(case.file.name)
    if not tree.page_count:
        return [Document(text=case.file.read_text(encoding="utf-8"), metadata=file)]
    return [
        Document(text=tree.page_text(page.number), metadata={**file, "page_label": page.label or str(page.number)})
        for page in tree.pages or ()
    ]


@functools.cache
def theirs_from_documents(case: Case) -> VectorStoreIndex:
    node = TextNode(text=f"{case.answer}.", metadata={"file_name": case.file.name, "page_label": "1"})
    return VectorStoreIndex([node], embed_model=MockEmbedding(embed_dim=8))


@functools.cache
def ours_from_documents(case: Case) -> ThumbIndexRetriever:
    return ThumbIndexRetriever.from_documents(loaded(case))


@pytest.mark.parametrize("make", [theirs_from_documents, ours_from_documents])
async def test_engines_come_from_it_as_from_an_index(
    case: Case, make: Callable[[Case], VectorStoreIndex | ThumbIndexRetriever]
) -> None:
    """`as_query_engine`, `as_retriever` and `as_chat_engine`, with the arguments that they have there."""
    index, llm = make(case), answering()
    response = index.as_query_engine(llm=llm, similarity_top_k=2, response_mode="tree_summarize").query(case.question)
    assert str(response) == ANSWER
    assert any(case.answer in " ".join(source.get_content().split()) for source in response.source_nodes)
    assert len(index.as_retriever(similarity_top_k=1).retrieve(case.question)) == 1
    for mode in ("best", "condense_plus_context", "context", "condense_question", "simple"):
        engine = index.as_chat_engine(chat_mode=ChatMode(mode), llm=llm)
        answer = await engine.achat(case.question)
        assert str(answer) == ANSWER
        assert mode == "simple" or answer.source_nodes


@pytest.mark.parametrize("read_files", [False, True])
def test_pages_that_a_reader_loaded_keep_their_labels(case: Case, read_files: bool) -> None:
    """The same passage as from the file, on the same page; and the same section where the file is read again."""
    loaded_by_reader = ThumbIndexRetriever.from_documents(loaded(case), read_files=read_files)
    (found,) = [hit for hit in loaded_by_reader.retrieve(case.question) if case.answer in hit.node.get_content()]
    (same,) = [hit for hit in our_retriever(case).retrieve(case.question) if case.answer in hit.node.get_content()]
    for key in ("page_label", "file_name", "file_path"):
        assert found.node.metadata.get(key) == same.node.metadata.get(key)
    if read_files or case.file.suffix == ".md":
        assert found.node.metadata["section_path"] == same.node.metadata["section_path"]


@pytest.mark.timeout(400)  # the other process imports LlamaIndex anew, which takes minutes on a machine under load
def test_a_library_is_read_by_another_process(tmp_path: Path) -> None:
    """Persisted here, searched there: the same ids, scores and relations, and the same engine."""
    guide = tmp_path / "guide.md"
    guide.write_text(GUIDE, encoding="utf-8")
    path = tmp_path / "library.db"
    here = ThumbIndexRetriever.from_files([REPORT, guide], path=path)
    questions = ["Which rate applies to the term loan?", "Which valve do I open before the motor starts?"]
    program = """
import json, sys
from llama_index.core.llms import MockLLM
from llama_index.retrievers.thumbindex import ThumbIndexRetriever
retriever = ThumbIndexRetriever(sys.argv[1])
found = [retriever.retrieve(question) for question in sys.argv[2:]]
assert retriever.as_query_engine(llm=MockLLM()).query(sys.argv[2]).source_nodes
print(json.dumps([[(hit.node.to_dict(), hit.score) for hit in nodes] for nodes in found]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(path), *questions], capture_output=True, text=True, timeout=350
    )
    assert done.returncode == 0, done.stderr
    there = json.loads(done.stdout.splitlines()[-1])
    for question, nodes in zip(questions, there, strict=True):
        expected = here.retrieve(question)
        assert [node for node, _ in nodes] == json.loads(json.dumps([hit.node.to_dict() for hit in expected]))
        assert [score for _, score in nodes] == pytest.approx([hit.score for hit in expected])


# A model navigates.


@pytest.mark.parametrize("navigator", ["select", "walk"])
async def test_a_model_navigates_inside_an_engine(case: Case, navigator: Any) -> None:
    """One LLM picks sections or walks, then answers from them; sync and async."""

    def reply(prompt: str) -> str:
        if "Each reply is one JSON object" in prompt:
            step = prompt.count('"action": "')
            return json.dumps(
                {"reason": "look", "action": "search", "numbers": [], "text": case.question}
                if "sections" not in prompt.rpartition("Question:")[2] and step < 9
                else {"reason": "enough", "action": "answer", "numbers": [], "text": ""}
            )
        return '{"sections": []}' if "Reply with JSON only" in prompt else ANSWER

    llm = answering(reply)
    retriever = ThumbIndexRetriever(our_retriever(case).library, 2, navigator=navigator, llm=llm)
    engine = retriever.as_query_engine()
    for response in (engine.query(case.question), await engine.aquery(case.question)):
        assert str(response) == ANSWER
        assert any(case.answer in source.get_content() for source in response.source_nodes)


class Found(Event):
    """The event from one step of the workflow below to the next."""

    nodes: list[Any]


class TheirWorkflow(Workflow):
    """Retrieves, then answers, and reports its progress."""

    def __init__(self, retriever: BaseRetriever, llm: ScriptedLLM) -> None:
        super().__init__(timeout=60)
        self.retriever, self.llm = retriever, llm

    @step
    async def search(self, ctx: Context, event: StartEvent) -> Found:
        nodes = await self.retriever.aretrieve(event.question)
        ctx.write_event_to_stream(Found(nodes=[hit.node.node_id for hit in nodes]))
        await ctx.store.set("question", event.question)
        return Found(nodes=nodes)

    @step
    async def answer(self, ctx: Context, event: Found) -> StopEvent:
        synthesizer = get_response_synthesizer(llm=self.llm)
        return StopEvent(result=await synthesizer.asynthesize(await ctx.store.get("question"), nodes=event.nodes))


async def test_a_workflow_runs(retriever: BaseRetriever, case: Case) -> None:
    """Nodes go from step to step, and ids into its stream."""
    handler = TheirWorkflow(retriever, answering()).run(question=case.question)
    events = [event async for event in handler.stream_events() if isinstance(event, Found)]
    response: Any = await handler
    assert [hit.node.node_id for hit in response.source_nodes] == events[0].nodes
    assert case.answer in response.source_nodes[0].get_content()


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
    llm = calling(("search_text", {argument: case.question}), ANSWER)
    agent = FunctionAgent(tools=tools, llm=llm, streaming=streaming)
    handler = agent.run(case.question)
    results = [event async for event in handler.stream_events() if isinstance(event, ToolCallResult)]
    assert str(await handler) == ANSWER
    assert [case.answer in str(result.tool_output) for result in results] == [True]
    assert case.answer in str(llm.calls[-1][1][-1].content)


async def test_an_agent_workflow_runs_with_tools_of_all_three_kinds(case: Case) -> None:
    """Our tools, a tool around the retriever and one around its engine; the wrapped queries that they pass find the same."""
    retriever, llm = our_retriever(case), answering()
    tools = [
        *our_tools(case),
        RetrieverTool.from_defaults(retriever, name="retrieve", description="Finds sections."),
        QueryEngineTool.from_defaults(retriever.as_query_engine(llm=llm), name="ask", description="Answers."),
    ]
    model = calling(
        ("search_text", {"query": case.question}),
        ("retrieve", {"input": case.question}),
        ("ask", {"input": case.question}),
        ANSWER,
    )
    handler = AgentWorkflow.from_tools_or_functions(tools, llm=model).run(case.question)
    outputs = [e.tool_output async for e in handler.stream_events() if isinstance(e, ToolCallResult)]
    assert str(await handler) == ANSWER
    assert [output.is_error for output in outputs] == [False] * 3
    assert case.answer in str(outputs[0])
    plain = [found.node.node_id for found in retriever.retrieve(case.question)]
    assert [found.node.node_id for found in outputs[1].raw_output] == plain
    assert [found.node.node_id for found in outputs[2].raw_output.source_nodes] == plain


async def test_an_agents_mistake_does_not_end_its_run(case: Case) -> None:
    """An unknown document, then the right call: the model reads the error and continues."""
    llm = calling(
        ("get_page_content", {"document": "x.pdf", "pages": "1"}),
        ("search_text", {"query": case.question}),
        ANSWER,
    )
    handler = FunctionAgent(tools=our_tools(case), llm=llm).run(case.question)
    wrong, right = [e.tool_output async for e in handler.stream_events() if isinstance(e, ToolCallResult)]
    assert (wrong.is_error, right.is_error) == (True, False)
    assert "x.pdf" in str(wrong)
    assert str(await handler) == ANSWER


async def test_an_agents_context_can_be_saved(case: Case) -> None:
    """Applications store the context between two requests as JSON; tool outputs must not stand in the way."""
    llm = calling(("search_text", {"query": case.question}), ANSWER)
    agent = FunctionAgent(tools=our_tools(case), llm=llm)
    context = Context(agent)
    await agent.run(case.question, ctx=context)
    saved = context.to_dict(serializer=JsonSerializer())
    assert (
        str(await agent.run(case.question, ctx=Context.from_dict(agent, saved, serializer=JsonSerializer()))) == ANSWER
    )
