"""The moves of a walk: looking up what a move names, and the text that the model is shown of it."""

from __future__ import annotations

from collections.abc import Sequence

from ..evidence import Evidence
from ..pages import LineRange
from ..store import Passage
from ..text.tokens import TokenCounter, estimate_tokens
from ..text.untrusted import one_line, wrap_untrusted
from ..tree.model import Node
from .actions import Back, Conclude, Cost, Fault, Follow, Open, Read, Search, Split
from .lookups import ReadLines, ReadPassages, SearchDocument
from .opened import OpenedDocument, Target, target_of_passages
from .outlines import Numbers, label, outline, section_line
from .parse import Misunderstood, Move, read_move
from .protocol import Flow, look_up
from .walk_state import Seen, WalkLimits, WalkState


def observe(
    walk: WalkState,
    reply: str,
    document: OpenedDocument,
    limits: WalkLimits,
    cost: Cost,
    *,
    count: TokenCounter = estimate_tokens,
) -> Flow[Seen]:
    """Carries out the move of a reply. Looks things up, changes nothing."""
    move = read_move(reply)
    if isinstance(move, Misunderstood):
        return Seen(Fault(reply, move.correction, cost), move.correction, walk.numbers)
    moves = _Moves(walk, reply, document, limits, cost, count)
    reason = one_line(move.reason)
    match move.action:
        case "open":
            return moves.open(move, reason)
        case "read":
            return (yield from moves.read(move, reason))
        case "search":
            return (yield from moves.search(move, reason))
        case "follow":
            return (yield from moves.follow(move, reason))
        case "split":
            return moves.split(move, reason)
        case "back":
            text = "You are at the top. The outline at the beginning holds, and so do all numbers printed since."
            return Seen(Back(reason, cost), text, walk.numbers)
        case _:
            return moves.conclude(reason)


HITS = 6
"""Sections that one search of a walk lists."""
HIT_LINE_LENGTH = 140
"""Characters of the line that is shown of each."""
MOST_TARGETS = 8
"""Sections that one move may open or read."""


