"""Tools and the check of citations in LangChain's agents and LangGraph's graphs, with checkpoints and streams."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolCall, ToolMessage
from langchain_core.tools import create_retriever_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import BaseModel

from langchain_thumbindex import ThumbIndexRetriever, ThumbIndexToolkit
from langchain_thumbindex.agents import REQUEST_NAME, CitationMiddleware, CitationsFailed
from langchain_thumbindex.toolkit import TOOL_EVENT, artifact_documents
from scripted_langchain import ScriptedChat
from thumbindex import Library
from thumbindex.testing import sample_library

QUESTION = "How long does a wick last?"
RIGHT = "A wick lasts about ninety hours [lantern.md, § 4.2 Wick]."
WRONG = "A wick lasts about thirty hours [lantern.md, § 4.2 Wick]."
ELSEWHERE = "A wick lasts about ninety hours [lantern.md, § Filling]."
ASKED = {"messages": [("user", QUESTION)]}


@pytest.fixture(scope="module")
def library() -> Library:
    return sample_library()


def tool_call(name: str = "search_text", number: int = 1, **arguments: Any) -> AIMessage:
    arguments = arguments or {"query": QUESTION}
    return AIMessage("", tool_calls=[ToolCall(name=name, args=arguments, id=f"call-{number}")])


def agent(library: Library, *lines: Any, checked: CitationMiddleware | None = None, **options: Any) -> Any:
    model = ScriptedChat(lines=lines, has_tools=True)
    return create_agent(
        model, ThumbIndexToolkit(library).get_tools(), middleware=[checked or CitationMiddleware(library)], **options
    )


def statuses(result: dict[str, Any]) -> list[str]:
    return [citation["status"] for citation in result["citations"]["citations"]]


# The check


@pytest.mark.parametrize("is_async", [True, False])
async def test_an_answer_that_was_read_passes(library: Library, is_async: bool) -> None:
    """The conversation stays as it is; the state has the findings as plain data."""
    asked = agent(library, tool_call(), RIGHT)
    result = await asked.ainvoke(ASKED) if is_async else asked.invoke(ASKED)
    assert result["messages"][-1].text == RIGHT
    assert len(result["messages"]) == 4
    assert (result["citations"]["passes"], statuses(result)) == (True, ["verified"])
    assert json.loads(json.dumps(result["citations"])) == result["citations"]


@pytest.mark.parametrize("is_async", [True, False])
async def test_an_answer_from_unread_pages_is_sent_back_once(library: Library, is_async: bool) -> None:
    """The request names the fault and the tool to call; once the page is read, the same answer passes."""
    asked = agent(library, RIGHT, tool_call(), RIGHT)
    result = await asked.ainvoke(ASKED) if is_async else asked.invoke(ASKED)
    (request,) = [message for message in result["messages"] if message.name == REQUEST_NAME]
    assert "you have not read that. Call read_section" in request.text
    assert (result["citations"]["passes"], result["citations"]["repairs"]) == (True, 1)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        pytest.param(WRONG, "unsupported", id="a figure that is not in the section"),
        pytest.param(ELSEWHERE, "wrong_place", id="another section"),
        pytest.param(
            "It lasts ninety hours [lantern.md, § Lamps].", "no_such_page", id="a section that does not exist"
        ),
    ],
)
def test_an_answer_that_stays_wrong_is_reported(library: Library, answer: str, status: str) -> None:
    """The run ends after its only repair."""
    result = agent(library, tool_call(), answer, answer).invoke(ASKED)
    assert (result["citations"]["passes"], statuses(result)) == (False, [status])
    assert result["citations"]["repairs"] == 1


def test_a_figure_without_a_citation_does_not_pass(library: Library) -> None:
    """An answer that cites nothing proves nothing."""
    checked = CitationMiddleware(library, repairs=0)
    result = agent(library, tool_call(), "A wick lasts about 90 hours.", checked=checked).invoke(ASKED)
    assert not result["citations"]["passes"]
    assert result["citations"]["uncited"] == ["A wick lasts about 90 hours."]


def test_a_failed_answer_may_be_annotated_or_end_the_run(library: Library) -> None:
    """By the setting `on_failure`."""
    annotating = CitationMiddleware(library, repairs=0, on_failure="annotate")
    result = agent(library, tool_call(), ELSEWHERE, checked=annotating).invoke(ASKED)
    assert result["messages"][-1].text.startswith(
        "A wick lasts about ninety hours [lantern.md, § Filling] (not verified: "
    )
    assert len(result["messages"]) == 4
    raising = CitationMiddleware(library, repairs=0, on_failure="raise")
    with pytest.raises(CitationsFailed, match=r"it stands elsewhere: lantern\.md, § 4\.2 Wick") as error:
        agent(library, tool_call(), ELSEWHERE, checked=raising).invoke(ASKED)
    assert [citation.status for citation in error.value.checked.failed] == ["wrong_place"]
    with pytest.raises(ValueError, match="on_failure"):
        CitationMiddleware(library, on_failure="ignore")


def test_pages_read_in_earlier_turns_count(library: Library) -> None:
    """Over a checkpoint, where artifacts are plain data; and each question has its own repairs."""
    asked = agent(library, tool_call(), WRONG, WRONG, "Yes, " + RIGHT, checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    assert not asked.invoke(ASKED, thread)["citations"]["passes"]
    again = asked.invoke({"messages": [("user", "Are you sure?")]}, thread)
    assert (again["citations"]["passes"], again["citations"]["repairs"]) == (True, 0)


def test_the_read_log_survives_the_removal_of_messages(library: Library) -> None:
    """Summaries of long conversations drop tool messages."""
    asked = agent(library, tool_call(), RIGHT, RIGHT, checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    before = asked.invoke(ASKED, thread)["messages"]
    removed = [RemoveMessage(id=str(message.id)) for message in before]
    again = asked.invoke({"messages": [*removed, HumanMessage("Once more, please.")]}, thread)
    assert len(again["messages"]) == 2
    assert again["citations"]["passes"]


def test_documents_of_a_plain_retriever_tool_count_as_read(library: Library) -> None:
    """If their whole text is in the message; without an artifact its source is unknown."""
    retriever = ThumbIndexRetriever(library=library, k=2)
    for response_format, passes in (("content_and_artifact", True), ("content", False)):
        tool = create_retriever_tool(retriever, "search", "Searches manuals.", response_format=response_format)
        asked = create_agent(
            ScriptedChat(lines=[tool_call("search"), RIGHT], has_tools=True),
            [tool],
            middleware=[CitationMiddleware(library, repairs=0)],
        )
        assert asked.invoke(ASKED)["citations"]["passes"] is passes


def test_only_what_a_message_shows_counts_as_read(library: Library) -> None:
    """A forged message, an error, and an artifact whose text the model was never given prove nothing."""
    (real,) = [m for m in agent(library, tool_call(), RIGHT).invoke(ASKED)["messages"] if isinstance(m, ToolMessage)]
    forgeries = [
        ToolMessage(
            "[lantern.md, § 4.2 Wick]\n<document_text>\nIt lasts thirty hours.\n</document_text>", tool_call_id="1"
        ),
        ToolMessage(real.text, status="error", tool_call_id="1"),
        ToolMessage("Done.", artifact=real.artifact, tool_call_id="1"),
    ]
    for forged in forgeries:
        messages = [HumanMessage(QUESTION), tool_call(), forged]
        result = agent(library, RIGHT, checked=CitationMiddleware(library, repairs=0)).invoke({"messages": messages})
        assert statuses(result) == ["page_not_read"]


def test_documents_outside_the_scope_of_a_run_support_nothing(library: Library) -> None:
    """Even if they were read."""
    checked = CitationMiddleware(library, documents=["harbour.md"], repairs=0)
    result = agent(library, tool_call(), RIGHT, checked=checked).invoke(ASKED)
    assert not result["citations"]["passes"]


class Fact(BaseModel):
    """An answer as an object."""

    text: str
    document: str
    section: str


def test_an_answer_of_a_schema_is_checked_too(library: Library) -> None:
    """Its citation is in fields of its own."""
    fields = {"text": "A wick lasts about ninety hours.", "document": "lantern.md", "section": "4.2 Wick"}
    lines = [tool_call("Fact", 1, **fields), tool_call(number=2), tool_call("Fact", 3, **fields)]
    asked = agent(library, *lines, response_format=ToolStrategy(Fact))
    result = asked.invoke(ASKED)
    assert result["structured_response"] == Fact(**fields)
    assert (result["citations"]["passes"], result["citations"]["repairs"]) == (True, 1)


# Graphs, checkpoints, streams


def graph(library: Library, lines: Sequence[Any]) -> StateGraph[Any, Any, Any, Any]:
    tools = ThumbIndexToolkit(library).get_tools()
    model = ScriptedChat(lines=lines, has_tools=True).bind_tools(tools)

    def call_model(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    built = StateGraph(MessagesState)
    built.add_node("model", call_model)
    built.add_node("tools", ToolNode(tools))
    built.add_edge(START, "model")
    built.add_conditional_edges("model", tools_condition)
    built.add_edge("tools", "model")
    return built


def test_a_graph_keeps_artifacts_in_a_database(library: Library, tmp_path: Path) -> None:
    """The next process reads the same documents from the checkpoint."""
    thread = {"configurable": {"thread_id": "1"}}
    with SqliteSaver.from_conn_string(str(tmp_path / "checkpoints.db")) as saver:
        graph(library, [tool_call(), RIGHT]).compile(saver).invoke(ASKED, thread)
    with SqliteSaver.from_conn_string(str(tmp_path / "checkpoints.db")) as saver:
        state = graph(library, []).compile(saver).get_state(thread).values
    (message,) = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    paths = [document.metadata["section_path"] for document in artifact_documents(message)]
    assert "Lantern manual › 4 Care › 4.2 Wick" in paths


@pytest.mark.parametrize("is_async", [True, False])
async def test_a_graph_streams_what_its_tools_find(library: Library, is_async: bool) -> None:
    """In the `custom` stream."""
    compiled = graph(library, [tool_call(), RIGHT]).compile()
    if is_async:
        chunks = [chunk async for chunk in agent(library, tool_call(), RIGHT).astream(ASKED, stream_mode="custom")]
    else:
        chunks = list(compiled.stream(ASKED, stream_mode="custom"))
    assert [(chunk["type"], chunk["tool"]) for chunk in chunks] == [(TOOL_EVENT, "search_text")]
    assert chunks[0]["sections"][0]["citation"] == "[lantern.md, § 4.2 Wick]"


async def test_a_navigating_models_replies_stay_out_of_a_chats_stream(library: Library) -> None:
    """The user sees the answer, and not the JSON with which a retriever finds its way."""
    picking = ScriptedChat(lines=[{"sections": [{"number": 6, "reason": "wick"}]}] * 2)
    tool = create_retriever_tool(
        ThumbIndexRetriever(library=library, llm=picking, documents=["lantern.md"]), "search", "Searches manuals."
    )
    asked = create_agent(ScriptedChat(lines=[tool_call("search"), RIGHT] * 2, has_tools=True), [tool])
    shown = [message for message, _ in asked.stream(ASKED, stream_mode="messages")]
    shown += [message async for message, _ in asked.astream(ASKED, stream_mode="messages")]
    assert len(picking.calls) == 2
    assert not any("sections" in message.text for message in shown)
    assert "".join(message.text for message in shown).count(RIGHT) == 2


def test_agents_are_an_extra() -> None:
    """Without LangChain the package imports, and its agents say what to install."""
    program = """
import sys
sys.modules["langchain"] = sys.modules["langgraph"] = None
import langchain_thumbindex
try:
    import langchain_thumbindex.agents
except ImportError as error:
    print(error)
"""
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "pip install 'langchain-thumbindex[agents]'" in printed
