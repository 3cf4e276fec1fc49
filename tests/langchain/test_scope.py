"""Scopes: a call can narrow the documents of its retriever, and never widen them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import ConfigurableField, RunnableLambda

from langchain_thumbindex import ThumbIndexRetriever
from scripted_langchain import Listener, ScriptedChat
from thumbindex import Library, Scope
from thumbindex.errors import DocumentNotFound

QUESTION = "Which rate applies?"
SELECT = {"sections": [{"number": 1, "reason": ""}, {"number": 2, "reason": ""}, {"number": 3, "reason": ""}]}


@pytest.fixture(scope="module")
def library() -> Library:
    library = Library()
    for tenant in ("north", "south"):
        for year in (2023, 2024):
            text = f"# Rates of {year}\n\nThe rate that applies in {tenant} is {year % 100} per cent.\n"
            library.add(text.encode(), name=f"{tenant}-{year}.md", metadata={"tenant": tenant, "year": year})
    return library


def sources(documents: list[Document]) -> set[str]:
    return {document.metadata["source"] for document in documents}


ATTEMPTS: list[Any] = [
    pytest.param({"filters": {"tenant": "south"}}, set(), id="filters of another tenant"),
    pytest.param({"filters": {"tenant": ["north", "south"]}}, {"north-2023.md", "north-2024.md"}, id="filters of both"),
    pytest.param({"filters": {}}, {"north-2023.md", "north-2024.md"}, id="no filters"),
    pytest.param({"filters": {"year": 2024}}, {"north-2024.md"}, id="filters on another key"),
    pytest.param({"documents": ["north-2023.md"]}, {"north-2023.md"}, id="a document inside"),
    pytest.param({"documents": []}, set(), id="no documents"),
    pytest.param({"k": 50}, {"north-2023.md", "north-2024.md"}, id="many sections"),
]
NORTH = Scope(where={"tenant": "north"})
NARROWED: list[Any] = [
    pytest.param(lambda library: {"library": library, "filters": {"tenant": "north"}}, id="filters"),
    pytest.param(lambda library: {"library": library.view(NORTH)}, id="view"),
    pytest.param(lambda library: {"library": library, "documents": ["north-2023.md", "north-2024.md"]}, id="documents"),
]
Make = Callable[[Library], dict[str, Any]]


@pytest.mark.parametrize("narrowed", NARROWED)
@pytest.mark.parametrize(("attempt", "expected"), ATTEMPTS)
async def test_no_argument_of_a_call_widens_what_the_retriever_was_made_for(
    library: Library, narrowed: Make, attempt: dict[str, Any], expected: set[str]
) -> None:
    """Sync and async, in whichever of the three ways the retriever is narrowed."""
    retriever = ThumbIndexRetriever(k=10, **narrowed(library))
    assert sources(retriever.invoke(QUESTION, **attempt)) == expected
    assert sources(await retriever.ainvoke(QUESTION, **attempt)) == expected


@pytest.mark.parametrize("narrowed", NARROWED)
@pytest.mark.parametrize("unknown", ["south-2024.md", "no-such.md"])
def test_a_document_outside_does_not_exist(library: Library, narrowed: Make, unknown: str) -> None:
    """The error for another tenant's document equals that for an unknown name, and names no document of the tenant."""
    retriever = ThumbIndexRetriever(**narrowed(library))
    with pytest.raises(DocumentNotFound) as error:
        retriever.invoke(QUESTION, documents=[unknown])
    assert "south" not in str(error.value).replace(unknown, "")


@pytest.mark.parametrize("navigator", ["select", "walk"])
def test_a_model_is_shown_nothing_of_other_tenants(library: Library, navigator: Any) -> None:
    """Neither in outlines nor in what it reads."""
    walk = [
        {"reason": "", "action": "search", "numbers": [], "text": "rate south"},
        {"reason": "", "action": "read", "numbers": [1, 2, 3, 4], "text": ""},
        {"reason": "", "action": "answer", "numbers": [], "text": ""},
    ]

    def reply(messages: Sequence[BaseMessage]) -> str:
        return json.dumps(SELECT if navigator == "select" else walk[sum(message.type == "ai" for message in messages)])

    model = ScriptedChat(lines=itertools.repeat(reply))
    retriever = ThumbIndexRetriever(library=library.view(NORTH), llm=model, navigator=navigator, k=10)
    assert sources(retriever.invoke(QUESTION)) == {"north-2023.md", "north-2024.md"}
    prompts = [message.text for prompt in model.prompts for message in prompt if message.type != "ai"]
    assert "south" not in str(prompts).replace("“rate south”", "")


