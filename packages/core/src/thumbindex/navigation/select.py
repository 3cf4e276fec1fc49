"""The navigator with one model call: the model sees the outline and picks sections. An outline too long to be shown down to its
leaves is opened level by level: the sections picked are shown in a further call.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..evidence import Evidence, Retrieval
from ..models import PROMPTS, ChatModel, Message, Prompts
from ..models.chat import check_model
from ..store import Passage
from ..text.untrusted import one_line
from ..trail import RunnerUp
from .actions import Choose, Fault, Pick, Stop, cost_of
from .log import ActionLog
from .lookups import ReadPassages, ScorePassages, SearchDocument
from .opened import OpenedDocument, Target
from .outlines import Numbers, label, outline, section_line
from .parse import Choice, Misunderstood, read_choices
from .prompt import SELECT_SCHEMA, extended, opening
from .protocol import Chat, Flow, Task, chat, look_up
from .several import MAX_DOCUMENTS, Limits, check_max_documents, navigate_documents
from .state import reading_score

RUNNERS_UP = 5
HINTS = 4
"""Sections found by their words that are named after the question: a help for long outlines and weak models."""

RESERVED_SHARE = 4
"""One in so many of the returned sections is left for those that fit by their words, if the model picked others."""


@dataclass(frozen=True, slots=True)
class SelectLimits:
    """Limits of one selection, in tokens by our estimate.

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
class Select:
    """Shows a model the outline and takes the sections that it picks: one model call for each document.

    Args:
        model: Picks.
        max_documents: Documents that are navigated: those that fit best, at the same time, each in calls of its own.
        limits: Of one selection.
        prompts: The rules that the model is given.

    Raises:
        ModelError: `model` is no chat model.
        ValueError: `max_documents` below 1.
    """

    model: ChatModel
    max_documents: int = MAX_DOCUMENTS
    limits: SelectLimits = field(default_factory=SelectLimits)
    prompts: Prompts = PROMPTS

    def __post_init__(self) -> None:
        check_model(self.model)
        check_max_documents(self.max_documents)

    @property
    def name(self) -> str:
        """`select`."""
        return "select"

    def navigate(self, task: Task) -> Flow[Retrieval]:
        """Picks sections in the documents that fit the question best.

        Raises:
            ModelError: the model gave no reply.
        """

        def one_document(document: OpenedDocument, log: ActionLog, _: int) -> Flow[None]:
            return _Selection(self, task, document, log).run()

        return navigate_documents(task, self.max_documents, one_document, Limits(task.k, task.budget.evidence_tokens))


@dataclass(frozen=True, slots=True)
class _Picked:
    target: Target
    reason: str


