"""Faults of retrievers, page numbers and sources that users of LangChain have reported: each report, paraphrased, is a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from langchain.agents import create_agent
from langchain_classic.chains import create_history_aware_retriever, create_retrieval_chain
from langchain_classic.chains.combine_documents import create_stuff_documents_chain
from langchain_classic.retrievers import EnsembleRetriever, MultiQueryRetriever
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.prompts import ChatPromptTemplate, PromptTemplate
from langchain_core.runnables import ConfigurableField
from pydantic import ValidationError

from langchain_thumbindex import ThumbIndexLoader, ThumbIndexRetriever, ThumbIndexToolkit
from langchain_thumbindex.agents import CitationMiddleware
from scripted_langchain import Listener, ScriptedChat
from thumbindex import Library
from thumbindex.conformance import QUESTION
from thumbindex.conformance import sample_library as loans
from thumbindex.errors import DocumentNotFound
from thumbindex.testing import sample_library as manuals

REPORT = Path(__file__).parents[2] / "examples" / "annual-report.pdf"
RATE = "Which rate applies to the term loan?"


@pytest.fixture(scope="module")
def report() -> ThumbIndexRetriever:
    return ThumbIndexRetriever.from_files([REPORT], k=3)


def two_documents_with_the_same_words() -> Library:
    """Two documents whose sections have the same words."""
    library = Library()
    for name in ("a.md", "b.md"):
        library.add(f"# {name}\n\n## Notice\n\nThe notice period is three months.\n".encode(), name=name)
    return library


def test_fusion_keeps_equal_texts_of_two_documents_apart() -> None:
    """The ensemble takes equal text for one document, and the metadata of the last one win.

    langchain-ai/langchain#38627
    """
    both = ThumbIndexRetriever(library=two_documents_with_the_same_words(), k=2)
    ensemble = EnsembleRetriever(retrievers=[both, both], id_key="section_id")
    found = ensemble.invoke("What is the notice period?")
    assert len({document.page_content for document in found}) == 1
    assert sorted(document.metadata["source"] for document in found) == ["a.md", "b.md"]


def test_metadata_never_break_the_removal_of_duplicates() -> None:
    """Documents whose metadata hold lists or dictionaries crash the union of several queries.

    langchain-ai/langchain#38626, langchain-ai/langchain#9872
    """
    retriever = ThumbIndexRetriever(library=loans(), k=3)  # one of its documents has a list of tags
    queries = MultiQueryRetriever.from_llm(retriever, ScriptedChat(lines=[f"{QUESTION}\nHow often is interest paid?"]))
    found = queries.invoke(QUESTION)
    assert len({document.id for document in found}) == len(found)
    for document in found:
        hash(tuple(sorted((key, value) for key, value in document.metadata.items())))


def test_no_passage_comes_twice_in_one_result(report: ThumbIndexRetriever) -> None:
    """The same text fills several of the k places.

    langchain-ai/langchain#17310, langchain-ai/langchain#20884
    """
    for question in (RATE, "inventories", "What do directors earn?"):
        texts = [document.page_content for document in report.invoke(question, k=10)]
        assert len(set(texts)) == len(texts) >= 4


def test_steps_of_one_request_can_be_stored(listener: Listener) -> None:
    """A retriever of several steps has no way to hand what they found to the application, per request.

    langchain-ai/langchain#6846
    """
    walk = [
        {"reason": "care", "action": "read", "numbers": [6], "text": ""},
        {"reason": "", "action": "answer", "numbers": [], "text": ""},
    ]
    retriever = ThumbIndexRetriever(
        library=manuals(), llm=ScriptedChat(lines=walk), navigator="walk", k=1, documents=["lantern.md"]
    )
    retriever.invoke("How long does a wick last?", {"callbacks": [listener], "metadata": {"request": "17"}})
    steps = [(data["action"], data["reason"]) for kind, _, data in listener.heard if kind == "event"]
    assert ("read", "care") in steps


async def test_an_async_conversation_ends(report: ThumbIndexRetriever) -> None:
    """A retriever inside a conversational chain has no async method: the call never ends, without an error.

    langchain-ai/langchain#7035, langchain-ai/langchain#9707
    """
    rephrase = ChatPromptTemplate.from_messages([("placeholder", "{chat_history}"), ("user", "{input}")])
    model = ScriptedChat(lines=[RATE, "It is fixed."])
    aware = create_history_aware_retriever(model, report, rephrase)
    answer = create_stuff_documents_chain(model, ChatPromptTemplate.from_template("{context}\n\n{input}"))
    chain = create_retrieval_chain(aware, answer)
    history = [("user", "Hello"), ("ai", "Hello. What would you like to know?")]
    result = await chain.ainvoke({"input": "And the term loan?", "chat_history": history})
    assert result["answer"] == "It is fixed."
    assert "4.35 per cent" in "".join(document.page_content for document in result["context"])


def test_made_up_sources_are_found_out() -> None:
    """The sources of an answer are written by the model and not taken from what was retrieved.

    langchain-ai/langchain#5642
    """
    library = manuals()
    lines = [
        AIMessage("", tool_calls=[ToolCall(name="search_text", args={"query": "wick"}, id="1")]),
        "A wick lasts ninety hours [lantern.md, § Filling].",
    ]
    agent = create_agent(
        ScriptedChat(lines=lines, has_tools=True),
        ThumbIndexToolkit(library).get_tools(),
        middleware=[CitationMiddleware(library, repairs=0)],
    )
    checked = agent.invoke({"messages": [("user", "How long does a wick last?")]})["citations"]
    assert not checked["passes"]
    assert checked["citations"][0]["found_at"] == "[lantern.md, § 4.2 Wick]"


def test_arguments_of_a_call_are_used(report: ThumbIndexRetriever) -> None:
    """`k` given to `invoke` is ignored, or collides with what the retriever was made with.

    langchain-ai/langchain#25528
    """
    assert [len(report.invoke(RATE, k=k)) for k in (1, 2, 7)] == [1, 2, 7]
    assert report.invoke(RATE, k=1, filters={"title": "no such title"}) == []


@pytest.mark.parametrize("foreign", [{"search_kwargs": {"k": 8}}, {"top_k": 8}, {"filter": {"year": 2024}}])
def test_no_setting_is_dropped_in_silence(report: ThumbIndexRetriever, foreign: dict[str, Any]) -> None:
    """Settings under another name are stored and never used: the defaults apply, without an error.

    langchain-ai/langchain#21492, langchain-ai/langchain#21755
    """
    with pytest.raises(ValidationError, match=next(iter(foreign))):
        ThumbIndexRetriever(library=report.library, **foreign)
    with pytest.raises(TypeError, match=next(iter(foreign))):
        report.invoke(RATE, **foreign)


def test_the_number_of_sections_may_follow_the_question(report: ThumbIndexRetriever) -> None:
    """A chain cannot choose `k` for each question without being built anew.

    langchain-ai/langchain#12189
    """
    flexible = report.configurable_fields(k=ConfigurableField(id="k"))
    assert len(flexible.invoke(RATE, {"configurable": {"k": 1}})) == 1
    assert len(flexible.invoke("Compare all segments.", {"configurable": {"k": 6}})) == 6


def test_a_prompt_can_show_the_page(report: ThumbIndexRetriever) -> None:
    """Chains put only the text into the prompt; the page number in the metadata never reaches the answer.

    langchain-ai/langchain#11071
    """
    each = PromptTemplate.from_template("[{source}, page {page_label}: {section_path}]\n{page_content}")
    model = ScriptedChat(lines=["It is fixed."])
    prompt = ChatPromptTemplate.from_template("{context}\n\n{input}")
    chain = create_stuff_documents_chain(model, prompt, document_prompt=each)
    chain.invoke({"context": report.invoke(RATE), "input": RATE})
    place = "page 34: Item 8 Financial statements › Note 14 Debt › 14.2 Term loan]\n14.2 T"
    assert f"[{REPORT}, {place}" in model.prompts[0][0].text


def test_printed_page_numbers_stand_beside_physical_ones(report: ThumbIndexRetriever) -> None:
    """Where front matter is numbered in roman numerals, the number of the page is not the one that is printed on it.

    langchain-ai/langchain#29225
    """
    (found,) = report.invoke("Statements about the future", k=1)
    assert (found.metadata["page"], found.metadata["page_start"], found.metadata["page_label"]) == (1, 2, "ii")
    later = report.invoke(RATE, k=1)[0].metadata
    assert later["page"] == later["page_start"] - 1
    assert later["page_label"].isdecimal()


def test_a_question_that_the_documents_do_not_answer_has_no_sources(report: ThumbIndexRetriever) -> None:
    """Small talk and questions about something else come back with sources that have nothing to do with them.

    langchain-ai/langchain#12263, langchain-ai/langchain#5416
    """
    careful = ThumbIndexRetriever(library=report.library, drop_weak=True)
    for question in ("Hi, how are you?", "Who is the captain of the volleyball team?"):
        assert careful.invoke(question) == []
    assert careful.invoke(RATE)


def test_sections_of_markdown_know_their_lines(tmp_path: Path) -> None:
    """Chunks of Markdown carry their headings and not the lines of the file, so nobody can open the place.

    langchain-ai/langchain#38125
    """
    file = tmp_path / "notes.md"
    file.write_text("# Notes\n\nFirst.\n\n## Second\n\nHere it is.\n")
    second = ThumbIndexLoader(file).load()[1]
    first, last = second.metadata["line_start"], second.metadata["line_end"]
    assert "\n".join(file.read_text().splitlines()[first - 1 : last]) == second.page_content
    assert (first, last) == (5, 7)


def test_the_name_of_a_document_is_no_key_to_it() -> None:
    """Who knows the id of another tenant's file gets its text, because that query is filtered by the id alone.

    danny-avila/rag_api#301
    """
    library = Library()
    theirs = library.add(b"# Secret\n\nThe price is 17.\n", name="theirs.md", metadata={"user": "them"})
    library.add(b"# Public\n\nThe price is 3.\n", name="ours.md", metadata={"user": "us"})
    retriever = ThumbIndexRetriever(library=library, filters={"user": "us"})
    for key in (theirs.doc_id, "theirs.md"):
        with pytest.raises(DocumentNotFound):
            retriever.invoke("price", documents=[key, "ours.md"])
    assert [document.metadata["source"] for document in retriever.invoke("price")] == ["ours.md"]


class StrictTracer(BaseCallbackHandler):
    """As some tracers are: a run whose parent was never announced is an error, and errors are raised."""

    raise_error = True

    def __init__(self) -> None:
        self.known: set[UUID] = set()
        self.open: set[UUID] = set()

    def _enter(self, run_id: UUID, parent_run_id: UUID | None) -> None:
        if parent_run_id is not None and parent_run_id not in self.known:
            raise AssertionError("parent run not found")
        self.known.add(run_id)
        self.open.add(run_id)

    def on_retriever_start(self, serialized: Any, query: str, **kwargs: Any) -> None:
        self._enter(kwargs["run_id"], kwargs.get("parent_run_id"))

    def on_chain_start(self, serialized: Any, inputs: Any, **kwargs: Any) -> None:
        self._enter(kwargs["run_id"], kwargs.get("parent_run_id"))

    def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
        self._enter(kwargs["run_id"], kwargs.get("parent_run_id"))

    def on_retriever_end(self, documents: Any, **kwargs: Any) -> None:
        self.open.remove(kwargs["run_id"])

    def on_chain_end(self, outputs: Any, **kwargs: Any) -> None:
        self.open.remove(kwargs["run_id"])

    def on_llm_end(self, response: Any, **kwargs: Any) -> None:
        self.open.remove(kwargs["run_id"])


@pytest.mark.parametrize("is_async", [True, False])
async def test_a_retriever_by_itself_can_be_traced(is_async: bool) -> None:
    """A retriever that no chain calls makes the tracer fail: "parent run not found".

    langfuse/langfuse#3223
    """
    tracer = StrictTracer()
    model = ScriptedChat(lines=[{"sections": [{"number": 2, "reason": ""}]}])
    retriever = ThumbIndexRetriever(library=loans(), llm=model, k=1, documents=["loans"])
    if is_async:
        found: list[Document] = await retriever.ainvoke(QUESTION, {"callbacks": [tracer]})
    else:
        found = retriever.invoke(QUESTION, {"callbacks": [tracer]})
    assert found
    assert len(tracer.known) > 3
    assert tracer.open == set()
