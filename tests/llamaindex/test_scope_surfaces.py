"""No surface of the adapter shows a document outside the scope, not even its name, however the scope was set."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor import PrevNextNodePostprocessor
from llama_index.core.retrievers import AutoMergingRetriever, BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.core.tools import FunctionTool
from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from llama_index.retrievers.thumbindex import ThumbIndexRetriever, ThumbIndexToolSpec
from llama_index.retrievers.thumbindex.filters import Filters
from scripted_llama import Listener, ScriptedLLM
from thumbindex import Library, Scope
from thumbindex.errors import ThumbIndexError
from thumbindex.navigation import NavigatorName

SECRET = "zebrafish"
"""In the name, the titles, the text and the metadata of the document outside, and nowhere inside."""
OUTSIDE = (
    f"# {SECRET} salaries\n\n## 1 {SECRET} pay\n\nThe {SECRET} rate is 7. See Note 2.\n\n## Note 2 {SECRET}\n\nMore.\n"
)
INSIDE = "# Rates\n\n## 1 Base rate\n\nThe rate is 4 per cent. See Note 2.\n\n## Note 2 Terms\n\nSeven years.\n"
QUESTIONS = ("What is the rate?", "salaries", "see Note 2")

LIBRARY = Library()
HIDDEN = LIBRARY.add(OUTSIDE.encode(), name=f"{SECRET}.md", metadata={"tenant": SECRET}).doc_id
VISIBLE = LIBRARY.add(INSIDE.encode(), name="rates.md", metadata={"tenant": "north"}).doc_id
HIDDEN_SECTIONS = [node.id for node in LIBRARY.tree(HIDDEN).nodes]
HIDDEN_NODES = [found.node for found in ThumbIndexRetriever(LIBRARY).scoped(documents=[HIDDEN]).retrieve("rate")]

NORTH = MetadataFilters(filters=[MetadataFilter(key="tenant", value="north")])
Surfaces = tuple[ThumbIndexRetriever, ThumbIndexToolSpec]
Way = Callable[[], AbstractContextManager[Surfaces]]


@contextmanager
def by_view() -> Iterator[Surfaces]:
    view = LIBRARY.view(Scope(where={"tenant": "north"}))
    yield ThumbIndexRetriever(view), ThumbIndexToolSpec(view)


@contextmanager
def by_documents() -> Iterator[Surfaces]:
    yield ThumbIndexRetriever(LIBRARY, documents=["rates.md"]), ThumbIndexToolSpec(LIBRARY, documents=[VISIBLE])


@contextmanager
def by_filters() -> Iterator[Surfaces]:
    yield ThumbIndexRetriever(LIBRARY).scoped(filters=NORTH), ThumbIndexToolSpec(LIBRARY, filters=NORTH)


@contextmanager
def by_block() -> Iterator[Surfaces]:
    """Made before the block, over everything."""
    retriever, spec = ThumbIndexRetriever(LIBRARY), ThumbIndexToolSpec(LIBRARY)
    with retriever.within(filters=NORTH):
        yield retriever, spec


@contextmanager
def by_block_of_names() -> Iterator[Surfaces]:
    """Named by the tools, and held by a view of the same library too."""
    retriever, spec = ThumbIndexRetriever(LIBRARY.view(Scope())), ThumbIndexToolSpec(LIBRARY)
    with spec.within(documents=["rates.md"]):
        yield retriever, spec


WAYS = st.sampled_from([by_view, by_documents, by_filters, by_block, by_block_of_names])
NAMES = st.sampled_from([HIDDEN, f"{SECRET}.md", "rates.md", VISIBLE, "no-such.md", "", "*", "%", f"../{SECRET}.md"])
SECTIONS = st.sampled_from([*HIDDEN_SECTIONS, *(f"{HIDDEN}#{node}" for node in HIDDEN_SECTIONS), "Base rate", "1"])
FILTERS = st.sampled_from(
    [
        {"tenant": SECRET},
        {"doc_id": HIDDEN},
        {"file_name": [f"{SECRET}.md", "rates.md"]},
        MetadataFilters(filters=[MetadataFilter(key="tenant", value="n", operator=FilterOperator.NE)]),
        MetadataFilters(filters=[NORTH], condition=FilterCondition.NOT),
        MetadataFilters(filters=[NORTH, MetadataFilter(key="tenant", value=SECRET)], condition=FilterCondition.OR),
    ]
)
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "document": NAMES,
        "node": SECTIONS,
        "part": st.integers(-1, 3),
        "pages": st.sampled_from(["1", "1-9"]),
        "query": st.sampled_from(["rate", "salaries", "Note 2", "pay rate"]),
        "mode": st.sampled_from(["best", "every"]),
        "cursor": st.sampled_from(["0", "1", "9"]),
        "filter": st.sampled_from(["tenant=north", "tenant", "name=rates.md"]),
        "reference": st.sampled_from(["Note 2", "see Section 1", "page 1"]),
    },
)


def shown(call: Callable[[], object]) -> str:
    """The result of a call as text, or its error with the errors of this package behind it."""
    try:
        return repr(call())
    except (ThumbIndexError, ValueError) as error:
        texts: list[str] = []
        cause: BaseException | None = error
        while cause is not None:
            if cause is error or isinstance(cause, ThumbIndexError):
                texts.append(str(cause))
            cause = cause.__cause__ or cause.__context__
        return "\n".join(texts)


def shows_the_secret(text: str, *asked: object) -> bool:
    """Returns whether a text names the hidden document, other than by repeating the request."""
    for value in sorted(map(str, asked), key=len, reverse=True):
        text = text.replace(value, "") if value else text
    return SECRET in text


def nodes(found: list[NodeWithScore]) -> str:
    return json.dumps([hit.node.to_dict() for hit in found])


class Naming(BaseRetriever):
    """A first stage that names a document by all keys at once."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        metadata = dict.fromkeys(("doc_id", "file_name", "file_path"), self.name)
        return [NodeWithScore(node=TextNode(text="", metadata=metadata), score=1.0)]


