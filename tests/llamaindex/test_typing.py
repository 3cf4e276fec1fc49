"""A type checker finds wrong arguments, and running finds them too."""

# The other tests pass wrong values on purpose. Here each ignored error must be one: an unused `type: ignore` fails.
# mypy: warn-unused-ignores, enable-error-code="arg-type,call-arg"

from __future__ import annotations

from typing import assert_type

import pytest
from llama_index.core.schema import Document

from llama_index.retrievers.thumbindex import ThumbIndexRetriever, ThumbIndexToolSpec
from thumbindex import Library, Scope
from thumbindex.library_view import LibraryView


def test_a_misspelt_keyword_is_refused() -> None:
    """By each constructor, so that no setting is dropped in silence."""
    library = Library()
    with pytest.raises(TypeError, match="top_k"):
        ThumbIndexRetriever(library, top_k=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="strategy"):
        ThumbIndexRetriever.from_files([], strategy="select")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="filter"):
        ThumbIndexRetriever.from_documents([Document(text="x")], filter={})  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="document"):
        ThumbIndexToolSpec(library, document="a.md")  # type: ignore[call-arg]


def test_a_value_of_another_type_is_refused() -> None:
    """A name that no navigator has, and a model's name in the place of an LLM."""
    with pytest.raises(ValueError, match="no navigator 'vector'"):
        ThumbIndexRetriever(Library(), navigator="vector")  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        ThumbIndexRetriever(Library(), navigator="select", llm="gpt-5-mini").retrieve("x")  # type: ignore[arg-type]


def test_the_type_checker_knows_what_comes_back() -> None:
    """A subclass gives itself; a library and a view of it are taken alike."""

    class Own(ThumbIndexRetriever):
        """A user's subclass."""

    own = assert_type(Own.from_documents([Document(text="# A\n\nText.")]), Own)
    assert_type(own.scoped(similarity_top_k=1), Own)
    view = assert_type(Library().view(Scope()), LibraryView)
    assert ThumbIndexRetriever(view).retrieve("x") == []
