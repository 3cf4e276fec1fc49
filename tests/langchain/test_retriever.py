"""The LangChain retriever: what it returns, what a call may say, and the steps it reports."""

from __future__ import annotations

import copy
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.runnables import ConfigurableField

from langchain_thumbindex import ThumbIndexRetriever
from langchain_thumbindex.retriever import STEP_EVENT
from thumbindex import Budget, Library
from thumbindex.conformance import QUESTION, Result, RetrieverContract, sample_library


def as_result(document: Document) -> Result:
    assert document.id is not None
    return Result(document.id, document.page_content, document.metadata, None, document)


class TestThumbIndexRetriever(RetrieverContract):
    """The contract of every adapter."""

    def retriever(self, library: Library, k: int) -> ThumbIndexRetriever:
        return ThumbIndexRetriever(library=library, k=k)

    def retrieve(self, retriever: ThumbIndexRetriever, question: str) -> Sequence[Result]:
        return [as_result(document) for document in retriever.invoke(question)]

    async def aretrieve(self, retriever: ThumbIndexRetriever, question: str) -> Sequence[Result]:
        return [as_result(document) for document in await retriever.ainvoke(question)]


@pytest.fixture(scope="module")
def retriever() -> ThumbIndexRetriever:
    return ThumbIndexRetriever(library=sample_library(), k=3)


class Listener(BaseCallbackHandler):
    """Keeps the custom events it hears, and the thread it heard them in."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, Any]] = []

    def on_custom_event(self, name: str, data: Any, **kwargs: Any) -> None:
        self.heard.append((name, data))


class AsyncListener(AsyncCallbackHandler):
    """The same for async applications; it must be called in the loop's thread."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, Any]] = []
        self.threads: set[int] = set()

    async def on_custom_event(self, name: str, data: Any, **kwargs: Any) -> None:
        self.threads.add(threading.get_ident())
        self.heard.append((name, data))


def test_a_section_with_pages_has_the_keys_of_the_pdf_loaders(retriever: ThumbIndexRetriever) -> None:
    """`source` as given, `page` counted from 0 and `page_label` as text; ours count from 1."""
    (found,) = [d for d in retriever.invoke(QUESTION) if d.metadata["section_path"] == "Borrowings › Term loan"]
    assert found.metadata == {
        "source": "loans",
        "page": 1,
        "page_label": "2",
        "page_start": 2,
        "page_end": 2,
        "total_pages": 4,
        "section_id": found.id,
        "doc_id": found.id.split("#")[0] if found.id else "",
        "section_path": "Borrowings › Term loan",
    }
    assert "4.25 percent" in found.page_content


def test_a_section_without_pages_has_lines_and_the_documents_own_metadata(retriever: ThumbIndexRetriever) -> None:
    """The title of the front matter comes along; its list of tags does not, since metadata is flat."""
    found = retriever.invoke("How often is interest paid?", k=1, documents=["treasury.md"])[0]
    assert found.metadata["title"] == "Treasury guide"
    assert not {"page", "page_start", "page_label", "tags"} & found.metadata.keys()
    assert (found.metadata["line_start"], found.metadata["section_path"]) == (7, "Treasury guide › Paying interest")


def test_a_call_may_choose_k_documents_and_filters(retriever: ThumbIndexRetriever) -> None:
    """Each goes before the retriever's own setting, which stays as it was."""
    assert len(retriever.invoke(QUESTION, k=1)) == 1
    assert {d.metadata["source"] for d in retriever.invoke(QUESTION, documents=["treasury.md"])} == {"treasury.md"}
    titled = retriever.invoke(QUESTION, filters={"title": ["Treasury guide", "Other"]})
    assert {d.metadata["source"] for d in titled} == {"treasury.md"}
    assert retriever.invoke(QUESTION, filters={"title": "No such title"}) == []
    assert len(retriever.invoke(QUESTION)) == 3


async def test_an_async_call_may_choose_them_too(retriever: ThumbIndexRetriever) -> None:
    """The async method takes the same arguments as the sync one."""
    found = await retriever.ainvoke(QUESTION, k=1, documents=["treasury.md"], filters={"title": "Treasury guide"})
    assert [d.metadata["source"] for d in found] == ["treasury.md"]


def test_an_unknown_argument_is_refused(retriever: ThumbIndexRetriever) -> None:
    """A misspelt argument must not be dropped in silence."""
    with pytest.raises(TypeError, match="top_k"):
        retriever.invoke(QUESTION, top_k=2)


def test_a_retriever_may_be_bound_to_documents_filters_and_a_budget() -> None:
    """What is set once holds for every call."""
    library = sample_library()
    bound = ThumbIndexRetriever(library=library, documents=["treasury.md"], filters={"title": "Treasury guide"})
    assert {d.metadata["source"] for d in bound.invoke(QUESTION)} == {"treasury.md"}
    assert len(ThumbIndexRetriever(library=library, k=5, budget=Budget(evidence_tokens=30)).invoke(QUESTION)) < 5


