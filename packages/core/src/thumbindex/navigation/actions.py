"""What a navigator can do, as values: a closed set, so that the type checker finds a forgotten one."""

from __future__ import annotations

from dataclasses import dataclass

from ..evidence import Evidence
from ..trail import RunnerUp


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


Action = RankDocuments | SearchSections | Choose | Stop
