"""Checking citations without a model: does the page exist, was it read, and do the quotes and figures stand there?

Pure: it takes an answer and the documents, and compares texts. It verifies that words and figures stand where the answer
says, not that the sentence draws the right conclusion from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

from ..evidence import Citation, Status
from .assertions import Assertion, assertions, bears_out, find_figure
from .figures import Figure, figures
from .read_document import Location, ReadDocument
from .relevance import find_elsewhere, is_about, narrowest, nearest
from .sentences import Sentence, alias_names, read_sentences
from .stated_formulas import derive_from_figures
from .table_formulas import derive_from_rows
from .targets import Target, resolve

_SENTENCES_BEFORE = 2
"""Sentences without a citation that a computed figure may rest on."""


class Checked(NamedTuple):
    """The citations of a text, each with its status, and the sentences that state a figure or a quote and cite nothing."""

    citations: tuple[Citation, ...]
    uncited: tuple[str, ...]

    @property
    def failed(self) -> tuple[Citation, ...]:
        """The citations that do not support their sentence."""
        return tuple(citation for citation in self.citations if not citation.holds)

    @property
    def passes(self) -> bool:
        """True if every citation holds, and each figure and quote has a citation. A text without either passes."""
        return not self.failed and not self.uncited


def check_answer(text: str, documents: Sequence[ReadDocument], *, question: str = "") -> Checked:
    """Checks all citations of an answer.

    Args:
        documents: Those of the run, with what of them was read.
        question: The units that it asks for hold for the figures of the answer.
    """
    names = alias_names([(document.doc_id, document.name) for document in documents])
    checked: list[Citation] = []
    uncited: list[str] = []
    before: list[str] = []
    for sentence in read_sentences(text, names):
        if sentence.cited:
            context = " ".join(before[-_SENTENCES_BEFORE:])
            checked.extend(check_sentence(sentence, documents, question=question, before=context))
            before = []
            continue
        before.append(sentence.text)
        if next(assertions(sentence, question), None) is not None:
            uncited.append(sentence.text)
    return Checked(tuple(checked), tuple(uncited))


def check_sentence(
    sentence: Sentence, documents: Sequence[ReadDocument], *, question: str = "", before: str = ""
) -> list[Citation]:
    """Checks the citations of one sentence. What it asserts may be spread over the cited pages.

    Args:
        before: The sentences since the last citation: "It was 36 and is 34. A drop of 2 [a.pdf, p. 3]."
    """
    targets = [resolve(cited, documents) for cited in sentence.cited]
    locations = tuple(location for target in targets for location in target.locations)
    case = _Case(sentence, tuple(assertions(sentence, question)), locations, documents, f"{question} {before}", before)
    return [_check(case, target) for target in targets]


@dataclass(frozen=True, slots=True)
class _Case:
    """A sentence to check.

    Args:
        locations: The locations of all its citations together.
        context: What else says what its figures are of: the question, and the sentences before.
    """

    sentence: Sentence
    asserted: tuple[Assertion, ...]
    locations: tuple[Location, ...]
    documents: Sequence[ReadDocument]
    context: str
    before: str


def _check(case: _Case, target: Target) -> Citation:
    """Returns one citation of a sentence with its status."""
    base = _unsupported(case, target)
    if target.is_missing:
        elsewhere = find_elsewhere(case.sentence, case.asserted, case.documents, ())
        status: Status = "wrong_place" if target.document is None and elsewhere else "no_such_page"
        return replace(base, status=status, found_at=elsewhere.citation if elsewhere else "")
    missing = [
        assertion
        for assertion in case.asserted
        if not any(bears_out(location, assertion) for location in case.locations)
        and not _is_year_of_document(target.document, assertion)
    ]
    formulas, names_rows = _derived(case, missing)
    missing = [assertion for assertion in missing if assertion not in formulas]
    own = [
        location for location in target.locations if any(bears_out(location, assertion) for assertion in case.asserted)
    ]
    if not missing and (names_rows or is_about(case.sentence, case.asserted, own or target.locations)):
        return _supported(base, case, target, own, formulas)
    elsewhere = find_elsewhere(case.sentence, missing or case.asserted, case.documents, target.locations)
    if elsewhere is not None:
        return _misplaced(base, target, elsewhere)
    read = [location for document in case.documents for location in document.locations if location.is_read]
    near, note = nearest(case.sentence, missing, [*target.locations, *read])
    return replace(base, near=near, note=f"{base.note} {note}".strip())


def _unsupported(case: _Case, target: Target) -> Citation:
    document = target.document
    return Citation(
        written=target.cited.written,
        sentence=case.sentence.text,
        status="unsupported",
        document=document.name if document else target.cited.document,
        doc_id=document.doc_id if document else None,
        pages=target.pages,
        section=target.cited.section,
        checked=tuple(assertion.shown for assertion in case.asserted),
        note=target.note,
    )


def _supported(
    base: Citation, case: _Case, target: Target, own: Sequence[Location], formulas: dict[Assertion, str]
) -> Citation:
    """Returns the citation as verified, derived, or of a page that was not read.

    Args:
        own: The locations of this citation that bear something out.
        formulas: How each computed figure comes about.
    """
    support = narrowest(case.asserted, own) or tuple(target.locations)
    is_read = any(location.is_read for location in support)
    notes = [base.note] if base.note else []
    notes += [f"{assertion.shown}: {formula}" for assertion, formula in formulas.items()]
    if not is_read:
        notes.append("Nobody read it in this run.")
    return replace(
        base,
        status="page_not_read" if not is_read else "derived" if formulas else "verified",
        pages=tuple(location.page for location in support if location.page is not None) if own else target.pages,
        labels=_labels(support if own else ()),
        note=" ".join(notes),
    )


def _misplaced(base: Citation, target: Target, elsewhere: Location) -> Citation:
    note = base.note if elsewhere.is_read else f"{base.note} Nobody read that place in this run.".strip()
    labels = elsewhere.document.labels
    is_printed = any(labels.get(str(page)) == elsewhere.page for page in target.pages)
    if elsewhere.document is target.document and elsewhere.page is not None and is_printed:
        note = f"{note} The number cited is the printed one.".strip()
    return replace(base, status="wrong_place", found_at=elsewhere.citation, labels=_labels([elsewhere]), note=note)


def _is_year_of_document(document: ReadDocument | None, assertion: Assertion) -> bool:
    """Returns whether an assertion is a year that stands in a document's name, its metadata or a page that was read."""
    if document is None or assertion.figure is None or not assertion.figure.is_year:
        return False
    year = str(int(assertion.figure.value))
    about = " ".join([document.name, *(str(value) for value in document.tree.metadata.values())])
    return year in about or any(year in location.text for location in document.locations if location.is_read)


