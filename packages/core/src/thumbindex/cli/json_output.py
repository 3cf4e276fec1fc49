"""The JSON that `--json` prints: one type for each value, and the function that makes it. The keys are stable.

Pages are physical and 1-based; ranges are [first, last], inclusive.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from ..evidence import Answer, Citation, Evidence, Retrieval
from ..ingest.bulk import FileResult
from ..library import DocumentInfo, Reading
from ..pages import MetadataValue
from ..store.sqlite.repair import Damage, Lost, Repair
from ..summarize import Estimate, Summaries
from ..trail import RunnerUp, Step, Trail, Usage
from ..tree.check import Finding, Health

if TYPE_CHECKING:
    from ..evaluate import Figures, Grade, Record, Share


class DocumentJson(TypedDict):
    """One document of a library."""

    doc_id: str
    name: str
    source: str
    kind: str
    origin: str
    page_count: int
    section_count: int
    pages_without_text: list[int]
    revision: int
    added: str
    sha256: str
    metadata: dict[str, MetadataValue]
    language: str
    reused_sections: int


def document_json(info: DocumentInfo) -> DocumentJson:
    """`list --json` prints a list of these."""
    return {
        "doc_id": info.doc_id,
        "name": info.name,
        "source": info.source,
        "kind": info.kind,
        "origin": info.origin,
        "page_count": info.page_count,
        "section_count": info.section_count,
        "pages_without_text": [*info.pages_without_text],
        "revision": info.revision,
        "added": info.added,
        "sha256": info.sha256,
        "metadata": dict(info.metadata),
        "language": info.language,
        "reused_sections": info.reused_sections,
    }


class FailureJson(TypedDict):
    """A file that could not be added; `error` is the name of the exception."""

    source: str
    error: str
    message: str


class AddedJson(TypedDict):
    """The outcome of adding files; `removed` holds the sources of documents that are gone from a synchronised folder."""

    added: list[DocumentJson]
    removed: list[str]
    failed: list[FailureJson]


def added_json(results: Sequence[FileResult]) -> AddedJson:
    """`add --json` prints it."""
    return {
        "added": [
            document_json(result.document)
            for result in results
            if result.document is not None and result.what != "removed"
        ],
        "removed": [result.source for result in results if result.what == "removed"],
        "failed": [
            {"source": result.source, "error": type(result.error).__name__, "message": str(result.error)}
            for result in results
            if result.error is not None
        ],
    }


class EvidenceJson(TypedDict):
    """One passage; `pages` is null for formats without pages."""

    id: str
    doc_id: str
    node_id: str
    document: str
    source: str
    section_path: str
    pages: list[int] | None
    page_labels: list[str] | None
    lines: list[int]
    anchor: str | None
    citation: str
    score: float
    why: str
    text: str


def evidence_json(evidence: Evidence) -> EvidenceJson:
    """One passage of a retrieval or an answer."""
    return {
        "id": evidence.id,
        "doc_id": evidence.doc_id,
        "node_id": evidence.node_id,
        "document": evidence.document,
        "source": evidence.source,
        "section_path": evidence.section_path,
        "pages": None if evidence.pages is None else [evidence.pages.first, evidence.pages.last],
        "page_labels": None if evidence.page_labels is None else [*evidence.page_labels],
        "lines": [evidence.lines.first, evidence.lines.last],
        "anchor": evidence.anchor,
        "citation": evidence.citation,
        "score": round(evidence.score, 6),
        "why": evidence.why,
        "text": evidence.text,
    }


class UsageJson(TypedDict):
    """Tokens that models read and wrote; `estimated` where a server did not count them."""

    tokens_in: int
    tokens_out: int
    tokens_cached: int
    calls: int
    estimated: bool


def usage_json(usage: Usage) -> UsageJson:
    """The usage of an answer, a summary or a record."""
    return {
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "tokens_cached": usage.tokens_cached,
        "calls": usage.calls,
        "estimated": usage.estimated,
    }


class StepJson(TypedDict):
    """One step of a trail."""

    action: str
    target: str
    reason: str
    outcome: str
    tokens_in: int
    tokens_out: int
    seconds: float
    tokens_cached: int


class RunnerUpJson(TypedDict):
    """A section that was considered and not returned."""

    id: str
    section_path: str
    page: int | None
    score: float


class TrailJson(TypedDict):
    """The steps of a retrieval, and the sections that came next."""

    steps: list[StepJson]
    runners_up: list[RunnerUpJson]


def trail_json(trail: Trail) -> TrailJson:
    """The trail of a retrieval or an answer."""
    return {
        "steps": [_step_json(step) for step in trail.steps],
        "runners_up": [_runner_up_json(section) for section in trail.runners_up],
    }


def _step_json(step: Step) -> StepJson:
    return {
        "action": step.action,
        "target": step.target,
        "reason": step.reason,
        "outcome": step.outcome,
        "tokens_in": step.tokens_in,
        "tokens_out": step.tokens_out,
        "seconds": step.seconds,
        "tokens_cached": step.tokens_cached,
    }


def _runner_up_json(section: RunnerUp) -> RunnerUpJson:
    return {
        "id": section.id,
        "section_path": section.section_path,
        "page": section.page,
        "score": section.score,
    }


class RetrievalJson(TypedDict):
    """The passages found for a question, best first; `weak` if none fits the question well."""

    question: str
    weak: bool
    evidence: list[EvidenceJson]
    trail: TrailJson


def retrieval_json(found: Retrieval) -> RetrievalJson:
    """`search --json` and `ask --json` print it."""
    return {
        "question": found.question,
        "weak": found.weak,
        "evidence": [evidence_json(evidence) for evidence in found.evidence],
        "trail": trail_json(found.trail),
    }


class CitationJson(TypedDict):
    """One citation of an answer and the result of its check."""

    written: str
    sentence: str
    status: str
    document: str
    doc_id: str | None
    pages: list[int]
    labels: list[str]
    section: str
    checked: list[str]
    found_at: str
    near: str
    note: str


def citation_json(citation: Citation) -> CitationJson:
    """One citation of an answer."""
    return {
        "written": citation.written,
        "sentence": citation.sentence,
        "status": citation.status,
        "document": citation.document,
        "doc_id": citation.doc_id,
        "pages": [*citation.pages],
        "labels": [*citation.labels],
        "section": citation.section,
        "checked": [*citation.checked],
        "found_at": citation.found_at,
        "near": citation.near,
        "note": citation.note,
    }


class AnswerJson(TypedDict):
    """A model's answer; `found` is false where the documents do not give one."""

    question: str
    found: bool
    text: str
    citations: list[CitationJson]
    uncited: list[str]
    notes: list[str]
    evidence: list[EvidenceJson]
    trail: TrailJson
    usage: UsageJson


