"""Figures that are computed from several rows of the cited pages: accepted where sentence or question names the rows and what to do."""

from __future__ import annotations

import pytest

from thumbindex import build_tree
from thumbindex.answer.check import Source, check_answer
from thumbindex.answer.derive import rows_of

INCOME = """# Statement of income
(in millions)
Year ended 2023 2022 2021
Revenues 36,397 34,350 32,376
Cost of sales 20,441 19,038 17,405
Operating profit 4,945 4,379 4,175
Depreciation and amortization 706 662 649
Interest income 17 12 19
Net income 4,240 3,760 3,273"""
BALANCE = """# Balance sheet
(in millions)
At the end of 2023 2022
Inventories 4,838 4,337
Total current assets 15,976 15,587
Total current liabilities 5,358 6,332
Property, plant and equipment, net 3,989 3,520
Total assets 23,259 21,597"""
PROSE = """# Board
The board met nine times in 2023. Its 12 members are elected for 3 years, and 47 guests were heard on 28 occasions."""


def check(sentence: str, pages: str, question: str = "") -> tuple[str, str]:
    """Status and note of a sentence that cites some of three pages, all of which were read."""
    tree = build_tree([INCOME, BALANCE, PROSE], name="report.pdf")
    lines = tuple(page.lines for page in tree.pages or () if page.lines)
    citations, _ = check_answer(
        f"{sentence} [report.pdf, p. {pages}].", [Source("d", "report.pdf", tree, lines)], question=question
    )
    return citations[0].status, citations[0].note


@pytest.mark.parametrize(
    ("sentence", "pages", "question", "formula"),
    [
        ("Revenue grew by 6.0%", "1", "", "6.0%: (36,397 - 34,350) / 34,350"),
        ("The gross margin was 43.8%", "1", "What is gross profit as a % of sales, i.e. 1 less cost of sales / revenue?", ""),
        ("The operating margin was 13.6% in 2023", "1", "", "13.6%: 4,945 / 36,397"),
        ("The ratio was 2.98 in 2023", "2", "What is current assets / current liabilities?", "2.98: 15,976 / 5,358"),
        ("It was 4.46", "1-2", "What is the inventory turnover ratio for 2023?", "4.46: 20,441 / ((4,838 + 4,337) / 2)"),
        ("It was 15.5%", "1", "What is the EBITDA margin for 2023?", "15.5%: (4,945 + 706) / 36,397"),
        ("The margin was 10.9% on average", "1", "What is the average net profit margin of three years?", "10.9%: (4,240 / 36,397 + 3,760 / 34,350 + 3,273 / 32,376) / 3"),
        ("Working capital was 10,618 in 2023", "2", "", "10,618: 15,976 - 5,358"),
        ("EBITDA was 5,651 million in 2023", "1", "", "5,651 million: 4,945 + 706"),
    ],
)  # fmt: skip
def test_growth_margins_ratios_averages_sums_and_differences(
    sentence: str, pages: str, question: str, formula: str
) -> None:
    """The note has the formula; operands come from rows that are named, in columns of the years that are."""
    status, note = check(sentence, pages, question)
    assert (status, note) == (("derived", formula) if formula else ("unsupported", note))


@pytest.mark.parametrize(
    ("sentence", "pages", "question"),
    [
        pytest.param("The operating margin was 14.6% in 2023", "1", "", id="another digit"),
        pytest.param("The operating margin was 12.7% in 2023", "1", "", id="that of another year"),
        pytest.param("The operating margin was 13.6% in 2023", "2", "", id="the page of other rows"),
        pytest.param("The operating margin was 13.6% in 2023", "3", "", id="a page without rows"),
        pytest.param("The tax rate was 13.6% in 2023", "1", "", id="rows that nobody names"),
        pytest.param("Revenue was 13.6 in 2023", "1", "", id="nothing that asks for a computation"),
        pytest.param(
            "The ratio was 3 in 2023", "2", "What is current assets / current liabilities?", id="too few digits"
        ),
    ],
)
def test_a_figure_that_no_named_rows_give_is_unsupported(sentence: str, pages: str, question: str) -> None:
    """Among enough formulas one fits everything, so few are tried."""
    assert check(sentence, pages, question)[0] in ("unsupported", "wrong_place")


def test_what_was_computed_may_be_computed_with() -> None:
    """Two margins, and by how much one is above the other."""
    status, note = check("The operating margin was 13.6% and the net profit margin 11.6% in 2023, a gap of 2.0%", "1")
    assert status == "derived"
    assert "2.0%: 13.6% - 11.6%" in note


def test_rows_have_labels_figures_and_the_years_above_them() -> None:
    """Spaces part columns, whatever numbers they would make together."""
    rows = {row.label: row for row in rows_of(f"{INCOME}\nSundry 167 203 236", "english")}
    assert rows["Revenues"].years == (2023, 2022, 2021)
    assert [one.text for one in rows["Sundry"].figures] == ["167", "203", "236"]
    assert "Year ended" not in rows
