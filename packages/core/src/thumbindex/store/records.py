"""Records of a store: documents, their passages, and what identifies a document across its revisions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args
from urllib.parse import quote, unquote

from ..evidence import PATH_SEPARATOR
from ..outline import Origin
from ..pages import Box, Kind, LineRange, Metadata, PageRange
from ..scope import checked_tenant
from ..text.characters import replace_surrogates
from ..tree.corrections import Correction


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document of the library.

    Args:
        doc_id: Stays the same through all revisions of the document.
        name: File name, or the name given for bytes.
        source: Path as given, or the name.
        revision: 1 when first added; one more each time the contents changed.
        added: Time when this revision was added: ISO 8601, UTC.
        sha256: Of the bytes that were read, in hexadecimal.
        language: Language whose stems are in the index.
        pages_without_text: Physical numbers of pages without text, which no search finds.
        page_count: 0 for formats without pages.
        reused_sections: Number of sections whose text the previous revision had too; 0 in the first.
        tenant: Namespace that the document was added to; empty for none.
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
    reused_sections: int = 0
    tenant: str = ""


Pointers = tuple[tuple[int, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A section's own text, or one part of it if it is long: the unit that a search ranks and returns.

    Args:
        node_id: The section's id; parts add `.1`, `.2`, ...
        section: The section's id without a part.
        lines: Lines of the text in the document.
        pages: Physical pages of the text; None without pages.
        page_labels: Printed labels of the first and the last page; None without.
        pointers: References in the text: the line of each, and the ids of the section it leads to and of those under it.
        boxes: See `Evidence.boxes`.
        anchor: See `Evidence.anchor`.
    """

    node_id: str
    section: str
    path: str
    text: str
    lines: LineRange
    pages: PageRange | None
    page_labels: tuple[str, str] | None
    pointers: Pointers = ()
    boxes: tuple[tuple[int, Box], ...] = ()
    anchor: str | None = None

    @property
    def title(self) -> str:
        """The section's own title."""
        return self.path.rsplit(PATH_SEPARATOR, 1)[-1]


SourceKind: TypeAlias = Literal["path", "name", "tree", "loaded"]


@dataclass(frozen=True, slots=True)
class SourceKey:
    """Identifies a document across its revisions: two documents with the same key are states of one.

    >>> str(SourceKey("path", "/reports/2023.pdf"))
    'path:/reports/2023.pdf'
    >>> SourceKey.parse("name:a:b.md")
    SourceKey(kind='name', place='a:b.md', tenant='')
    >>> str(SourceKey("name", "a.md", tenant="north"))
    'name@north:a.md'

    Args:
        kind: `path` for a file, `name` for bytes, `tree` for a tree built elsewhere, `loaded` for text read by another loader.
        place: The real path of the file, with links resolved; or the given name or source.
        tenant: Namespace of the key: the same place in two of them is two documents. Empty for none.
    """

    kind: SourceKind
    place: str
    tenant: str = ""

    def __post_init__(self) -> None:
        if self.kind not in get_args(SourceKind):
            raise ValueError(f"A source key begins with one of {', '.join(get_args(SourceKind))}, not {self.kind!r}.")
        checked_tenant(self.tenant)
        # A path may hold bytes that are no UTF-8, which Python gives as lone surrogates and databases refuse.
        object.__setattr__(self, "place", replace_surrogates(self.place))

    @classmethod
    def parse(cls, text: str) -> SourceKey:
        """Reads a key as `__str__` writes it.

        Raises:
            ValueError: the text is no such key.
        """
        head, _, place = text.partition(":")
        kind, _, tenant = head.partition("@")
        return cls(kind, place, unquote(tenant))  # type: ignore[arg-type]  # is checked at birth

    def __str__(self) -> str:
        # Quoted, a tenant has neither "@" nor ":", so that no two keys are written alike.
        tenant = f"@{quote(self.tenant, safe='')}" if self.tenant else ""
        return f"{self.kind}{tenant}:{self.place}"


def content_key(sha256: str, tenant: str) -> str:
    """Returns what identifies bytes within a tenant: their SHA-256, hashed with the tenant where there is one."""
    return hashlib.sha256(f"{tenant}\0{sha256}".encode()).hexdigest() if tenant else sha256


@dataclass(frozen=True, slots=True)
class PreviousRevision:
    """The revision of a document that a new one replaces, with what carries over: given metadata and corrections.

    Args:
        tree: As `tree.exchange.pack` gives it.
        given: Metadata that the user gave.
    """

    revision: int
    tree: bytes
    given: Metadata
    corrections: tuple[Correction, ...] = ()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document ready for a store: all that takes time is done, and the store only writes.

    Args:
        info: `doc_id` and `revision` are proposals for a document that is new.
        tree: As `tree.exchange.pack` gives it.
        terms: Token texts of title, path and body of each passage; see `IndexedPassage`.
        headings: Terms of the titles of all sections, between spaces.
        given: Metadata that the user gave, in this revision or an earlier one.
        corrections: Corrections by a person, made in this tree and to be made in later revisions.
        is_correction: Whether the bytes are those of the previous revision and only the tree differs.
        replaces: Number of the previous revision; 0 for a new document.
        same: Ids of sections whose text the previous revision has too.
        nearest: For each section that only the previous revision has, the id of the nearest section now.
    """

    info: DocumentInfo
    source_key: SourceKey
    tree: bytes
    passages: tuple[Passage, ...]
    terms: tuple[tuple[str, str, str], ...]
    headings: str = ""
    given: Metadata = field(default_factory=dict)
    corrections: tuple[Correction, ...] = ()
    is_correction: bool = False
    replaces: int = 0
    same: frozenset[str] = frozenset()
    nearest: Mapping[str, str] = field(default_factory=dict)
