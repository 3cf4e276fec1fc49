"""Passages: the best one in full, the others as one line each, and text that was read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...evidence import Evidence, Retrieval
from ...library import Reading
from ...trail import Trail
from ..terminal import console, printable, printable_line, styled
from .excerpt import best_lines, matching_words, terms_of

if TYPE_CHECKING:
    from rich.text import Text

PASSAGE_LINES = 24
"""Lines of the best passage that are shown; the output says how many are left out."""
SNIPPET_LINES = 3
"""Lines that are shown of each passage in a list."""
_WEAK = "No section fits this question well. The closest {passages}; {they} may not answer the question."


def print_best_passage(found: Retrieval, languages: Mapping[str, str]) -> None:
    """Prints the best passage with its location and citation, the other passages in short, and the trail.

    `languages` gives the language of each document by its id: words are marked as the index spells them.
    """
    out = console()
    best = found.evidence[0]
    if found.weak:
        _print_weak(_WEAK.format(passages="passage follows", they="it"))
    out.print(styled((printable_line(best.section_path), "bold")))
    out.print(styled((printable_line(location(best)), "cyan")))
    out.print()
    out.print(_excerpt(best, found.question, languages[best.doc_id], PASSAGE_LINES))
    out.print()
    out.print(styled("Cite as ", (printable_line(best.citation), "cyan"), (f"   id {best.id}", "dim")))
    if len(found.evidence) > 1:
        out.print(styled(("\nAlso", "bold")))
        for evidence in found.evidence[1:]:
            out.print(_passage_line(evidence))
    print_trail(found.trail)


def print_passages(found: Retrieval, languages: Mapping[str, str]) -> None:
    """Prints each passage in short: path, location and the lines that fit best."""
    out = console()
    if found.weak:
        _print_weak(_WEAK.format(passages="passages follow", they="they"))
    for number, evidence in enumerate(found.evidence, 1):
        out.print(styled(f"{number}. ", (printable_line(evidence.section_path), "bold"), f"  {evidence.score:.2f}"))
        out.print(styled("   ", (printable_line(location(evidence)), "cyan"), (f"   id {evidence.id}", "dim")))
        out.print(_excerpt(evidence, found.question, languages[evidence.doc_id], SNIPPET_LINES))


def print_reading(reading: Reading) -> None:
    """Prints the text that was read, under a line with its section path and citation."""
    out = console()
    title = reading.section_path or reading.document
    out.print(styled((printable_line(title), "bold"), "  ", (printable_line(reading.citation), "cyan")))
    out.print()
    out.print(styled(printable(reading.text)))


def print_trail(trail: Trail) -> None:
    """Prints the trail, one line per step."""
    out = console()
    out.print(styled(("\nTrail", "bold")))
    out.print(styled(*((f"  {line}\n", "dim") for line in printable(trail.render()).splitlines())), end="")


def location(evidence: Evidence) -> str:
    """`report.pdf, p. 41-42 (printed 35-36)`, or `guide.md, lines 5-38`."""
    if evidence.pages is None:
        return f"{evidence.document}, lines {evidence.lines}"
    labels = ""
    if evidence.page_labels and evidence.page_labels != (str(evidence.pages.first), str(evidence.pages.last)):
        first, last = evidence.page_labels
        labels = f" (printed {first})" if first == last else f" (printed {first}-{last})"
    return f"{evidence.document}, p. {evidence.pages}{labels}"


def _print_weak(text: str) -> None:
    console().print(styled((text, "yellow")), styled(""), sep="\n")


def _passage_line(evidence: Evidence) -> Text:
    place = (printable_line(location(evidence)), "cyan")
    return styled(f"  {printable_line(evidence.section_path)}  ", place, f"  {evidence.score:.2f}")


def _excerpt(evidence: Evidence, question: str, language: str, size: int) -> Text:
    """The lines of a passage that fit the question best, with the words of the question marked."""
    terms = terms_of(question, language)
    lines = [line for line in printable(evidence.text).splitlines() if line.strip()]
    start, end = best_lines(lines, terms, language, size)
    shown = styled()
    if start:
        shown.append(f"   … {start} lines above\n" if size > SNIPPET_LINES else "", "dim")
    for number in range(start, end):
        line = styled(lines[number])
        for first, last in matching_words(lines[number], terms, language):
            line.stylize("bold yellow", first, last)
        shown.append("   ").append(line)
        shown.append("\n" if number + 1 < end else "")
    if end < len(lines) and size > SNIPPET_LINES:
        shown.append(f"\n   … {len(lines) - end} lines below", "dim")
    return shown
