"""Repair of an answer after the citation guardrail tripped: another run, with a message that lists the faults."""

from __future__ import annotations

from typing import Any

from agents import (
    Agent,
    OutputGuardrailTripwireTriggered,
    RunConfig,
    RunContextWrapper,
    RunErrorDetails,
    RunHooks,
    Runner,
    RunResult,
    TResponseInputItem,
)
from agents.items import ItemHelpers
from agents.memory import Session

from .guardrail import CitationGuardrail


def repair_input(error: OutputGuardrailTripwireTriggered) -> list[TResponseInputItem]:
    """Input for a new run: the conversation of a run that the citation guardrail ended, and the request for a repair.

    Raises:
        ValueError: another guardrail ended the run.
    """
    run = _tripped(error)
    if run is None:
        raise ValueError(
            f"{error.guardrail_result.guardrail.get_name()} is no citation guardrail: its trips cannot be repaired."
        )
    done = [item.to_input_item() for item in run.new_items]
    return [*ItemHelpers.input_to_new_input_list(run.input), *done, _request(error)]


async def run_with_repair(
    agent: Agent[Any],
    input: str | list[TResponseInputItem],
    *,
    repairs: int = 1,
    context: object = None,
    max_turns: int = 10,
    hooks: RunHooks[Any] | None = None,
    run_config: RunConfig | None = None,
    session: Session | None = None,
    conversation_id: str | None = None,
) -> RunResult:
    """`Runner.run`, and after a trip of the citation guardrail another run with a message that lists the faults.

    The second run continues with the agent that answered and the same read log and usage. A session stores the question, the
    tool outputs and the answer that passed, and nothing of an answer that did not pass.

    Args:
        repairs: Number of further runs at most.
        max_turns: Of each run.

    Raises:
        OutputGuardrailTripwireTriggered: the last answer does not pass, or another guardrail tripped.
    """
    asked, saving = input, session
    while True:
        try:
            result = await Runner.run(
                agent,
                asked,
                context=context,
                max_turns=max_turns,
                hooks=hooks,
                run_config=run_config,
                session=saving,
                conversation_id=conversation_id,
            )
            break
        except OutputGuardrailTripwireTriggered as error:
            run = _tripped(error)
            if run is None or repairs < 1:
                raise
            repairs -= 1
            # The server has the conversation already; a session would store the faulty answer.
            asked = [_request(error)] if conversation_id else repair_input(error)
            agent, saving = run.last_agent, None
            # A new wrapper for a new run, with the same usage, to which the read logs belong.
            context = RunContextWrapper(run.context_wrapper.context, usage=run.context_wrapper.usage)
    if session is not None and saving is None:
        await session.add_items([item.to_input_item() for item in result.new_items])
    return result


def _tripped(error: OutputGuardrailTripwireTriggered) -> RunErrorDetails | None:
    """The run that a citation guardrail ended; None if another guardrail did."""
    return error.run_data if isinstance(error.guardrail_result.guardrail, CitationGuardrail) else None


def _request(error: OutputGuardrailTripwireTriggered) -> TResponseInputItem:
    return {"role": "user", "content": error.guardrail_result.output.output_info["repair_request"]}
