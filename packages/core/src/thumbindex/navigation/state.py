"""The state of one retrieval, and how each action changes it. Pure: no store, no model, no clock."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

from ..evidence import Evidence, Retrieval
from ..trail import RunnerUp, Step, Trail
from .actions import Action, Choose, RankDocuments, SearchSections, Stop


@dataclass(frozen=True, slots=True)
class State:
    """A question, what was done about it so far, and what was chosen, best first."""

    question: str
    steps: tuple[Step, ...] = ()
    chosen: tuple[Evidence, ...] = ()
    runners_up: tuple[RunnerUp, ...] = ()
    weak: bool = False
    done: bool = False

    def retrieval(self) -> Retrieval:
        """What the caller gets."""
        return Retrieval(self.question, self.chosen, Trail(self.steps, self.runners_up), self.weak)


def advance(state: State, action: Action) -> State:
    """The state after an action, with the action's step at the end of its trail.

    Raises:
        ValueError: the retrieval has ended already.
    """
    if state.done:
        raise ValueError(f"The retrieval of {state.question!r} has ended; begin another one.")
    after = replace(state, steps=(*state.steps, describe(action)))
    match action:
        case Choose(evidence):
            return replace(after, chosen=(*state.chosen, evidence))
        case Stop(_, weak, runners_up):
            return replace(after, weak=weak, runners_up=runners_up, done=True)
        case RankDocuments() | SearchSections():
            return after
        case _:
            assert_never(action)


def describe(action: Action) -> Step:
    """An action as a step of the trail, in words."""
    match action:
        case RankDocuments(kept, considered, seconds):
            shown = ", ".join(kept[:3]) + (f" and {len(kept) - 3} more" if len(kept) > 3 else "")
            return Step(
                "rank documents",
                f"{considered} document{'' if considered == 1 else 's'}",
                "their names and best sections fit the question" if len(kept) < considered else "",
                f"{len(kept)} to search: {shown}" if kept else "none to search",
                seconds=seconds,
            )
        case SearchSections(terms, absent, found, seconds):
            return Step(
                "search sections",
                " ".join(terms),
                "",
                f"{found} passage{'' if found == 1 else 's'} with at least one of these words"
                + (f"; none with: {', '.join(absent)}" if absent else ""),
                seconds=seconds,
            )
        case Choose(evidence):
            return Step("choose", evidence.citation, evidence.why, f"{evidence.section_path} ({evidence.score:.2f})")
        case Stop(reason, weak, _):
            return Step("stop", "", reason, "nothing fits the question well" if weak else "")
        case _:
            assert_never(action)