@given(WAYS, NAMES, FILTERS)
@settings(max_examples=150)
def test_no_argument_of_a_retriever_shows_what_is_outside(way: Way, name: str, filters: Filters) -> None:
    """Whatever documents, filters, first stages, stores and blocks a request asks for."""
    with way() as (retriever, spec):
        first = retriever.scoped()
        first.first_stage = Naming(name)

        def in_a_block(block: AbstractContextManager[None]) -> str:
            with block:
                return nodes(retriever.retrieve("rate")) + str(spec.browse_documents())  # type: ignore[attr-defined]

        llm = MockLLM()
        calls: list[Callable[[], object]] = [
            lambda: nodes(retriever.scoped(documents=[name]).retrieve("rate")),
            lambda: nodes(retriever.scoped(filters=filters).retrieve("salaries")),
            lambda: nodes(asyncio.run(retriever.scoped(documents=[name], similarity_top_k=50).aretrieve("rate"))),
            lambda: nodes(first.retrieve("rate")),
            lambda: retriever.docstore(documents=[name]).to_dict(),
            lambda: retriever.storage_context(documents=[name]).docstore.docs,
            lambda: retriever.as_query_engine(llm=llm, documents=[name]).query("rate"),
            lambda: in_a_block(retriever.within(documents=[name])),
            lambda: in_a_block(retriever.within(filters=filters)),
            lambda: in_a_block(spec.within(documents=[name])),
        ]
        for call in calls:
            assert not shows_the_secret(shown(call), name)


@given(WAYS, ARGUMENTS)
@settings(max_examples=150)
def test_no_argument_of_a_tool_shows_what_is_outside(way: Way, arguments: dict[str, object]) -> None:
    """Whatever ids, names, sections, cursors and references a model gives."""
    with way() as (_, spec):
        for tool in spec.to_tool_list():
            schema = tool.metadata.fn_schema
            fitting = {name: value for name, value in arguments.items() if schema and name in schema.model_fields}

            def call(tool: FunctionTool = tool, fitting: dict[str, object] = fitting) -> object:
                output = tool.call(**fitting)
                return output.content, output.raw_output

            asked = [*arguments.values(), *(str(value).rpartition("#")[2] for value in arguments.values())]
            assert not shows_the_secret(shown(call), *asked)


@given(WAYS, st.sampled_from(get_args(NavigatorName)), st.lists(st.integers(0, 9), max_size=4))
def test_no_navigator_is_shown_what_is_outside(way: Way, name: NavigatorName, numbers: list[int]) -> None:
    """Neither the prompts of a model nor the events of a search name it, whatever the model picks."""
    actions = [("search", QUESTIONS[1]), ("follow", "Note 2"), ("read", ""), ("open", ""), ("answer", "")]
    lines = [
        json.dumps(
            {
                "sections": [{"number": number, "reason": ""} for number in numbers],
                "reason": "",
                "action": action,
                "numbers": numbers,
                "text": text,
            }
        )
        for action, text in actions
    ]
    listener, root = Listener(), get_dispatcher()
    root.add_event_handler(listener)
    try:
        with way() as (retriever, _):
            llm = ScriptedLLM(lines=lines)
            navigating = retriever.scoped(similarity_top_k=50)
            navigating.navigator = ThumbIndexRetriever(Library(), navigator=name, llm=llm).navigator
            found = nodes(navigating.retrieve(QUESTIONS[0]))
    finally:
        root.event_handlers.remove(listener)
    assert SECRET not in found
    assert SECRET not in "\n".join(llm.prompts)
    assert SECRET not in "\n".join(str(event.model_dump()) for event in listener.events)


@pytest.mark.parametrize("way", [by_view, by_documents, by_filters, by_block, by_block_of_names])
def test_no_postprocessor_brings_what_is_outside(way: Way) -> None:
    """The stores hold no node of it, even for a node of it that came from elsewhere."""
    with way() as (retriever, _):
        docstore, context = retriever.docstore(), retriever.storage_context()
        neighbours = PrevNextNodePostprocessor(docstore=docstore, num_nodes=5, mode="both")
        for question in QUESTIONS:
            found = retriever.retrieve(question)
            assert SECRET not in nodes(found)
            assert SECRET not in nodes(neighbours.postprocess_nodes(found))
            assert SECRET not in nodes(AutoMergingRetriever(retriever, context).retrieve(question))
        assert {node.metadata["file_name"] for node in docstore.docs.values()} == {"rates.md"}
        for node in HIDDEN_NODES:
            assert not docstore.document_exists(node.node_id)
            assert docstore.get_ref_doc_info(HIDDEN) is None


def test_a_name_is_unknown_in_a_block_whether_it_exists_or_not() -> None:
    """A request cannot find out which documents others have."""
    retriever = ThumbIndexRetriever(LIBRARY)
    gone = retriever.scoped(documents=["gone.md"])
    with retriever.within(filters=NORTH):
        answers = set()
        for name in (HIDDEN, f"{SECRET}.md", "no-such.md"):
            scoped = retriever.scoped(documents=[name])
            answers.add(shown(partial(scoped.retrieve, "rate")).replace(name, ""))
        (answer,) = answers
        assert "rates.md" in answer
        assert SECRET not in shown(partial(gone.retrieve, "rate"))
