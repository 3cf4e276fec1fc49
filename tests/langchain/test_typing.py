"""Constructors have real types: mypy finds a wrong keyword or value where it is written, and running finds it too."""

# The other tests pass wrong values on purpose. Here each ignored error must be one: an unused `type: ignore` fails.
# mypy: warn-unused-ignores, enable-error-code="arg-type,call-arg,typeddict-item"

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.documents import Document
from pydantic import ValidationError

from langchain_thumbindex import LangChainChat, ThumbIndexRetriever, ThumbIndexToolkit
from langchain_thumbindex.agents import CitationMiddleware
from scripted_langchain import ScriptedChat
from thumbindex import Budget, Lexical, Library, Scope, Walk
from thumbindex.errors import SourceNotFound
from thumbindex.library_view import LibraryView
from thumbindex.testing import ScriptedModel, sample_library


@pytest.fixture(scope="module")
def library() -> Library:
    return sample_library()


def test_what_is_right_needs_no_cast(library: Library) -> None:
    """Libraries and views, names and navigators, models of LangChain and ours."""
    view: LibraryView = library.view(Scope(["lantern.md"]))
    model = ScriptedChat()
    ThumbIndexRetriever(library=view, k=2, navigator="lexical", filters={"year": {"$gte": 2023}}, name="manuals")
    ThumbIndexRetriever(library=library, llm=model, navigator="walk", budget=Budget(seconds=10))
    ThumbIndexRetriever(library=library, llm=ScriptedModel([]))
    ThumbIndexRetriever(library=library, navigator=Walk(LangChainChat(model.with_retry())))
    ThumbIndexRetriever.from_documents([Document("text")], k=2, navigator=Lexical(include=["references"]))
    ThumbIndexToolkit(view, documents=["lantern.md"], prefix="manuals_")
    CitationMiddleware(view, filters={"year": 2023}, on_failure="raise")


def test_a_wrong_keyword_is_found(library: Library) -> None:
    """In every constructor."""
    with pytest.raises(ValidationError, match="top_k"):
        ThumbIndexRetriever(library=library, top_k=3)  # type: ignore[call-arg]
    with pytest.raises(ValidationError, match="top_k"):
        ThumbIndexRetriever.from_documents([Document("text")], top_k=3)  # type: ignore[call-arg]
    with pytest.raises(SourceNotFound):
        ThumbIndexRetriever.from_files([Path("no.pdf")], top_k=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="scope"):
        ThumbIndexToolkit(library, scope=Scope())  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="repair"):
        CitationMiddleware(library, repair=2)  # type: ignore[call-arg]


def test_a_wrong_value_is_found(library: Library) -> None:
    """A path for a library, a navigator that does not exist, a number for a budget."""
    with pytest.raises(ValidationError, match="library"):
        ThumbIndexRetriever(library="reports.db")  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match="navigator"):
        ThumbIndexRetriever(library=library, navigator="tree")  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match="budget"):
        ThumbIndexRetriever(library=library, budget=3000)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="llm takes a LangChain chat model"):
        ThumbIndexRetriever(library=library, llm=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="documents takes a list"):
        ThumbIndexRetriever(library=library).invoke("wick", documents="lantern.md")
