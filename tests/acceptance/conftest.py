"""The documents that the whole applications run on: one with pages, one without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_socket import disable_socket, enable_socket
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas


@dataclass(frozen=True)
class Case:
    """A file, a question about it, and what the section that answers it says and is called."""

    file: Path
    question: str
    answer: str
    section: str


REPORT = [
    ("1 Business", "The group builds pumps for water works in nine countries. Orders grew in every region."),
    ("2 Liquidity", "Cash covered all payments of the year. The bank facility was not drawn."),
    ("3 Term loan", "The term loan bears interest at a fixed rate of 4.25 percent until it is repaid in 2031."),
    ("4 Leases", "Leases of land and halls run for three to twenty years and were discounted at 3.1 percent."),
    ("5 Pensions", "The pension plan is funded. Obligations were measured with a discount rate of 3.6 percent."),
]

GUIDE = """# Pump guide

## Installing

Place the pump on level ground and bolt it down.

## Starting

Open the inlet valve before the motor starts, or the seal runs dry.

## Winter

Drain the housing before the first frost.
"""


@pytest.fixture(scope="session", params=["pdf", "markdown"])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    folder = tmp_path_factory.mktemp("documents")
    if request.param == "markdown":
        (folder / "guide.md").write_text(GUIDE, encoding="utf-8")
        question = "Which valve do I open before the motor starts?"
        return Case(folder / "guide.md", question, "Open the inlet valve", "Pump guide › Starting")
    canvas = Canvas(str(folder / "report.pdf"), pagesize=A4)
    for title, text in REPORT:
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(72, 760, title)
        canvas.setFont("Helvetica", 10)
        for number, sentence in enumerate(text.split(". ")):
            canvas.drawString(72, 720 - 14 * number, sentence.rstrip(".") + ".")
        canvas.showPage()
    canvas.save()
    return Case(folder / "report.pdf", "Which rate applies to the term loan?", "4.25 percent", "3 Term loan")


@pytest.fixture(autouse=True)
def no_network() -> Iterator[None]:
    """Unix sockets stay: an event loop talks to itself through one."""
    disable_socket(allow_unix_socket=True)
    yield
    enable_socket()
