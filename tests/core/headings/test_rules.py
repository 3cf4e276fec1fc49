"""The table of rules: a rule is one file and one line."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from thumbindex import headings
from thumbindex.headings import RULES
from thumbindex.headings.blocks import Block, TextStyle
from thumbindex.headings.layout import Layout
from thumbindex.headings.reconcile import reconcile
from thumbindex.headings.rules import Candidates, Rule
from thumbindex.pages import Box, Document, Line, LineRange, Page, Style

FOLDER = Path(headings.__file__).parent
TEXT = Style(10.0, "Times")
TITLE = Style(14.0, "Times", bold=True)


def document(*texts: str) -> Document:
    """A page of the given lines; "Wheat" and "Rye" are titles in larger type."""
    lines = tuple(
        Line(text, Box(72, 700 - 40 * n, 72 + 5 * len(text), 712 - 40 * n), TITLE if text in ("Wheat", "Rye") else TEXT)
        for n, text in enumerate(texts)
    )
    return Document("r.pdf", "pdf", lines, (Page(1, LineRange(1, len(lines)), None, 612, 792),))


REPORT = document("Wheat", "Grown on two farms.", ">> Prices", "They rose by 4 %.", "Rye", "Grown on one farm.")


def marked_by_arrows(layout: Layout) -> Candidates:
    """A rule of this test: lines that begin with two arrows."""
    return Candidates(
        blocks=tuple(
            Block(
                n,
                n,
                1,
                line.text,
                TextStyle(10, False, False, False),
                "arrows",
                None,
                72,
                99,
                9,
                9,
                False,
                "arrows",
                0.8,
            )
            for n, line in enumerate(layout.lines, 1)
            if line.text.startswith(">>")
        )
    )


ARROWS = Rule("arrows", "A line begins with two arrows.", marked_by_arrows)


def test_a_rule_added_to_the_table_finds_its_headings():
    """With its name and its confidence, below the headings in heavier type."""
    without = reconcile(Layout(REPORT), RULES)
    outline = reconcile(Layout(REPORT), (*RULES, ARROWS))
    assert [heading.title for heading in without.headings] == ["Wheat", "Rye"]
    assert [(heading.title, heading.level, heading.rule, heading.confidence) for heading in outline.headings] == [
        ("Wheat", 1, "typography", 0.5),
        (">> Prices", 2, "arrows", 0.8),
        ("Rye", 1, "typography", 0.5),
    ]


def test_a_line_that_two_rules_find_is_one_heading_of_the_first():
    """The order of the table decides."""
    same = Rule("again", "The same lines once more.", RULES[2].find)
    assert reconcile(Layout(REPORT), (*RULES, same)) == reconcile(Layout(REPORT), RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_states_its_evidence_in_one_sentence(rule: Rule):
    """Names are unique, so that a heading's rule can be looked up."""
    assert rule.evidence.endswith(".")
    assert ". " not in rule.evidence
    assert [other.name for other in RULES].count(rule.name) == 1


def test_every_file_that_defines_a_rule_is_in_the_table():
    """Otherwise it would never run."""
    modules = [importlib.import_module(f"thumbindex.headings.{path.stem}") for path in FOLDER.glob("[a-z]*.py")]
    assert {module.RULE.name for module in modules if hasattr(module, "RULE")} == {rule.name for rule in RULES}
