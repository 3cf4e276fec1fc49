"""The claims of an answer in any form, a text or an object, and the citations given for each.

Agents answer in text with citations in it, or in an object that their framework validated: a text beside a list of
citations, a list of facts each with its source, a figure with a document and a page. All become claims: a text, and the
citations that the object gives apart from it. Pure.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

_DOCUMENT = ("document", "doc", "doc_id", "document_id", "document_name", "source", "file", "file_name", "filename")
_PAGES = ("page", "pages", "page_number", "page_numbers", "page_label")
_SECTION = ("section", "section_title", "heading")
_QUOTE = ("quote", "quoted_text", "quotation", "excerpt", "snippet", "passage")
_NO_CLAIM = frozenset({"confidence", "score", "probability", "certainty", "rating", "rank", "index", "id", "language"})
"""Names of fields that describe the answer and not the documents."""
_CITATION = re.compile(
    r"\s*\[[^\[\]\n]{1,300}\]\s*|[^\[\]\n]{1,200}?,\s*(?:(?:pages?|pp?)\b\.?\s*[\w,\s–-]{1,60}|§\s*[^\[\]\n]{1,120})",
    re.IGNORECASE,
)
_INLINE = re.compile(
    r"[\[【(][^\[\]【】()]{0,250}(?:\bp(?:p|ages?)?\b\.?\s*[\divxlc]|§)[^\[\]【】()]{0,150}[\]】)]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A text with the citations in it.

    Args:
        apart: Citations that the answer gives outside of the text, for all of it.
    """

    text: str
    apart: tuple[str, ...] = ()


def claims(output: object) -> tuple[Claim, ...]:
    """Returns the claims of an answer: a text, a pydantic model, a dataclass, or plain data of strings, numbers, lists and maps.

    A citation is a text like `[report.pdf, p. 6]`, or an object that names a document and a page or section, in fields
    called as such (`document`, `file_name`, `source`, `doc_id`; `page`, `pages`; `section`), with or without a `quote`.
    A citation apart from a text belongs to the text beside it in the same object, or in the nearest object around it.

    >>> claims({"answer": "Dues rose.", "citations": ["[report.pdf, p. 3]"]})
    (Claim(text='Dues rose.', apart=('[report.pdf, p. 3]',)),)
    """
    if isinstance(output, str):
        return (Claim(output),)
    found = _read(output)
    if found.texts or found.citations:
        found.join(even_alone=True)
    return tuple(found.claims)


@dataclass(slots=True)
class _Found:
    """Complete claims, and the texts and citations that are not yet joined to claims."""

    claims: list[Claim] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    citations: list[str] = field(default_factory=list)

    def add(self, other: _Found) -> None:
        self.claims += other.claims
        self.texts += other.texts
        self.citations += other.citations

    def join(self, *, even_alone: bool = False) -> None:
        """Joins texts and citations to a claim where there are both; with `even_alone`, whatever there is."""
        if (self.texts and self.citations) or even_alone:
            # A list of citations alone claims that something stands there.
            text = "\n".join(self.texts) or "See."
            self.claims.append(Claim(text, tuple(dict.fromkeys(self.citations))))
            self.texts, self.citations = [], []


def _read(value: object, name: str = "") -> _Found:
    if isinstance(value, BaseModel):
        value = value.model_dump()
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    if isinstance(value, str):
        return _read_text(value)
    if isinstance(value, Mapping):
        return _read_object(value)
    found = _Found()
    if isinstance(value, int | float) and not isinstance(value, bool):
        if name not in _NO_CLAIM:
            found.texts.append(f"{name.replace('_', ' ')}: {value}".strip(": "))
    elif isinstance(value, Iterable) and not isinstance(value, bytes):
        for item in value:
            found.add(_read(item, name))
    return found


def _read_text(text: str) -> _Found:
    if not text.strip():
        return _Found()
    if _CITATION.fullmatch(text.strip()):
        bare = text.strip()
        return _Found(citations=[bare if bare.startswith("[") else f"[{bare}]"])
    if _INLINE.search(text):
        return _Found(claims=[Claim(text)])
    return _Found(texts=[text])


def _read_object(value: Mapping[object, object]) -> _Found:
    found = _Found()
    citation, used = _citation(value)
    quote = next((str(value[key]) for key in _QUOTE if isinstance(value.get(key), str)), "")
    if citation:
        found.citations.append(citation)
        if quote.strip():
            inner = re.sub(r"[\"“”„«»]", "’", quote.strip())
            found.claims.append(Claim(f"“{inner}” {citation}"))
            used |= set(_QUOTE)
    numbers = _Found()
    for key, field_value in value.items():
        name = str(key)
        if name in used or name in _NO_CLAIM:
            continue
        (numbers if isinstance(field_value, int | float) else found).add(_read(field_value, name))
    if found.citations:
        # A number is a claim where its object names its source; elsewhere it may count anything.
        found.add(numbers)
    found.join()
    return found


def _citation(value: Mapping[object, object]) -> tuple[str, set[str]]:
    """Returns the citation that the fields of an object make together, and the names of these fields."""
    document = next((key for key in _DOCUMENT if isinstance(value.get(key), str)), None)
    if document is not None and _CITATION.fullmatch(str(value[document]).strip()):
        return "", set()
    pages = next((key for key in _PAGES if _pages(value.get(key))), None)
    section = next((key for key in _SECTION if isinstance(value.get(key), str)), None)
    has_quote = any(isinstance(value.get(key), str) for key in _QUOTE)
    if (document is None and not has_quote) or (pages is None and section is None):
        return "", set()
    place = f"p. {_pages(value[pages])}" if pages else f"§ {value[section]}"
    used = {key for key in (document, pages, section) if key}
    return (f"[{value[document]}, {place}]" if document else f"[{place}]"), used


def _pages(value: object) -> str:
    if isinstance(value, bool):
        return ""
    if isinstance(value, int | str):
        return re.sub(r"^\s*(?:pages?|pp?)\b\.?\s*", "", str(value), flags=re.IGNORECASE).strip()
    if isinstance(value, Sequence) and all(isinstance(page, int | str) for page in value):
        return ", ".join(str(page) for page in value)
    return ""
