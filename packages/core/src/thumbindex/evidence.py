"""What retrieval returns: passages with the section path and the pages they stand on."""

from __future__ import annotations

from dataclasses import dataclass

from .pages import Box, LineRange, Metadata, PageRange
from .trail import Trail

PATH_SEPARATOR = " › "
"""Between the titles of a section path: `Item 8 › Note 14 Debt › 14.2 Term loan`."""


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
        boxes: Rectangles of the text on its pages, as (page, box).
        why: What spoke for it, in words: matched terms, title words.
        page_count: Pages of the whole document; 0 for formats without pages.
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

    def __post_init__(self) -> None:
        if not 0.0 < self.score <= 1.0:
            raise ValueError(f"A score lies in (0, 1], got {self.score}.")

    @property
    def id(self) -> str:
        """Unique in the library and stable between runs: `doc_id#node_id`."""
        return f"{self.doc_id}#{self.node_id}"

    @property
    def title(self) -> str:
        """The section's own title, the last of its path."""
        return self.section_path.rsplit(PATH_SEPARATOR, 1)[-1]

    @property
    def citation(self) -> str:
        """How to cite it: `[report.pdf, p. 41-42]`, or `[guide.md, § Install]` where there are no pages."""
        if self.pages is None:
            return f"[{self.document}, § {self.title}]"
        return f"[{self.document}, p. {self.pages}]"

    def flat_metadata(self) -> dict[str, str | int | float | None]:
        """Where the text stands, as flat and JSON-plain keys: what every adapter hands to its framework.

        Nothing in it depends on the question, so that the same section is equal in two answers: frameworks drop
        duplicates by comparing text and metadata. With pages: `page_label` (the printed label of the first page, or its
        number as text), `page_start` and `page_end` (physical, 1-based, inclusive) and `total_pages`; without:
        `line_start` and `line_end`. The document's own metadata comes along where it is a single value.
        """
        flat: dict[str, str | int | float | None] = {
            key: value for key, value in self.metadata.items() if not isinstance(value, list)
        }
        flat |= {"section_id": self.id, "doc_id": self.doc_id, "section_path": self.section_path}
        if self.pages is None:
            return flat | {"line_start": self.lines.first, "line_end": self.lines.last}
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
