"""The prompt of the answering model: rules, then excerpts page by page under the bracket that cites them, then the question."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ..citations import ReadDocument
from ..evidence import Evidence
from ..models import PROMPTS, Message
from ..text.untrusted import count_hidden, one_line, wrap_untrusted

PATH_LENGTH = 240
"""Characters of a section path above an excerpt."""
LABEL_LENGTH = 12
"""Characters of a printed page number."""


def shown_name(source: ReadDocument, sources: Sequence[ReadDocument]) -> str:
    """The name of a document in citations: its own, or its id where several have that name."""
    is_only = sum(1 for other in sources if other.name == source.name) == 1
    return one_line(source.name) if is_only else source.doc_id


def answer_messages(
    question: str, evidence: Sequence[Evidence], sources: Sequence[ReadDocument], rules: str = PROMPTS.answer
) -> list[Message]:
    """The prompt. Excerpts come document by document in reading order, each page under its own bracket."""
    blocks = [block for source in sources for block in _blocks(source, shown_name(source, sources), evidence)]
    excerpts = "\n\n".join(f"{heading}\n{wrap_untrusted(text)}" for heading, text in blocks)
    return [
        Message("system", rules),
        # One message: templates of many small models want turns to alternate.
        Message("user", f"Excerpts:\n\n{excerpts}\n\nQuestion: {question.strip()}"),
    ]


def hidden_notes(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """A note for each passage from which invisible characters were removed before a model saw it."""
    return tuple(
        f"{count} invisible character{'s were' if count > 1 else ' was'} removed from {passage.citation}."
        for passage in evidence
        if (count := count_hidden(passage.text) + count_hidden(passage.section_path))
    )


def _blocks(source: ReadDocument, name: str, evidence: Sequence[Evidence]) -> list[tuple[str, str]]:
    tree = source.tree
    blocks: list[tuple[str, str]] = []
    own = (passage for passage in evidence if passage.doc_id == source.doc_id)
    for passage in sorted(own, key=lambda passage: passage.lines.first):
        path = one_line(passage.section_path, PATH_LENGTH)
        if not tree.pages:
            blocks.append((f"[{name}, § {one_line(passage.title)}] {path}", passage.text))
            continue
        lines = [n for n in passage.lines if n not in tree.headers_footers]
        for page, numbers in groupby(lines, key=tree.page_of_line):
            text = "\n".join(tree.lines[n - 1] for n in numbers).strip("\n")
            if text.strip():
                label = tree.page(page).label if page else None
                printed = f" (printed {one_line(label, LABEL_LENGTH)})" if label and label != str(page) else ""
                blocks.append((f"[{name}, p. {page}]{printed} {path}", text))
    return blocks
