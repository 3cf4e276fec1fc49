"""A model's answer: its text while it is written, then the result of checking its citations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...evidence import Answer, Citation
from ...text.characters import counted
from ...trail import Step, Usage
from ..progress import StatusLine
from ..terminal import console, printable, printable_line, styled
from .passages import print_trail

if TYPE_CHECKING:
    from rich.text import Text


class StreamPrinter:
    """Prints an answer while it is made: the current step on the status line, then the text piece by piece."""

    def __init__(self, status: StatusLine) -> None:
        self._status = status
        self._out = console()
        self._printed = ""

    def step(self, step: Step) -> None:
        """Shows a step of the trail."""
        self._status.update(f"{step.action} {step.target}")

    def text(self, piece: str) -> None:
        """Prints a piece of the text."""
        self._status.stop()
        self._out.print(styled(printable(piece)), end="")
        self._printed += piece

    def finish(self, answer: Answer) -> None:
        """Prints the rest of a finished answer."""
        self._status.stop()
        printed = self._printed.strip()
        if printed:
            self._out.print()
        # After a broken connection the model may have started again with other words.
        if printed != answer.text:
            self._out.print(
                styled(("\nAnswered again" if printed else "", "bold")),
                styled(printable(answer.text)),
                sep="\n" if printed else "",
            )
        _print_checks(answer)


def _print_checks(answer: Answer) -> None:
    """Prints the citations with the result of their check, the trail and the usage."""
    out = console()
    if answer.citations:
        out.print(styled(("\nCitations", "bold")))
        for citation in dict.fromkeys(answer.citations):
            out.print(_citation_line(citation))
    for sentence in answer.uncited:
        out.print(styled(("  without citation: ", "yellow"), printable_line(sentence)))
    for note in answer.notes:
        out.print(styled((f"  {printable_line(note)}", "yellow")))
    print_trail(answer.trail)
    out.print(styled((f"\n{_usage_line(answer.usage)}", "dim")))


def _citation_line(citation: Citation) -> Text:
    printed = f" (printed {', '.join(citation.labels)})" if citation.labels and not citation.found_at else ""
    line = styled(
        "  ",
        (citation.status.replace("_", " "), "green" if citation.holds else "bold red"),
        "  ",
        (printable_line(citation.written) + printable_line(printed), "cyan"),
    )
    if citation.found_at:
        line.append(f" → {printable_line(citation.found_at)}", "cyan")
    if citation.near:
        line.append(f"  nearest: “{printable_line(citation.near)}”")
    if citation.note:
        line.append(f"  {printable_line(citation.note)}", "dim")
    return line


def _usage_line(usage: Usage) -> str:
    about = "about " if usage.estimated else ""
    return (
        f"{counted(usage.calls, 'call')}, {about}{usage.tokens_in} tokens read "
        f"({usage.tokens_cached} from a cache), {usage.tokens_out} written"
    )
