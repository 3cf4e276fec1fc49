"""Answers in any form: which text goes with which citation, and that each is checked."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from thumbindex.citations import Claim, ReadLog, annotate, check_together, claims
from thumbindex.testing import sample_library

DUES = "[harbour.md, § Dues]"
TRAFFIC = "[harbour.md, § Traffic]"


class Source(BaseModel):
    document: str
    page: int
    quote: str = ""


class Fact(BaseModel):
    statement: str
    source: str


@dataclass
class Report:
    summary: str
    facts: list[Fact]
    confidence: float


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        pytest.param("Dues rose [a.md, § B].", [Claim("Dues rose [a.md, § B].")], id="text"),
        pytest.param(
            {"answer": "Dues rose.", "citations": ["[a.pdf, p. 3]", "a.pdf, pp. 4-5"]},
            [Claim("Dues rose.", ("[a.pdf, p. 3]", "[a.pdf, pp. 4-5]"))],
            id="a text beside a list of citations",
        ),
        pytest.param(
            {"answer": "Dues rose [sic] in 2024 (a third).", "citations": ["[a.pdf, p. 3]"]},
            [Claim("Dues rose [sic] in 2024 (a third).", ("[a.pdf, p. 3]",))],
            id="brackets that cite nothing",
        ),
        pytest.param(
            {"answer": "Dues rose [a.pdf, page 4].", "citations": ["[a.pdf, p. 3]"]},
            [Claim("Dues rose [a.pdf, page 4]."), Claim("See.", ("[a.pdf, p. 3]",))],
            id="a text that cites by itself",
        ),
        pytest.param(
            {"answer": "Dues rose.", "sources": [Source(document="a.pdf", page=3)]},
            [Claim("Dues rose.", ("[a.pdf, p. 3]",))],
            id="citations that are objects",
        ),
        pytest.param(
            Source(document="a.pdf", page=3, quote='dues "rose"'),
            [Claim("“dues ’rose’” [a.pdf, p. 3]"), Claim("See.", ("[a.pdf, p. 3]",))],
            id="a quote with its place",
        ),
        pytest.param(
            Report("All is well.", [Fact(statement="Dues rose.", source="[a.md, § B]")], 0.9),
            [Claim("Dues rose.", ("[a.md, § B]",)), Claim("All is well.")],
            id="each fact has its own",
        ),
        pytest.param(
            {"rate": 4.35, "source": {"file_name": "a.pdf", "pages": [3, 4]}, "confidence": 0.8},
            [Claim("rate: 4.35", ("[a.pdf, p. 3, 4]",))],
            id="a figure beside its source",
        ),
        pytest.param({"steps": 3, "done": True}, [], id="numbers without a source claim nothing"),
        pytest.param(None, [], id="nothing"),
        pytest.param(["[a.pdf, p. 3]"], [Claim("See.", ("[a.pdf, p. 3]",))], id="only places"),
    ],
)
def test_an_answer_is_read_as_claims(output: object, expected: list[Claim]) -> None:
    """Pydantic models, dataclasses and plain data are read alike."""
    assert list(claims(output)) == expected


@pytest.fixture
def read_log() -> ReadLog:
    """A run that read the sections on dues and on traffic."""
    library = sample_library()
    read_log = ReadLog(library)
    read = [
        passage
        for passage in library.retrieve("harbour dues ships", k=9).evidence
        if passage.title in ("Dues", "Traffic")
    ]
    read_log.record_evidence(read)
    return read_log


def test_each_sentence_needs_one_of_the_citations_apart(read_log: ReadLog) -> None:
    """The check finds which citation belongs to which sentence."""
    answer = "Dues rose to 18.20 per metre of length. In 2024 the harbour was called at by 1,204 ships."
    checked = read_log.check({"answer": answer, "citations": [DUES, TRAFFIC]})
    assert checked.passes
    assert {citation.written for citation in checked.citations} == {DUES, TRAFFIC}


@pytest.mark.parametrize(
    ("citations", "failed"),
    [
        pytest.param([DUES], [("wrong_place", "1,204")], id="a sentence without support"),
        pytest.param(
            [DUES, TRAFFIC, "[harbour.md, § Dredging]"], [("", "Dredging")], id="a citation that supports nothing"
        ),
        pytest.param(
            [DUES, TRAFFIC, "[annex.pdf, p. 9]"], [("wrong_place", "annex")], id="a document that is not here"
        ),
    ],
)
def test_what_fails_among_the_citations_apart_is_named_once(
    read_log: ReadLog, citations: list[str], failed: list[tuple[str, str]]
) -> None:
    """By its sentence, or by its citation."""
    answer = "Dues rose to 18.20 per metre of length. In 2024 the harbour was called at by 1,204 ships."
    checked = read_log.check({"answer": answer, "citations": citations})
    assert len(checked.failed) == len(failed)
    for citation, (status, part) in zip(checked.failed, failed, strict=True):
        assert part in citation.sentence + citation.written
        assert citation.status == status or not status


def test_a_quote_in_an_object_is_looked_up(read_log: ReadLog) -> None:
    """Its words must stand in what was read."""
    right = {"doc": "harbour.md", "section": "Dues", "quote": "Sailing ships pay half; see Appendix B"}
    wrong = right | {"quote": "Sailing ships pay nothing at all, see Appendix B"}
    assert read_log.check([right]).passes
    assert not read_log.check([wrong]).passes


def test_two_libraries_are_checked_together(read_log: ReadLog) -> None:
    """An answer may cite both; the documents of each are known."""
    other = sample_library()
    other.add(b"# Tolls\n\nThe bridge toll is 7.40 per cart.\n", name="tolls.md")
    other.remove("harbour.md")
    tolls = ReadLog(other)
    tolls.record_evidence(other.retrieve("bridge toll").evidence)
    answer = f"Dues rose to 18.20 per metre {DUES}. The bridge toll is 7.40 per cart [tolls.md, § Tolls]."
    assert check_together([read_log, tolls], answer).passes
    assert not check_together([read_log], answer).passes


def test_a_remark_stands_behind_each_citation_that_fails(read_log: ReadLog) -> None:
    """Other citations that are written alike get none."""
    text = f"Dues rose to 18.20 {DUES}. Dues rose to 99.00 {DUES}. See also [annex.pdf, p. 3; p. 4]."
    assert annotate(text, read_log.check(text)) == (
        f"Dues rose to 18.20 {DUES}. Dues rose to 99.00 {DUES} (not verified: unsupported). "
        "See also [annex.pdf, p. 3; p. 4] (not verified: no such page)."
    )
