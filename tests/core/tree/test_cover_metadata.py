"""What first pages state, and that nothing is guessed."""

from __future__ import annotations

import pytest

from thumbindex import Library, Scope, build_tree
from thumbindex.tree.cover_metadata import cover_metadata

ANNUAL = """\
UNITED STATES
SECURITIES AND EXCHANGE COMMISSION

FORM 10-K

For the fiscal year ended December 31, 2021

Corvelle Water , Inc.

(Exact name of registrant as specified in its charter)
"""


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        pytest.param(
            ANNUAL,
            {
                "company": "Corvelle Water, Inc.",
                "form": "10-K",
                "period": "year",
                "period_end": "2021-12-31",
                "period_year": 2021,
            },
            id="an annual report",
        ),
        pytest.param(
            "FORM 10-Q\n\nFor the quarterly period ended March 31, 2022\n",
            {"form": "10-Q", "period": "quarter", "period_end": "2022-03-31", "period_year": 2022},
            id="a quarterly report",
        ),
        pytest.param(
            "FORM 8-K\n\nDate of Report (Date of earliest event reported): May 3, 2023\n",
            {"form": "8-K", "report_date": "2023-05-03", "period_year": 2023},
            id="a current report",
        ),
        pytest.param("The company will file its Form 10-Q in May.\n", {}, id="a form that is only spoken of"),
        pytest.param("For the year ended February 30, 2022\n", {}, id="no such day"),
        pytest.param("# Handbook\n\nVersion 3, 2021\n", {}, id="nothing stated"),
    ],
)
def test_only_what_is_stated_is_taken(text: str, stated: dict[str, object]) -> None:
    """In the wordings that forms demand."""
    assert cover_metadata(build_tree([text], name="t")) == stated


def test_a_library_filters_by_what_the_first_page_states() -> None:
    """What the user gives is stronger."""
    library = Library()
    library.add(ANNUAL.encode(), name="a.md")
    library.add(b"# Other\n\nregistrant\n", name="b.md", metadata={"company": "Mill"})
    found = library.retrieve("registrant", scope=Scope(where={"form": "10-K", "period_year": 2021})).evidence
    assert {one.document for one in found} == {"a.md"}
    assert library.add(ANNUAL.encode(), name="a.md", metadata={"company": "CW"}).metadata["company"] == "CW"
