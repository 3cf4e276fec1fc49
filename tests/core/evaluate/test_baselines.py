"""Chunks of fixed size, as vector stores hold them."""

from __future__ import annotations

from itertools import pairwise

from thumbindex import Library, build_tree
from thumbindex.evaluate.baselines import chunks
from thumbindex.text.tokens import estimate_tokens


def test_chunks_cover_every_line_and_overlap() -> None:
    """Every line is in at least one chunk; a chunk has its size, unless a single line is longer."""
    tree = build_tree(
        ["\n".join(f"Line {n} says that boats float on water." for n in range(p, p + 60)) for p in range(4)], name="b"
    )
    info = Library().import_tree(tree)
    pieces = [*chunks(info, tree)]
    assert {line for piece in pieces for line in piece.lines} == set(range(1, len(tree.lines) + 1))
    assert all(estimate_tokens(tree.text(piece.lines)) < 560 for piece in pieces)
    assert all(a.lines.first < b.lines.first <= a.lines.last < b.lines.last for a, b in pairwise(pieces))
