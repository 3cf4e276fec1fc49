"""Reading a document: a section, some pages, or all of it."""

from __future__ import annotations

from dataclasses import dataclass

from ..evidence import PATH_SEPARATOR
from ..pages import PageRange, format_runs
from ..store import DocumentInfo, Store
from ..store.lookup import missing_section
from ..text.characters import replace_surrogates
from ..text.page_spec import parse_pages
from ..tree.model import Tree


@dataclass(frozen=True, slots=True)
class Reading:
    """Text read from a document: a section with its subsections, some pages, or all of it.

    Args:
        node_id: The section, None where pages or the whole document were read.
        pages: Physical pages in the order of reading, empty for formats without pages.
        text: Exact text; pages follow one another, each with its headers and footers.
    """

    doc_id: str
    document: str
    node_id: str | None
    section_path: str
    pages: tuple[int, ...]
    text: str

    @property
    def citation(self) -> str:
        """`[report.pdf, p. 41-42, 45]`, or `[guide.md, § Install]` where there are no pages."""
        if not self.pages:
            title = self.section_path.rsplit(PATH_SEPARATOR, 1)[-1]
            return f"[{self.document}, § {title}]" if title else f"[{self.document}]"
        return f"[{self.document}, p. {format_runs(self.pages)}]"


def read(store: Store, info: DocumentInfo, tree: Tree, *, node: str | None, pages: str | None) -> Reading:
    """Reads from a document; see `LibraryView.read`."""
    if node is not None and pages is not None:
        raise ValueError("read() takes a node or pages, not both.")
    if pages is not None:
        numbers = parse_pages(pages, tree.page_count)
        text = "\n\n".join(tree.page_text(number) for number in numbers)
        return Reading(info.doc_id, info.name, None, "", numbers, text)
    if node is None:
        every = PageRange(1, tree.page_count) if tree.page_count else ()
        return Reading(info.doc_id, info.name, None, "", tuple(every), "\n".join(tree.lines))
    node = replace_surrogates(node)  # no id has lone surrogates
    if (part := tree.merged(node)) is not None:
        return Reading(info.doc_id, info.name, node, part.title, tuple(part.pages or ()), tree.text(part.span))
    if node in tree:
        section = tree.node(node)
        pages_held = tuple(section.pages or ())
        return Reading(info.doc_id, info.name, node, tree.path(section), pages_held, tree.section_text(section))
    stored = store.load(info.doc_id, [node]).get(node)
    if stored is None:
        raise missing_section(store, info, tree, node)
    passage = stored.passage
    return Reading(info.doc_id, info.name, node, passage.path, tuple(passage.pages or ()), passage.text)