def test_from_files_makes_a_retriever_in_one_line(tmp_path: Path) -> None:
    """From a path to a passage; `source` is the path as given."""
    guide = tmp_path / "guide.md"
    guide.write_text("# Guide\n\n## Install\n\nRun the installer.\n\n## Remove\n\nDelete the folder.\n")
    retriever = ThumbIndexRetriever.from_files([guide], k=1, tags=["guide"])
    (found,) = retriever.invoke("How do I install it?")
    assert (found.metadata["source"], found.metadata["section_path"]) == (str(guide), "Guide › Install")
    assert (retriever.k, retriever.tags) == (1, ["guide"])


def test_from_files_refuses_one_path_without_a_list() -> None:
    """Its letters would be taken for files."""
    with pytest.raises(TypeError, match=r"from_files\(\['report\.pdf'\]\)"):
        ThumbIndexRetriever.from_files("report.pdf")


def test_from_files_can_keep_the_library_in_a_file(tmp_path: Path) -> None:
    """`path` is the library's own file; the next process opens it without the documents."""
    guide = tmp_path / "guide.md"
    guide.write_text("# Guide\n\nRun the installer.\n")
    first = ThumbIndexRetriever.from_files([guide], path=tmp_path / "library.db")
    assert isinstance(first.library, Library)
    first.library.close()
    guide.unlink()
    assert ThumbIndexRetriever(library=Library(tmp_path / "library.db")).invoke("installer")


def test_each_step_is_a_custom_event(retriever: ThumbIndexRetriever) -> None:
    """A callback handler hears the steps of the trail, in order, as plain data."""
    listener = Listener()
    retriever.invoke(QUESTION, {"callbacks": [listener]})
    trail = retriever.library.retrieve(QUESTION, k=3).trail
    assert [name for name, _ in listener.heard] == [STEP_EVENT] * len(trail.steps)
    assert [(data["action"], data["target"]) for _, data in listener.heard] == [
        (step.action, step.target) for step in trail.steps
    ]


async def test_async_steps_arrive_in_the_callers_loop_and_in_order(retriever: ThumbIndexRetriever) -> None:
    """An async handler may use the loop's own objects: the search runs in a thread, the handler does not."""
    listener = AsyncListener()
    await retriever.ainvoke(QUESTION, {"callbacks": [listener]})
    trail = retriever.library.retrieve(QUESTION, k=3).trail
    assert [data["target"] for _, data in listener.heard] == [step.target for step in trail.steps]
    assert listener.threads == {threading.get_ident()}


async def test_the_steps_show_in_astream_events(retriever: ThumbIndexRetriever) -> None:
    """The stream of events holds start, steps and end of the retrieval; each step is a run and an event."""
    events = [event async for event in retriever.astream_events(QUESTION, version="v2")]
    kinds = [event["event"] for event in events]
    assert (kinds[0], kinds[-1]) == ("on_retriever_start", "on_retriever_end")
    assert kinds[1:-1] == ["on_chain_start", "on_chain_end", "on_custom_event"] * (len(kinds[1:-1]) // 3)
    assert {event["run_id"] for event in events if event["event"] == "on_custom_event"} == {events[0]["run_id"]}
    assert [event["name"] for event in events if event["event"] == "on_chain_start"][-1] == "thumbindex stop"


def test_scores_and_trail_stay_out_of_the_metadata(retriever: ThumbIndexRetriever) -> None:
    """`MultiQueryRetriever` and caches compare whole documents."""
    assert not {"score", "trail", "why", "rank"} & retriever.invoke(QUESTION)[0].metadata.keys()


def test_configurable_copies_share_the_library(retriever: ThumbIndexRetriever) -> None:
    """`configurable_fields` makes a new retriever for each call; the documents must not be read again for it."""
    configurable = retriever.configurable_fields(k=ConfigurableField(id="k"))
    assert len(configurable.with_config(configurable={"k": 1}).invoke(QUESTION)) == 1
    assert copy.copy(retriever).library is retriever.library


def test_the_library_shows_neither_in_the_repr_nor_in_a_dump(retriever: ThumbIndexRetriever) -> None:
    """Both end up in traces."""
    assert "library" not in repr(retriever)
    assert "library" not in retriever.model_dump()


def test_traces_name_the_retriever(retriever: ThumbIndexRetriever) -> None:
    """Whatever a user calls the runnable."""
    named = ThumbIndexRetriever(library=retriever.library, name="reports")
    assert named._get_ls_params() == {"ls_retriever_name": "thumbindex"}
