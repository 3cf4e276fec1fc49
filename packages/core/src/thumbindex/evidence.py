"""Values that retrieval returns: passages with section path and pages, and the answers made from them."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Literal

from .pages import Box, LineRange, Metadata, PageRange
from .trail import Trail, Usage

PATH_SEPARATOR = " › "
"""Between the titles of a section path: `Item 8 › Note 14 Debt › 14.2 Term loan`."""


SECTION_KEYS = frozenset(
    {"section_id", "section_path", "page_label", "page_start", "page_end", "line_start", "line_end", "anchor"}
)
"""Keys of `Evidence.flat_metadata` whose values differ between the sections of one document."""


_PART = re.compile(r"(.+)\.([1-9][0-9]{0,8})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PassageId:
    """Id of a passage within its document: a whole section, or one part of a long one.

    >>> PassageId.parse("a1b2c3.2")
    PassageId(section='a1b2c3', part=2)
    >>> str(PassageId("a1b2c3", 2))
    'a1b2c3.2'

    Args:
        section: Id of the section.
        part: Number of the part, from 1; None for a section that is one passage.
    """

    section: str
    part: int | None = None

    @classmethod
    def parse(cls, text: str, sections: Container[str] = ()) -> PassageId:
        """Reads an id as `__str__` writes it, or an evidence id, whose document is left out.

        Args:
            sections: Ids of the document's sections, as far as they are known: a `Tree`, for example. One of those is no part,
                even if it ends like one, as ids in an imported tree may.
        """
        text = text.rpartition("#")[2]
        match = None if text in sections else _PART.fullmatch(text)
        return cls(text) if match is None else cls(match[1], int(match[2]))

    def __str__(self) -> str:
        return self.section if self.part is None else f"{self.section}.{self.part}"


@dataclass(frozen=True, slots=True)
class EvidenceId:
    """Id of a passage within its library, stable between runs.

    >>> EvidenceId.parse("loans-1f2e3d4c#a1b2c3.2")
    EvidenceId(doc_id='loans-1f2e3d4c', node_id='a1b2c3.2')

    Args:
        doc_id: Id of the document.
        node_id: Id of the passage within it; see `PassageId`.
    """

    doc_id: str
    node_id: str

    @classmethod
    def parse(cls, text: str) -> EvidenceId:
        """Reads an id as `__str__` writes it.

        Raises:
            ValueError: the text names no document.
        """
        doc_id, separator, node_id = text.partition("#")
        if not (doc_id and separator and node_id):
            raise ValueError(
                f"An evidence id is a document's id and a section's, as in 'loans-1f2e#a1b2.2', not {text!r}."
            )
        return cls(doc_id, node_id)

    def __str__(self) -> str:
        return f"{self.doc_id}#{self.node_id}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A section, or one part of a long section, and its place.

    Args:
        doc_id: The document's id in its library.
        node_id: The section's id; parts of a long section end in `.1`, `.2`, ...
        section_path: Titles from the top down to this section.
        pages: Physical pages of `text`, 1-based and inclusive; None for formats without pages.
        page_labels: What is printed or declared for the first and the last of these pages ("iv", "F-12"); None without.
        text: The section's own text, exact; the same for every question.
        score: In (0, 1]; the best of a retrieval is 1.0 and the scores fall strictly.
        lines: Lines of `text` in the document, 1-based and inclusive.
        document: The document's name.
        source: Path or name from which the document was added.
        metadata: The document's own metadata.
        boxes: Where the text stands on its pages, block by block, as (page, box): points, origin at the bottom left of the
            page as shown. Of PDF alone.
        why: What spoke for it, in words: matched terms, title words.
        page_count: Pages of the whole document; 0 for formats without pages.
        anchor: Name of the last place in the file at or before the text, in its section: `guide.html#anchor` opens it. In
            an e-book the file inside it comes first ("text/ch2.xhtml#limits"). None where its author named none.
        best_page: Of `pages` the one that fits the question best; None where there is no question, or no pages.
    """

    doc_id: str
    node_id: str
    section_path: str
    pages: PageRange | None
    page_labels: tuple[str, str] | None
    text: str
    score: float
    lines: LineRange
    document: str
    source: str
    metadata: Metadata
    boxes: tuple[tuple[int, Box], ...] = ()
    why: str = ""
    page_count: int = 0
    best_page: int | None = None
    anchor: str | None = None

    def __post_init__(self) -> None:
        if not 0.0 < self.score <= 1.0:
            raise ValueError(f"A score lies in (0, 1], got {self.score}.")

    @property
    def id(self) -> str:
        """Unique in the library and stable between runs: `doc_id#node_id`, see `EvidenceId`."""
        return str(EvidenceId(self.doc_id, self.node_id))

    @property
    def title(self) -> str:
        """The section's own title, the last of its path."""
        return self.section_path.rsplit(PATH_SEPARATOR, 1)[-1]

    @property
    def is_ocr(self) -> bool:
        """True if any of its pages was read by OCR, which may have misread letters and figures."""
        pages = self.metadata.get("ocr_pages")
        if self.pages is None or not isinstance(pages, str):
            return False
        runs = re.findall(r"(\d{1,9})(?:-(\d{1,9}))?", pages)
        return any(int(first) <= self.pages.last and int(last or first) >= self.pages.first for first, last in runs)

    @property
    def citation(self) -> str:
        """Citation text: `[report.pdf, p. 41-42]`, or `[guide.md, § Install]` where there are no pages."""
        if self.pages is None:
            return f"[{self.document}, § {self.title}]"
        return f"[{self.document}, p. {self.pages}]"

    def flat_metadata(self) -> dict[str, str | int | float | None]:
        """Returns the location of the text as flat JSON values, as every adapter hands them to its framework.

        Nothing in it depends on the question, so that the same section is equal in two answers: frameworks drop
        duplicates by comparing text and metadata. With pages: `page_label` (the printed label of the first page, or its
        number as text), `page_start` and `page_end` (physical, 1-based, inclusive) and `total_pages`; without:
        `line_start` and `line_end`, and `anchor` if a place in the file has a name there. The document's own metadata comes along where it is a single value.
        """
        flat: dict[str, str | int | float | None] = {
            key: value for key, value in self.metadata.items() if not isinstance(value, list)
        }
        flat |= {"section_id": self.id, "doc_id": self.doc_id, "section_path": self.section_path}
        if self.pages is None:
            named = {} if self.anchor is None else {"anchor": self.anchor}
            return flat | {"line_start": self.lines.first, "line_end": self.lines.last} | named
        flat |= {"page_start": self.pages.first, "page_end": self.pages.last}
        flat["page_label"] = self.page_labels[0] if self.page_labels else str(self.pages.first)
        if self.page_count:
            flat["total_pages"] = self.page_count
        return flat


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The evidence found for a question, best first, and the trail that led there.

    `weak` is true when nothing fits the question well: the evidence is the best there is, and may not answer it.
    """

    question: str
    evidence: tuple[Evidence, ...]
    trail: Trail
    weak: bool = False


Status = Literal["verified", "derived", "wrong_place", "page_not_read", "no_such_page", "unsupported"]
"""What the check of a citation found, without a model:

