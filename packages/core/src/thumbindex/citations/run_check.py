"""Checking the claims of an answer against what its run has read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..evidence import Citation
from ..pages import LineRange
from ..tree.model import Tree
from .check import Checked, check_answer
from .claims import Claim
from .read_document import ReadDocument
from .scales import stated_scales
from .sentences import alias_names, read_sentences


def check_claims(claims: Iterable[Claim], documents: Sequence[ReadDocument], *, question: str = "") -> Checked:
    """Checks every citation of an answer's claims. A page that was read in part supports only what that part says."""
    names = alias_names([(document.doc_id, document.name) for document in documents])
    citations: list[Citation] = []
    uncited: list[str] = []
    for claim in claims:
        checked = _check_text(_with_citations(claim, names), documents, question)
        citations += _supporting(checked.citations, claim.apart) if claim.apart else checked.citations
        uncited += checked.uncited
    return Checked(tuple(citations), tuple(uncited))


def _check_text(text: str, documents: Sequence[ReadDocument], question: str) -> Checked:
    checked = check_answer(text, documents, question=question)
    if not any(citation.holds for citation in checked.citations):
        return checked
    # Once more, with nothing on the pages but what was read.
    as_read = [replace(document, tree=_only_read(document.tree, document.read)) for document in documents]
    seen = check_answer(text, as_read, question=question)
    pairs = zip(checked.citations, seen.citations, strict=True)
    citations = (full if not full.holds or part.holds else _unread(full) for full, part in pairs)
    return Checked(tuple(citations), checked.uncited)


def _only_read(tree: Tree, read: Sequence[LineRange]) -> Tree:
    """Returns the tree with blank lines for those that were not read; units of tables hold beyond their page."""
    seen = {number for lines in read for number in lines}
    lines = tuple(line if n in seen or stated_scales(line) else "" for n, line in enumerate(tree.lines, 1))
    return tree if lines == tree.lines else replace(tree, lines=lines)


def _unread(citation: Citation) -> Citation:
    note = f"{citation.note} What bears it out was not among what was read of it.".strip()
    return replace(citation, status="page_not_read", note=note)


def _with_citations(claim: Claim, names: Mapping[str, str]) -> str:
    """Returns the claim's text with the citations that stand apart put behind each sentence."""
    if not claim.apart:
        return claim.text
    behind = " ".join(claim.apart)
    return "\n".join(f"{sentence.text} {behind}" for sentence in read_sentences(claim.text, names))


def _supporting(citations: Sequence[Citation], apart: Sequence[str]) -> list[Citation]:
    """Returns the citations that count for a text whose citations stand apart: those that hold, and each failure once.

    Each sentence that states a figure or a quote needs one of them, and each of them must bear out some sentence.
    """
    holding = [citation for citation in citations if citation.holds]
    supported = {citation.sentence for citation in holding}
    useful = {citation.written for citation in holding}
    failed: dict[tuple[str, str], Citation] = {}
    for citation in citations:
        if citation.checked and citation.sentence not in supported:
            failed.setdefault(("sentence", citation.sentence), citation)
    named = {citation.written for citation in failed.values()}
    for written in apart:
        if written not in useful | named:
            first = next((citation for citation in citations if citation.written == written), None)
            if first is not None:
                failed[("citation", written)] = first
    return [*holding, *failed.values()]
