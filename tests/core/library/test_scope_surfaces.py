"""No surface of a view shows a document outside its scope, not even its name: tools, cursors, references, resources, reads."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from mcp import Client
from mcp.shared.exceptions import MCPError

from scoped_library import (
    ARGUMENTS,
    HIDDEN,
    HIDDEN_SECTIONS,
    LIBRARY,
    NAMES,
    SECRET,
    SECTIONS,
    VIEW,
    without_the_question,
)
from thumbindex import Scope
from thumbindex.errors import ThumbIndexError
from thumbindex.library_view import LibraryView
from thumbindex.mcp import make_server
from thumbindex.tools import ToolError, catalogue


def shown_by_tools(view: LibraryView, arguments: dict[str, object]) -> Iterator[str]:
    for tool in catalogue(view):
        fitting = {name: value for name, value in arguments.items() if name in tool.arguments.model_fields}
        try:
            result = tool.run(**fitting)
        except ToolError as error:
            yield str(error)
        else:
            yield result.text
            yield repr(result.evidence)
            yield repr(result.shown)


@given(ARGUMENTS)
@settings(max_examples=200)
def test_tools_show_nothing_outside(arguments: dict[str, object]) -> None:
    """Whatever ids, names, sections, cursors and references a model gives."""
    for text in shown_by_tools(VIEW, arguments):
        assert SECRET not in without_the_question(text, arguments)


@given(NAMES, SECTIONS)
def test_calls_of_a_view_show_nothing_outside(document: str, section: str) -> None:
    """Reads, references, checks, exports and questions."""
    calls = [
        lambda: VIEW.get(document),
        lambda: VIEW.read(document, node=section),
        lambda: VIEW.read(document),
        lambda: VIEW.tree(document).render(),
        lambda: VIEW.export(document),
        lambda: VIEW.sections(document),
        lambda: VIEW.follow(document, "Note 2"),
        lambda: VIEW.check(document),
        lambda: VIEW.retrieve("rate", scope=Scope([document])),
        lambda: VIEW.find_all("rate", scope=Scope([document])),
        lambda: VIEW.list(scope=Scope([document]), query="rate"),
        lambda: VIEW.view(Scope([document])).list(),
    ]
    for call in calls:
        try:
            shown = repr(call())
        except (ThumbIndexError, ValueError) as error:
            shown = str(error)
        assert SECRET not in without_the_question(shown, {"document": document, "section": section})


def test_questions_see_nothing_outside() -> None:
    """Not in evidence, runners-up or steps."""
    for question in ("What is the rate?", "salaries", "see Note 2"):
        assert SECRET not in repr(VIEW.retrieve(question, k=50))
    assert SECRET not in repr(VIEW.find_all("rate"))


def test_evidence_of_a_document_outside_leads_nowhere() -> None:
    """As if the document did not exist."""
    foreign = LIBRARY.retrieve(SECRET, k=1).evidence[0]
    for call in (lambda: VIEW.referenced(foreign), lambda: VIEW.page_image(foreign.doc_id, 1, evidence=foreign)):
        with pytest.raises(ThumbIndexError):
            call()


def test_mcp_resources_show_nothing_outside() -> None:
    """Listed or read by a guessed address."""

    async def run() -> None:
        async with Client(make_server(VIEW)) as client:
            assert SECRET not in repr(await client.list_resources())
            for node in ("", *(f"/sections/{node}" for node in HIDDEN_SECTIONS)):
                with pytest.raises(MCPError) as error:
                    await client.read_resource(f"thumbindex://documents/{HIDDEN}{node}")
                assert SECRET not in str(error.value).replace(HIDDEN, "")

    asyncio.run(run())
