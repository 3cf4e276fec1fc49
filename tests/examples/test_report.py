"""What the example report promises to those who test against it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pypdfium2
import pytest
import reportlab

import make_report
from report.content import plain
from report.layout import roman
from report.questions import AskedQuestion

EXAMPLES = Path(make_report.__file__).parent
COMMITTED = EXAMPLES / "annual-report.pdf"
# Other versions may set the same pages with other bytes.
SAME_BYTES = reportlab.Version in ("4.5.1", "5.1.0") and "ng" not in zlib.ZLIB_RUNTIME_VERSION


def answerable(profile: str) -> list[AskedQuestion]:
    return [asked for asked in make_report.questions(profile)["questions"] if asked["answer"] is not None]


# The file


def test_every_run_makes_the_same_bytes(profile: str, pdf: bytes, tmp_path: Path) -> None:
    """Nothing in a PDF depends on the time, on the order of a set or on an earlier run."""
    target = tmp_path / "annual-report.pdf"
    command = [sys.executable, EXAMPLES / "make_report.py", "--profile", profile, "--out", target]
    subprocess.run(command, check=True, capture_output=True)
    assert target.read_bytes() == pdf
    assert json.loads((tmp_path / "questions.json").read_text("utf-8")) == make_report.questions(profile)


def test_the_committed_files_are_what_the_script_makes(page_texts: Callable[[bytes], tuple[str, ...]]) -> None:
    """`python examples/make_report.py` would change neither the PDF nor the questions."""
    made = make_report.made("default").setting.pdf
    assert page_texts(made) == page_texts(COMMITTED.read_bytes())
    assert json.loads((EXAMPLES / "questions.json").read_text("utf-8")) == make_report.questions()
    if SAME_BYTES:
        assert made == COMMITTED.read_bytes()


def test_the_questions_of_another_report_stand_beside_its_pdf(tmp_path: Path) -> None:
    """Making the second report leaves `questions.json` alone."""
    target = tmp_path / "other.pdf"
    make_report.main(["--profile", "second", "--out", str(target)])
    written = json.loads((tmp_path / "other-questions.json").read_text("utf-8"))
    assert written == make_report.questions("second", "other.pdf")
    assert not (tmp_path / "questions.json").exists()


def test_the_report_is_long_small_and_without_bookmarks(pdf: bytes) -> None:
    """60 pages or more, less than 500 kB, and its structure is visible in its layout only."""
    document = pypdfium2.PdfDocument(pdf)
    assert len(document) >= 60
    assert len(pdf) < 500_000
    assert list(document.get_toc()) == []


# The text


def test_the_report_has_fifteen_thousand_words_of_prose(profile: str) -> None:
    """Tables and headings are not counted."""
    assert sum(len(plain(text).split()) for text in make_report.prose(profile)) >= 15_000


def test_no_sentence_stands_twice(profile: str) -> None:
    """Sentences of five words or more differ by more than their figures."""
    sentences = Counter(
        re.sub(r"\d[\d.,]*", "0", sentence).lower()
        for text in make_report.prose(profile)
        for sentence in re.split(r"(?<=[.?!;:])\s+", plain(text))
        if len(sentence.split()) >= 5
    )
    assert [sentence for sentence, count in sentences.items() if count > 1] == []


def test_all_prose_is_printed(profile: str, pages: tuple[str, ...]) -> None:
    """The words of the prose are the words of the pages: nothing is cut off or left out."""
    printed = Counter(re.findall(r"\w+", " ".join(pages)))
    meant = Counter(re.findall(r"\w+", " ".join(map(plain, make_report.prose(profile)))))
    references = {"note", "item", "chapter", "section", "appendix", "page"}
    missing = {word for word, count in meant.items() if printed[word] < count and word.lower() not in references}
    assert {word for word in missing if not re.search(r"\d|_|-", word)} <= {
        # Keys of headings that the printed text replaces by "Note 14", "Appendix G" or a page.
        *re.findall(r"\w+", " ".join(re.findall(r"\{[@#]([\w-]+)\}", " ".join(make_report.prose(profile))))),
    }


def test_no_markup_is_left_on_a_page(pages: tuple[str, ...]) -> None:
    """Placeholders, anchors and emphasis are all resolved."""
    assert [text for text in pages if re.search(r"[{}*]|\[\[|\]\]|page 00|\|~|\|=", text)] == []


def test_the_reports_share_no_company_and_few_figures() -> None:
    """What was learned from one report does not answer a question about the other."""
    first, second = (make_report.made(name).company for name in ("default", "second"))
    assert set(first.names.values()) & set(second.names.values()) <= {"2024", "2023", "2022", "2021", "2020", "2026",
        "2019", "2018", "2017", "2016", "2015", "2014", "2029", "2030", "2028", "2027", "2032", "2034", "first",
        "fourth", "4", "5", "6"}  # fmt: skip
    answers = [{asked["id"]: asked["answer"] for asked in answerable(name)} for name in ("default", "second")]
    assert [key for key in answers[0] if answers[0][key] == answers[1][key]] == ["goodbye-pay"]
    titles = [[title for title, level, _ in make_report.outline(name) if level < 3] for name in ("default", "second")]
    assert titles[0] != titles[1]


# The figures


def test_the_balance_sheets_balance(profile: str) -> None:
    """Assets are equity and liabilities, at all three dates."""
    now, before = make_report.made(profile).company.years
    for balance in (now.closing, before.closing, before.opening):
        assert balance.assets == balance.equity + balance.liabilities
    assert now.opening == before.closing


def test_cash_flow_ends_in_the_balance_sheet(profile: str) -> None:
    """Opening cash, the three cash flows and translation give closing cash."""
    for year in make_report.made(profile).company.years:
        flows = year.operating_cash + year.investing_cash + year.financing_cash
        assert year.opening.cash + flows + year.events.fx_cash == year.closing.cash


def test_comprehensive_income_explains_equity(profile: str) -> None:
    """Equity changes by comprehensive income and by transactions with owners."""
    for year in make_report.made(profile).company.years:
        e = year.events
        owners = e.share_payments - e.dividends - e.buyback - e.minority_dividend
        assert year.closing.equity - year.opening.equity == year.comprehensive_income + owners


def test_every_table_adds_up(profile: str) -> None:
    """Parts that the tables show sum to the totals that they show."""
    values = make_report.made(profile).company.values

    def total(*names: str) -> float:
        numbers = [values[name] for name in names]
        return sum(number for number in numbers if not isinstance(number, str))

    for year in (".0", ".1"):
        assert total(*(f"{s}.revenue{year}" for s in "abc")) == values[f"revenue{year}"]
        assert total(*(f"q{n}{year}" for n in range(1, 5))) == values[f"revenue{year}"]
        assert total(*(f"{s}.capex{year}" for s in "abc"), f"corporate_capex{year}") == values[f"capex{year}"]
        added = (f"{kind}_added{year}" for kind in ("buildings", "machinery", "equipment", "construction"))
        assert total(*added) == values[f"capex{year}"]
    borrowings = total("bs.term_loan.0", "bs.notes.0", "bs.facility.0")
    assert borrowings == values["bs.borrowings.0"]
    assert total("x.term_due", "x.term_middle", "x.term_later") == values["bs.term_loan.0"]


def test_the_story_fits_the_figures(profile: str) -> None:
    """Where the text says which way a figure went, the figures went that way."""
    company = make_report.made(profile).company
    now, before = company.years
    assert 1.03 < now.revenue / before.revenue < 1.06, "growth of three to six per cent"
    assert all(a.revenue > b.revenue for a, b in zip(now.segments, before.segments, strict=True))
    b_now, b_before = now.segments[1], before.segments[1]
    assert b_now.profit / b_now.revenue > b_before.profit / b_before.revenue, "the margin was repaired"
    assert all(year.free_cash > year.events.dividends for year in (now, before)), "free cash covers the dividend"
    assert now.closing.borrowings < before.closing.borrowings
    assert 0.40 < company.extras["x.dps"] / now.earnings_per_share < 0.50, "the policy on dividends"
    assert abs(company.extras["x.dps1"] * now.shares - now.events.dividends) < 10
    assert company.extras["x.plan"] > max(now.capex, before.capex), "more than in any year before"
    assert now.working_capital_change < 0
    assert max(sum(segment.quarters[n] for segment in now.segments) for n in range(4)) == sum(
        segment.quarters[3] for segment in now.segments
    )


def test_quantities_recur_with_another_scope(pages: tuple[str, ...], profile: str) -> None:
    """Group and segment figures of one name stand on different pages, so that a search must read the scope."""
    now, _ = make_report.made(profile).company.years
    for group, segment in ((now.capex, now.segments[1].capex), (now.employees, now.segments[2].employees)):
        assert sum(f"{group:,}" in text for text in pages) >= 2
        assert sum(f"{segment:,}" in text for text in pages) >= 1


# Pages


def test_front_matter_is_roman_and_the_body_starts_at_one(profile: str, pages: tuple[str, ...]) -> None:
    """Every page but the cover carries its printed number, which is not its physical one."""
    front = make_report.front_pages(profile)
    assert front >= 5
    for page, text in enumerate(pages, 1):
        number = roman(page) if page <= front else str(page - front)
        assert page == 1 or re.search(rf"(^|\s){number}(\s|$)", text[-80:] if page <= front else text), page
    assert re.search(r"(^| )1( |$)", pages[front])


def test_running_heads_name_company_chapter_and_page(profile: str, pages: tuple[str, ...]) -> None:
    """Each body page repeats its chapter's title, as running heads do."""
    front = make_report.front_pages(profile)
    chapters = [(title, page) for title, level, page in make_report.outline(profile) if level == 1 and page > front]
    names = make_report.made(profile).company.names
    for page in range(front + 1, len(pages) + 1):
        chapter = [title for title, start in chapters if start <= page][-1]
        assert chapter in pages[page - 1]
        assert names["company" if profile == "default" else "short"] in pages[page - 1]


