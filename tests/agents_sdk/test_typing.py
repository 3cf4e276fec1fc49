"""Factories have real types: mypy finds a wrong keyword or value where it is written, and running finds it too."""

# The other tests pass wrong values on purpose. Here each ignored error must be one: an unused `type: ignore` fails.
# mypy: warn-unused-ignores, enable-error-code="arg-type,call-arg"

from __future__ import annotations

from typing import Any

import pytest
from agents import Agent, RunContextWrapper, Tool

from thumbindex import Library, Scope
from thumbindex.testing import sample_library
from thumbindex_agents import research_agent, thumbindex_tools


@pytest.fixture(scope="module")
def library() -> Library:
    return sample_library()


async def own(context: RunContextWrapper[Any]) -> Scope:
    return Scope(context.context)


def test_what_is_right_needs_no_cast(library: Library) -> None:
    """Libraries and views, scopes and functions of the run; the bundle is a list of tools."""
    tools: list[Tool] = thumbindex_tools(library.view(Scope(["lantern.md"])), prefix="manuals_", timeout=None)
    tools = [*tools, *thumbindex_tools(library, Scope(where={"year": 2023}))]
    agent: Agent[Any] = research_agent(library, own, mode="annotate")
    thumbindex_tools(library, lambda run: Scope(run.context["documents"]))
    assert len(tools) == 2 * len(agent.tools)


def test_what_is_wrong_is_found(library: Library) -> None:
    """A keyword, and names in place of a scope: they must not leave the whole library open."""
    with pytest.raises(TypeError, match="documents"):
        thumbindex_tools(library, documents=["lantern.md"])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="model_name"):
        research_agent(library, model_name="gpt")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="scope takes a Scope"):
        thumbindex_tools(library, ["lantern.md"])  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        thumbindex_tools("reports.db", Scope())  # type: ignore[arg-type]
