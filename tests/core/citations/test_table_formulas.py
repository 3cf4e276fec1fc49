"""Figures that are computed from rows of the cited pages, in any trade and language: the sentence or its question must name the rows."""

from __future__ import annotations

import pytest

from thumbindex import build_tree
from thumbindex.citations import ReadDocument, check_answer
from thumbindex.citations.table_rows import rows_of

INCOME = """# Statement of income
(in millions)
Year ended 2023 2022 2021
Revenues 36,397 34,350 32,376
Cost of sales 20,441 19,038 17,405
Research and development 2,944 2,512 2,201
Operating profit 4,945 4,379 4,175
Depreciation and amortization 706 662 649
Interest income 17 12 19
Net income 4,240 3,760 3,273"""
BALANCE = """# Balance sheet
(in millions)
At the end of 2023 2022
Inventories (Notes 1 and 3) 4,838 4,337
Total current assets ........ 15,976 15,587
Total current liabilities ... 5,358 6,332
Property, plant and equipment, net 3,989 3,520
Total assets 23,259 21,597"""
PROSE = """# Board
The board met nine times in 2023. Its 12 members are elected for 3 years, and 47 guests were heard on 28 occasions."""
TRAFFIC = """# Harbour traffic
Passengers by line
2023 2022
Island ferry 412,650 398,210
Night boat 88,140 91,905
River bus 1,204,300 1,150,760
All lines 1,705,090 1,640,875"""
GERMAN = """# Energiebilanz
in GWh
2023 2022
Windkraft 1.482,5 1.371,0
Wasserkraft 640,2 702,8
Strom aus eigener Erzeugung insgesamt 2.122,7 2.073,8"""
CHINESE = """# 产量
单位：万吨
2023 2022
粗钢产量 5,120 4,870
生铁产量 4,310 4,150"""


def check(sentence: str, pages: str, question: str = "") -> tuple[str, str]:
    """Status and note of a sentence that cites some of six pages, all of which were read."""
    tree = build_tree([INCOME, BALANCE, PROSE, TRAFFIC, GERMAN, CHINESE], name="report.pdf")
    lines = tuple(page.lines for page in tree.pages or () if page.lines)
    citations, _ = check_answer(
        f"{sentence} [report.pdf, p. {pages}].", [ReadDocument("d", "report.pdf", tree, lines)], question=question
    )
    return citations[0].status, citations[0].note


@pytest.mark.parametrize(
    ("sentence", "pages", "question", "formula"),
    [
        ("Revenue grew by 6.0%", "1", "", "6.0%: (36,397 - 34,350) / 34,350"),
        ("R&D spending grew by 17.2% in 2023", "1", "", "17.2%: (2,944 - 2,512) / 2,512"),
        ("The operating profit was 13.6% of all in 2023", "1", "", "13.6%: 4,945 / 36,397"),
        ("It was 43.8% in 2023", "1", "How much of revenues is left after the cost of sales?", "43.8%: 1 - 20,441 / 36,397"),
        ("The ratio was 2.98 in 2023", "2", "What is total current assets / total current liabilities?", "2.98: 15,976 / 5,358"),
        ("It was 4.46", "1-2", "How many times is the cost of sales the mean of inventories in 2023?", "4.46: 20,441 / ((4,838 + 4,337) / 2)"),
        ("On average it was 10.90%", "1", "What is net income as a percentage of revenues?", "10.90%: (4,240 / 36,397 + 3,760 / 34,350 + 3,273 / 32,376) / 3"),
        ("Current assets less current liabilities came to 10,618 in 2023", "2", "", "10,618: 15,976 - 5,358"),
        ("Operating profit before depreciation and amortization was 5,651 million in 2023", "1", "", "5,651 million: 4,945 + 706"),
        ("The night boat lost 4.1% of its passengers", "4", "", "4.1%: (88,140 - 91,905) / 91,905"),
        ("The river bus carried 70.6% of them in 2023", "4", "", "70.6%: 1,204,300 / 1,705,090"),
        ("Island ferry and night boat together carried 500,790 in 2023", "4", "", "500,790: 412,650 + 88,140"),
        ("Die Windkraft wuchs um 8,1 Prozent", "5", "", "8,1 Prozent: (1.482,5 - 1.371,0) / 1.371,0"),
        ("粗钢产量增长5.1%", "6", "", "5.1%: (5,120 - 4,870) / 4,870"),
    ],
)  # fmt: skip
def test_growth_shares_ratios_averages_sums_and_differences(
    sentence: str, pages: str, question: str, formula: str
) -> None:
    """The note has the formula. Operands come from named rows; shares may be shares of a table's largest row."""
    assert check(sentence, pages, question) == ("derived", formula)


