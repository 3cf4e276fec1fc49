"""The health of documents, damage of a library file, and the outcome of its repair."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...library import DocumentInfo
from ...store.sqlite.repair import Damage, Repair
from ...text.characters import counted
from ...tree.check import Finding, Health
from ..terminal import console, printable_line, styled

_MAX_FINDINGS = 5
"""Findings of one kind, or faults of one file, that are printed."""
_FINDING_LENGTH = 120
"""Characters of a finding that are printed."""


def print_health(info: DocumentInfo, health: Health, *, details: bool) -> None:
    """Prints one line about a document and the number of findings of each kind; with `details` also some of them."""
    console().print(
        styled(
            (printable_line(info.name), "bold"),
            f"  {counted(health.sections, 'section')} ({health.origin}, confidence {health.confidence:.2f}), "
            f"{health.coverage:.0%} of the text under headings, {health.resolved} of {health.references} references resolved",
        )
    )
    by_kind: dict[str, list[Finding]] = {}
    for finding in health.findings:
        by_kind.setdefault(finding.kind, []).append(finding)
    for kind, findings in by_kind.items():
        console().print(styled(f"  {len(findings):5d} {kind.replace('_', ' ')}"))
        for finding in findings[:_MAX_FINDINGS] if details else ():
            where = f"p. {finding.page}: " if finding.page is not None else ""
            console().print(styled(f"        {where}{printable_line(finding.text)[:_FINDING_LENGTH]}"))


def print_damage(path: Path, damage: Sequence[Damage]) -> None:
    """Prints the faults of a library file, and the command that repairs it."""
    console().print(styled((printable_line(str(path)), "bold"), "  is damaged"))
    for fault in damage[:_MAX_FINDINGS]:
        text = fault.text if fault.doc_id is None else f"{fault.doc_id}: {fault.text}"
        console().print(styled(f"  {printable_line(text)}"))
    if len(damage) > _MAX_FINDINGS:
        console().print(styled(f"  ... and {len(damage) - _MAX_FINDINGS} more"))
    console().print(styled(f"Repair it: thumbindex repair --library {printable_line(str(path))}"))


def print_repair(path: Path, outcome: Repair) -> None:
    """Prints the outcome of repairing a library file."""
    if not outcome.damage:
        console().print(styled(f"{printable_line(str(path))} is intact; nothing was changed."))
        return
    console().print(styled((printable_line(str(path)), "bold"), f"  documents recovered: {len(outcome.kept)}"))
    for document in outcome.lost:
        name = document.name or document.doc_id
        text = document.text if name is None else f"{name} ({document.text}), from {document.source or 'unknown'}"
        console().print(styled(f"  lost: {printable_line(text)}"))
    if outcome.lost:
        console().print(styled("Add the lost documents again: thumbindex add FILES"))
    console().print(styled(f"The damaged file is now {printable_line(str(outcome.damaged))}"))
