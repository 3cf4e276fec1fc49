"""Whole LangChain applications, as their users wrote them, with our retriever put in the place of theirs."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from langchain.agents import create_agent
from langchain_classic.chains import create_history_aware_retriever, create_retrieval_chain
from langchain_classic.chains.combine_documents import create_stuff_documents_chain
from langchain_classic.retrievers import ContextualCompressionRetriever, EnsembleRetriever, MultiQueryRetriever
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnablePassthrough
from langchain_core.tools import BaseTool, create_retriever_tool
from langchain_core.vectorstores import InMemoryVectorStore
from rank_bm25 import BM25Okapi

from langchain_thumbindex import ThumbIndexRetriever, ThumbIndexToolkit
from scripted_langchain import ScriptedChat

if TYPE_CHECKING:
    from tests.acceptance.conftest import Case

ANSWER = "It is in the document, see above."


def scripted(*replies: str) -> ScriptedChat:
    """A model that gives its replies over and over, by default one and the same."""
    return ScriptedChat(lines=itertools.cycle(replies or [ANSWER]))


def last_prompts(model: ScriptedChat) -> list[str]:
    """The last message of each prompt that the model was given."""
    return [prompt[-1].text for prompt in model.prompts]


# The user's application, written for any retriever.


def their_retriever(case: Case) -> BaseRetriever:
    """What stood there before: a vector store over pieces of the file."""
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    store.add_documents([Document(f"{case.answer}.", metadata={"source": str(case.file), "page": 0})])
    return store.as_retriever(search_kwargs={"k": 1})


@functools.cache  # so that the tests read the file once; users call it once anyway
def our_retriever(case: Case) -> ThumbIndexRetriever:
    return ThumbIndexRetriever.from_files([case.file], k=2)


@functools.cache
def our_retriever_from_their_documents(case: Case) -> ThumbIndexRetriever:
    """Over what their loader reads: pages of the PDF as texts, the Markdown file whole."""
    library = our_retriever(case).library
    (info,) = library.list()
    pages = [library.read(info.doc_id, pages=str(number)).text for number in range(1, info.page_count + 1)]
    texts = pages or [case.file.read_text(encoding="utf-8")]
    loaded = [
        Document(text, metadata={"source": str(case.file)} | ({"page": number} if pages else {}))
        for number, text in enumerate(texts)
    ]
    return ThumbIndexRetriever.from_documents(loaded, k=2)


def our_retriever_with_a_model(case: Case) -> ThumbIndexRetriever:
    """A model picks from the outline; this one replies with nothing of use, and what fits by its words comes back."""
    return ThumbIndexRetriever(library=our_retriever(case).library, llm=scripted(), k=2)


def format_documents(documents: list[Document]) -> str:
    return "\n\n".join(f"[{d.metadata['source']}, {d.metadata.get('page')}] {d.page_content}" for d in documents)


def rag_chain(retriever: BaseRetriever, model: ScriptedChat) -> Runnable[str, str]:
    prompt = ChatPromptTemplate.from_template("Answer from these passages.\n\n{context}\n\nQuestion: {question}")
    return (
        {"context": retriever | format_documents, "question": RunnablePassthrough()}
        | prompt
        | model
        | StrOutputParser()
    )


OURS = [our_retriever, our_retriever_from_their_documents, our_retriever_with_a_model]


@pytest.fixture(params=[their_retriever, *OURS])
def retriever(request: pytest.FixtureRequest, case: Case) -> BaseRetriever:
    make: Callable[[Case], BaseRetriever] = request.param
    return make(case)


def test_a_rag_chain_runs_sync(retriever: BaseRetriever, case: Case) -> None:
    """invoke, batch and stream: the passage with the answer reaches the prompt each time."""
    model = scripted()
    chain = rag_chain(retriever, model)
    assert chain.invoke(case.question) == ANSWER
    assert chain.batch([case.question] * 3) == [ANSWER] * 3
    pieces = list(chain.stream(case.question))
    assert len(pieces) > 1
    assert "".join(pieces) == ANSWER
    assert len(model.prompts) == 5
    assert all(case.answer in prompt and str(case.file) in prompt for prompt in last_prompts(model))


async def test_a_rag_chain_runs_async(retriever: BaseRetriever, case: Case) -> None:
    """ainvoke, abatch and astream."""
    model = scripted()
    chain = rag_chain(retriever, model)
    assert await chain.ainvoke(case.question) == ANSWER
    assert await chain.abatch([case.question] * 3) == [ANSWER] * 3
    assert "".join([piece async for piece in chain.astream(case.question)]) == ANSWER
    assert all(case.answer in prompt for prompt in last_prompts(model))


async def test_a_rag_chain_streams_its_events(case: Case) -> None:
    """A front end sees the retrieval, its steps, and the model's words."""
    chain = rag_chain(our_retriever(case), scripted())
    events = [event async for event in chain.astream_events(case.question, version="v2")]
    (found,) = [event["data"]["output"] for event in events if event["event"] == "on_retriever_end"]
    assert case.answer in found[0].page_content
    assert [event["name"] for event in events if event["event"] == "on_custom_event"]
    assert "".join(e["data"]["chunk"].content for e in events if e["event"] == "on_chat_model_stream") == ANSWER


