"""What a navigator can do, as values: a closed set, so that the type checker finds a forgotten one."""

from __future__ import annotations

from dataclasses import dataclass

from ..evidence import Evidence
from ..trail import RunnerUp, Usage


@dataclass(frozen=True, slots=True)
class RankDocuments:
    """Keep the documents that look best before their sections are searched; `kept` holds names, best first."""

    kept: tuple[str, ...]
    considered: int
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchSections:
    """Rank the passages that hold the question's terms; `absent` are the terms that occur nowhere."""

    terms: tuple[str, ...]
    absent: tuple[str, ...]
    found: int
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Choose:
    """Take a passage as evidence; its `why` is the reason."""

    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Stop:
    """End, with the passages that came next and whether what was chosen fits the question only weakly."""

    reason: str
    weak: bool = False
    runners_up: tuple[RunnerUp, ...] = ()


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep only some of the passages that were read, by their ids: those that fit the question best by their words."""

    ids: frozenset[str]
    read: int


@dataclass(frozen=True, slots=True)
class Merge:
    """Take together what several documents gave: `evidence`, best first, out of `found` passages."""

    evidence: tuple[Evidence, ...]
    documents: int
    found: int
    weak: bool = False
    runners_up: tuple[RunnerUp, ...] = ()


# What navigators with a model do besides. Each is one call of the model: `cost` is what it read, wrote and took.


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens in and out of one call of a model, how many of those in a cache served, and its wall time."""

    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    tokens_cached: int = 0


def cost_of(usage: Usage, seconds: float) -> Cost:
    """The cost of one call from what the model says it used."""
    return Cost(usage.tokens_in, usage.tokens_out, seconds, usage.tokens_cached)


@dataclass(frozen=True, slots=True)
class Pick:
    """Pick sections from an outline of `shown` sections; `reason` is the model's own, section by section."""

    picked: tuple[str, ...]
    shown: int
    reason: str
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Open:
    """List what lies inside a section."""

    target: str
    reason: str
    outcome: str
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Read:
    """Read sections, all of them in one step; what was read becomes evidence."""

    targets: tuple[str, ...]
    reason: str
    outcome: str
    evidence: tuple[Evidence, ...] = ()
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Search:
    """Look for words in the documents at hand."""

    query: str
    reason: str
    outcome: str
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Follow:
    """Read what a reference in the text points to."""

    reference: str
    reason: str
    outcome: str
    evidence: tuple[Evidence, ...] = ()
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Back:
    """Return to the top of the outline."""

    reason: str
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Split:
    """Take the question in parts, one after another."""

    parts: tuple[str, ...]
    reason: str
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Conclude:
    """Say that enough was read for the question, or for its part `part`."""

    part: str
    reason: str
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Fault:
    """A reply that cannot be carried out: what it was, and what the model was told about it."""

    reply: str
    told: str
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
