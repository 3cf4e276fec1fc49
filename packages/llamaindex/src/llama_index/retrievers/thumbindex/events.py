"""Searches as events of LlamaIndex's instrumentation."""

from __future__ import annotations

from dataclasses import asdict

from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.events import BaseEvent

from thumbindex import Retrieval, Step

dispatcher = get_dispatcher(__name__)


class TreeStepEvent(BaseEvent):
    """A step of a search; the fields are those of `thumbindex.Step`."""

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
        """The name by which handlers tell events apart."""
        return "TreeStepEvent"


class TreeTrailEvent(BaseEvent):
    """The end of a search.

    Args:
        trail: All steps as text, with the sections that came next.
        weak: Whether nothing fits the question well; what was found may then not answer it.
        tokens_in: Tokens that models read in all steps together; `tokens_out` those that they wrote.
    """

    trail: str
    weak: bool
    tokens_in: int
    tokens_out: int

    @classmethod
    def class_name(cls) -> str:
        """The name by which handlers tell events apart."""
        return "TreeTrailEvent"


@dispatcher.span
def tree_step(step: Step) -> None:
    """Reports a step that has ended, in a span of its own, for traces that show spans only. The event has the duration."""
    dispatcher.event(TreeStepEvent(**asdict(step)))


def report_end(found: Retrieval) -> None:
    """Reports the end of a search."""
    steps = found.trail.steps
    dispatcher.event(
        TreeTrailEvent(
            trail=found.trail.render(),
            weak=found.weak,
            tokens_in=sum(step.tokens_in for step in steps),
            tokens_out=sum(step.tokens_out for step in steps),
        )
    )