async def test_sync_code_runs_in_a_notebook(retriever: BaseRetriever, case: Case) -> None:
    """A cell calls `invoke` while the notebook's loop runs."""
    assert rag_chain(retriever, scripted()).invoke(case.question) == ANSWER


EACH = PromptTemplate.from_template("[{source}] {page_content}")
ASKED_AGAIN = ChatPromptTemplate.from_messages(
    [("system", "Make one question of it."), MessagesPlaceholder("chat_history"), ("user", "{input}")]
)
STUFFED = ChatPromptTemplate.from_messages([("system", "Answer from this.\n\n{context}"), ("user", "{input}")])


async def test_a_retrieval_chain_runs(retriever: BaseRetriever, case: Case) -> None:
    """The documents come back beside the answer, and their passage stood in the prompt."""
    model = scripted()
    chain = create_retrieval_chain(retriever, create_stuff_documents_chain(model, STUFFED, document_prompt=EACH))
    results = [chain.invoke({"input": case.question}), await chain.ainvoke({"input": case.question})]
    for result in results:
        assert result["answer"] == ANSWER
        assert case.answer in format_documents(result["context"])
    assert [key for chunk in chain.stream({"input": case.question}) for key in chunk][:2] == ["input", "context"]


async def test_a_history_aware_chain_runs(retriever: BaseRetriever, case: Case) -> None:
    """A follow-up question is rephrased first; without a history it is asked as it is."""
    rephrasing, answering = scripted(case.question), scripted()
    aware = create_history_aware_retriever(rephrasing, retriever, ASKED_AGAIN)
    chain = create_retrieval_chain(aware, create_stuff_documents_chain(answering, STUFFED, document_prompt=EACH))
    history = [("user", "I have a question."), ("ai", "Go ahead.")]
    for result in (
        chain.invoke({"input": "And that one?", "chat_history": history}),
        await chain.ainvoke({"input": "And that one?", "chat_history": history}),
        chain.invoke({"input": case.question, "chat_history": []}),
    ):
        assert result["answer"] == ANSWER
        assert case.answer in format_documents(result["context"])
    assert len(rephrasing.prompts) == 2


class Keywords(BaseRetriever):
    """The user's own BM25 over the sections of a file."""

    documents: list[Document]

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        ranking = BM25Okapi([document.page_content.lower().split() for document in self.documents])
        scores = ranking.get_scores(query.lower().split())
        return [document for _, document in sorted(zip(scores, self.documents, strict=True), key=lambda x: -x[0])][:3]


async def test_an_ensemble_with_bm25_fuses_by_section(case: Case) -> None:
    """Both retrievers return the same sections: each comes once, in sync and in async."""
    ours = our_retriever(case)
    everything = ours.invoke(case.question, k=20)
    ensemble = EnsembleRetriever(retrievers=[Keywords(documents=everything), ours], id_key="section_id")
    found = ensemble.invoke(case.question)
    assert any(case.section in document.metadata["section_path"] for document in found)
    assert len({document.id for document in found}) == len(found)
    assert [document.id for document in await ensemble.ainvoke(case.question)] == [document.id for document in found]


@pytest.mark.parametrize("make", OURS)
async def test_several_wordings_of_a_question_find_each_section_once(
    make: Callable[[Case], BaseRetriever], case: Case
) -> None:
    """`MultiQueryRetriever` drops duplicates by equality of whole documents."""
    wordings = f"{case.question}\nplease: {case.question}\n{case.question} now"
    retriever = MultiQueryRetriever.from_llm(make(case), scripted(wordings))
    for found in (retriever.invoke(case.question), await retriever.ainvoke(case.question)):
        assert any(case.answer in document.page_content for document in found)
        assert len({document.id for document in found}) == len(found)


