"""How results look: for people as lines of text, for programs as JSON. The keys of the JSON are stable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from ..evidence import Answer, Citation, Evidence, Retrieval
from ..library import DocumentInfo, Reading, join_pages
from .excerpt import best_lines, marks, terms_of
from .terminal import console, harmless, one_line, styled

if TYPE_CHECKING:
    from pathlib import Path

    from rich.table import Table
    from rich.text import Text

    from ..evaluate import Figures, Record, Share
    from ..store.sqlite.repair import Damage, Repair
    from ..summarize import Summaries
    from ..trail import Step
    from ..tree.check import Finding, Health
    from .terminal import Working

PASSAGE_LINES = 24
"""Lines of the best passage that are shown; what is left out is said."""
SNIPPET_LINES = 3


def evidence_json(evidence: Evidence) -> dict[str, object]:
    """One passage: `pages` and `lines` are [first, last], physical, 1-based and inclusive; `pages` may be null."""
    return {
        "id": evidence.id,
        "doc_id": evidence.doc_id,
        "node_id": evidence.node_id,
        "document": evidence.document,
        "source": evidence.source,
        "section_path": evidence.section_path,
        "pages": evidence.pages and [evidence.pages.first, evidence.pages.last],
        "page_labels": evidence.page_labels,
        "lines": [evidence.lines.first, evidence.lines.last],
        "anchor": evidence.anchor,
        "citation": evidence.citation,
        "score": round(evidence.score, 6),
        "why": evidence.why,
        "text": evidence.text,
    }


def retrieval_json(found: Retrieval) -> dict[str, object]:
    """A question, its passages best first, whether they fit badly (`weak`), and the trail."""
    return {
        "question": found.question,
        "weak": found.weak,
        "evidence": [evidence_json(evidence) for evidence in found.evidence],
        "trail": asdict(found.trail),
    }


def answer_json(answer: Answer) -> dict[str, object]:
    """A model's answer: `found`, the text, each citation with its status, the evidence, the trail and what it cost."""
    return {
        "question": answer.question,
        "found": answer.found,
        "text": answer.text,
        "citations": [asdict(citation) for citation in answer.citations],
        "uncited": answer.uncited,
        "notes": answer.notes,
        "evidence": [evidence_json(evidence) for evidence in answer.evidence],
        "trail": asdict(answer.trail),
        "usage": asdict(answer.usage),
    }


def document_json(info: DocumentInfo) -> dict[str, object]:
    """One document of a library."""
    return asdict(info)


def health_json(info: DocumentInfo, health: Health) -> dict[str, object]:
    """What a check found in one document."""
    return {"doc_id": info.doc_id, **asdict(health)}


def evaluation_json(found: Sequence[Figures], records: Sequence[Record]) -> dict[str, object]:
    """Figures by retriever and kind (`kind` is "" for all), and what came of each question."""
    return {
        "figures": [asdict(one) for one in found],
        "records": [
            {
                "question": one.question,
                "kind": one.kind,
                "retriever": one.retriever,
                "page_rank": one.page_rank,
                "section_rank": one.section_rank,
                "found": one.found,
                "answerable": one.is_answerable,
                "tokens": one.tokens,
                "seconds": one.seconds,
                "usage": [asdict(usage) for usage in one.usage],
                "answer": one.answer and one.answer.text,
                "citations": one.answer and [citation.status for citation in one.answer.citations],
                "grade": asdict(one.grade),
                "error": one.error,
            }
            for one in records
        ],
    }