class _Moves:
    """Carries out one move of a walk."""

    def __init__(
        self, walk: WalkState, reply: str, document: OpenedDocument, limits: WalkLimits, cost: Cost, count: TokenCounter
    ) -> None:
        self._walk, self._reply, self._document = walk, reply, document
        self._limits, self._cost, self._count = limits, cost, count

    def open(self, move: Move, reason: str) -> Seen:
        targets, warning = self._targets(move)
        if not targets:
            return self._fault(warning)
        text, numbers = outline(self._document, targets, self._walk.numbers, self._limits.outline, count=self._count)
        fresh = len(numbers.targets) - len(self._walk.numbers.targets)
        names = ", ".join(label(self._document, target) for target in targets)
        return Seen(
            Open(names, reason, f"{fresh} sections listed", self._cost),
            f"{warning}\n{text}".strip(),
            numbers,
            last=targets[0],
        )

    def read(self, move: Move, reason: str) -> Flow[Seen]:
        targets, warning = self._targets(move)
        if not targets:
            return self._fault(warning)
        names = tuple(label(self._document, target) for target in targets)
        evidence, text, numbers, tokens = yield from self._show(targets, reason)
        outcome = f"{len(evidence)} passages, {tokens} tokens" if evidence else "nothing new to read"
        return Seen(
            Read(names, reason, outcome, evidence, self._cost),
            f"{warning}\n{text}".strip(),
            numbers,
            evidence,
            tokens,
            targets[-1],
        )

    def search(self, move: Move, reason: str) -> Flow[Seen]:
        query = move.text or self._walk.current or self._walk.question
        hits = yield from look_up(SearchDocument(self._document.info, query, HITS))
        numbers = self._walk.numbers
        lines: list[str] = []
        for hit in hits:
            target = self._document.section_of(hit)
            number, numbers = numbers.give(target)
            line = one_line(self._document.telling_line(hit, query), HIT_LINE_LENGTH)
            lines.append(section_line(self._document, target, number) + (f"\n   “{line}”" if line else ""))
        text = "\n".join(lines) or "No section holds any of these words. Try the document's own words."
        return Seen(Search(one_line(query), reason, f"{len(hits)} sections", self._cost), text, numbers)

    def follow(self, move: Move, reason: str) -> Flow[Seen]:
        reference = move.text
        target = None
        source = self._walk.last
        if reference:
            nodes = self._document.nodes(source) if source is not None and source.nodes else ()
            target = yield from self._destination(reference, nodes[0] if nodes else None)
        elif move.numbers:
            target = self._walk.numbers.get(move.numbers[0])
        if target is None:
            return self._fault(f"Nothing here is called {one_line(reference, 60)!r}. Search for it, or open a section.")
        evidence, text, numbers, tokens = yield from self._show([target], reason)
        outcome = f"{label(self._document, target)}: {len(evidence)} passages, {tokens} tokens"
        return Seen(
            Follow(one_line(reference) or label(self._document, target), reason, outcome, evidence, self._cost),
            text, numbers, evidence, tokens, target,
        )  # fmt: skip

    def _destination(self, reference: str, source: Node | None) -> Flow[Target | None]:
        """Where a reference leads; the passages of a page where it names one."""
        found = self._document.destination(reference, source)
        if isinstance(found, LineRange):
            passages = yield from look_up(ReadLines(self._document.info, found))
            return target_of_passages(passages) if passages else None
        return found

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

    def _fault(self, correction: str) -> Seen:
        return Seen(Fault(self._reply, correction, self._cost), correction, self._walk.numbers)

    def _targets(self, move: Move) -> tuple[list[Target], str]:
        """The targets of a move's numbers, and what to say about those that were never printed."""
        if not move.numbers:
            return [], f'"{move.action}" takes "numbers", such as [3]: numbers of the outline, from 1 to {self._last}.'
        known = [target for number in move.numbers if (target := self._walk.numbers.get(number))]
        unknown = [str(number) for number in move.numbers if not self._walk.numbers.get(number)]
        warning = (
            f"No section has the number {', '.join(unknown[:5])}: numbers go from 1 to {self._last}." if unknown else ""
        )
        return list(dict.fromkeys(known))[:MOST_TARGETS], warning

    @property
    def _last(self) -> int:
        return len(self._walk.numbers.targets)

    def _show(self, targets: Sequence[Target], reason: str) -> Flow[tuple[tuple[Evidence, ...], str, Numbers, int]]:
        """The text of targets within the limits, and how to read on where it does not fit."""
        numbers = self._walk.numbers
        read = set(self._walk.read)
        left = self._limits.evidence - self._walk.read_tokens
        room = min(self._limits.reading, left)
        evidence: list[Evidence] = []
        blocks: list[str] = []
        used = 0
        for target in targets:
            passages = yield from look_up(ReadPassages(self._document, target))
            fresh = [passage for passage in passages if passage.node_id not in read]
            if not passages:
                blocks.append(f"{label(self._document, target)} has no text of its own. Open it.")
            elif not fresh:
                blocks.append(f"{label(self._document, target)} was read above. Read another section, or answer.")
            waiting: list[Passage] = []
            for passage in fresh:
                size = self._count(passage.text)
                if waiting or (used + size > room and (evidence or size > left)):
                    waiting.append(passage)
                    continue
                used += size
                read.add(passage.node_id)
                why = one_line(f"{self._walk.current}: {reason}" if self._walk.current else reason) or "read"
                evidence.append(self._document.evidence(passage, score=1.0, why=why))
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
        return (
            f"[{one_line(self._document.info.name, 60)}, {where}] {one_line(passage.path, 200)}\n{wrap_untrusted(text)}"
        )

    def _waiting(self, waiting: Sequence[Passage], numbers: Numbers) -> tuple[str, Numbers]:
        """The passages of a target that did not fit, in a few stretches that can be read by number."""
        lines = ["It goes on; read what you need:"]
        pieces = min(8, len(waiting))
        for piece in range(pieces):
            group = waiting[piece * len(waiting) // pieces : (piece + 1) * len(waiting) // pieces]
            number, numbers = numbers.give(target_of_passages(group))
            where = ""
            if group[0].pages and group[-1].pages:
                first, last = group[0].pages.first, group[-1].pages.last
                where = f", p. {first}" if first == last else f", p. {first}-{last}"
            lines.append(f"{number}. {one_line(group[0].title, 90)}{where} ({len(group)} passages)")
        return "\n".join(lines), numbers

    def _pointers(self, evidence: Sequence[Evidence], numbers: Numbers) -> tuple[str, Numbers]:
        """The sections that the text refers to, under numbers, so that the model can go there."""
        lines: dict[str, None] = {}
        for passage in evidence:
            node = self._document.tree.node(self._document.section_of(passage).nodes[0])
            for reference in node.references:
                if reference.line not in passage.lines or reference.target is None or len(lines) >= 6:
                    continue
                target = Target((reference.target,))
                number, given = numbers.give(target)
                line = f"{section_line(self._document, target, number)} (“{one_line(reference.text, 40)}”)"
                if line not in lines:
                    lines[line] = None
                    numbers = given
        return ("It refers to:\n" + "\n".join(lines) if lines else ""), numbers
