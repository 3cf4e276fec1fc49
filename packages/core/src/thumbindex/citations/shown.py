"""The lines of a document that a text shows: its reader has seen these and no others. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from ..pages import LineRange
from ..text.untrusted import one_line, quotable
from ..tree.model import Tree

_SHORTEST_PIECE = 24
"""Characters that a cut line must share with a line of the document to be taken for a piece of it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Lines of a document that an output shows in full; of a line longer than a whole output, a piece.

    Args:
        lines: 1-based and inclusive.
    """

    doc_id: str
    lines: LineRange


def repeated(tree: Tree, within: LineRange, text: str) -> list[int]:
    """Returns the numbers of the lines within a range that a text repeats one after another, as the tools print them.

    The first and the last line of the text may be pieces of lines that were cut.
    """
    numbers = [n for n in within if n <= len(tree.lines) and tree.lines[n - 1].strip()]
    lines = [_plain(tree.lines[n - 1]) for n in numbers]
    shown = [line for line in map(_plain, text.split("\n")) if line]
    if not shown or not lines:
        return []
    blocks = SequenceMatcher(None, lines, shown, autojunk=False).get_matching_blocks()
    seen = {numbers[index] for block in blocks for index in range(block.a, block.a + block.size)}
    for piece in {shown[0], shown[-1]}:
        if len(piece) >= _SHORTEST_PIECE and piece not in lines:
            seen.update(n for n, line in zip(numbers, lines, strict=True) if piece in line)
    return sorted(seen)


def quoted(tree: Tree, numbers: Iterable[int], snippet: str) -> list[int]:
    """Returns those of some lines that stand whole in a snippet of running text, as the list of mentions prints it."""
    words = f" {one_line(snippet.strip('“”…'), None)} "
    return [n for n in numbers if (line := one_line(tree.lines[n - 1], None)) and f" {line} " in words]


def _plain(line: str) -> str:
    return " ".join(quotable(line).split())
