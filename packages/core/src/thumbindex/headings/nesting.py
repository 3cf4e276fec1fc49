"""Levels of headings: styles ranked over the whole document, numbers within a style, decimals under the heading with their prefix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from ..outline import MAX_LEVEL
from .numbering import Label

_WORD_ORDER = {
    kind: position
    for position, kind in enumerate(
        ["volume", "book", "part", "title", "chapter", "appendix", "annex", "item", "article", "section"]
    )
}


RESTARTS = 2
"""Times that a counter must begin at one to lie below the entries between."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The properties of a heading that nesting needs: the rank of its style (0 the heaviest) and its label."""

    rank: int
    label: Label | None


def nest(items: Sequence[Ranked], *, indented: bool = False) -> list[int]:
    """Returns the level of each heading, 1 at the top: a heading goes under the last one that outranks it.

    Within a style the kinds of labels make sub-levels: words in their customary order (Part over Chapter), decimals by
    depth, other counters in the order in which they first open. A heading without number takes the style's shallowest
    sub-level. A decimal goes under the open heading that carries its prefix, whatever their styles are. Where ranks come
    from indentation (`indented`), counters of one rank stand side by side: "Note 1" after "8.6" is its neighbour.
    """
    kinds = _sublevels(items)
    restarting = _restarting(items) if indented else frozenset()
    levels: list[int] = []
    stack: list[tuple[tuple[int, float], Label | None]] = []
    beside: dict[int, float] = {}
    for item in items:
        lowest = min(kinds[item.rank].values(), default=0.0)
        counter = _counter(item.label)
        sub = kinds[item.rank].get(counter, lowest)
        if (
            indented
            and item.label is not None
            and item.label.kind != "decimal"
            and item.label.kind not in _WORD_ORDER
            and (item.rank, counter) not in restarting
        ):
            sub = beside.get(item.rank, sub)
        beside[item.rank] = sub
        key = (item.rank, sub)
        keep = _prefix_parent(stack, item.label)
        if keep is None:
            keep = len(stack)
            while keep and stack[keep - 1][0] >= key:
                keep -= 1
        del stack[keep:]
        stack.append((key, item.label))
        levels.append(min(len(stack), MAX_LEVEL))
    return levels


def _restarting(items: Sequence[Ranked]) -> frozenset[tuple[int, Hashable]]:
    """Returns the counters that start again, by rank: letters that begin with A in each chapter lie below the chapters."""
    opened = Counter((item.rank, _counter(item.label)) for item in items if item.label and item.label.ordinal == 1)
    return frozenset(key for key, times in opened.items() if times >= RESTARTS)


def _counter(label: Label | None) -> Hashable:
    if label is None:
        return None
    return (label.kind, label.depth) if label.kind == "decimal" else label.kind


def _sublevels(items: Sequence[Ranked]) -> dict[int, dict[Hashable, float]]:
    """Returns the counters of each style and their order."""
    found: dict[int, dict[Hashable, float]] = {}
    last: dict[tuple[int, Hashable], int] = {}
    first: dict[tuple[int, Hashable], int] = {}
    for position, item in enumerate(items):
        order = found.setdefault(item.rank, {})
        counter = _counter(item.label)
        if counter is None or item.label is None:
            continue
        last[item.rank, counter] = position
        first.setdefault((item.rank, counter), position)
        if counter in order:
            continue
        kind = item.label.kind
        if kind in _WORD_ORDER:
            order[counter] = float(_WORD_ORDER[kind])
        elif kind == "decimal":
            order[counter] = 20.0 + item.label.depth
        else:
            order[counter] = max(20.0, max(order.values(), default=20.0)) + 0.01
    for rank, order in found.items():
        chapters = next((c for c in ("chapter", "item", "article", ("decimal", 1), "upper-roman") if c in order), None)
        if chapters is None:
            continue
        for counter in ("appendix", "annex", "upper-letter"):
            # Appendices stand beside the chapters that they follow, whatever counts them.
            if counter in order and first[rank, counter] > last[rank, chapters]:
                order[counter] = order[chapters]
    return found


def _prefix_parent(stack: Sequence[tuple[tuple[int, float], Label | None]], label: Label | None) -> int | None:
    """Returns how many open headings stay open when a decimal goes under the one with its prefix; None if none has it."""
    if label is None or label.kind != "decimal" or label.depth < 2:
        return None
    for position in range(len(stack) - 1, -1, -1):
        other = stack[position][1]
        if other is None:
            continue
        if other.kind == "decimal" and other.value == label.value[:-1]:
            return position + 1
        if (
            label.depth == 2
            and other.depth == 1
            and other.kind in ("chapter", "appendix", "annex", "section")
            and _same_number(other, label)
        ):
            return position + 1
        if other.kind == "decimal" and other.depth == label.depth and other.value[:-1] == label.value[:-1]:
            return position
    return None


def _same_number(word: Label, decimal: Label) -> bool:
    return word.value[0].upper() == decimal.value[0].upper() or str(word.ordinal) == decimal.value[0]
