"""Structured outputs of tools: the text and its sources."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from ..evidence import Evidence
from ..text.tokens import estimate_tokens
from ..text.untrusted import one_line
from ..tools import ToolResult


class SourceOutput(BaseModel):
    """The source of a piece of the text: pages are physical, 1-based and inclusive; null for formats without pages."""

    citation: str
    section: str
    document: str
    node: str
    first_page: int | None
    last_page: int | None


class Output(BaseModel):
    """The output of a tool: the text for the model, and its sources."""

    text: str
    sources: list[SourceOutput]


def structured(result: ToolResult, max_tokens: int) -> dict[str, Any]:
    """Text and sources, as many as the limit allows: clients may show a model this form in place of the text."""
    output = Output(text=result.text, sources=[])
    left = max_tokens - _json_tokens(output)
    for evidence in result.evidence:
        source = _source(evidence)
        left -= _json_tokens(source) + 1
        if left < 0:
            break
        output.sources.append(source)
    return output.model_dump()


def _json_tokens(value: BaseModel) -> int:
    return estimate_tokens(json.dumps(value.model_dump(), ensure_ascii=False))


def _source(evidence: Evidence) -> SourceOutput:
    return SourceOutput(
        citation=evidence.citation,
        section=one_line(evidence.section_path),
        document=evidence.doc_id,
        node=evidence.node_id,
        first_page=evidence.pages.first if evidence.pages else None,
        last_page=evidence.pages.last if evidence.pages else None,
    )
