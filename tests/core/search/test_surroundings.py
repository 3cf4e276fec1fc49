"""Passages returned with a section on request: those inside it, and those that it refers to."""

from __future__ import annotations

import pytest

from thumbindex import AsyncLibrary, Budget, Lexical, Library
from thumbindex.testing import sample_library
from thumbindex.text.tokens import estimate_tokens

REPORT = (
    "# Report\n\n## Loan\n\nThe loan bears a fixed rate; its covenants stand in Appendix G.\n\n"
    "### Security\n\nNothing is pledged.\n\n### Term\n\nIt ends in 2031.\n\n"
    "## Appendix G\n\nDebt stays below four times what is earned.\n"
)


@pytest.fixture(scope="module")
def library() -> Library:
    library = Library()
    library.add(REPORT.encode(), name="report.md")
    return library


def test_nothing_is_added_unless_requested(library: Library) -> None:
    """k=1 returns one section."""
    assert [evidence.title for evidence in library.retrieve("Which rate has the loan?", k=1).evidence] == ["Loan"]


def test_sections_inside_a_section_follow_it(library: Library) -> None:
    """In reading order; they do not count towards k."""
    found = library.retrieve("Which rate has the loan?", k=1, navigator=Lexical(include=["subsections"]))
    assert [evidence.title for evidence in found.evidence] == ["Loan", "Security", "Term"]
    assert found.evidence[1].why == "inside Loan"


def test_sections_that_a_section_refers_to_follow_it(library: Library) -> None:
    """With the reason."""
    found = library.retrieve("Which rate has the loan?", k=1, navigator=Lexical(include=["references"]))
    assert [evidence.title for evidence in found.evidence] == ["Loan", "Appendix G"]
    assert found.evidence[1].why == "Loan refers to it"


def test_every_passage_is_returned_once_and_scores_fall(library: Library) -> None:
    """A section that was chosen itself is not repeated as part of another."""
    found = library.retrieve(
        "Which rate has the loan, and what is pledged?", k=3, navigator=Lexical(include=["subsections", "references"])
    )
    ids = [evidence.id for evidence in found.evidence]
    scores = [evidence.score for evidence in found.evidence]
    assert len(set(ids)) == len(ids) == 4
    assert scores[0] == 1.0
    assert sorted(scores, reverse=True) == scores
    assert len(set(scores)) == len(scores)


def test_added_passages_stay_within_the_budget(library: Library) -> None:
    """Chosen sections come first."""
    chosen = library.retrieve("Which rate has the loan?", k=1).evidence[0]
    budget = estimate_tokens(chosen.text) + 12
    found = library.retrieve(
        "Which rate has the loan?",
        k=1,
        navigator=Lexical(include=["subsections"]),
        budget=Budget(evidence_tokens=budget),
    )
    assert [evidence.title for evidence in found.evidence] == ["Loan", "Security"]


async def test_the_async_library_returns_the_same() -> None:
    """With the same navigator."""
    library = sample_library()
    found = await AsyncLibrary(library).retrieve(
        "How is the glass cleaned?", k=1, navigator=Lexical(include=["references"])
    )
    assert (
        found.evidence
        == library.retrieve("How is the glass cleaned?", k=1, navigator=Lexical(include=["references"])).evidence
    )
