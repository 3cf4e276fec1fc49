"""The navigator with one call: the model sees the outline and picks sections. Where the outline is too long to be shown
to its leaves, what was picked is opened and shown in a further call, level by level.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..evidence import Evidence
from ..models import ChatModel, Message
from ..store import Passage
from ..tokens import TokenCounter, estimate_tokens
from ..trail import RunnerUp
from .actions import Action, Choose, Cost, Fault, Pick, Stop
from .desk import Desk, Target
from .parse import Choice, Misunderstood, read_choices
from .prompt import SELECT, SELECT_SCHEMA, grown, opening
from .state import reading_score
from .untrusted import one_line
from .view import Numbers, label, outline, section_line

RUNNERS_UP = 5
HINTS = 4
"""Sections found by their words that are named after the question: a help for long outlines and weak models."""


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
    picked = await _pick(desk, question, model, record, hits, limits or SelectLimits(), count)
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
    count: TokenCounter,
) -> list[_Picked]:
    whole = [Target(book.info.doc_id) for book in desk.books]
    shown, numbers = outline(desk, whole, Numbers(), limits.outline, count=count)
    hints, numbers = _hints(desk, hits, numbers)
    messages: tuple[Message, ...] = opening(SELECT, shown, question, hints)
    kept: list[_Picked] = []
    opened: list[_Picked] = []
    faults = 0
    for level in range(limits.levels):
        started = time.perf_counter()
        reply = await model.chat(messages, schema=SELECT_SCHEMA, max_tokens=limits.reply)
        cost = Cost(reply.usage.tokens_in, reply.usage.tokens_out, time.perf_counter() - started)
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
    tree = desk.book(target.doc_id).tree
    if len(target.nodes) != 1:
        return True
    children = tree.children(tree.node(target.nodes[0]))
    return any(Target(target.doc_id, (child.id,)) not in numbers.targets for child in children)


def _hints(desk: Desk, hits: Sequence[Evidence], numbers: Numbers) -> tuple[str, Numbers]:
    lines: list[str] = []
    for hit in hits[:HINTS]:
        target = section_of(desk, hit)
        number, numbers = numbers.give(target)
        lines.append(section_line(desk, target, number))
    return ("Sections that hold words of the question:\n" + "\n".join(lines) if lines else ""), numbers


def section_of(desk: Desk, hit: Evidence) -> Target:
    """The section of a passage, which may be only a part of it."""
    tree = desk.book(hit.doc_id).tree
    node_id = hit.node_id if hit.node_id in tree else hit.node_id.rpartition(".")[0]
    return Target(hit.doc_id, (node_id,))


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
    """The passages of what was picked, pick by pick in turn, then those found by their words, within `k` and the budget."""
    rows = [_row(desk, question, one, whole) for one in picked]
    turns = [
        (one.target.doc_id, passage, one.reason or "picked from the outline")
        for place in range(max(map(len, rows), default=0))
        for one, row in zip(picked, rows, strict=True)
        if place < len(row)
        for passage in row[place]
    ]
    chosen: list[Evidence] = []
    others: list[RunnerUp] = []
    sections: set[tuple[str, str]] = set()
    ids: set[str] = set()
    used = 0
    is_full = False

    def offer(evidence: Evidence, section: str) -> None:
        nonlocal used, is_full
        if evidence.id in ids:
            return
        ids.add(evidence.id)
        key = (evidence.doc_id, section)
        size = count(evidence.text)
        over_budget = max_tokens is not None and bool(chosen) and used + size > max_tokens
        if over_budget or (key not in sections and len(sections) >= k) or (key in sections and not whole):
            is_full = is_full or over_budget
            if len(others) < RUNNERS_UP and key not in sections:
                first = None if evidence.pages is None else evidence.pages.first
                others.append(RunnerUp(evidence.id, evidence.section_path, first, evidence.score))
            return
        sections.add(key)
        used += size
        chosen.append(evidence)

    for place, (doc_id, passage, reason) in enumerate(turns):
        score = reading_score(place)
        offer(desk.evidence(doc_id, passage, score=score, why=one_line(reason)), passage.section)
    for hit in hits:
        offer(hit, section_of(desk, hit).nodes[0])
    scored = tuple(replace(one, score=reading_score(place)) for place, one in enumerate(chosen))
    reason = (
        f"the budget of {max_tokens} tokens is spent" if is_full else "what was picked, then what fits by its words"
    )
    return _Gathered(scored, tuple(others), reason)


def _row(desk: Desk, question: str, one: _Picked, whole: bool) -> list[list[Passage]]:
    """The passages of a pick, section by section: those that fit the question first; parts of a section together."""
    passages = desk.passages(one.target)
    scores = desk.scores(question, one.target.doc_id)
    by_section: dict[str, list[Passage]] = {}
    for passage in passages:
        by_section.setdefault(passage.section, []).append(passage)
    # A section with little text of its own and much below: its own lines come first anyway, being its beginning.
    order = sorted(by_section.values(), key=lambda parts: -max(scores.get(part.node_id, 0.0) for part in parts))
    if whole:
        return order
    return [[max(parts, key=lambda part: scores.get(part.node_id, 0.0))] for parts in order]
