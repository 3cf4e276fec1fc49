"""A ready agent that reads and answers with citations, each of which is checked."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from agents import Agent, AgentHooks, Model, RunContextWrapper, Tool, TResponseInputItem

from thumbindex import Scope
from thumbindex.library_view import LibraryView

from .guardrail import Mode
from .tools import RunScope, thumbindex_tools


class _Turns(AgentHooks[Any]):
    """Counts the turns of an agent in each run."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: WeakKeyDictionary[RunContextWrapper[Any], int] = WeakKeyDictionary()

    async def on_llm_start(
        self,
        context: RunContextWrapper[Any],
        _agent: Agent[Any],
        _system_prompt: str | None,
        _input_items: list[TResponseInputItem],
    ) -> None:
        self._taken[context] = self._taken.get(context, 0) + 1

    def are_left(self, context: RunContextWrapper[Any]) -> bool:
        return self._taken.get(context, 0) < self._most


class _Researcher(Agent[Any]):
    """Offers the model no tools after its last reading turn."""

    async def get_all_tools(self, run_context: RunContextWrapper[Any]) -> list[Tool]:
        # Not by the tools' `is_enabled`: the SDK asks that again when it runs the calls of the last turn.
        if isinstance(self.hooks, _Turns) and not self.hooks.are_left(run_context):
            return []
        return await super().get_all_tools(run_context)


def research_agent(
    library: LibraryView,
    scope: Scope | RunScope | None = None,
    *,
    model: str | Model | None = None,
    name: str = "Researcher",
    instructions: str = "",
    mode: Mode = "trip",
    max_reading_turns: int = 8,
    max_output_tokens: int = 3000,
) -> Agent[Any]:
    """An agent that answers from a library's documents; its `output_guardrails` check every citation.

    Run it with `Runner`, with `run_with_repair`, as a handoff, or as a tool of another agent.

    Args:
        scope: See `thumbindex_tools`.
        model: As `Agent` takes it; None for the SDK's default.
        instructions: Your own, followed by those on reading and citing.
        mode: Of the guardrail; see `ThumbIndexTools.citation_guardrail`.
        max_reading_turns: Turns with tools. After them the agent has to answer from what it has read, before the runner's
            default of 10 turns ends the run.
        max_output_tokens: Limit of each output.
    """
    tools = thumbindex_tools(library, scope, max_output_tokens=max_output_tokens)
    return _Researcher(
        name=name,
        instructions="\n\n".join(filter(None, [instructions.strip(), tools.instructions])),
        model=model,
        tools=tools,
        hooks=_Turns(max_reading_turns),
        output_guardrails=[tools.citation_guardrail(mode)],
    )
