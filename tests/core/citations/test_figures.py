"""When two figures say the same, and when they do not."""

from __future__ import annotations

from decimal import Decimal

import pytest

from thumbindex.citations.figures import Figure, agrees, figures
from thumbindex.citations.scales import stated_scales
from thumbindex.citations.stated_formulas import derive_from_figures


def first(text: str) -> Figure:
    return next(figures(text))


def bears_out(page: str, claim: str) -> bool:
    """Returns whether any figure of a page agrees with the first figure of a claim."""
    claimed = first(claim)
    return any(
        agrees(claimed, found, stated_scales(page), percents="%" in page or "cent" in page, near=page)
        for found in figures(page, cited_in="english")
    )


@pytest.mark.parametrize(
    ("page", "claim"),
    [
        pytest.param("(in millions)\nRevenue 1,200", "$1.2 billion", id="a table in millions"),
        pytest.param("EUR thousand\nTerm loan 130,000", "EUR 130 million", id="a table in thousands"),
        pytest.param("€m 2024\nSales 1,198", "€1.2 billion", id="rounded to the digits that are shown"),
        pytest.param("$ 000\nFees 412", "$412,000", id="three zeros above the table"),
        pytest.param("TEUR\nUmsatz 5.120", "5,12 Mio. EUR", id="German thousands and millions"),
        pytest.param("单位：百万元\n营业收入 350", "3.5亿", id="Chinese units"),
        pytest.param("Net loss (1,234)", "−1,234", id="brackets are a minus"),
        pytest.param("Net loss (1,234)", "a loss of 1,234", id="a loss in words"),
        pytest.param("a loss of 1,234", "(1,234)", id="and the other way round"),
        pytest.param("It rose 5.0 per cent", "5%", id="per cent"),
        pytest.param("It rose 5 percent", "5.0 %", id="percent"),
        pytest.param("Rate, % 4.35", "4.35%", id="a percent sign at the head of a column"),
        pytest.param("raised by 25 basis points", "0.25%", id="basis points"),
        pytest.param("4.35 per cent", "4.4%", id="a percentage rounded"),
        pytest.param("1 234,5 tonnes", "1,234.5", id="French blanks and commas"),
        pytest.param("1.234,5 Tonnen", "1,234.5", id="German points and commas"),
        pytest.param("12 345 678", "345", id="columns set close together"),
        pytest.param("nine months of notice", "9 months", id="a number in words"),
        pytest.param("12 months", "twelve months", id="words for digits"),
        pytest.param("called at by 1,204 ships", "about 1,200", id="about lets a figure be round"),
        pytest.param("USD 3.5 bn", "3,500 million", id="powers of ten in letters"),
    ],
)
def test_these_figures_agree(page: str, claim: str) -> None:
    """Units, separators, currencies and words may differ."""
    assert bears_out(page, claim)


@pytest.mark.parametrize(
    ("page", "claim"),
    [
        pytest.param("The rent is 48,000", "84,000", id="digits swapped"),
        pytest.param("Revenue 1,200", "$1.2 billion", id="no unit is stated anywhere"),
        pytest.param("(in thousands)\nRevenue 1,200", "$1.2 billion", id="another unit"),
        pytest.param("5 boats", "5%", id="a count is no percentage"),
        pytest.param("It rose 5 percent", "5 boats", id="nor the other way round"),
        pytest.param("It rose 4.6 per cent", "5%", id="one digit is too few to be a rounding"),
        pytest.param("called at by 1,204 ships", "1,200", id="without a word such as about a count is exact"),
        pytest.param("profit of 1,234", "−1,234", id="a loss is no profit"),
        pytest.param("12.00", "1,200", id="the point counts"),
        pytest.param("see Note 14 on page 97", "14 loans", id="labels are no figures"),
    ],
)
def test_these_figures_do_not_agree(page: str, claim: str) -> None:
    """They are near misses."""
    assert not bears_out(page, claim)


def test_labels_are_no_figures() -> None:
    """Nor are list numbers and names of forms."""
    assert [
        figure.text
        for figure in figures(
            "1. See Note 14, Section 4.2 and page 97 of the 10-K for Q3 of FY22, after COVID-19.\n2) one of them"
        )
    ] == []


def test_a_figure_knows_how_it_was_written() -> None:
    """It has a sign, a unit, a power of ten and significant digits."""
    minus, percent = figures("It fell by -$3.5 million (2.50%).")
    assert (minus.value, minus.negative, minus.scaled, minus.digits) == (Decimal("3500000"), True, True, 2)
    assert (percent.value, percent.percent, percent.digits) == (Decimal("2.50"), True, 3)


@pytest.mark.parametrize(
    ("stated", "claim", "formula"),
    [
        pytest.param("1,204 and 1,150", "54", "1,204 - 1,150", id="a difference"),
        pytest.param("120 and 310", "430", "310 + 120", id="a sum"),
        pytest.param("1,204 and 1,150", "4.7%", "(1,204 - 1,150) / 1,150", id="growth"),
        pytest.param("310 of 1,204", "25.7%", "310 / 1,204 in percent", id="a share"),
        pytest.param("900 and 360", "2.5", "900 / 360", id="a ratio"),
        pytest.param("1,204 and 1,150", "1,177", "(1,204 + 1,150) / 2", id="an average"),
    ],
)
def test_a_figure_may_come_from_two_others(stated: str, claim: str, formula: str) -> None:
    """The result is the formula."""
    assert derive_from_figures(first(claim), list(figures(stated))) == formula


@pytest.mark.parametrize("claim", ["55", "4.9%", "7", "2024"])
def test_a_figure_that_no_formula_gives_is_not_derived(claim: str) -> None:
    """Nor are single digits, which fit anything, and years."""
    assert derive_from_figures(first(claim), list(figures("1,204 and 1,150"))) == ""


def test_a_long_row_of_chinese_digits_is_no_figure() -> None:
    """Python refuses to print an integer of thousands of digits, and a page of one repeated character says nothing."""
    assert list(figures("一" * 6000, cited_in="chinese")) == []
