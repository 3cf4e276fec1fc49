"""The state of one retrieval, and how each action changes it. Pure: no store, no model, no clock."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

from ..evidence import Evidence, Retrieval
from ..text.characters import shorten
from ..trail import RunnerUp, Step, Trail
from .actions import (
    Action,
    Back,
    Choose,
    Conclude,
    Cost,
    Fault,
    Follow,
    Keep,
    Merge,
    Open,
    Pick,
    RankDocuments,
    Read,
    Search,
    SearchSections,
    Split,
    Stop,
)

_SHOWN = 80
"""Characters of a reply that a trail shows where it could not be carried out."""


@dataclass(frozen=True, slots=True)
class State:
    """A question, the steps taken so far, and the evidence chosen, best first."""

    question: str
    steps: tuple[Step, ...] = ()
    chosen: tuple[Evidence, ...] = ()
    runners_up: tuple[RunnerUp, ...] = ()
    weak: bool = False
    done: bool = False

    def retrieval(self) -> Retrieval:
        """The retrieval as the caller gets it."""
        return Retrieval(self.question, self.chosen, Trail(self.steps, self.runners_up), self.weak)


def advance(state: State, action: Action) -> State:
    """The state after an action, with the action's step at the end of its trail.

    Raises:
        ValueError: the retrieval has ended already.
    """
    if state.done:
        raise ValueError(f"The retrieval of {state.question!r} has ended; begin another.")
    after = replace(state, steps=(*state.steps, describe(action)))
    match action:
        case Choose(evidence):
            return replace(after, chosen=(*state.chosen, evidence))
        case Keep(ids):
            return replace(
                after, chosen=_with_read((), tuple(evidence for evidence in state.chosen if evidence.id in ids))
            )
        case Stop(_, weak, runners_up):
            return replace(after, weak=weak, runners_up=runners_up, done=True)
        case Merge(evidence, _, _, weak, runners_up):
            return replace(after, chosen=evidence, weak=weak, runners_up=runners_up, done=True)
        case Read() | Follow():
            return replace(after, chosen=_with_read(state.chosen, action.evidence))
        case RankDocuments() | SearchSections() | Pick() | Open() | Search() | Back() | Split() | Conclude() | Fault():
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
        case Keep(ids, read):
            return Step("keep", f"{len(ids)} of {read} passages read", "they fit the question best by their words")
        case Stop(reason, weak, _):
            return Step("stop", "", reason, "nothing fits the question well" if weak else "")
        case Merge(evidence, documents, found, weak, _):
            return Step(
                "merge",
                f"{documents} documents",
                "",
                f"{len(evidence)} of {found} passages, document by document in turn"
                + ("; nothing fits the question well" if weak else ""),
            )
        case Pick(picked, shown, reason, cost):
            outcome = (
                f"{len(picked)} of the {shown} sections shown" if picked else f"none of the {shown} sections shown"
            )
            return _paid("pick", ", ".join(picked), reason, outcome, cost)
        case Open(target, reason, outcome, cost):
            return _paid("open", target, reason, outcome, cost)
        case Read(targets, reason, outcome, _, cost):
            return _paid("read", ", ".join(targets), reason, outcome, cost)
        case Search(query, reason, outcome, cost):
            return _paid("search", query, reason, outcome, cost)
        case Follow(reference, reason, outcome, _, cost):
            return _paid("follow", reference, reason, outcome, cost)
        case Back(reason, cost):
            return _paid("back", "", reason, "the top of the outline", cost)
        case Split(parts, reason, cost):
            return _paid("split", " | ".join(parts), reason, f"{len(parts)} parts", cost)
        case Conclude(part, reason, cost):
            return _paid("conclude", part, reason, "", cost)
        case Fault(reply, correction, cost):
            shown_reply = shorten(" ".join(reply.split()), _SHOWN)
            return _paid("unusable reply", shown_reply, "", correction, cost)
        case _:
            assert_never(action)


def _paid(action: str, target: str, reason: str, outcome: str, cost: Cost) -> Step:
    return Step(action, target, reason, outcome, cost.tokens_in, cost.tokens_out, cost.seconds, cost.tokens_cached)


def _with_read(chosen: tuple[Evidence, ...], read: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """The evidence chosen and then that read, each passage once; scores fall with the order of reading."""
    known = {evidence.id for evidence in chosen}
    together = [*chosen, *(evidence for evidence in read if evidence.id not in known)]
    return tuple(replace(evidence, score=reading_score(rank)) for rank, evidence in enumerate(together))


READING_DECAY = 0.1
"""How much lower each further passage that a model chose scores: enough to order them, and no measure of fit."""


def reading_score(rank: int) -> float:
    """The score of the passage that a model chose at a rank, from 0: 1.0, then falling strictly."""
    return 1.0 / (1.0 + READING_DECAY * rank)