def print_figures(found: Sequence[Figures], *, has_answers: bool) -> None:
    """A table of retrieval, and one of answers if there are any."""
    kinds = any(one.kind for one in found)
    # What no model costs need not be shown.
    cost = ["turns", "in", "uncached", "out"] if any(one.turns for one in found) else []
    heads = ["page @1", "@5", "@10", "section @1", "@5", "@10", "tokens", *cost, "s p50", "p95"]
    hits = _table("Retrieval", kinds, heads)
    for one in found:
        tokens = (one.tokens_in, one.tokens_uncached, one.tokens_out)
        hits.add_row(
            *_heads(one, kinds),
            *map(_share, (*one.pages, *one.sections)),
            f"{one.tokens:.0f}",
            *([f"{one.turns:.1f}", *(f"{pair[0]:.0f}" for pair in tokens)] if cost else []),
            *(f"{seconds:.2f}" for seconds in one.seconds[0]),
        )
    _print_wide(hits)
    if not has_answers:
        weak = _table("Retrieval that says it is weak", kinds, ["unanswerable", "answerable"])
        for one in found if any(one.abstained.of for one in found) else ():
            weak.add_row(*_heads(one, kinds), _count(one.abstained), _count(one.missed))
        if weak.row_count:
            _print_wide(weak)
        return
    heads = [
        "right",
        "not graded",
        "citations hold",
        "abstained",
        "missed",
        "tokens in",
        "uncached",
        "out",
        "s p50",
        "p95",
    ]
    with_money = any(one.money is not None for one in found)
    answers = _table("Answers", kinds, [*heads, *["money"] * with_money, "errors"])
    for one in found:
        answers.add_row(
            *_heads(one, kinds),
            _share(one.right),
            str(one.ungraded),
            _share(one.holding),
            _count(one.abstained),
            _count(one.missed),
            *(f"{pair[1]:.0f}" for pair in (one.tokens_in, one.tokens_uncached, one.tokens_out)),
            *(f"{seconds:.2f}" for seconds in one.seconds[1]),
            *(["" if one.money is None else f"{one.money:.5f}"] if with_money else []),
            str(one.errors),
        )
    _print_wide(answers)


