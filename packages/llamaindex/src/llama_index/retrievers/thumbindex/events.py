"""What LlamaIndex's instrumentation hears of a search."""

from __future__ import annotations

from dataclasses import asdict

from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.events import BaseEvent

from thumbindex.evidence import Retrieval
from thumbindex.trail import Step

dispatcher = get_dispatcher(__name__)


class TreeStepEvent(BaseEvent):
    """One step of a search; the fields are those of `thumbindex.trail.Step`."""

    action: str
    target: str
    reason: str
    outcome: str
    tokens_in: int
    tokens_out: int
    seconds: float
    tokens_cached: int = 0

    @classmethod
    def class_name(cls) -> str:
        """What handlers tell events apart by."""
        return "TreeStepEvent"


class TreeTrailEvent(BaseEvent):
    """The end of a search: its whole trail as text, with the sections that came next, and whether nothing fits well.

    Args:
        weak: Nothing fits the question well: what was found is the best there is, and may not answer it.
        tokens_in: What models read in all steps together; `tokens_out` is what they wrote.
    """

    trail: str
    weak: bool
    tokens_in: int
    tokens_out: int

    @classmethod
    def class_name(cls) -> str:
        """What handlers tell events apart by."""
        return "TreeTrailEvent"


@dispatcher.span
def tree_step(step: Step) -> None:
    """Tell all handlers of a step: an event in a span of its own, so that traces that show spans alone show it too.

    It is told when it is over: how long it took stands in the event, not in the length of the span.
    """
    dispatcher.event(TreeStepEvent(**asdict(step)))


def report_end(found: Retrieval) -> None:
    """Tell all handlers how a search ended."""
    steps = found.trail.steps
    dispatcher.event(
        TreeTrailEvent(
            trail=found.trail.render(),
            weak=found.weak,
            tokens_in=sum(step.tokens_in for step in steps),
            tokens_out=sum(step.tokens_out for step in steps),
        )
    )
