"""What comes along with a section on request: its inside, and what it refers to."""

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


def test_nothing_comes_along_unless_asked_for(library: Library) -> None:
    """One section asked for is one section."""
    assert [one.title for one in library.retrieve("Which rate has the loan?", k=1).evidence] == ["Loan"]


def test_sections_inside_a_section_follow_it(library: Library) -> None:
    """In reading order, and they do not count among the k."""
    found = library.retrieve("Which rate has the loan?", k=1, navigator=Lexical(include=["subsections"]))
    assert [one.title for one in found.evidence] == ["Loan", "Security", "Term"]
    assert found.evidence[1].why == "inside Loan"


def test_what_a_section_refers_to_follows_it(library: Library) -> None:
    """With the reason."""
    found = library.retrieve("Which rate has the loan?", k=1, navigator=Lexical(include=["references"]))
    assert [one.title for one in found.evidence] == ["Loan", "Appendix G"]
    assert found.evidence[1].why == "Loan refers to it"


def test_every_passage_comes_once_and_scores_still_fall(library: Library) -> None:
    """A section that was chosen itself is not repeated as part of another."""
    found = library.retrieve(
        "Which rate has the loan, and what is pledged?", k=3, navigator=Lexical(include=["subsections", "references"])
    )
    ids = [one.id for one in found.evidence]
    scores = [one.score for one in found.evidence]
    assert len(set(ids)) == len(ids) == 4
    assert scores[0] == 1.0
    assert sorted(scores, reverse=True) == scores
    assert len(set(scores)) == len(scores)


def test_what_comes_along_stays_within_the_budget(library: Library) -> None:
    """Chosen sections have the first claim on it."""
    chosen = library.retrieve("Which rate has the loan?", k=1).evidence[0]
    budget = estimate_tokens(chosen.text) + 12
    found = library.retrieve(
        "Which rate has the loan?",
        k=1,
        navigator=Lexical(include=["subsections"]),
        budget=Budget(evidence_tokens=budget),
    )
    assert [one.title for one in found.evidence] == ["Loan", "Security"]


async def test_the_async_twin_takes_the_same() -> None:
    """Word for word."""
    library = sample_library()
    found = await AsyncLibrary(library).retrieve(
        "How is the glass cleaned?", k=1, navigator=Lexical(include=["references"])
    )
    assert (
        found.evidence
        == library.retrieve("How is the glass cleaned?", k=1, navigator=Lexical(include=["references"])).evidence
    )
