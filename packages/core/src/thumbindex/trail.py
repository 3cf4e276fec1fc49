"""The trail: the steps of a navigator, so that a reviewer can follow and replay them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that models read (`tokens_in`, of which `tokens_cached` came from the provider's cache) and wrote.

    `estimated` is true where a server did not count and we did.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    calls: int = 0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.tokens_cached + other.tokens_cached,
            self.calls + other.calls,
            self.estimated or other.estimated,
        )

    @property
    def uncached(self) -> int:
        """Tokens read that no cache served."""
        return self.tokens_in - self.tokens_cached


@dataclass(frozen=True, slots=True)
class Step:
    """One step: an action on a target, its reason and its outcome.

    `tokens_in` and `tokens_out` are what a model read and wrote (0 without a model), `tokens_cached` what of the first came
    from the provider's cache; `seconds` is wall time.
    """

    action: str
    target: str
    reason: str = ""
    outcome: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    tokens_cached: int = 0


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """A section that was considered and not returned: its id, path, first page and score against the best."""

    id: str
    section_path: str
    page: int | None
    score: float


@dataclass(frozen=True, slots=True)
class Trail:
    """All steps of one retrieval, and the sections that came next."""

    steps: tuple[Step, ...] = ()
    runners_up: tuple[RunnerUp, ...] = ()

    def render(self) -> str:
        """Returns the trail as text, one line per step."""
        lines = []
        for number, step in enumerate(self.steps, 1):
            parts = [f"{number}. {step.action} {step.target}".rstrip()]
            if step.reason:
                parts.append(f"because {step.reason}")
            if step.outcome:
                parts.append(f"→ {step.outcome}")
            lines.append(" ".join(parts))
        if self.runners_up:
            lines.append("runners-up:")
            for other in self.runners_up:
                place = "" if other.page is None else f", p. {other.page}"
                lines.append(f"  {other.section_path}{place} ({other.score:.2f})")
        return "\n".join(lines)
