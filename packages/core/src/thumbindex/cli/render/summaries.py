"""Summaries of documents, and estimates of their cost."""

from __future__ import annotations

from ...library import DocumentInfo
from ...summarize import Estimate, Summaries
from ...text.characters import counted
from ..terminal import console, printable_line, styled


def print_summaries(info: DocumentInfo, summaries: Summaries) -> None:
    """Prints one line about a document, and its description if there is one."""
    parts = [counted(summaries.sections, "section")]
    if summaries.cached:
        parts.append(f"{summaries.cached} from the cache")
    if summaries.failed:
        parts.append(f"{summaries.failed} by key phrases, since the model gave no usable reply")
    usage = summaries.usage
    if usage.calls:
        parts.append(f"{counted(usage.calls, 'call')}, {usage.tokens_in} tokens read, {usage.tokens_out} written")
    console().print(styled((printable_line(info.name), "bold"), f"  {', '.join(parts)}"))
    if summaries.description:
        console().print(styled(f"  {printable_line(summaries.description)}"))


def print_estimate(info: DocumentInfo, estimate: Estimate) -> None:
    """Prints the calls and tokens that summarizing a document takes at most."""
    console().print(
        styled(
            (printable_line(info.name), "bold"),
            f"  {counted(estimate.sections, 'section')}, {counted(estimate.calls, 'call')}, "
            f"at most {estimate.tokens_in} tokens read, {estimate.tokens_out} written",
        )
    )