def test_the_printed_contents_are_right(profile: str, pages: tuple[str, ...]) -> None:
    """Every heading of the first two levels stands in the contents, with leaders and its printed page."""
    front = make_report.front_pages(profile)
    contents_page = next(page for title, _, page in make_report.outline(profile) if title == "Contents")
    contents = re.sub(r"[. ]{4,}", " ... ", " ".join(pages[contents_page - 1 : front]))
    for title, level, page in make_report.outline(profile):
        if level < 3 and title != "Contents":
            printed = roman(page) if page <= front else str(page - front)
            assert f"{title} ... {printed}" in contents


def test_the_outline_is_true(profile: str, pages: tuple[str, ...]) -> None:
    """Every heading is printed on its page; pages never go back, and levels never skip."""
    outline = make_report.outline(profile)
    assert len(outline) > 200
    assert [page for _, _, page in outline] == sorted(page for _, _, page in outline)
    for title, _, page in outline:
        assert title in pages[page - 1]
    levels = [1] + [level for _, level, _ in outline]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_page_numbers_in_the_text_lead_to_what_they_promise(profile: str, pages: tuple[str, ...]) -> None:
    """A printed "see page 41" is right, and no page number in the prose is left unrecorded."""
    front = make_report.front_pages(profile)
    references = make_report.page_references(profile)
    where = {placed.key: placed.page for placed in make_report.made(profile).setting.record.headings}
    for reference in references:
        assert int(reference.printed) == where[reference.target] - front
        assert f"page {reference.printed}" in pages[reference.page - 1]
    printed = [number for text in pages for number in re.findall(r"\bpage (\d+)\b", text)]
    assert sorted(printed) == sorted(reference.printed for reference in references)
    assert len(references) >= 4


