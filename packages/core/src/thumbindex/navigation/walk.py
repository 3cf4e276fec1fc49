"""The navigator that walks: open, read, search, follow, until enough was read. One call of the model a step.

The protocol is free of I/O but for looking things up: `advance` takes a walk, a reply and what came of it, and gives the
next walk. A reply that cannot be carried out costs a step, never the run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from ..errors import ModelLimit
from ..evidence import Evidence
from ..models import PROMPTS, ChatModel, Message, Prompts
from ..models.chat import count_messages
from ..store import Passage
from ..text.tokens import TokenCounter, estimate_tokens
from ..text.untrusted import one_line, wrap_untrusted
from .actions import Action, Back, Choose, Conclude, Cost, Fault, Follow, Keep, Open, Read, Search, Split, Stop, cost_of
from .desk import Desk, Target
from .parse import Misunderstood, Move, read_move
from .prompt import WALK_SCHEMA, grown, opening
from .select import section_of
from .state import reading_score
from .view import Numbers, label, outline, section_line


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
class Walk:
    """Where a walk stands: the conversation so far, what its numbers mean, and what was read."""

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
    """What came of a reply: the action for the trail, the text for the model, and what that text numbered and showed."""

    action: Action
    text: str
    numbers: Numbers
    evidence: tuple[Evidence, ...] = ()
    tokens: int = 0
    last: Target | None = None


def begin(
    desk: Desk,
    question: str,
    limits: WalkLimits,
    *,
    prompts: Prompts = PROMPTS,
    count: TokenCounter = estimate_tokens,
) -> Walk:
    """A walk before its first step; the size of its prompt does not depend on that of the documents."""
    shown, numbers = outline(desk, [Target()], Numbers(), limits.outline, count=count)
    return Walk(question, opening(prompts.walk, shown, question), numbers)


def advance(walk: Walk, reply: str, seen: Seen) -> Walk:
    """The walk after a reply and what came of it. Pure.

    Raises:
        ValueError: the walk has ended.
    """
    if walk.is_done:
        raise ValueError(f"The walk for {walk.question!r} has ended; begin another one.")
    after = replace(
        walk,
        messages=grown(walk.messages, reply, seen.text),
        numbers=seen.numbers,
        step=walk.step + 1,
        faults=0,
        read=(*walk.read, *(one.node_id for one in seen.evidence)),
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


def observe(
    walk: Walk,
    reply: str,
    desk: Desk,
    limits: WalkLimits,
    cost: Cost,
    *,
    count: TokenCounter = estimate_tokens,
) -> Seen:
    """What comes of a reply. Looks things up, changes nothing."""
    move = read_move(reply)
    if isinstance(move, Misunderstood):
        return Seen(Fault(reply, move.told, cost), move.told, walk.numbers)
    look = _Look(walk, reply, desk, limits, cost, count)
    reason = one_line(move.reason)
    match move.action:
        case "open":
            return look.open(move, reason)
        case "read":
            return look.read(move, reason)
        case "search":
            return look.search(move, reason)
        case "follow":
            return look.follow(move, reason)
        case "split":
            return look.split(move, reason)
        case "back":
            text = "You are at the top. The outline at the beginning holds, and so do all numbers printed since."
            return Seen(Back(reason, cost), text, walk.numbers)
        case _:
            return look.conclude(reason)


async def walk(
    desk: Desk,
    question: str,
    model: ChatModel,
    record: Callable[[Action], None],
    *,
    k: int,
    exact_k: bool = False,
    max_tokens: int | None = None,
    limits: WalkLimits | None = None,
    prompts: Prompts = PROMPTS,
    count: TokenCounter = estimate_tokens,
) -> None:
    """Records the actions of a walk, up to its end. If nothing was read, sections that fit by their words stand in.

    Args:
        exact_k: Let `k` sections be chosen in the end, within `max_tokens`: the best of what was read, or what was read and
            then what fits by its words. Otherwise all that was read is chosen.

    Raises:
        ModelError: the model gave no reply.
    """
    limits = limits or WalkLimits()
    started = time.perf_counter()
    now = begin(desk, question, limits, prompts=prompts, count=count)
    reason = "the model has read enough"
    gathered: list[Evidence] = []
    while not now.is_done:
        if now.step >= limits.steps:
            reason = f"the limit of {limits.steps} steps is reached"
            break
        if now.faults >= limits.faults:
            reason = f"{now.faults} steps in a row brought nothing"
            break
        if count_messages(now.messages) + limits.reply > limits.context:
            reason = f"the context of {limits.context} tokens is full"
            break
        asked = time.perf_counter()
        if limits.seconds is not None and asked - started > limits.seconds:
            reason = f"the limit of {limits.seconds:g} seconds is reached"
            break
        try:
            reply = await model.chat(now.messages, schema=WALK_SCHEMA, max_tokens=limits.reply)
        except ModelLimit as error:
            if not now.read:
                raise
            # What was read is paid for: it can still be answered from.
            reason = str(error)
            break
        cost = cost_of(reply.usage, time.perf_counter() - asked)
        seen = await asyncio.to_thread(observe, now, reply.text, desk, limits, cost, count=count)
        record(seen.action)
        gathered += seen.evidence
        now = advance(now, reply.text, seen)
    if now.read:
        if exact_k:
            kept, others = await asyncio.to_thread(_settle, desk, question, gathered, k, max_tokens, count)
            if len(kept) < len(gathered):
                record(Keep(kept, len(gathered)))
            for other in others:
                record(Choose(other))
        record(Stop(reason))
        return
    hits = await asyncio.to_thread(desk.search, question, k=k)
    for hit in hits:
        record(Choose(hit))
    record(
        Stop(
            f"{reason}, without reading; these fit by their words" if hits else f"{reason}; nothing was found",
            weak=True,
        )
    )


def _settle(
    desk: Desk, question: str, read: Sequence[Evidence], k: int, max_tokens: int | None, count: TokenCounter
) -> tuple[frozenset[str], list[Evidence]]:
    """Ids of what was read that is kept, and what comes after it: `k` passages together, within the budget."""
    scores = desk.scores(question) if read else {}
    best_first = sorted(read, key=lambda one: -scores.get(one.node_id, 0.0))
    known = {one.id for one in read}
    found = [hit for hit in desk.search(question, k=k + len(read)) if hit.id not in known]
    taken: list[Evidence] = []
    left = max_tokens
    for one in (*best_first, *found)[:k]:
        if left is not None:
            left -= count(one.text)
            if left < 0 and taken:
                break
        taken.append(one)
    kept = frozenset(one.id for one in taken if one.id in known)
    others = taken[len(kept) :]
    return kept, [replace(one, score=reading_score(len(kept) + place)) for place, one in enumerate(others)]


class _Look:
    """Carries out one move of a walk."""

    def __init__(self, walk: Walk, reply: str, desk: Desk, limits: WalkLimits, cost: Cost, count: TokenCounter) -> None:
        self._walk, self._reply, self._desk = walk, reply, desk
        self._limits, self._cost, self._count = limits, cost, count

    def open(self, move: Move, reason: str) -> Seen:
        targets, told = self._targets(move)
        if not targets:
            return self._fault(told)
        text, numbers = outline(self._desk, targets, self._walk.numbers, self._limits.outline, count=self._count)
        fresh = len(numbers.targets) - len(self._walk.numbers.targets)
        names = ", ".join(label(self._desk, target) for target in targets)
        return Seen(
            Open(names, reason, f"{fresh} sections listed", self._cost),
            f"{told}\n{text}".strip(),
            numbers,
            last=targets[0],
        )

    def read(self, move: Move, reason: str) -> Seen:
        targets, told = self._targets(move)
        if not targets:
            return self._fault(told)
        names = tuple(label(self._desk, target) for target in targets)
        evidence, text, numbers, tokens = self._show(targets, reason)
        outcome = f"{len(evidence)} passages, {tokens} tokens" if evidence else "nothing new to read"
        return Seen(
            Read(names, reason, outcome, evidence, self._cost),
            f"{told}\n{text}".strip(),
            numbers,
            evidence,
            tokens,
            targets[-1],
        )

    def search(self, move: Move, reason: str) -> Seen:
        query = move.text or self._walk.current or self._walk.question
        hits = self._desk.search(query, k=6)
        numbers = self._walk.numbers
        lines: list[str] = []
        for hit in hits:
            target = section_of(self._desk, hit)
            number, numbers = numbers.give(target)
            line = one_line(self._desk.telling_line(hit, query), 140)
            lines.append(section_line(self._desk, target, number) + (f"\n   “{line}”" if line else ""))
        text = "\n".join(lines) or "No section holds any of these words. Try the document's own words."
        return Seen(Search(one_line(query), reason, f"{len(hits)} sections", self._cost), text, numbers)

    def follow(self, move: Move, reason: str) -> Seen:
        reference = move.text
        target = None
        source = self._walk.last
        if reference:
            nodes = self._desk.nodes(source) if source is not None and source.nodes else ()
            target = self._desk.follow(reference, nodes[0] if nodes else None)
        elif move.numbers:
            target = self._walk.numbers.get(move.numbers[0])
        if target is None:
            return self._fault(f"Nothing here is called {one_line(reference, 60)!r}. Search for it, or open a section.")
        evidence, text, numbers, tokens = self._show([target], reason)
        outcome = f"{label(self._desk, target)}: {len(evidence)} passages, {tokens} tokens"
        return Seen(
            Follow(one_line(reference) or label(self._desk, target), reason, outcome, evidence, self._cost),
            text, numbers, evidence, tokens, target,
        )  # fmt: skip

    def split(self, move: Move, reason: str) -> Seen:
        parts = tuple(one_line(part) for part in move.parts)[:5]
        if self._walk.parts:
            return self._fault("The question is split already.")
        if len(parts) < 2:
            return self._fault('To split, write two to five parts: "text": "first part | second part".')
        listed = " ".join(f"{number}) {part}" for number, part in enumerate(parts, 1))
        text = f"Parts: {listed} Read for part 1 now; answer when you have it, and the next part follows."
        return Seen(Split(parts, reason, self._cost), text, self._walk.numbers)

    def conclude(self, reason: str) -> Seen:
        walk = self._walk
        if walk.step == 0:
            # Small models answer from memory at once, if nobody stops them.
            return self._fault(
                "Nothing was read yet. Read the section that should hold the answer; if none fits, answer again."
            )
        following = walk.parts[walk.part + 1] if walk.part + 1 < len(walk.parts) else ""
        text = f"Part {walk.part + 2} now: {following}" if following else "Done."
        return Seen(Conclude(walk.current, reason, self._cost), text, walk.numbers)

    def _fault(self, told: str) -> Seen:
        return Seen(Fault(self._reply, told, self._cost), told, self._walk.numbers)

    def _targets(self, move: Move) -> tuple[list[Target], str]:
        """The targets of a move's numbers, and what to say about those that were never printed."""
        if not move.numbers:
            return [], f'"{move.action}" takes "numbers", such as [3]: numbers of the outline, from 1 to {self._last}.'
        known = [target for number in move.numbers if (target := self._walk.numbers.get(number))]
        unknown = [str(number) for number in move.numbers if not self._walk.numbers.get(number)]
        told = (
            f"No section has the number {', '.join(unknown[:5])}: numbers go from 1 to {self._last}." if unknown else ""
        )
        return list(dict.fromkeys(known))[:8], told

    @property
    def _last(self) -> int:
        return len(self._walk.numbers.targets)

    def _show(self, targets: Sequence[Target], reason: str) -> tuple[tuple[Evidence, ...], str, Numbers, int]:
        """The text of targets within the limits, and how to read on where it does not fit."""
        numbers = self._walk.numbers
        read = set(self._walk.read)
        left = self._limits.evidence - self._walk.read_tokens
        room = min(self._limits.reading, left)
        evidence: list[Evidence] = []
        blocks: list[str] = []
        used = 0
        for target in targets:
            passages = self._desk.passages(target)
            fresh = [one for one in passages if one.node_id not in read]
            if not passages:
                blocks.append(f"{label(self._desk, target)} has no text of its own. Open it.")
            elif not fresh:
                blocks.append(f"{label(self._desk, target)} was read above. Read another section, or answer.")
            waiting: list[Passage] = []
            for passage in fresh:
                size = self._count(passage.text)
                if waiting or (used + size > room and (evidence or size > left)):
                    waiting.append(passage)
                    continue
                used += size
                read.add(passage.node_id)
                why = one_line(f"{self._walk.current}: {reason}" if self._walk.current else reason) or "read"
                evidence.append(self._desk.evidence(passage, score=1.0, why=why))
                blocks.append(self._block(passage))
            if waiting and self._count(waiting[0].text) > left - used:
                blocks.append(
                    f"{len(waiting)} more passages of it do not fit: the limit of {self._limits.evidence} tokens is reached. Answer now."
                )
            elif waiting:
                lines, numbers = self._waiting(waiting, numbers)
                blocks.append(lines)
        pointers, numbers = self._pointers(evidence, numbers)
        return tuple(evidence), "\n".join(filter(None, [*blocks, pointers])), numbers, used

    def _block(self, passage: Passage) -> str:
        where = f"p. {passage.pages}" if passage.pages else f"lines {passage.lines}"
        text = passage.text
        # A single passage over the room is cut for the eye; as evidence it stays whole.
        limit = self._limits.reading
        if self._count(text) > limit:
            text = text[: max(200, len(text) * limit // self._count(text))] + " …"
        return f"[{one_line(self._desk.info.name, 60)}, {where}] {one_line(passage.path, 200)}\n{wrap_untrusted(text)}"

    def _waiting(self, waiting: Sequence[Passage], numbers: Numbers) -> tuple[str, Numbers]:
        """What of a target was not shown, in a few stretches that can be read by number."""
        lines = ["It goes on; read what you need:"]
        pieces = min(8, len(waiting))
        for piece in range(pieces):
            group = waiting[piece * len(waiting) // pieces : (piece + 1) * len(waiting) // pieces]
            number, numbers = numbers.give(Target(passages=tuple(one.node_id for one in group)))
            where = ""
            if group[0].pages and group[-1].pages:
                first, last = group[0].pages.first, group[-1].pages.last
                where = f", p. {first}" if first == last else f", p. {first}-{last}"
            lines.append(f"{number}. {one_line(group[0].title, 90)}{where} ({len(group)} passages)")
        return "\n".join(lines), numbers

    def _pointers(self, evidence: Sequence[Evidence], numbers: Numbers) -> tuple[str, Numbers]:
        """Where the text that was shown refers to, so that the model can go there."""
        lines: dict[str, None] = {}
        for one in evidence:
            node = self._desk.tree.node(section_of(self._desk, one).nodes[0])
            for reference in node.references:
                if reference.line not in one.lines or reference.target is None or len(lines) >= 6:
                    continue
                target = Target((reference.target,))
                number, given = numbers.give(target)
                line = f"{section_line(self._desk, target, number)} (“{one_line(reference.text, 40)}”)"
                if line not in lines:
                    lines[line] = None
                    numbers = given
        return ("It refers to:\n" + "\n".join(lines) if lines else ""), numbers