class _Selection:
    """A selection in one document."""

    def __init__(self, navigator: Select, task: Task, document: OpenedDocument, log: ActionLog) -> None:
        self._navigator, self._task, self._document, self._log = navigator, task, document, log
        self._count = task.budget.count_tokens

    def run(self) -> Flow[None]:
        """Chooses `k` sections: those that the model picked come first, then what fits by its words."""
        question, k = self._task.question, self._task.k
        hits = yield from look_up(SearchDocument(self._document.info, question, k + RUNNERS_UP))
        picked = yield from self._pick(hits)
        entries = yield from self._gather(picked, hits)
        for evidence in entries.chosen:
            yield from self._log.record(Choose(evidence))
        if not picked:
            reason = "the model picked no section; these fit by their words" if entries.chosen else "nothing was found"
        else:
            reason = entries.reason
        yield from self._log.record(Stop(reason, weak=not picked, runners_up=entries.others))

    def _pick(self, hits: Sequence[Evidence]) -> Flow[list[_Picked]]:
        document, limits = self._document, self._navigator.limits
        shown, numbers = outline(document, [Target()], Numbers(), limits.outline, count=self._count)
        hints, numbers = _hints(document, hits, numbers)
        messages: tuple[Message, ...] = opening(self._navigator.prompts.select, shown, self._task.question, hints)
        settled: list[_Picked] = []
        opened: list[_Picked] = []
        faults = 0
        for level in range(limits.levels):
            started = time.perf_counter()
            reply = yield from chat(Chat(self._navigator.model, messages, SELECT_SCHEMA, limits.reply))
            cost = cost_of(reply.usage, time.perf_counter() - started)
            choices = _known(read_choices(reply.text), numbers)
            if isinstance(choices, Misunderstood):
                yield from self._log.record(Fault(reply.text, choices.correction, cost))
                faults += 1
                if faults > 1:
                    break
                messages = extended(messages, reply.text, choices.correction)
                continue
            picked = [_Picked(target, choice.reason) for choice in choices if (target := numbers.get(choice.number))]
            picked = picked[: limits.beam]
            reasons = dict.fromkeys(one_line(pick.reason) for pick in picked if pick.reason)
            labels = tuple(label(document, pick.target) for pick in picked)
            yield from self._log.record(Pick(labels, len(numbers.targets), "; ".join(reasons), cost))
            # What has sections inside that were never shown is opened; the rest is settled.
            is_last = level + 1 == limits.levels
            hidden = [pick for pick in picked if not is_last and _has_hidden(document, pick.target, numbers)]
            settled = _each_target_once([pick for pick in (*picked, *settled) if pick not in hidden])
            if not hidden:
                break
            deeper, numbers = outline(
                document, [pick.target for pick in hidden], numbers, limits.outline, count=self._count
            )
            ask = "Pick again among these and all numbers above, narrower where you can; the same JSON."
            messages = extended(messages, reply.text, f"{deeper}\n\n{ask}")
            opened = hidden
        # What was opened and not narrowed down is still the best that is known.
        return settled or opened

    def _gather(self, picked: Sequence[_Picked], hits: Sequence[Evidence]) -> Flow[_Gathered]:
        """Takes the sections of what was picked, pick by pick in turn, and some that fit by their words, within the budget."""
        k, max_tokens = self._task.k, self._task.budget.evidence_tokens
        rows: list[list[_Section]] = []
        for pick in picked:
            rows.append((yield from self._row(pick)))
        turns = [row[rank] for rank in range(max(map(len, rows), default=0)) for row in rows if rank < len(row)]
        found = [_Section(self._document.section_of(hit).nodes[0], (hit,)) for hit in hits]
        reserved = k // RESERVED_SHARE
        order: dict[str, _Section] = {}
        for section in (*turns[: k - reserved], *found[:reserved], *turns, *found):
            order.setdefault(section.node_id, section)
        chosen: list[Evidence] = []
        others: list[RunnerUp] = []
        sections = used = 0
        is_full = False
        for section in order.values():
            size = sum(self._count(evidence.text) for evidence in section.evidence)
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
        scored = tuple(replace(evidence, score=reading_score(rank)) for rank, evidence in enumerate(chosen))
        reason = (
            f"the budget of {max_tokens} tokens is spent" if is_full else "what was picked, then what fits by its words"
        )
        return _Gathered(scored, tuple(others), reason)

    def _row(self, pick: _Picked) -> Flow[list[_Section]]:
        """The sections of a pick that have text, those first that fit the question by their words."""
        document, max_tokens = self._document, self._task.budget.evidence_tokens
        scores = yield from look_up(ScorePassages(document.info, self._task.question))
        passages = yield from look_up(ReadPassages(document, pick.target))
        by_section: dict[str, list[Passage]] = {}
        for passage in passages:
            by_section.setdefault(passage.section, []).append(passage)
        order = sorted(by_section.items(), key=lambda item: -max(scores.get(part.node_id, 0.0) for part in item[1]))
        why = one_line(pick.reason) or "picked from the outline"
        sections: list[_Section] = []
        for section, parts in order:
            best_first = sorted(parts, key=lambda part: -scores.get(part.node_id, 0.0))
            chosen = {best_first[0].node_id}
            used = self._count(best_first[0].text)
            # Of a long section the best parts, so that it leaves room for others.
            for part in best_first[1:] if self._task.for_answer else ():
                used += self._count(part.text)
                if max_tokens is not None and used > max_tokens // 2:
                    break
                chosen.add(part.node_id)
            taken = [part for part in parts if part.node_id in chosen]
            evidence = tuple(document.evidence(part, score=1.0, why=why) for part in taken)
            sections.append(_Section(section, evidence))
        return sections


@dataclass(frozen=True, slots=True)
class _Gathered:
    chosen: tuple[Evidence, ...]
    others: tuple[RunnerUp, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class _Section:
    """A section by its id, and the passages of it that are worth taking, in reading order."""

    node_id: str
    evidence: tuple[Evidence, ...]


def _each_target_once(picks: Sequence[_Picked]) -> list[_Picked]:
    """The latest picks come first, being the narrower ones."""
    first: dict[Target, _Picked] = {}
    for pick in picks:
        first.setdefault(pick.target, pick)
    return list(first.values())


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


def _has_hidden(document: OpenedDocument, target: Target, numbers: Numbers) -> bool:
    if len(target.nodes) != 1:
        return True
    children = document.tree.children(document.tree.node(target.nodes[0]))
    return any(Target((child.id,)) not in numbers.targets for child in children)


def _hints(document: OpenedDocument, hits: Sequence[Evidence], numbers: Numbers) -> tuple[str, Numbers]:
    lines: list[str] = []
    for hit in hits[:HINTS]:
        target = document.section_of(hit)
        number, numbers = numbers.give(target)
        lines.append(section_line(document, target, number))
    return ("Sections that hold words of the question:\n" + "\n".join(lines) if lines else ""), numbers