class Reranker(BaseDocumentCompressor):
    """The user's own: by shared words; it writes its score into the metadata, as rerankers do."""

    def compress_documents(self, documents: Any, query: str, callbacks: Any = None) -> list[Document]:
        words = set(query.lower().split())
        for document in documents:
            document.metadata["relevance_score"] = len(words & set(document.page_content.lower().split()))
        return sorted(documents, key=lambda document: -document.metadata["relevance_score"])[:2]


@pytest.mark.parametrize("make", [their_retriever, *OURS])
async def test_a_reranker_runs(make: Callable[[Case], BaseRetriever], case: Case) -> None:
    """Sync and async; what it writes into the documents is not there the next time."""
    base = make(case)
    chain = ContextualCompressionRetriever(base_retriever=base, base_compressor=Reranker())
    for found in (chain.invoke(case.question), await chain.ainvoke(case.question)):
        assert any(case.answer in document.page_content for document in found)
        assert "relevance_score" in found[0].metadata
    if isinstance(base, ThumbIndexRetriever):
        assert "relevance_score" not in base.invoke(case.question)[0].metadata


def test_a_compressor_passes_arguments_of_the_call_on(case: Case) -> None:
    """`k` of the call reaches the retriever below."""
    chain = ContextualCompressionRetriever(base_retriever=our_retriever(case), base_compressor=Reranker())
    (found,) = chain.invoke(case.question, k=1)
    assert case.answer in found.page_content


# Agents: the user's tool, then ours.


def agent_script(name: str, arguments: dict[str, Any]) -> list[BaseMessage]:
    return [AIMessage("", tool_calls=[ToolCall(name=name, args=arguments, id="call-1")]), AIMessage(ANSWER)]


def tool_messages(result: dict[str, Any]) -> list[ToolMessage]:
    return [message for message in result["messages"] if isinstance(message, ToolMessage)]


async def test_an_agent_with_a_retriever_tool_runs(retriever: BaseRetriever, case: Case) -> None:
    """`create_retriever_tool` around either retriever; the documents are the artifact."""
    tool = create_retriever_tool(
        retriever, "search_reports", "Searches the reports.", response_format="content_and_artifact"
    )
    model = ScriptedChat(
        lines=itertools.cycle(agent_script("search_reports", {"query": case.question})), has_tools=True
    )
    agent = create_agent(model, [tool])
    question = {"messages": [("user", case.question)]}
    for result in (agent.invoke(question), await agent.ainvoke(question)):
        assert result["messages"][-1].content == ANSWER
        (message,) = tool_messages(result)
        assert case.answer in message.text
        assert case.answer in message.artifact[0].page_content


def their_tools(case: Case) -> list[BaseTool]:
    return [create_retriever_tool(their_retriever(case), "search_text", "Searches the reports.")]


def our_tools(case: Case) -> list[BaseTool]:
    return ThumbIndexToolkit(our_retriever(case).library).get_tools()


@pytest.mark.parametrize("make_tools", [their_tools, our_tools])
async def test_an_agent_with_the_toolkit_runs(make_tools: Callable[[Case], list[BaseTool]], case: Case) -> None:
    """Sync, async, batch and stream; the model sees the passage."""
    question = {"messages": [("user", case.question)]}
    model = ScriptedChat(lines=itertools.cycle(agent_script("search_text", {"query": case.question})), has_tools=True)
    agent = create_agent(model, make_tools(case))
    assert case.answer in tool_messages(agent.invoke(question))[0].text
    assert case.answer in tool_messages(await agent.ainvoke(question))[0].text
    assert case.answer in str(model.prompts[-1])
    states = [state async for state in agent.astream(question, stream_mode="values")]
    assert states[-1]["messages"][-1].content == ANSWER


async def test_an_agents_mistake_does_not_end_its_run(case: Case) -> None:
    """An id that does not exist, then bad arguments, then the right call: the model reads each error and goes on."""
    script = [
        AIMessage("", tool_calls=[ToolCall(name="get_page_content", args={"document": "x.pdf", "pages": "1"}, id="1")]),
        AIMessage("", tool_calls=[ToolCall(name="search_text", args={"question": "?"}, id="2")]),
        AIMessage("", tool_calls=[ToolCall(name="search_text", args={"query": case.question}, id="3")]),
        AIMessage(ANSWER),
    ]
    agent = create_agent(ScriptedChat(lines=itertools.cycle(script), has_tools=True), our_tools(case))
    result = await agent.ainvoke({"messages": [("user", case.question)]})
    wrong, misspelt, right = tool_messages(result)
    assert (wrong.status, misspelt.status, right.status) == ("error", "error", "success")
    assert "x.pdf" in wrong.text
    assert case.answer in right.text
