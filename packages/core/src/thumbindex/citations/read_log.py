"""The lines that a run has read, and the check whether what it cites is among them.

An agent reads through tools, over several turns, in parallel calls and through other agents; at the end it cites. The
read log records the lines that the tools' outputs showed, and checks the citations against them: a page that nobody opened
supports nothing, and of a page that was opened in part, only that part does.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from pydantic import TypeAdapter

from ..evidence import Evidence, PassageId
from ..pages import LineRange, line_ranges
from ..store.records import DocumentInfo
from ..tree.model import Tree
from .check import Checked
from .claims import claims
from .read_document import ReadDocument
from .run_check import check_claims
from .sentences import alias_names
from .shown import Shown
from .stored_output import lines_of_pages, shown_lines

_SAVED = TypeAdapter(dict[str, tuple[str, list[tuple[int, int]]]])


class ReadableDocuments(Protocol):
    """The documents that a run may read: a library, or the view of one that the run is given."""

    def list(self) -> Sequence[DocumentInfo]:
        """All of them."""
        ...

    def get(self, document: str, /) -> DocumentInfo:
        """The one with that id, name or source.

        Raises:
            DocumentNotFound: there is none.
        """
        ...

    def tree(self, document: str, /) -> Tree:
        """The section tree of one, with its text."""
        ...

    def passages(self, document: str, lines: LineRange, /) -> Sequence[Evidence]:
        """The passages of one that hold these lines, in reading order."""
        ...


class ShownLines(Protocol):
    """An output that knows which lines of which documents it shows in full, as the result of a tool does."""

    @property
    def shown(self) -> Sequence[Shown]:
        """The lines."""
        ...


class ReadLog:
    """The lines of a library's documents that a run has read; safe to use from any thread.

    >>> from thumbindex.testing import sample_library
    >>> from thumbindex.tools import catalogue
    >>> library = sample_library()
    >>> tools = {tool.name: tool for tool in catalogue(library)}
    >>> read_log = ReadLog(library)
    >>> answer = "A wick lasts about ninety hours [lantern.md, § 4.2 Wick]."
    >>> read_log.check(answer).citations[0].status
    'page_not_read'
    >>> read_log.record(tools["search_text"].run(query="How long does a wick last?"))
    >>> read_log.check(answer).citations[0].status
    'verified'

    Args:
        documents: A library, or the view of one that the run is given. Documents outside it are neither recorded nor
            compared.
    """

    def __init__(self, documents: ReadableDocuments) -> None:
        self._documents = documents
        self._lock = threading.Lock()
        # With the hash of the contents: after a revision they would be lines of another text.
        self._read: dict[str, tuple[str, frozenset[int]]] = {}

    # Recording

    def record(self, result: ShownLines) -> None:
        """Records the lines that an output shows."""
        self._add(result.shown)

    def record_evidence(self, evidence: Iterable[Evidence]) -> None:
        """Records passages whose whole text the model was given: what `Library.retrieve` returns."""
        self._add(Shown(passage.doc_id, passage.lines) for passage in evidence)

    def record_artifact(self, metadata: Mapping[str, object]) -> None:
        """Records a passage that a framework stored, by its metadata: `doc_id`, and `section_id`, or pages, or lines.

        Its whole text counts as read. Metadata of other origin, or of a document that is not here, count for nothing.
        """
        doc_id = metadata.get("doc_id")
        info = next((info for info in self._documents.list() if info.doc_id == doc_id), None)
        if info is not None:
            self._add(Shown(info.doc_id, lines) for lines in self._lines_of(info, metadata))

    def record_text(self, output: str) -> None:
        """Records an output of the tools as a conversation has stored it.

        Only lines that the text really repeats count, so that neither a changed document nor a forged output passes.
        """
        self._add(shown_lines(output, self._documents.list(), self._documents.tree))

    def merge(self, other: ReadLog) -> None:
        """Adds what another read log of the same library holds."""
        self._add(Shown(doc_id, lines) for doc_id, ranges_read in other.read().items() for lines in ranges_read)

    def copy(self) -> ReadLog:
        """Returns an independent read log that holds the same."""
        copied = ReadLog(self._documents)
        with self._lock:
            copied._read = dict(self._read)
        return copied

    # What was read

    def read(self) -> dict[str, tuple[LineRange, ...]]:
        """Returns the lines read of each document, by its id."""
        return {doc_id: line_ranges(numbers) for doc_id, (_, numbers) in self._snapshot().items()}

    def pages(self, document: str) -> tuple[int, ...]:
        """Returns the physical pages of a document of which something was read; none where it has no pages.

        Raises:
            DocumentNotFound: it is not in the library.
        """
        doc_id = self._documents.get(document).doc_id
        tree = self._documents.tree(doc_id)
        _, numbers = self._snapshot().get(doc_id, ("", frozenset[int]()))
        pages = {tree.page_of_line(n) for n in numbers if n <= len(tree.lines) and _has_text(tree, n)}
        return tuple(sorted(page for page in pages if page is not None))

    def to_json(self) -> dict[str, tuple[str, list[tuple[int, int]]]]:
        """Returns plain data for `from_json`: by document, the hash of its contents and the ranges of lines that were read."""
        return {
            doc_id: (sha256, [(lines.first, lines.last) for lines in line_ranges(numbers)])
            for doc_id, (sha256, numbers) in self._snapshot().items()
        }

    @classmethod
    def from_json(cls, documents: ReadableDocuments, saved: object) -> ReadLog:
        """Returns the read log that `to_json` saved, without the documents that have changed since.

        Raises:
            ValueError: that is no saved read log.
        """
        read_log = cls(documents)
        read = _SAVED.validate_python(saved)
        current = {info.doc_id: info.sha256 for info in documents.list()}
        read_log._add(
            Shown(doc_id, LineRange(first, last))
            for doc_id, (sha256, ranges_read) in read.items()
            if current.get(doc_id) == sha256
            for first, last in ranges_read
        )
        return read_log

    def _snapshot(self) -> dict[str, tuple[str, frozenset[int]]]:
        with self._lock:
            return dict(self._read)

    def _add(self, shown: Iterable[Shown]) -> None:
        found: dict[str, set[int]] = {}
        for item in shown:
            found.setdefault(item.doc_id, set()).update(item.lines)
        if not found:
            return
        current = {info.doc_id: info.sha256 for info in self._documents.list() if info.doc_id in found}
        with self._lock:
            for doc_id, sha256 in current.items():
                read_sha256, numbers = self._read.get(doc_id, ("", frozenset[int]()))
                earlier = numbers if read_sha256 == sha256 else frozenset[int]()
                self._read[doc_id] = (sha256, earlier | found[doc_id])

    def _lines_of(self, info: DocumentInfo, metadata: Mapping[str, object]) -> Iterator[LineRange]:
        """Yields the lines of the section, else of the pages, else of the line range that metadata name."""
        tree = self._documents.tree(info.doc_id)
        section_id = metadata.get("section_id")
        passage_id = PassageId.parse(section_id, tree) if isinstance(section_id, str) else None
        if passage_id is not None and passage_id.section in tree:
            node = tree.node(passage_id.section)
            passages = self._documents.passages(info.doc_id, node.span)
            lines_of_passage = [passage.lines for passage in passages if passage.node_id == str(passage_id)]
            yield from lines_of_passage or [tree.own_span(node)]
            return
        pages = _number_range(metadata, "page_start", "page_end")
        lines = _number_range(metadata, "line_start", "line_end")
        if pages is not None and tree.pages:
            yield from lines_of_pages(tree, *pages)
        elif lines is not None and lines[0] <= len(tree.lines):
            yield LineRange(lines[0], min(lines[1], len(tree.lines)))

    # Checking

    def check(self, output: object, *, question: str = "") -> Checked:
        """Checks every citation of an answer, without a model, against the documents and what was read of them.

        Args:
            output: A text, or an object with texts and citations: see `thumbindex.citations.claims`.
            question: The units that it asks for hold for the figures of the answer.
        """
        return check_together([self], output, question=question)

    def cited_documents(self, text: str) -> list[ReadDocument]:
        """Returns the documents that were read, and others that the text names, with what was read of them."""
        read_lines = self._snapshot()
        infos = self._documents.list()
        read = {info.doc_id for info in infos if read_lines.get(info.doc_id, ("",))[0] == info.sha256}
        names_of_read = alias_names([(info.doc_id, info.name) for info in infos if info.doc_id in read])
        folded = text.casefold()
        documents = []
        for info in infos:
            names = alias_names([(info.doc_id, info.name)])
            is_named = any(name.casefold() in folded for name in names)
            # Of two documents of one name, the one that was read is meant.
            if info.doc_id in read or (is_named and names_of_read.keys().isdisjoint(names)):
                lines = line_ranges(read_lines[info.doc_id][1]) if info.doc_id in read else ()
                tree = self._documents.tree(info.doc_id)
                documents.append(ReadDocument(info.doc_id, info.name, tree, lines, info.language))
        return documents


def check_together(read_logs: Iterable[ReadLog], output: object, *, question: str = "") -> Checked:
    """Checks an answer from several libraries, each with its read log, as `ReadLog.check` does for one."""
    answer_claims = claims(output)
    text = "\n".join(part for claim in answer_claims for part in (claim.text, *claim.apart))
    documents = [document for read_log in read_logs for document in read_log.cited_documents(text)]
    # What was read comes first, where two libraries hold the same document.
    documents.sort(key=lambda document: not document.read)
    return check_claims(answer_claims, documents, question=question)


def _has_text(tree: Tree, line: int) -> bool:
    return line not in tree.headers_footers and bool(tree.lines[line - 1].strip())


def _number_range(metadata: Mapping[str, object], first: str, last: str) -> tuple[int, int] | None:
    """Returns two numbers of metadata that make a range, 1-based and inclusive; None where they do not."""
    start, end = metadata.get(first), metadata.get(last)
    if isinstance(start, int) and isinstance(end, int) and 1 <= start <= end:
        return start, end
    return None
