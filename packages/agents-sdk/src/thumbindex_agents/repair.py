"""After a trip of the citation guardrail: the model is told what is wrong with its answer, and gets another chance."""

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
    """The conversation of a run that the citation guardrail ended, and the request to mend its answer: input for a new run.

    Raises:
        ValueError: another guardrail ended the run.
    """
    run = _tripped(error)
    if run is None:
        raise ValueError(f"{error.guardrail_result.guardrail.get_name()} is no citation guardrail: it has no repair.")
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
    """`Runner.run`, and where the citation guardrail ends the run, one more run that is told what is wrong.

    The second run goes on with the agent that answered, has all that was read before, and adds to the same usage. A session
    keeps the question, what was read, and the answer that passed; of an answer that did not, nothing.

    Args:
        repairs: How many more runs at most.
        max_turns: Of each run.

    Raises:
        OutputGuardrailTripwireTriggered: the last answer does not pass either, or another guardrail tripped.
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
            # The server has the conversation already; a session would keep the faulty answer in it.
            asked = [_request(error)] if conversation_id else repair_input(error)
            agent, saving = run.last_agent, None
            # Another wrapper, since it is another run; the usage, and with it what was read, goes on.
            context = RunContextWrapper(run.context_wrapper.context, usage=run.context_wrapper.usage)
    if session is not None and saving is None:
        await session.add_items([item.to_input_item() for item in result.new_items])
    return result


def _tripped(error: OutputGuardrailTripwireTriggered) -> RunErrorDetails | None:
    """The run that a citation guardrail ended; None where it was another guardrail."""
    return error.run_data if isinstance(error.guardrail_result.guardrail, CitationGuardrail) else None


def _request(error: OutputGuardrailTripwireTriggered) -> TResponseInputItem:
    return {"role": "user", "content": error.guardrail_result.output.output_info["repair_request"]}