@pytest.mark.parametrize(
    ("sentence", "pages", "question"),
    [
        pytest.param("The operating profit was 14.6% of all in 2023", "1", "", id="another digit"),
        pytest.param("The operating profit was 12.7% of all in 2023", "1", "", id="that of another year"),
        pytest.param("The operating profit was 13.6% of all in 2023", "2", "", id="the page of other rows"),
        pytest.param("The operating profit was 13.6% of all in 2023", "3", "", id="a page without rows"),
        pytest.param("The tax rate was 13.6% in 2023", "1", "", id="rows that nobody names"),
        pytest.param("The mayor grew by 4.1%", "4", "", id="a row that nobody names"),
        pytest.param("Revenue was 13.6 in 2023", "1", "", id="one named row has no such share"),
        pytest.param("The ratio was 7 in 2023", "2", "What is current assets / current liabilities?", id="few digits"),
        pytest.param("Operating income was 0.21 of it", "1", "", id="rows half named, and two digits: chance"),
        pytest.param("Die Windkraft wuchs um 8,7 Prozent", "5", "", id="another digit in German"),
        pytest.param("粗钢产量增长5.7%", "6", "", id="another digit in Chinese"),
    ],
)
def test_a_figure_that_named_rows_do_not_give_is_unsupported(sentence: str, pages: str, question: str) -> None:
    """Among enough formulas some fits by chance, so few are tried, and fewer the worse their rows are named."""
    assert check(sentence, pages, question)[0] in ("unsupported", "wrong_place")


def test_a_computed_figure_may_be_an_operand() -> None:
    """Two shares are computed, and then their difference."""
    status, note = check("Operating profit was 13.6% and net income 11.6% of revenues in 2023, a gap of 2.0%", "1")
    assert status == "derived"
    assert "2.0%: 13.6% - 11.6%" in note


def test_rows_have_labels_figures_and_years() -> None:
    """Columns are separated by spaces or dot leaders; notes in brackets belong to the label."""
    rows = {
        row.label: row for row in rows_of(f"{INCOME}\nSundry 167 203 236\nRent paid 328 183 141\n{BALANCE}", "english")
    }
    assert rows["Revenues"].years == (2023, 2022, 2021)
    assert [figure.text for figure in rows["Sundry"].figures] == ["167", "203", "236"]
    assert [figure.text for figure in rows["Inventories"].figures] == ["4,838", "4,337"]
    assert [figure.text for figure in rows["Total current assets"].figures] == ["15,976", "15,587"]
    assert "Year ended" not in rows


def test_a_number_with_a_space_is_two_columns_where_two_are_expected() -> None:
    """The head or the row above gives the number of columns."""
    (row,) = rows_of("2023 2022\nDeferred taxes 328 183", "english")
    assert [figure.text for figure in row.figures] == ["328", "183"]


def test_the_years_of_a_head_may_take_several_lines() -> None:
    """A head may have a line for the days and one for the years."""
    (row,) = rows_of("November 27,\n2015\nNovember 28,\n2014\nTrade payables 93,307 68,377", "english")
    assert row.years == (2015, 2014)
