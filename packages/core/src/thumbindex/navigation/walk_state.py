"""The state of a walk, and how a reply changes it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from ..evidence import Evidence
from ..models import PROMPTS, Message, Prompts
from ..text.tokens import TokenCounter, estimate_tokens
from .actions import Action, Conclude, Fault, Follow, Read, Split
from .opened import OpenedDocument, Target
from .outlines import Numbers, outline
from .prompt import extended, opening


@dataclass(frozen=True, slots=True)
class WalkLimits:
    """Hard limits of a walk; tokens by our estimate.

    Args:
        steps: Calls of the model at most.
        context: Tokens of a prompt and its reply at most: the walk ends before they would be more.
        outline: For an outline, in the first prompt and where a section is opened.
        reading: For the text that one step shows.
        evidence: For all text that is read.
        reply: For each reply.
        faults: Steps in a row that bring nothing, unusable or reading what was read, after which the walk ends.
        seconds: Wall time; None for no limit. A call under way then is waited for.
    """

    steps: int = 12
    context: int = 24_000
    outline: int = 1500
    reading: int = 2600
    evidence: int = 9000
    reply: int = 300
    faults: int = 3
    seconds: float | None = None

    @classmethod
    def for_context(cls, context: int) -> Self:
        """Limits for a model whose context holds so many tokens, at least 2,048."""
        if context < 2048:
            raise ValueError(f"A walk needs a context of at least 2048 tokens, got {context}.")
        # Counts are estimates: an eighth is kept free.
        room = context * 7 // 8
        return cls(
            context=room,
            outline=min(1500, room // 6),
            reading=min(2600, room // 4),
            evidence=min(9000, room // 2),
            reply=min(300, room // 16),
        )


@dataclass(frozen=True, slots=True)
class WalkState:
    """The state of a walk: the conversation so far, the targets of its numbers, and the passages read."""

    question: str
    messages: tuple[Message, ...]
    numbers: Numbers
    parts: tuple[str, ...] = ()
    part: int = 0
    read: tuple[str, ...] = ()
    read_tokens: int = 0
    step: int = 0
    faults: int = 0
    last: Target | None = None
    is_done: bool = False

    @property
    def current(self) -> str:
        """The part of the question that is being looked for; "" for a question that was not split."""
        return self.parts[self.part] if self.part < len(self.parts) else ""


@dataclass(frozen=True, slots=True)
class Seen:
    """The outcome of a reply: the action for the trail, the text for the model, and the targets and passages in that text."""

    action: Action
    text: str
    numbers: Numbers
    evidence: tuple[Evidence, ...] = ()
    tokens: int = 0
    last: Target | None = None


def begin(
    document: OpenedDocument,
    question: str,
    limits: WalkLimits,
    *,
    prompts: Prompts = PROMPTS,
    count: TokenCounter = estimate_tokens,
) -> WalkState:
    """A walk before its first step; the size of its prompt does not depend on that of the document."""
    shown, numbers = outline(document, [Target()], Numbers(), limits.outline, count=count)
    return WalkState(question, opening(prompts.walk, shown, question), numbers)


def advance(walk: WalkState, reply: str, seen: Seen) -> WalkState:
    """The walk after a reply and its outcome. Pure.

    Raises:
        ValueError: the walk has ended.
    """
    if walk.is_done:
        raise ValueError(f"The walk for {walk.question!r} has ended; begin another.")
    after = replace(
        walk,
        messages=extended(walk.messages, reply, seen.text),
        numbers=seen.numbers,
        step=walk.step + 1,
        faults=0,
        read=(*walk.read, *(evidence.node_id for evidence in seen.evidence)),
        read_tokens=walk.read_tokens + seen.tokens,
        last=seen.last or walk.last,
    )
    match seen.action:
        case Fault():
            return replace(after, faults=walk.faults + 1)
        case Split(parts):
            return replace(after, parts=parts, part=0)
        case Read() | Follow() if not seen.evidence and seen.numbers == walk.numbers:
            # A model that reads the same again and again will go on so.
            return replace(after, faults=walk.faults + 1)
        case Conclude():
            part = walk.part + 1
            return replace(after, part=part, is_done=part >= len(walk.parts))
        case _:
            return after
