"""The sections of a document as wholes, for indexes of other kinds."""

from __future__ import annotations

import pytest

from thumbindex import Library
from thumbindex.testing import sample_library
from thumbindex.text.tokens import estimate_tokens

PARAGRAPH = "The crew checks the pump each morning and notes what it finds in the log."
LONG = "# Pump\n\n## Daily\n\n" + "\n\n".join([PARAGRAPH] * 80) + "\n\n## Yearly\n\nPaint it.\n"


def test_each_section_comes_whole_with_the_id_that_a_search_gives_it() -> None:
    """However long it is."""
    library = Library()
    library.add(LONG.encode(), name="pump.md")
    daily, yearly = library.sections("pump.md")
    assert (daily.section_path, yearly.section_path) == ("Pump › Daily", "Pump › Yearly")
    assert daily.text.count(PARAGRAPH) == 80
    assert yearly.id == library.retrieve("paint").evidence[0].id
    assert daily.node_id in library.tree("pump.md")


@pytest.mark.parametrize("name", ["lantern.md", "harbour.md"])
def test_together_they_hold_the_text_once(name: str) -> None:
    """But for headings of sections that have no text of their own."""
    library = sample_library()
    tree = library.tree(name)
    given = "\n".join(one.text for one in library.sections(name)).splitlines()
    empty = {tree.lines[node.span.first - 1] for node in tree.nodes if node.title in ("4 Care", "Harbour report")}
    start = tree.lines.index("---", 1) + 1
    assert [line for line in given if line] == [line for line in tree.lines[start:] if line and line not in empty]


def test_a_limit_cuts_between_paragraphs() -> None:
    """And leaves shorter sections as they are."""
    library = Library()
    library.add(LONG.encode(), name="pump.md")
    *parts, yearly = library.sections("pump.md", max_tokens=200)
    assert len(parts) > 4
    assert all(estimate_tokens(part.text) <= 200 for part in parts)
    assert all(part.text.rstrip().endswith(PARAGRAPH) for part in parts)
    assert len({part.id for part in parts}) == len(parts)
    assert yearly.section_path == "Pump › Yearly"