def answer_json(answer: Answer) -> AnswerJson:
    """`ask --model --json` prints it."""
    return {
        "question": answer.question,
        "found": answer.found,
        "text": answer.text,
        "citations": [citation_json(citation) for citation in answer.citations],
        "uncited": [*answer.uncited],
        "notes": [*answer.notes],
        "evidence": [evidence_json(evidence) for evidence in answer.evidence],
        "trail": trail_json(answer.trail),
        "usage": usage_json(answer.usage),
    }


class ReadingJson(TypedDict):
    """Text of a section, of some pages or of a whole document, and how to cite it."""

    doc_id: str
    document: str
    node_id: str | None
    section_path: str
    pages: list[int]
    text: str
    citation: str


def reading_json(reading: Reading) -> ReadingJson:
    """`read --json` prints it."""
    return {
        "doc_id": reading.doc_id,
        "document": reading.document,
        "node_id": reading.node_id,
        "section_path": reading.section_path,
        "pages": [*reading.pages],
        "text": reading.text,
        "citation": reading.citation,
    }


class FindingJson(TypedDict):
    """One finding of a check; `node_id` and `page` are null where it concerns the whole document."""

    kind: str
    text: str
    node_id: str | None
    page: int | None


class HealthJson(TypedDict):
    """The result of checking one document."""

    doc_id: str
    name: str
    origin: str
    confidence: float
    pages: int
    sections: int
    coverage: float
    references: int
    resolved: int
    rules: dict[str, int]
    findings: list[FindingJson]


def health_json(info: DocumentInfo, health: Health) -> HealthJson:
    """`check --json` prints a list of these."""
    return {
        "doc_id": info.doc_id,
        "name": health.name,
        "origin": health.origin,
        "confidence": health.confidence,
        "pages": health.pages,
        "sections": health.sections,
        "coverage": health.coverage,
        "references": health.references,
        "resolved": health.resolved,
        "rules": dict(health.rules),
        "findings": [_finding_json(finding) for finding in health.findings],
    }


def _finding_json(finding: Finding) -> FindingJson:
    return {"kind": finding.kind, "text": finding.text, "node_id": finding.node_id, "page": finding.page}


class DamageJson(TypedDict):
    """One fault of a library file; `doc_id` where it concerns one document."""

    text: str
    doc_id: str | None


class DamagedFileJson(TypedDict):
    """A damaged library file."""

    file: str
    damage: list[DamageJson]


def damaged_file_json(path: Path, damage: Sequence[Damage]) -> DamagedFileJson:
    """`check --json` prints it for a damaged library."""
    return {"file": str(path), "damage": [_damage_json(fault) for fault in damage]}


def _damage_json(fault: Damage) -> DamageJson:
    return {"text": fault.text, "doc_id": fault.doc_id}


class LostJson(TypedDict):
    """A document that a repair could not recover."""

    text: str
    doc_id: str | None
    name: str | None
    source: str | None


class RepairJson(TypedDict):
    """The outcome of a repair; `damaged` is the path of the damaged file, null if the file was intact."""

    damage: list[DamageJson]
    kept: list[DocumentJson]
    lost: list[LostJson]
    damaged: str | None


