"""The result of a check in words: remarks in the answer for its readers, and a request to the model to repair it. Pure."""

from __future__ import annotations

from collections.abc import Callable

from ..evidence import Citation
from ..text.untrusted import one_line
from .check import Checked

_SHOWN_CITATION = 120
"""Characters of a citation that a request repeats."""
_SHOWN_WORDS = 200
"""Characters of a sentence, a note or a near passage that a request repeats."""


def annotate(text: str, checked: Checked) -> str:
    """Returns the text with a remark behind each citation that does not hold, for readers who should see the answer anyway."""
    remarks: dict[int, str] = {}
    end = 0
    previous: Citation | None = None
    for citation in checked.citations:
        # One bracket may hold several citations.
        is_same_bracket = previous is not None and (previous.written, previous.sentence) == (
            citation.written,
            citation.sentence,
        )
        start = text.find(citation.written, max(0, end - len(citation.written)) if is_same_bracket else end)
        if start < 0:
            continue
        previous, end = citation, start + len(citation.written)
        if not citation.holds:
            remarks[end] = f" (not verified: {citation.status.replace('_', ' ')})"
    for position in sorted(remarks, reverse=True):
        text = text[:position] + remarks[position] + text[position:]
    return text


def repair_request(checked: Checked, *, prefix: str = "") -> str:
    """Returns a message to a model whose answer does not pass: what is wrong with which citation, and what to do about it.

    Args:
        prefix: Of the names of the tools.
    """
    lines = ["Your answer was checked against the documents, and some of it is not borne out:"]
    for citation in checked.failed:
        written = one_line(citation.written.strip("[]【】()"), _SHOWN_CITATION)
        sentence = one_line(citation.sentence, _SHOWN_WORDS)
        lines.append(f"- ({written}) at “{sentence}”: {_ADVICE[citation.status](citation, prefix)}")
    lines += [
        f"- No source at “{one_line(sentence, _SHOWN_WORDS)}”: cite where you read it, or leave it out."
        for sentence in checked.uncited
    ]
    lines.append(
        "Read what is missing with the tools. Then write the whole answer again, with only what you read and a citation for "
        "each fact. If the documents do not say, say so."
    )
    return "\n".join(lines)


def _misplaced(citation: Citation, _prefix: str) -> str:
    return f"it stands elsewhere: {one_line(citation.found_at.strip('[]'), _SHOWN_CITATION)}."


def _not_read(citation: Citation, prefix: str) -> str:
    tools = f"{prefix}get_page_content" if citation.pages else f"{prefix}read_section"
    return f"you have not read that. Call {tools} for it before you cite it."


def _missing(citation: Citation, prefix: str) -> str:
    return f"{one_line(citation.note, _SHOWN_WORDS)} Call {prefix}search_text to find the right place."


def _unsupported(citation: Citation, _prefix: str) -> str:
    near = ""
    if citation.near:
        near = f" What stands there comes closest: “{one_line(citation.near, _SHOWN_WORDS)}”."
    return f"this does not stand there.{near}"


_ADVICE: dict[str, Callable[[Citation, str], str]] = {
    "wrong_place": _misplaced,
    "page_not_read": _not_read,
    "no_such_page": _missing,
    "unsupported": _unsupported,
}
