"""The documents that the whole applications run on: one with pages, one without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_socket import disable_socket, enable_socket

REPORT = Path(__file__).parents[2] / "examples" / "annual-report.pdf"

GUIDE = """# Pump guide

## Installing

Place the pump on level ground and bolt it down.

## Starting

Open the inlet valve before the motor starts, or the seal runs dry.

## Winter

Drain the housing before the first frost.
"""


@dataclass(frozen=True)
class Case:
    """A file, a question about it, what the section that answers it says, and its title or that of one above it."""

    file: Path
    question: str
    answer: str
    section: str


@pytest.fixture(scope="session", params=["pdf", "markdown"])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    if request.param == "pdf":
        return Case(REPORT, "Which rate applies to the term loan?", "fixed rate of 4.35 per cent", "Note 14 Debt")
    guide = tmp_path_factory.mktemp("documents") / "guide.md"
    guide.write_text(GUIDE, encoding="utf-8")
    return Case(guide, "Which valve do I open before the motor starts?", "Open the inlet valve", "Starting")


@pytest.fixture(autouse=True)
def no_network() -> Iterator[None]:
    """Unix sockets stay: an event loop talks to itself through one."""
    disable_socket(allow_unix_socket=True)
    yield
    enable_socket()
