"""The output guardrail that checks the citations of a final answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any, Literal, TypeAlias

from agents import Agent, GuardrailFunctionOutput, OutputGuardrail, RunContextWrapper

from thumbindex.citations import Checked, annotate, repair_request

Check: TypeAlias = Callable[[object, RunContextWrapper[Any]], Awaitable[Checked]]
Mode: TypeAlias = Literal["trip", "annotate"]


class CitationGuardrail(OutputGuardrail[Any]):
    """The output guardrail of a bundle.

    Its `output_info` is plain data: `passes`; `citations`, each with its `status` and a note; `uncited` sentences; `annotated`,
    the answer with remarks if it is a text; and `repair_request`, a message that asks the model for a repair.
    """

    def __init__(self, check: Check, mode: Mode, *, name: str, prefix: str) -> None:
        if mode not in ("trip", "annotate"):
            raise ValueError(f"mode is 'trip' or 'annotate', not {mode!r}.")

        async def run(context: RunContextWrapper[Any], _agent: Agent[Any], output: object) -> GuardrailFunctionOutput:
            checked = await check(output, context)
            info = {
                "passes": checked.passes,
                "citations": [asdict(citation) for citation in checked.citations],
                "uncited": list(checked.uncited),
                "annotated": annotate(output, checked) if isinstance(output, str) else None,
                "repair_request": "" if checked.passes else repair_request(checked, prefix=prefix),
            }
            return GuardrailFunctionOutput(info, tripwire_triggered=mode == "trip" and not checked.passes)

        super().__init__(guardrail_function=run, name=name)