def _derived(case: _Case, missing: Sequence[Assertion]) -> tuple[dict[Assertion, str], bool]:
    """Returns the missing figures that are computed from figures of the cited locations.

    Returns:
        The formula of each, and whether one is computed from rows that the sentence names: then it is about these rows.
    """
    locations = case.locations
    if not locations or all(assertion.figure is None for assertion in missing):
        return {}, False
    words = f"{case.context} {case.sentence.text}"
    tables = [location.rows for location in locations]
    scales = {scale for location in locations for scale in location.scales}
    stated: dict[tuple[str, Decimal], Figure] = {}
    formulas: dict[tuple[str, Decimal], tuple[str, bool]] = {}
    claimed = [*figures(case.before), *figures(case.sentence.text)]
    for figure in claimed:
        for found in filter(None, (find_figure(location, figure) for location in locations)):
            stated[found.text, found.value] = found
    for figure in claimed:
        if any(find_figure(location, figure) for location in locations):
            continue
        formula = derive_from_figures(figure, list(stated.values()), scales)
        is_from_rows = False
        if not formula:
            formula = derive_from_rows(figure, words, tables, scales, locations[0].document.language)
            is_from_rows = bool(formula)
        if formula:
            formulas[figure.text, figure.value] = formula, is_from_rows
            # "It fell from 36.8% to 34.6%, by 2.2%": what was computed may be computed with.
            stated[figure.text, figure.value] = figure
    derived = {
        assertion: formulas[assertion.figure.text, assertion.figure.value]
        for assertion in missing
        if assertion.figure and (assertion.figure.text, assertion.figure.value) in formulas
    }
    return (
        {assertion: formula for assertion, (formula, _) in derived.items()},
        any(is_from_rows for _, is_from_rows in derived.values()),
    )


def _labels(locations: Iterable[Location]) -> tuple[str, ...]:
    """Returns the labels of these pages that differ from their physical numbers."""
    labels: list[str] = []
    for location in locations:
        if location.page is None:
            continue
        declared = location.document.tree.page(location.page).label
        printed = declared or next(
            (label for label, page in location.document.labels.items() if page == location.page), None
        )
        if printed and printed != str(location.page):
            labels.append(printed)
    return tuple(labels)