def repair_json(outcome: Repair) -> RepairJson:
    """`repair --json` prints it."""
    return {
        "damage": [_damage_json(fault) for fault in outcome.damage],
        "kept": [document_json(info) for info in outcome.kept],
        "lost": [_lost_json(document) for document in outcome.lost],
        "damaged": None if outcome.damaged is None else str(outcome.damaged),
    }


def _lost_json(document: Lost) -> LostJson:
    return {
        "text": document.text,
        "doc_id": document.doc_id,
        "name": document.name,
        "source": document.source,
    }


class EstimateJson(TypedDict):
    """The calls and tokens that summarizing one document takes at most."""

    doc_id: str
    name: str
    sections: int
    calls: int
    tokens_in: int
    tokens_out: int


def estimate_json(info: DocumentInfo, estimate: Estimate) -> EstimateJson:
    """`summarize --estimate --json` prints a list of these."""
    return {
        "doc_id": info.doc_id,
        "name": info.name,
        "sections": estimate.sections,
        "calls": estimate.calls,
        "tokens_in": estimate.tokens_in,
        "tokens_out": estimate.tokens_out,
    }


class SummariesJson(TypedDict):
    """The summaries of one document, by section id."""

    doc_id: str
    name: str
    by_section: dict[str, str]
    description: str
    usage: UsageJson
    cached: int
    failed: int


def summaries_json(info: DocumentInfo, summaries: Summaries) -> SummariesJson:
    """`summarize --json` prints a list of these."""
    return {
        "doc_id": info.doc_id,
        "name": info.name,
        "by_section": dict(summaries.by_section),
        "description": summaries.description,
        "usage": usage_json(summaries.usage),
        "cached": summaries.cached,
        "failed": summaries.failed,
    }


class ShareJson(TypedDict):
    """`hits` of `of`."""

    hits: int
    of: int


class FiguresJson(TypedDict):
    """Figures of one retriever on one kind of questions; `kind` is "" for all kinds. Pairs are navigation and answering."""

    retriever: str
    kind: str
    questions: int
    pages: list[ShareJson]
    sections: list[ShareJson]
    tokens: float
    turns: float
    tokens_in: list[float]
    tokens_uncached: list[float]
    tokens_out: list[float]
    seconds: list[list[float]]
    money: float | None
    right: ShareJson
    ungraded: int
    holding: ShareJson
    abstained: ShareJson
    missed: ShareJson
    errors: int


def figures_json(figures: Figures) -> FiguresJson:
    """One row of the tables."""
    return {
        "retriever": figures.retriever,
        "kind": figures.kind,
        "questions": figures.questions,
        "pages": [_share_json(share) for share in figures.pages],
        "sections": [_share_json(share) for share in figures.sections],
        "tokens": figures.tokens,
        "turns": figures.turns,
        "tokens_in": [*figures.tokens_in],
        "tokens_uncached": [*figures.tokens_uncached],
        "tokens_out": [*figures.tokens_out],
        "seconds": [[*times] for times in figures.seconds],
        "money": figures.money,
        "right": _share_json(figures.right),
        "ungraded": figures.ungraded,
        "holding": _share_json(figures.holding),
        "abstained": _share_json(figures.abstained),
        "missed": _share_json(figures.missed),
        "errors": figures.errors,
    }


def _share_json(share: Share) -> ShareJson:
    return {"hits": share.hits, "of": share.of}


class GradeJson(TypedDict):
    """The grade of an answer; `right` is null where it could not be graded."""

    right: bool | None
    by: str | None
    reason: str
    usage: UsageJson


def _grade_json(grade: Grade) -> GradeJson:
    return {"right": grade.right, "by": grade.by, "reason": grade.reason, "usage": usage_json(grade.usage)}


class RecordJson(TypedDict):
    """The outcome of one question with one retriever; `answer` and `citations` are null without a model."""

    question: str
    kind: str
    retriever: str
    page_rank: int | None
    section_rank: int | None
    found: bool
    answerable: bool
    tokens: int
    seconds: list[float]
    usage: list[UsageJson]
    answer: str | None
    citations: list[str] | None
    grade: GradeJson
    error: str


def record_json(record: Record) -> RecordJson:
    """One question with one retriever."""
    return {
        "question": record.question,
        "kind": record.kind,
        "retriever": record.retriever,
        "page_rank": record.page_rank,
        "section_rank": record.section_rank,
        "found": record.found,
        "answerable": record.is_answerable,
        "tokens": record.tokens,
        "seconds": [*record.seconds],
        "usage": [usage_json(usage) for usage in record.usage],
        "answer": None if record.answer is None else record.answer.text,
        "citations": None if record.answer is None else [citation.status for citation in record.answer.citations],
        "grade": _grade_json(record.grade),
        "error": record.error,
    }


class EvaluationJson(TypedDict):
    """The figures of all retrievers, and the outcome of each question."""

    figures: list[FiguresJson]
    records: list[RecordJson]


def evaluation_json(figures: Sequence[Figures], records: Sequence[Record]) -> EvaluationJson:
    """`eval --json` prints it."""
    return {
        "figures": [figures_json(row) for row in figures],
        "records": [record_json(record) for record in records],
    }
