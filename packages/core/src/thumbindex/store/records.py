"""What the library keeps: documents, and the passages that retrieval hands out."""

from __future__ import annotations

from dataclasses import dataclass

from ..evidence import PATH_SEPARATOR
from ..outline import Origin
from ..pages import Kind, LineRange, Metadata, PageRange


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document of the library.

    Args:
        doc_id: Stays the same through all revisions of the document.
        name: File name, or the name given for bytes.
        source: Path as given, or the name.
        revision: 1 when first added; one more each time the contents changed.
        added: When this revision was added: ISO 8601, UTC.
        sha256: Of the bytes that were read, in hexadecimal.
        language: Whose stems the index holds.
        pages_without_text: Physical pages that hold no text and cannot be found.
        page_count: 0 for formats without pages.
    """

    doc_id: str
    name: str
    source: str
    kind: Kind
    origin: Origin
    page_count: int
    section_count: int
    pages_without_text: tuple[int, ...]
    revision: int
    added: str
    sha256: str
    metadata: Metadata
    language: str = "english"


Pointers = tuple[tuple[int, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A section's own text, or one part of it where it is long: the unit that is ranked and returned.

    Args:
        node_id: The section's id; parts add `.1`, `.2`, ...
        section: The section's id without a part.
        lines: Lines of the text in the document.
        pages: Physical pages of the text; None without pages.
        page_labels: Printed labels of the first and the last page; None without.
        pointers: What the text refers to: (line of the reference, ids of the section meant and of those under it).
    """

    node_id: str
    section: str
    path: str
    text: str
    lines: LineRange
    pages: PageRange | None
    page_labels: tuple[str, str] | None
    pointers: Pointers = ()

    @property
    def title(self) -> str:
        """The section's own title."""
        return self.path.rsplit(PATH_SEPARATOR, 1)[-1]
