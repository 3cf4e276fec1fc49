"""The record of one retrieval: its state, and a report of each step."""

from __future__ import annotations

from dataclasses import replace

from ..evidence import Retrieval
from ..trail import Step
from .actions import Action
from .protocol import Flow, Report
from .state import State, advance


class ActionLog:
    """Applies actions to the state of a retrieval and reports each as a step."""

    def __init__(self, question: str) -> None:
        self.state = State(question)
        self._of_branches: list[Step] = []

    def record(self, action: Action) -> Flow[None]:
        """Applies an action."""
        self.state = advance(self.state, action)
        yield Report(self.state.steps[-1])

    def branch(self, document: str) -> DocumentLog:
        """The log of one of several documents that are navigated at the same time."""
        return DocumentLog(self.state.question, document, self._of_branches)

    def join(self) -> None:
        """Takes in the steps of all branches, in the order in which they happened."""
        self.state = replace(self.state, steps=(*self.state.steps, *self._of_branches))
        self._of_branches.clear()

    def retrieval(self) -> Retrieval:
        """The retrieval so far."""
        return self.state.retrieval()


class DocumentLog(ActionLog):
    """The log of one of several documents; its steps name the document."""

    def __init__(self, question: str, document: str, shared: list[Step]) -> None:
        super().__init__(question)
        self._document, self._shared = document, shared

    def record(self, action: Action) -> Flow[None]:
        """Applies an action."""
        self.state = advance(self.state, action)
        step = self.state.steps[-1]
        step = replace(step, target=f"{self._document}: {step.target}".rstrip(": "))
        # Branches advance in several threads; appending to a list is atomic.
        self._shared.append(step)
        yield Report(step)