def _table(title: str, kinds: bool, heads: Sequence[str]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("retriever", "kind")[: 1 + kinds]:
        table.add_column(head)
    table.add_column("n", justify="right")
    for head in heads:
        table.add_column(head, justify="right")
    return table


def _print_wide(table: Table) -> None:
    """In full, however narrow the terminal: figures that are cut off are none."""
    from rich.measure import Measurement

    out = console()
    natural = Measurement.get(out, out.options.update(max_width=1000), table).maximum
    console(width=max(out.width, natural)).print(table)


def _heads(one: Figures, kinds: bool) -> list[str]:
    return [one_line(one.retriever), *([one_line(one.kind) or "all"] if kinds else []), str(one.questions)]


def _share(share: Share) -> str:
    return "" if share.value is None else f"{share.value:.2f}"


def _count(share: Share) -> str:
    return "" if not share.of else f"{share.hits}/{share.of}"


_SHOWN = 5
"""Findings of one kind that are printed for a document."""


def print_health(info: DocumentInfo, health: Health, *, every: bool) -> None:
    """One line about a document, and what was found; `every` names the findings and not only their number."""
    console().print(
        styled(
            (one_line(info.name), "bold"),
            f"  {health.sections} sections ({health.origin}, confidence {health.confidence:.2f}), "
            f"{health.coverage:.0%} of the text under headings, {health.resolved} of {health.references} references resolved",
        )
    )
    by_kind: dict[str, list[Finding]] = {}
    for finding in health.findings:
        by_kind.setdefault(finding.kind, []).append(finding)
    for kind, findings in by_kind.items():
        console().print(styled(f"  {len(findings):5d} {kind.replace('_', ' ')}"))
        for finding in findings[:_SHOWN] if every else ():
            where = f"p. {finding.page}: " if finding.page is not None else ""
            console().print(styled(f"        {where}{one_line(finding.text)[:120]}"))


def print_damage(path: Path, damage: Sequence[Damage]) -> None:
    """What is wrong with a library's file, and what to do."""
    console().print(styled((one_line(str(path)), "bold"), "  is damaged"))
    for one in damage[:_SHOWN]:
        console().print(styled(f"  {one_line(one.text if one.doc_id is None else f'{one.doc_id}: {one.text}')}"))
    if len(damage) > _SHOWN:
        console().print(styled(f"  ... and {len(damage) - _SHOWN} more"))
    console().print(styled(f"Mend it: thumbindex repair --library {one_line(str(path))}"))


def print_repair(path: Path, outcome: Repair) -> None:
    """What came of repairing a library's file."""
    if not outcome.damage:
        console().print(styled(f"{one_line(str(path))} is whole; nothing was changed."))
        return
    console().print(styled((one_line(str(path)), "bold"), f"  documents saved: {len(outcome.kept)}"))
    for one in outcome.lost:
        name = one.name or one.doc_id
        what = one.text if name is None else f"{name} ({one.text}), from {one.source or 'unknown'}"
        console().print(styled(f"  lost: {one_line(what)}"))
    if outcome.lost:
        console().print(styled("Add again what was lost: thumbindex add FILES"))
    console().print(styled(f"The damaged file is {one_line(str(outcome.damaged))}"))


def reading_json(reading: Reading) -> dict[str, object]:
    """Text that was read, and how to cite it."""
    return {**asdict(reading), "citation": reading.citation}


def place(evidence: Evidence) -> str:
    """`report.pdf, p. 41-42 (printed 35-36)`, or `guide.md, lines 5-38`."""
    if evidence.pages is None:
        return f"{evidence.document}, lines {evidence.lines}"
    labels = ""
    if evidence.page_labels and evidence.page_labels != (str(evidence.pages.first), str(evidence.pages.last)):
        first, last = evidence.page_labels
        labels = f" (printed {first})" if first == last else f" (printed {first}-{last})"
    return f"{evidence.document}, p. {evidence.pages}{labels}"


def print_answer(found: Retrieval, languages: Mapping[str, str]) -> None:
    """The best passage with its place and citation, the other hits in short, and the trail.

    `languages` gives the language of each document by its id: words are marked as the index spells them.
    """
    out = console()
    best = found.evidence[0]
    if found.weak:
        out.print(styled((WEAK, "yellow")), styled(""), sep="\n")
    out.print(styled((one_line(best.section_path), "bold")))
    out.print(styled((one_line(place(best)), "cyan")))
    out.print()
    out.print(_passage(best, found.question, languages[best.doc_id], PASSAGE_LINES))
    out.print()
    out.print(styled("Cite as ", (one_line(best.citation), "cyan"), (f"   id {best.id}", "dim")))
    if len(found.evidence) > 1:
        out.print(styled(("\nAlso", "bold")))
        for evidence in found.evidence[1:]:
            out.print(_hit_line(evidence))
    out.print(styled(("\nTrail", "bold")))
    out.print(styled(*((f"  {line}\n", "dim") for line in harmless(found.trail.render()).splitlines())), end="")


class StreamPrinter:
    """Tells an answer while it is made: what is being done, on a terminal, and the text piece by piece."""

    def __init__(self, working: Working) -> None:
        self._working = working
        self._out = console()
        self._told = ""

    def step(self, step: Step) -> None:
        """A step of the trail."""
        self._working.say(f"{step.action} {step.target}")

    def text(self, piece: str) -> None:
        """A piece of the text."""
        self._working.stop()
        self._out.print(styled(harmless(piece)), end="")
        self._told += piece

    def end(self, answer: Answer) -> None:
        """What remains to be told of a finished answer."""
        self._working.stop()
        told = self._told.strip()
        if told:
            self._out.print()
        # Where the connection broke, the model may have begun anew with other words.
        if told != answer.text:
            self._out.print(
                styled(("\nAnswered anew" if told else "", "bold")),
                styled(harmless(answer.text)),
                sep="\n" if told else "",
            )
        print_citations(answer)


def print_citations(answer: Answer) -> None:
    """The citations of a model's answer with what their check found, the trail and what it cost."""
    out = console()
    if answer.citations:
        out.print(styled(("\nCitations", "bold")))
        for citation in dict.fromkeys(answer.citations):
            out.print(_citation_line(citation))
    for sentence in answer.uncited:
        out.print(styled(("  without citation: ", "yellow"), one_line(sentence)))
    for note in answer.notes:
        out.print(styled((f"  {one_line(note)}", "yellow")))
    out.print(styled(("\nTrail", "bold")))
    out.print(styled(*((f"  {line}\n", "dim") for line in harmless(answer.trail.render()).splitlines())), end="")
    usage = answer.usage
    about = "about " if usage.estimated else ""
    out.print(
        styled(
            (
                f"\n{usage.calls} call{'' if usage.calls == 1 else 's'}, {about}{usage.tokens_in} tokens read "
                f"({usage.tokens_cached} from a cache), {usage.tokens_out} written",
                "dim",
            )
        )
    )


def summaries_json(info: DocumentInfo, made: Summaries) -> dict[str, object]:
    """What was said of one document's sections."""
    return {"doc_id": info.doc_id, "name": info.name, **asdict(made)}


def print_summaries(info: DocumentInfo, made: Summaries) -> None:
    """One line about a document, and its description if there is one."""
    usage = made.usage
    cost = f", {usage.calls} calls, {usage.tokens_in} tokens read, {usage.tokens_out} written" if usage.calls else ""
    kept = f", {made.cached} from the cache" if made.cached else ""
    failed = f", {made.failed} by phrases since the model gave none" if made.failed else ""
    console().print(styled((one_line(info.name), "bold"), f"  {made.sections} sections{kept}{failed}{cost}"))
    if made.description:
        console().print(styled(f"  {one_line(made.description)}"))


def _citation_line(citation: Citation) -> Text:
    printed = f" (printed {', '.join(citation.labels)})" if citation.labels and not citation.found_at else ""
    line = styled(
        "  ",
        (citation.status.replace("_", " "), "green" if citation.holds else "bold red"),
        "  ",
        (one_line(citation.written) + one_line(printed), "cyan"),
    )
    if citation.found_at:
        line.append(f" → {one_line(citation.found_at)}", "cyan")
    if citation.near:
        line.append(f"  nearest: “{one_line(citation.near)}”")
    if citation.note:
        line.append(f"  {one_line(citation.note)}", "dim")
    return line


WEAK = "No section fits this question well. The closest passage follows; it may not answer the question."


def print_hits(found: Retrieval, languages: Mapping[str, str]) -> None:
    """All passages in short: path, place and the lines that fit best."""
    out = console()
    if found.weak:
        out.print(
            styled((WEAK.replace("passage follows; it", "passages follow; they"), "yellow")), styled(""), sep="\n"
        )
    for number, evidence in enumerate(found.evidence, 1):
        out.print(styled(f"{number}. ", (one_line(evidence.section_path), "bold"), f"  {evidence.score:.2f}"))
        out.print(styled("   ", (one_line(place(evidence)), "cyan"), (f"   id {evidence.id}", "dim")))
        out.print(_passage(evidence, found.question, languages[evidence.doc_id], SNIPPET_LINES))


def print_reading(reading: Reading) -> None:
    """The text, under a line that says where it is from."""
    out = console()
    out.print(
        styled((one_line(reading.section_path or reading.document), "bold"), "  ", (one_line(reading.citation), "cyan"))
    )
    out.print()
    out.print(styled(harmless(reading.text)))


def document_line(info: DocumentInfo) -> Text:
    """One document on one line."""
    size = f"{info.page_count} pages, " if info.page_count else ""
    # Files of the same name are told apart by their folders.
    folder = one_line(info.source).removesuffix(one_line(info.name))
    line = styled(
        (folder, "dim"),
        (one_line(info.name), "bold"),
        f"  {size}{info.section_count} sections ({info.origin})",
        (f"   id {info.doc_id}", "dim"),
    )
    if info.pages_without_text:
        line.append(
            f"\n  no text on pages {join_pages(info.pages_without_text)}: scanned? OCR makes them searchable", "yellow"
        )
    return line


def _hit_line(evidence: Evidence) -> Text:
    return styled(
        f"  {one_line(evidence.section_path)}  ", (one_line(place(evidence)), "cyan"), f"  {evidence.score:.2f}"
    )


def _passage(evidence: Evidence, question: str, language: str, size: int) -> Text:
    """The lines of a passage that say most about the question, its words marked."""
    terms = terms_of(question, language)
    lines = [line for line in harmless(evidence.text).splitlines() if line.strip()]
    start, end = best_lines(lines, terms, language, size)
    shown = styled()
    if start:
        shown.append(f"   … {start} lines above\n" if size > SNIPPET_LINES else "", "dim")
    for number in range(start, end):
        line = styled(lines[number])
        for first, last in marks(lines[number], terms, language):
            line.stylize("bold yellow", first, last)
        shown.append("   ").append(line)
        shown.append("\n" if number + 1 < end else "")
    if end < len(lines) and size > SNIPPET_LINES:
        shown.append(f"\n   … {len(lines) - end} lines below", "dim")
    return shown
