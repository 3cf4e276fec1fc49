"""The type of a rule that finds headings, and of the candidates that it hands to the reconciler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..outline import Heading, Origin
from .blocks import Block
from .layout import Layout


@dataclass(frozen=True, slots=True)
class Listing:
    """Headings that the document itself lists with their levels: its bookmarks, its printed contents page, or the
    numbered parts of a fixed order.

    Args:
        origin: Where an outline comes from that follows this list.
        headings: The listed headings that were found in the text, in reading order.
        lines: Lines that the list takes up; they are not text of the document.
        pages: Physical pages that the list stands on; empty for bookmarks.
        title: Line of the title above the list ("Contents"), which is not among `lines`.
        binding: True if the levels follow a fixed order, which a contents page does not overrule.
    """

    origin: Origin
    headings: tuple[Heading, ...]
    lines: frozenset[int] = frozenset()
    pages: tuple[int, ...] = ()
    title: int | None = None
    binding: bool = False

    @property
    def start(self) -> int | None:
        """First line of the list with its title; None for bookmarks."""
        return self.title or min(self.lines, default=None)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates that one rule found in one document.

    Args:
        listing: A list of headings that the document holds.
        blocks: Lines that stand out from the text as headings do; the reconciler gives them levels.
        numbered: Lines that only their number marks; they count where it is part of a sequence.
    """

    listing: Listing | None = None
    blocks: tuple[Block, ...] = ()
    numbered: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to find headings.

    Args:
        name: Name that the headings found by it carry (`Heading.rule`).
        evidence: One sentence on what it looks at.
        find: Returns the candidates of a document. It gets the lines without headers and footers and without the lists
            that rules before it in the table found.
    """

    name: str
    evidence: str
    find: Callable[[Layout], Candidates]
