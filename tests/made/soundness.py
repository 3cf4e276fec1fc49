"""All that must hold for a tree, whatever it was built of: what fuzzers, property tests and benchmarks ask."""

from __future__ import annotations

from collections.abc import Iterator

from thumbindex.tree import Tree, from_json, to_json
from thumbindex.tree.balance import balance
from thumbindex.tree.build import FAULT
from thumbindex.tree.invariants import violations
from thumbindex.tree.references import with_references


def faults(tree: Tree) -> Iterator[str]:
    """What is wrong with a tree, one sentence each: it is a fallback, breaks a promise as it is, with its references or
    balanced, does not come back from JSON, or does not print."""
    yield from (note for note in tree.notes if note.startswith(FAULT))
    whole = with_references(tree)
    for what, one in (("", tree), ("with references: ", whole), ("balanced: ", balance(whole))):
        yield from (f"{what}{broken}" for broken in violations(one))
    if from_json(to_json(whole)) != whole:
        yield "JSON gives another tree"
    if len(whole.render().splitlines()) != 1 + len(tree.nodes):
        yield "it prints on more or fewer lines than it has sections"
