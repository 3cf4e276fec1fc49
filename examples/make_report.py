"""Make the annual report of an invented company: a long PDF without bookmarks, and questions about it.

    python examples/make_report.py                                # annual-report.pdf and questions.json
    python examples/make_report.py --profile second --out PATH    # another company, arrangement and typography

The same input always makes the same bytes. All names, figures and texts are invented and under the MIT licence.
Needs `reportlab`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypedDict

from report import brannholm, corvelle
from report.content import Report, compose
from report.layout import PageReference, Setting, typeset
from report.profile import Company
from report.questions import AskedQuestion, ask

HERE = Path(__file__).parent
COMPANIES = {company.name: company for company in (brannholm.COMPANY, corvelle.COMPANY)}


class QuestionFile(TypedDict):
    """The content of `questions.json`."""

    report: str
    questions: list[AskedQuestion]


@dataclass(frozen=True, slots=True)
class Made:
    """A finished report: the company, its text, and the PDF with the pages it was set on."""

    company: Company
    report: Report
    setting: Setting


def make(profile_name: str = "default") -> Made:
    """Compose and set a report, from the beginning."""
    company = COMPANIES[profile_name]
    report = compose(company)
    return Made(company, report, typeset(company, report))


made = cache(make)
"""`make`, once for each profile in a process."""


def make_report(profile_name: str, path: str | Path) -> None:
    """Write the PDF of a profile, "default" or "second"."""
    Path(path).write_bytes(made(profile_name).setting.pdf)


def questions(profile_name: str = "default", report_name: str = "annual-report.pdf") -> QuestionFile:
    """The questions about the report of a profile, with answers and physical 1-based pages."""
    done = made(profile_name)
    return {"report": report_name, "questions": ask(done.report, done.setting.record, done.company.values)}


def outline(profile_name: str = "default") -> list[tuple[str, int, int]]:
    """The true outline: title, level from 1, and physical 1-based page of every heading, in order."""
    return [(placed.title, placed.level, placed.page) for placed in made(profile_name).setting.record.headings]


def front_pages(profile_name: str = "default") -> int:
    """How many pages, numbered in roman numerals, come before the page with the printed number 1."""
    return made(profile_name).setting.record.front_pages


def page_references(profile_name: str = "default") -> list[PageReference]:
    """Every page number in running text, with the key of the heading it refers to."""
    return list(made(profile_name).setting.record.references)


def prose(profile_name: str = "default") -> list[str]:
    """Paragraphs and bullets of the report, without headings and tables."""
    return list(made(profile_name).report.prose)


def main(words: Sequence[str] | None = None) -> None:
    """Write a report and its questions; `words` are those of the command line if none are given."""
    parser = argparse.ArgumentParser(description="Make the example annual report.")
    parser.add_argument("--profile", choices=sorted(COMPANIES), default="default")
    parser.add_argument("--out", type=Path, help="the PDF; the default is annual-report.pdf beside this script")
    arguments = parser.parse_args(words)
    path: Path = arguments.out or HERE / "annual-report.pdf"
    make_report(arguments.profile, path)
    # The committed questions belong to the default report; those of another stand beside its PDF.
    beside = path.parent / ("questions.json" if path.name == "annual-report.pdf" else f"{path.stem}-questions.json")
    text = json.dumps(questions(arguments.profile, path.name), indent=2, ensure_ascii=False)
    beside.write_text(text + "\n", encoding="utf-8")
    print(f"{path}: {len(outline(arguments.profile))} headings; {beside}")


if __name__ == "__main__":
    main()
