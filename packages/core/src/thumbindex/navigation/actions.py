"""The actions of navigators, as values: a closed set, so that the type checker finds a forgotten case."""

from __future__ import annotations

from dataclasses import dataclass

from ..evidence import Evidence
from ..trail import RunnerUp, Usage


@dataclass(frozen=True, slots=True)
class RankDocuments:
    """Ranks documents before their sections are searched; `kept` holds the names of the best, best first."""

    kept: tuple[str, ...]
    considered: int
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchSections:
    """Ranks the passages that hold the question's terms; `absent` are the terms that occur nowhere."""

    terms: tuple[str, ...]
    absent: tuple[str, ...]
    found: int
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Choose:
    """Takes a passage as evidence; its `why` is the reason."""

    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Stop:
    """Ends the retrieval, with the passages that came next; `weak` if the evidence fits the question only weakly."""

    reason: str
    weak: bool = False
    runners_up: tuple[RunnerUp, ...] = ()


@dataclass(frozen=True, slots=True)
class Keep:
    """Drops the passages that were read but for some, by id: those that fit the question best by their words."""

    ids: frozenset[str]
    read: int


@dataclass(frozen=True, slots=True)
class Merge:
    """Merges the evidence of several documents: `evidence`, best first, out of `found` passages."""

    evidence: tuple[Evidence, ...]
    documents: int
    found: int
    weak: bool = False
    runners_up: tuple[RunnerUp, ...] = ()


# Further actions of navigators with a model. Each is one model call, with its cost.


@dataclass(frozen=True, slots=True)
class Cost:
    """The tokens that one model call read and wrote, those that a cache served, and its wall time in seconds."""

    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    tokens_cached: int = 0


def cost_of(usage: Usage, seconds: float) -> Cost:
    """The cost of one call from the usage that the model reports."""
    return Cost(usage.tokens_in, usage.tokens_out, seconds, usage.tokens_cached)


@dataclass(frozen=True, slots=True)
class Pick:
    """Picks sections from an outline of `shown` sections; `reason` is the model's own, section by section."""

    picked: tuple[str, ...]
    shown: int
    reason: str
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Open:
    """Lists the subsections of a section."""

    target: str
    reason: str
    outcome: str
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Read:
    """Reads sections, all of them in one step; their text becomes evidence."""

    targets: tuple[str, ...]
    reason: str
    outcome: str
    evidence: tuple[Evidence, ...] = ()
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Search:
    """Searches the document for words."""

    query: str
    reason: str
    outcome: str
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Follow:
    """Reads the section or page that a reference in the text names."""

    reference: str
    reason: str
    outcome: str
    evidence: tuple[Evidence, ...] = ()
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Back:
    """Returns to the top of the outline."""

    reason: str
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Split:
    """Splits the question into parts, to be worked on one after another."""

    parts: tuple[str, ...]
    reason: str
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Conclude:
    """Concludes that enough was read for the question, or for its part `part`."""

    part: str
    reason: str
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Fault:
    """A reply that cannot be carried out, and the correction that the model was sent."""

    reply: str
    correction: str
    cost: Cost = Cost()


Action = (
    RankDocuments
    | SearchSections
    | Choose
    | Keep
    | Stop
    | Merge
    | Pick
    | Open
    | Read
    | Search
    | Follow
    | Back
    | Split
    | Conclude
    | Fault
)
