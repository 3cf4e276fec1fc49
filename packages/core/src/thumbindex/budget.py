"""Limits on what one question may cost."""

from __future__ import annotations

from dataclasses import dataclass

from .text.tokens import TokenCounter, estimate_tokens


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on the evidence, the answer and the model calls of one question.

    >>> Budget(evidence_tokens=2000).reply_tokens
    1000

    Args:
        evidence_tokens: Tokens of all evidence texts together; whole passages are dropped from the end, never the best one.
            None for no limit.
        reply_tokens: Tokens of an answer.
        total_tokens: Tokens that all model calls together may read and write; None for no limit.
        seconds: Wall time, counted from the question on, after which no model is called and a running call is cancelled; None
            for no limit.
        count_tokens: Counts the tokens of a text; the default is an estimate that needs no download.

    Raises:
        ValueError: a limit below 1.
    """

    evidence_tokens: int | None = None
    reply_tokens: int = 1000
    total_tokens: int | None = None
    seconds: float | None = None
    count_tokens: TokenCounter = estimate_tokens

    def __post_init__(self) -> None:
        for name in ("evidence_tokens", "reply_tokens", "total_tokens"):
            limit = getattr(self, name)
            if limit is not None and limit < 1:
                raise ValueError(f"{name} is a number of tokens, at least 1, got {limit}.")
        if self.seconds is not None and not self.seconds > 0:
            raise ValueError(f"seconds is a time above zero, got {self.seconds}.")