- `verified`: what the sentence quotes and the figures it states stand on the cited pages, which were read in this run.
- `derived`: so do the figures from which one that it states is computed.
- `wrong_place`: they stand elsewhere; `found_at` says where.
- `page_not_read`: they may stand there, but nobody read that page in this run.
- `no_such_page`: the document has no such page or section, or there is no such document.
- `unsupported`: they stand nowhere; `near` is what comes closest.
"""


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation of an answer, and what its check found.

    Args:
        written: As the answer has it, brackets included.
        sentence: What it is to support, without citations.
        document: Name of the document; as written where it is unknown, then `doc_id` is None.
        pages: Physical pages, 1-based: the narrowest that hold what is claimed, else those cited. Empty without pages.
        labels: What is printed or declared on these pages, as far as it differs from their numbers.
        section: Title of the cited section where the document has no pages.
        checked: The quotes and figures that were looked for; empty where the sentence has none and its words were compared.
        found_at: Where it stands instead, as a citation.
        near: The words of the document that come closest.
        note: What a reader should know, in words.
    """

    written: str
    sentence: str
    status: Status
    document: str
    doc_id: str | None = None
    pages: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    section: str = ""
    checked: tuple[str, ...] = ()
    found_at: str = ""
    near: str = ""
    note: str = ""

    @property
    def holds(self) -> bool:
        """True if it supports its sentence."""
        return self.status in ("verified", "derived")


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer from evidence, with every citation checked.

    Args:
        found: False where the documents hold no answer; the trail shows where it was searched.
        uncited: Sentences with a figure or a quote, and no citation.
        notes: What a reader should know: invisible characters removed, a reply cut short.
        usage: Of all models together, navigation included.
    """

    question: str
    text: str
    found: bool
    citations: tuple[Citation, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    trail: Trail = field(default_factory=Trail)
    usage: Usage = field(default_factory=Usage)
    uncited: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """True if it answers, cites something, and every citation holds."""
        return self.found and bool(self.citations) and all(citation.holds for citation in self.citations)