def test_a_view_holds_where_filters_are_configurable(library: Library) -> None:
    """A configurable field replaces the value of the constructor, and a view of the library stays."""
    retriever = ThumbIndexRetriever(library=library.view(NORTH), k=10).configurable_fields(
        filters=ConfigurableField(id="filters")
    )
    for filters in ({"tenant": "south"}, {"tenant": ["north", "south"]}, {"year": 2024}, None):
        found = retriever.invoke(QUESTION, {"configurable": {"filters": filters}})
        assert all(source.startswith("north") for source in sources(found))


async def test_calls_of_several_tenants_at_once_stay_apart(library: Library) -> None:
    """One retriever, many requests."""
    retriever = ThumbIndexRetriever(library=library, k=10)
    for tenant in ("north", "south"):
        found = await retriever.abatch([QUESTION] * 8, filters={"tenant": tenant})
        assert [sources(documents) for documents in found] == [{f"{tenant}-2023.md", f"{tenant}-2024.md"}] * 8


# Another retriever picks the documents


class Named(BaseRetriever):
    """What a vector store over summaries of documents would be."""

    found: list[Document]
    calls: list[str] = []  # noqa: RUF012, a pydantic field

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        self.calls.append("sync")
        return self.found

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        self.calls.append("async")
        return self.found


def naming(**metadata: str) -> Document:
    return Document("about it", metadata=metadata)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(lambda info: naming(doc_id=info.doc_id), id="by id"),
        pytest.param(lambda info: naming(source=info.source), id="by source"),
        pytest.param(lambda info: naming(name=info.name, source="elsewhere"), id="by name"),
        pytest.param(lambda info: naming(source=f"/another/machine/{info.name}"), id="by the last part of a path"),
    ],
)
async def test_the_documents_that_another_retriever_names_are_searched(
    library: Library, name: Callable[[Any], Document]
) -> None:
    """Its sync method from sync code, its async one from async code; its other documents are ignored."""
    first = Named(found=[name(library.get("south-2023.md")), naming(source="of another store")])
    retriever = ThumbIndexRetriever(library=library, k=10, document_retriever=first)
    assert sources(retriever.invoke(QUESTION)) == {"south-2023.md"}
    assert sources(await retriever.ainvoke(QUESTION)) == {"south-2023.md"}
    assert first.calls == ["sync", "async"]


def test_a_first_stage_cannot_widen_the_scope(library: Library) -> None:
    """What it names outside the view, or outside the call's own filters, is left out."""
    first = Named(
        found=[naming(source="south-2023.md"), naming(source="north-2023.md"), naming(source="north-2024.md")]
    )
    retriever = ThumbIndexRetriever(library=library.view(NORTH), k=10, document_retriever=first)
    assert sources(retriever.invoke(QUESTION)) == {"north-2023.md", "north-2024.md"}
    assert sources(retriever.invoke(QUESTION, filters={"year": 2024})) == {"north-2024.md"}


def test_a_name_that_several_tenants_use_means_the_one_in_scope() -> None:
    """The other document is neither searched nor an obstacle."""
    library = Library()
    for tenant in ("north", "south"):
        library.add(f"# Rate\n\nIn {tenant}.\n".encode(), name=f"{tenant}.md", metadata={"tenant": tenant})
    for tenant in ("south", "north"):
        tree = library.tree(f"{tenant}.md")
        library.import_tree(tree, source=f"/{tenant}/rates.md", name="rates.md", metadata={"tenant": tenant})
    first = Named(found=[naming(name="rates.md")])
    for tenant in ("north", "south"):
        view = library.view(Scope(where={"tenant": tenant}))
        retriever = ThumbIndexRetriever(library=view, document_retriever=first)
        assert sources(retriever.invoke("rate")) == {f"/{tenant}/rates.md"}


def test_a_first_stage_that_finds_nothing_leaves_nothing_to_search(library: Library) -> None:
    """It decides which documents matter: none does."""
    assert ThumbIndexRetriever(library=library, document_retriever=Named(found=[])).invoke(QUESTION) == []


def test_a_first_stage_whose_documents_name_none_of_ours_is_a_mistake(library: Library) -> None:
    """The message tells which keys were looked at, and which there are."""
    retriever = ThumbIndexRetriever(library=library, document_retriever=Named(found=[naming(uri="s3://x/north.md")]))
    with pytest.raises(DocumentNotFound, match=r"doc_id, source, name.*Their keys are uri"):
        retriever.invoke(QUESTION)


def test_a_first_stage_runs_under_the_retrievers_run(library: Library, listener: Listener) -> None:
    """Its trace and its tags; any runnable that gives documents will do."""
    first: RunnableLambda[str, list[Document]] = RunnableLambda(
        lambda _: [naming(source="south-2023.md")], name="pick documents"
    )
    retriever = ThumbIndexRetriever(library=library, document_retriever=first)
    assert sources(retriever.invoke(QUESTION, {"callbacks": [listener], "tags": ["mine"]})) == {"south-2023.md"}
    assert listener.parent_of("pick documents") == "ThumbIndexRetriever"
    assert "mine" in listener.tags["pick documents"]
