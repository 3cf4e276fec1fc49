"""The navigator with one call: the model sees the outline and picks sections. Where the outline is too long to be shown
to its leaves, what was picked is opened and shown in a further call, level by level.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..evidence import Evidence
from ..models import PROMPTS, ChatModel, Message, Prompts
from ..store import Passage
from ..text.tokens import TokenCounter, estimate_tokens
from ..text.untrusted import one_line
from ..trail import RunnerUp
from .actions import Action, Choose, Fault, Pick, Stop, cost_of
from .desk import Desk, Target
from .parse import Choice, Misunderstood, read_choices
from .prompt import SELECT_SCHEMA, grown, opening
from .state import reading_score
from .view import Numbers, label, outline, section_line

RUNNERS_UP = 5
HINTS = 4
"""Sections found by their words that are named after the question: a help for long outlines and weak models."""

RESERVED_SHARE = 4
"""One in so many of the returned sections is left for those that fit by their words, if the model picked others."""


@dataclass(frozen=True, slots=True)
class SelectLimits:
    """What a selection may cost, in tokens by our estimate.

    Args:
        outline: For the outline; deeper levels are shown in a further call.
        beam: Sections that are opened or kept at each level.
        levels: Calls at most.
        reply: For each reply.
    """

    outline: int = 2200
    beam: int = 4
    levels: int = 3
    reply: int = 400


@dataclass(frozen=True, slots=True)
class _Picked:
    target: Target
    reason: str


async def select(
    desk: Desk,
    question: str,
    model: ChatModel,
    record: Callable[[Action], None],
    *,
    k: int,
    max_tokens: int | None,
    whole: bool,
    limits: SelectLimits | None = None,
    prompts: Prompts = PROMPTS,
    count: TokenCounter = estimate_tokens,
) -> None:
    """Records the actions of a selection, up to its end.

    Args:
        k: Sections to choose; those that the model picked come first, then what fits by its words.
        whole: Take all parts of a section, not only the best.

    Raises:
        ModelError: the model gave no reply.
    """
    hits = await asyncio.to_thread(desk.search, question, k=k + RUNNERS_UP)
    picked = await _pick(desk, question, model, record, hits, limits or SelectLimits(), prompts, count)
    entries = await asyncio.to_thread(_gather, desk, question, picked, hits, k, max_tokens, whole, count)
    for evidence in entries.chosen:
        record(Choose(evidence))
    if not picked:
        reason = "the model picked no section; these fit by their words" if entries.chosen else "nothing was found"
    else:
        reason = entries.reason
    record(Stop(reason, weak=not picked, runners_up=entries.others))


async def _pick(
    desk: Desk,
    question: str,
    model: ChatModel,
    record: Callable[[Action], None],
    hits: Sequence[Evidence],
    limits: SelectLimits,
    prompts: Prompts,
    count: TokenCounter,
) -> list[_Picked]:
    shown, numbers = outline(desk, [Target()], Numbers(), limits.outline, count=count)
    hints, numbers = _hints(desk, hits, numbers)
    messages: tuple[Message, ...] = opening(prompts.select, shown, question, hints)
    kept: list[_Picked] = []
    opened: list[_Picked] = []
    faults = 0
    for level in range(limits.levels):
        started = time.perf_counter()
        reply = await model.chat(messages, schema=SELECT_SCHEMA, max_tokens=limits.reply)
        cost = cost_of(reply.usage, time.perf_counter() - started)
        choices = _known(read_choices(reply.text), numbers)
        if isinstance(choices, Misunderstood):
            record(Fault(reply.text, choices.told, cost))
            faults += 1
            if faults > 1:
                break
            messages = grown(messages, reply.text, choices.told)
            continue
        picked = [_Picked(target, choice.reason) for choice in choices if (target := numbers.get(choice.number))]
        picked = picked[: limits.beam]
        record(
            Pick(
                tuple(label(desk, one.target) for one in picked),
                len(numbers.targets),
                "; ".join(dict.fromkeys(one_line(one.reason) for one in picked if one.reason)),
                cost,
            )
        )
        # What has sections inside that were never shown is opened; the rest is settled.
        is_last = level + 1 == limits.levels
        hidden = [one for one in picked if not is_last and _has_hidden(desk, one.target, numbers)]
        settled = [one for one in (*picked, *kept) if one not in hidden]
        # The latest come first, being the narrower ones; each target once.
        kept = [
            one for place, one in enumerate(settled) if one.target not in {other.target for other in settled[:place]}
        ]
        if not hidden:
            break
        deeper, numbers = outline(desk, [one.target for one in hidden], numbers, limits.outline, count=count)
        ask = "Pick again among these and all numbers above, narrower where you can; the same JSON."
        messages = grown(messages, reply.text, f"{deeper}\n\n{ask}")
        opened = hidden
    # What was opened and not narrowed down is still the best that is known.
    return kept or opened


def _known(choices: list[Choice] | Misunderstood, numbers: Numbers) -> list[Choice] | Misunderstood:
    """The choices whose numbers were printed; if there are choices and none of them was, what to tell the model."""
    if isinstance(choices, Misunderstood) or not choices:
        return choices
    known = [choice for choice in choices if numbers.get(choice.number)]
    if known:
        return known
    wrong = ", ".join(str(choice.number) for choice in choices[:5])
    return Misunderstood(
        f"No section has the number {wrong}: numbers go from 1 to {len(numbers.targets)}. Choose among them."
    )


def _has_hidden(desk: Desk, target: Target, numbers: Numbers) -> bool:
    if len(target.nodes) != 1:
        return True
    children = desk.tree.children(desk.tree.node(target.nodes[0]))
    return any(Target((child.id,)) not in numbers.targets for child in children)


def _hints(desk: Desk, hits: Sequence[Evidence], numbers: Numbers) -> tuple[str, Numbers]:
    lines: list[str] = []
    for hit in hits[:HINTS]:
        target = section_of(desk, hit)
        number, numbers = numbers.give(target)
        lines.append(section_line(desk, target, number))
    return ("Sections that hold words of the question:\n" + "\n".join(lines) if lines else ""), numbers


def section_of(desk: Desk, hit: Evidence) -> Target:
    """The section of a passage, which may be only a part of it."""
    node_id = hit.node_id if hit.node_id in desk.tree else hit.node_id.rpartition(".")[0]
    return Target((node_id,))


@dataclass(frozen=True, slots=True)
class _Gathered:
    chosen: tuple[Evidence, ...]
    others: tuple[RunnerUp, ...]
    reason: str


def _gather(
    desk: Desk,
    question: str,
    picked: Sequence[_Picked],
    hits: Sequence[Evidence],
    k: int,
    max_tokens: int | None,
    whole: bool,
    count: TokenCounter,
) -> _Gathered:
    """The sections of what was picked, pick by pick in turn, and some that fit by their words, within `k` and the budget."""
    rows = [_row(desk, question, one, whole, max_tokens, count) for one in picked]
    turns = [row[place] for place in range(max(map(len, rows), default=0)) for row in rows if place < len(row)]
    found = [_Section(section_of(desk, hit).nodes[0], (hit,)) for hit in hits]
    reserved = k // RESERVED_SHARE
    order: dict[str, _Section] = {}
    for section in (*turns[: k - reserved], *found[:reserved], *turns, *found):
        order.setdefault(section.node_id, section)
    chosen: list[Evidence] = []
    others: list[RunnerUp] = []
    sections = used = 0
    is_full = False
    for section in order.values():
        size = sum(count(one.text) for one in section.evidence)
        is_over = max_tokens is not None and bool(chosen) and used + size > max_tokens
        is_full = is_full or (is_over and sections < k)
        if sections < k and not is_over:
            sections += 1
            used += size
            chosen += section.evidence
        elif len(others) < RUNNERS_UP:
            best = section.evidence[0]
            first = None if best.pages is None else best.pages.first
            # Against the best, which is 1.0: how far down the order it stands.
            others.append(RunnerUp(best.id, best.section_path, first, reading_score(sections + len(others))))
    scored = tuple(replace(one, score=reading_score(place)) for place, one in enumerate(chosen))
    reason = (
        f"the budget of {max_tokens} tokens is spent" if is_full else "what was picked, then what fits by its words"
    )
    return _Gathered(scored, tuple(others), reason)


@dataclass(frozen=True, slots=True)
class _Section:
    """A section by its id, and the passages of it that are worth taking, in reading order."""

    node_id: str
    evidence: tuple[Evidence, ...]


def _row(
    desk: Desk, question: str, one: _Picked, whole: bool, max_tokens: int | None, count: TokenCounter
) -> list[_Section]:
    """The sections of a pick that have text, those first that fit the question by their words."""
    scores = desk.scores(question)
    by_section: dict[str, list[Passage]] = {}
    for passage in desk.passages(one.target):
        by_section.setdefault(passage.section, []).append(passage)
    order = sorted(by_section.items(), key=lambda item: -max(scores.get(part.node_id, 0.0) for part in item[1]))
    why = one_line(one.reason) or "picked from the outline"
    sections: list[_Section] = []
    for section, parts in order:
        best_first = sorted(parts, key=lambda part: -scores.get(part.node_id, 0.0))
        kept = {best_first[0].node_id}
        used = count(best_first[0].text)
        # Of a long section the best parts, so that it leaves room for others.
        for part in best_first[1:] if whole else ():
            used += count(part.text)
            if max_tokens is not None and used > max_tokens // 2:
                break
            kept.add(part.node_id)
        taken = [part for part in parts if part.node_id in kept]
        sections.append(_Section(section, tuple(desk.evidence(part, score=1.0, why=why) for part in taken)))
    return sections
