"""Corrections of a tree by a person: another title, another level, another place, or no heading at all.

Corrections name sections by id and are applied again, in order, whenever the document is read again. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

from ..outline import MAX_LEVEL
from ..pages import LineRange
from ..text.characters import letters_and_digits
from .build import respan
from .model import Node, Tree


@dataclass(frozen=True, slots=True)
class Rename:
    """The section has another title."""

    section: str
    title: str


@dataclass(frozen=True, slots=True)
class Relevel:
    """The section lies on another level, 1 at the top; those below it move along."""

    section: str
    level: int

    def __post_init__(self) -> None:
        if not 1 <= self.level <= MAX_LEVEL:
            raise ValueError(f"A section's level is 1 to {MAX_LEVEL}, got {self.level}.")


@dataclass(frozen=True, slots=True)
class Move:
    """The section begins at another line of the document, 1-based; what lies between goes to or comes from the section
    before. It may not pass another heading.

    `text` is that of the line, by which it is found again in a later revision; without, the number counts.
    """

    section: str
    line: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Drop:
    """The heading is none: its text belongs to the section before, and sections below it move up to its parent."""

    section: str


Correction = Rename | Relevel | Move | Drop


def correct(tree: Tree, corrections: Iterable[Correction]) -> tuple[Tree, tuple[Correction, ...]]:
    """The corrected tree, and the corrections that could not be made: their section is gone, or the place is taken."""
    nodes = list(tree.nodes)
    failed: list[Correction] = []
    for correction in corrections:
        at = next((position for position, node in enumerate(nodes) if node.id == correction.section), None)
        if at is None or not _apply(tree, nodes, at, correction):
            failed.append(correction)
    return replace(tree, nodes=respan(tree, nodes)), tuple(failed)


def _apply(tree: Tree, nodes: list[Node], at: int, correction: Correction) -> bool:
    node = nodes[at]
    below = _below(nodes, at)
    match correction:
        case Rename(_, title):
            nodes[at] = replace(node, title=" ".join(title.split()) or node.title)
        case Relevel(_, level):
            for position in range(at, at + 1 + below):
                moved = max(1, min(MAX_LEVEL, nodes[position].level + level - node.level))
                nodes[position] = replace(nodes[position], level=moved)
        case Move(_, line, text):
            before = nodes[at - 1].span.first if at else 0
            after = nodes[at + 1].span.first if at + 1 < len(nodes) else len(tree.lines) + 1
            if text and not (1 <= line <= len(tree.lines) and tree.lines[line - 1] == text):
                same = [n for n in range(before + 1, after) if tree.lines[n - 1] == text]
                line = min(same, key=lambda n: abs(n - node.span.first), default=0)
            if at == 0 or not before < line < after:
                return False
            # Where the title does not stand there is no heading line to leave out of the text.
            has_title = letters_and_digits(tree.lines[line - 1]).startswith(letters_and_digits(node.title)[:20])
            nodes[at] = replace(node, span=LineRange(line, line), body=line + 1 if has_title else line)
        case Drop():
            if at == 0:
                return False  # the first section holds the first line
            for position in range(at + 1, at + 1 + below):
                nodes[position] = replace(nodes[position], level=max(1, nodes[position].level - 1))
            del nodes[at]
    return True


def _below(nodes: Sequence[Node], at: int) -> int:
    count = 0
    while at + 1 + count < len(nodes) and nodes[at + 1 + count].level > nodes[at].level:
        count += 1
    return count


_KINDS = {kind.__name__.lower(): kind for kind in (Rename, Relevel, Move, Drop)}


def to_json(correction: Correction) -> dict[str, object]:
    """A correction as plain JSON."""
    return {"kind": type(correction).__name__.lower(), **asdict(correction)}


def from_json(value: dict[str, object]) -> Correction:
    """The correction that `to_json` wrote."""
    fields = dict(value)
    # What the fields are was checked when the correction was made.
    return _KINDS[str(fields.pop("kind"))](**fields)  # type: ignore[arg-type]
