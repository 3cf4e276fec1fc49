"""The section tree that users hold: sections with their text, their references and their outline as text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .references import with_references
from .render import render
from .sections import Merged, Node, Reference, Sections

__all__ = ["Merged", "Node", "Reference", "Tree"]


@dataclass(frozen=True)
class Tree(Sections):
    """A document's sections in preorder, with its text: plain data that can be navigated without any store.

    See `Sections` for its fields and lookups.

    Raises:
        InvalidTree: spans overlap or lie outside the document or the parent's, levels are out of range, or ids repeat.
    """

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """All references of all sections in reading order, searched for now if the tree is fresh from `build`."""
        searched = any(node.references for node in self.nodes)
        nodes = self.nodes if searched else with_references(self).nodes
        return tuple(reference for node in nodes for reference in node.references)

    def render(
        self,
        budget: int | None = None,
        *,
        explain: bool = False,
        references: bool = False,
        depth: int | None = None,
    ) -> str:
        """Returns the outline as text, one line per section; see `thumbindex.tree.render.render`."""
        return render(self, budget, explain=explain, references=references, depth=depth)
