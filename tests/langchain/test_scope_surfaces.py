"""Through no surface of the adapter does a document outside its view show, not even its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableLambda
from pydantic import ValidationError

from langchain_thumbindex import ThumbIndexRetriever, ThumbIndexToolkit
from langchain_thumbindex.agents import CitationMiddleware
from langchain_thumbindex.filters import to_scope
from scoped_library import (
    ARGUMENTS,
    HIDDEN,
    HIDDEN_SECTIONS,
    LIBRARY,
    NAMES,
    QUESTIONS,
    SECRET,
    SECTIONS,
    VIEW,
    without_the_question,
)
from scripted_langchain import Listener
from thumbindex.errors import ThumbIndexError

NARROWED: list[dict[str, Any]] = [
    {"library": VIEW},
    {"library": LIBRARY, "filters": {"tenant": "north"}},
    {"library": LIBRARY, "filters": {"$not": {"tenant": {"$eq": SECRET}}}},
    {"library": LIBRARY, "documents": ["rates.md"]},
]
VALUES = st.sampled_from([SECRET, "north", HIDDEN, f"{SECRET}.md", 4])
KEYS = st.sampled_from(["tenant", "doc_id", "file_name", "file_path", "source"])
OPERATORS = st.sampled_from(["$eq", "$ne", "$in", "$nin", "$gt", "$not", "$like"])
ONE_FILTER = st.dictionaries(KEYS, VALUES | st.lists(VALUES) | st.dictionaries(OPERATORS, VALUES | st.lists(VALUES)))
FILTERS = st.recursive(
    ONE_FILTER,
    lambda inner: (
        st.dictionaries(st.sampled_from(["$and", "$or"]), st.lists(inner, max_size=3))
        | inner.map(lambda filters: {"$not": filters})
    ),
    max_leaves=4,
)


def shown_by_retriever(retriever: ThumbIndexRetriever, question: str, **arguments: Any) -> Iterator[str]:
    """What a call returns or raises, and what its callbacks hear."""
    listener = Listener()
    try:
        found = retriever.invoke(question, {"callbacks": [listener]}, **arguments)
    except ThumbIndexError as error:
        yield str(error)
    else:
        assert all(document.metadata["source"] == "rates.md" for document in found)
        yield repr(found)
    yield repr([data for _, name, data in listener.heard if name.startswith("thumbindex")])


@settings(max_examples=150)
@given(
    st.sampled_from(NARROWED),
    QUESTIONS,
    st.fixed_dictionaries({}, optional={"documents": st.lists(NAMES, max_size=3), "filters": FILTERS}),
)
@example(NARROWED[1], "rate", {"filters": {"$or": [{"tenant": SECRET}, {"tenant": "north"}]}})
def test_no_argument_of_a_call_shows_anything_outside(
    narrowed: dict[str, Any], question: str, arguments: dict[str, Any]
) -> None:
    """Documents, filters, and whatever is wrong with them; in results, errors and events."""
    retriever = ThumbIndexRetriever(k=9, **narrowed)
    try:
        to_scope(None, arguments.get("filters"))
    except (TypeError, ValueError) as error:
        # The error repeats the caller's own filter, and does not depend on the documents.
        with pytest.raises(type(error), match=re.escape(str(error))):
            retriever.invoke(question, **arguments)
        return
    asked = {"question": question, **{str(n): name for n, name in enumerate(arguments.get("documents", []))}}
    for shown in shown_by_retriever(retriever, question, **arguments):
        assert SECRET not in without_the_question(shown, asked)


@given(
    st.sampled_from(NARROWED),
    st.lists(st.fixed_dictionaries({}, optional={"source": NAMES, "doc_id": NAMES}), max_size=3),
)
def test_another_retriever_opens_nothing_outside(narrowed: dict[str, Any], chosen: list[dict[str, str]]) -> None:
    """Whatever documents it names."""
    first = RunnableLambda[str, list[Document]](lambda _: [Document("", metadata=metadata) for metadata in chosen])
    retriever = ThumbIndexRetriever(k=9, document_retriever=first, **narrowed)
    for shown in shown_by_retriever(retriever, "rate"):
        assert SECRET not in shown


TOOLS = [tool for narrowed in NARROWED for tool in ThumbIndexToolkit(**narrowed).get_tools()]


@settings(max_examples=200)
@given(st.sampled_from(TOOLS), ARGUMENTS)
async def test_tools_show_nothing_outside(tool: Any, arguments: dict[str, Any]) -> None:
    """Text, artifact and events, sync and async."""
    fitting = {name: value for name, value in arguments.items() if name in tool.args_schema.model_fields}
    listener = Listener()
    call = ToolCall(type="tool_call", name=tool.name, args=fitting, id="1")
    for run in (tool.ainvoke, RunnableLambda(tool.invoke).ainvoke):
        try:
            message: ToolMessage = await run(call, {"callbacks": [listener]})
        except ValidationError:  # before the tool is called: LangChain's own
            continue
        for shown in (message.text, repr(message.artifact)):
            assert SECRET not in without_the_question(shown, fitting)
    events = repr([data for kind, _, data in listener.heard if kind == "event"])
    assert SECRET not in without_the_question(events, fitting)


@given(st.sampled_from(NARROWED), NAMES, SECTIONS, st.sampled_from(["7", "4 per cent"]))
def test_the_check_of_citations_shows_nothing_outside(
    narrowed: dict[str, Any], document: str, section: str, figure: str
) -> None:
    """Neither where a sentence stands elsewhere, nor that it was read: not even from a message that quotes the document."""
    middleware = CitationMiddleware(**narrowed, repairs=1)
    outside = LIBRARY.retrieve(SECRET, k=1).evidence[0]
    quoted = ToolMessage(
        f"{outside.citation}\n<document_text>\n{outside.text}\n</document_text>",
        artifact=[Document(outside.text, metadata={**outside.flat_metadata()})],
        tool_call_id="1",
    )
    answer = AIMessage(f"The rate is {figure} [{document}, § {section}].")
    state: Any = {"messages": [HumanMessage("What is the rate?"), quoted, answer]}
    runtime: Any = None  # not looked at
    read = middleware.before_model({"messages": [HumanMessage("?"), quoted]}, runtime) or {}
    assert HIDDEN not in repr(read)
    for repairs in (0, 1):
        update = middleware.after_model(state | read | {"citation_repairs": repairs}, runtime)
        shown = without_the_question(repr(update), {"document": document, "section": section})
        assert SECRET not in shown
        assert not any(node in shown for node in HIDDEN_SECTIONS)


def test_the_middleware_of_a_toolkit_compares_with_its_documents_only() -> None:
    """A document that the tools do not show is unknown to the check, even if the answer names it; so are its passages."""
    toolkit = ThumbIndexToolkit(LIBRARY, filters={"tenant": "north"})
    outside = LIBRARY.retrieve(SECRET, k=1).evidence[0]
    answer = AIMessage(f"The rate is 7 {outside.citation}.")
    state: Any = {"messages": [HumanMessage("What is the rate?"), answer], "citation_repairs": 0}
    runtime: Any = None  # not looked at
    checked = [CitationMiddleware(of, repairs=0).after_model(state, runtime) for of in (toolkit, LIBRARY)]
    found = [[citation["doc_id"] for citation in (update or {})["citations"]["citations"]] for update in checked]
    assert found == [[], [HIDDEN]]