def test_a_table_runs_over_two_pages_and_repeats_its_head(profile: str, pages: tuple[str, ...]) -> None:
    """The list of companies needs a second page, and its head row stands on both."""
    start = next(page for title, _, page in make_report.outline(profile) if "Companies of the Group" in title)
    head = "Company Seat Activity"
    assert head in pages[start - 1]
    assert head in pages[start]


# The questions


def test_there_are_twenty_questions_of_four_kinds(profile: str) -> None:
    """Nine direct, four that need a cross-reference, four from two sections, three without an answer."""
    asked = make_report.questions(profile)["questions"]
    assert Counter(question["kind"] for question in asked) == {
        "direct": 9,
        "cross-reference": 4,
        "multi-section": 4,
        "unanswerable": 3,
    }
    assert len({question["id"] for question in asked}) == 20


def test_the_evidence_stands_on_the_pages_named(profile: str, pages: tuple[str, ...]) -> None:
    """The words that prove an answer are printed on one of its pages, under a heading of the outline."""
    titles = {title for title, _, _ in make_report.outline(profile)}
    for asked in answerable(profile):
        assert asked["evidence"]
        for words in asked["evidence"]:
            assert any(words in pages[page - 1] for page in asked["pages"]), (asked["id"], words)
        assert set(asked["sections"]) <= titles


def test_questions_about_two_sections_need_two(profile: str) -> None:
    """A multi-section question names at least two sections."""
    for asked in answerable(profile):
        if asked["kind"] == "multi-section":
            assert min(len(asked["sections"]), len(asked["pages"])) >= 2, asked["id"]


def test_a_cross_reference_starts_elsewhere(profile: str, pages: tuple[str, ...]) -> None:
    """The topic is first named in a place that points to the answer without giving it."""
    done = make_report.made(profile)
    labels = done.report.labels
    topics = {
        "leverage-limit": ("leverage covenant", labels["covenants"]),
        "claim-size": ("The sum in dispute", labels["n-provisions"]),
        "plant-water": ("our own plants withdraw", labels["environment"]),
        "mortgaged-land": ("Mortgages on some of our land", labels["n-commitments"]),
    }
    for asked in answerable(profile):
        if asked["kind"] == "cross-reference":
            words, label = topics[asked["id"]]
            first = [page for page, text in enumerate(pages, 1) if words in text]
            assert first
            assert not set(first) & set(asked["pages"])
            assert label in pages[first[0] - 1]


def test_only_one_rate_belongs_to_the_term_loan(profile: str) -> None:
    """The loan's rate stands in its own note; other instruments have other rates elsewhere in the report."""
    rates = make_report.made(profile).company.rates
    assert len({rates.term, rates.notes, rates.facility, rates.lease}) == 4
    prose = [plain(text) for text in make_report.prose(profile)]
    for rate in (rates.notes, rates.facility, rates.lease):
        assert sum(f"{rate:.2f} per cent" in text for text in prose) == 1
    assert sum(f"{rates.term:.2f} per cent" in text for text in prose) == 1
    (asked,) = [asked for asked in answerable(profile) if asked["id"] == "term-rate"]
    (section,) = asked["sections"]
    assert re.search(r"\d+\.\d (Term|Bank) loan", section)


@pytest.mark.parametrize("words", ["rating agenc", "credit rating", "donat", "political part"])
def test_unanswerable_questions_have_no_answer(words: str, pages: tuple[str, ...]) -> None:
    """The report never mentions what these questions ask for."""
    assert not any(words in text.lower() for text in pages)
