"""What a run really read, and whether what it cites is among it.

An agent reads through tools, over several turns, in parallel calls and through other agents; at the end it cites. The
read log keeps the lines that the tools' outputs showed, and checks the citations against them: a page that nobody opened
supports nothing, and of a page that was opened in part, only that part does.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from pydantic import TypeAdapter

from ..evidence import Citation, Evidence
from ..pages import LineRange, line_ranges
from ..store.records import DocumentInfo
from ..text.untrusted import one_line
from ..tree.model import Tree
from .check import Source, check_answer
from .claims import Claim, claims
from .numbers import stated_scales
from .parse import alias_names, read_sentences
from .shown import Shown, quoted, repeated

_FENCED = re.compile(
    r"^\[(?P<name>[^\[\]\n]+?), (?:p\. (?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?|§ (?P<title>[^\[\]\n]+))\][^\n]*\n"
    r"<document_text>\n(?P<text>.*?)\n</document_text>",
    re.MULTILINE | re.DOTALL,
)
_MENTION = re.compile(
    r"^\[(?P<name>[^\[\]\n]+?), (?:p\. (?P<page>\d{1,9})|line (?P<line>\d{1,9}))\] [^\n]*?: “(?P<snippet>[^\n]*)”$",
    re.MULTILINE,
)
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


class Checked(NamedTuple):
    """The citations of a text, each with its status, and the sentences that state a figure or a quote and cite nothing."""

    citations: tuple[Citation, ...]
    uncited: tuple[str, ...]

    @property
    def failed(self) -> tuple[Citation, ...]:
        """The citations that do not support their sentence."""
        return tuple(citation for citation in self.citations if not citation.holds)

    @property
    def passes(self) -> bool:
        """Whether every citation holds, and no figure or quote goes without one. A text that states nothing passes."""
        return not self.failed and not self.uncited


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
        library: Whose documents are read.
        documents: Ids of the documents that the run may see; None for all. Others are neither recorded nor compared.
    """

    def __init__(self, library: ReadableDocuments, documents: Iterable[str] | None = None) -> None:
        self._library = library
        self._allowed = None if documents is None else frozenset(documents)
        self._lock = threading.Lock()
        # The contents' hash beside the lines: after a revision they would be lines of another text.
        self._read: dict[str, tuple[str, frozenset[int]]] = {}

    # What was read

    def record(self, result: ShownLines) -> None:
        """Records the lines that an output shows."""
        self._add((one.doc_id, one.lines) for one in result.shown)

    def record_evidence(self, evidence: Iterable[Evidence]) -> None:
        """Passages whose whole text the model was given: what `Library.retrieve` returns."""
        self._add((one.doc_id, one.lines) for one in evidence)

    def record_artifact(self, metadata: Mapping[str, object]) -> None:
        """A passage that a framework kept, by its metadata: `doc_id`, and `section_id`, or pages, or lines.

        Its whole text counts as read. Metadata of other origin, or of a document that is not here, count for nothing.
        """
        doc_id = metadata.get("doc_id")
        info = next((info for info in self._infos() if info.doc_id == doc_id), None)
        if info is not None:
            self._add((info.doc_id, lines) for lines in self._lines_of(info, metadata))

    def record_text(self, output: str) -> None:
        """An output of the tools as a conversation has stored it.

        Only lines that the text really repeats count, so that neither a changed document nor a forged output passes.
        """
        infos = self._infos()
        found: list[tuple[str, LineRange]] = []
        for match in _FENCED.finditer(output):
            for info in (info for info in infos if one_line(info.name) == match["name"]):
                tree = self._library.tree(info.doc_id)
                for within in _places(tree, match):
                    found += [(info.doc_id, lines) for lines in line_ranges(repeated(tree, within, match["text"]))]
        for match in _MENTION.finditer(output):
            for info in (info for info in infos if one_line(info.name) == match["name"]):
                tree = self._library.tree(info.doc_id)
                near = _page_lines(tree, int(match["page"])) if match["page"] else _near(tree, int(match["line"]))
                found += [(info.doc_id, lines) for lines in line_ranges(quoted(tree, near, match["snippet"]))]
        self._add(found)

    def merge(self, other: ReadLog) -> None:
        """Add what another read log of the same library holds."""
        self._add((doc_id, lines) for doc_id, every in other.read().items() for lines in every)

    def copy(self) -> ReadLog:
        """A read log of its own that holds the same."""
        made = ReadLog(self._library, self._allowed)
        with self._lock:
            made._read = dict(self._read)
        return made

    def read(self) -> dict[str, tuple[LineRange, ...]]:
        """The lines read of each document, by its id."""
        with self._lock:
            held = dict(self._read)
        return {doc_id: line_ranges(numbers) for doc_id, (_, numbers) in held.items()}

    def pages(self, document: str) -> tuple[int, ...]:
        """Physical pages of a document of which something was read; none where it has no pages.

        Raises:
            DocumentNotFound: it is not in the library.
        """
        doc_id = self._library.get(document).doc_id
        tree = self._library.tree(doc_id)
        with self._lock:
            _, numbers = self._read.get(doc_id, ("", frozenset[int]()))
        found = {tree.page_of_line(n) for n in numbers if n <= len(tree.lines) and _counts(tree, n)}
        return tuple(sorted(page for page in found if page is not None))

    def to_json(self) -> dict[str, tuple[str, list[tuple[int, int]]]]:
        """Plain data for `from_json`: by document, the hash of its contents and the first and last lines of what was read."""
        with self._lock:
            held = dict(self._read)
        return {
            doc_id: (sha256, [(lines.first, lines.last) for lines in line_ranges(numbers)])
            for doc_id, (sha256, numbers) in held.items()
        }

    @classmethod
    def from_json(cls, library: ReadableDocuments, saved: object, documents: Iterable[str] | None = None) -> ReadLog:
        """The read log that `to_json` saved; what was read of a document that has changed since is forgotten.

        Raises:
            ValueError: that is no saved read log.
        """
        read_log = cls(library, documents)
        read = _SAVED.validate_python(saved)
        current = {info.doc_id: info.sha256 for info in read_log._infos()}
        read_log._add(
            (doc_id, LineRange(first, last))
            for doc_id, (sha256, every) in read.items()
            if current.get(doc_id) == sha256
            for first, last in every
        )
        return read_log

    def _add(self, read: Iterable[tuple[str, LineRange]]) -> None:
        found: dict[str, set[int]] = {}
        for doc_id, lines in read:
            found.setdefault(doc_id, set()).update(lines)
        if not found:
            return
        current = {info.doc_id: info.sha256 for info in self._infos() if info.doc_id in found}
        with self._lock:
            for doc_id, sha256 in current.items():
                held = self._read.get(doc_id)
                before = held[1] if held and held[0] == sha256 else frozenset[int]()
                self._read[doc_id] = (sha256, before | found[doc_id])

    def _infos(self) -> list[DocumentInfo]:
        return [info for info in self._library.list() if self._allowed is None or info.doc_id in self._allowed]

    def _lines_of(self, info: DocumentInfo, metadata: Mapping[str, object]) -> Iterator[LineRange]:
        tree = self._library.tree(info.doc_id)
        section_id = metadata.get("section_id")
        wanted = section_id.rpartition("#")[2] if isinstance(section_id, str) else ""
        node = next((tree.node(one) for one in (wanted, wanted.rpartition(".")[0]) if one in tree), None)
        if node is not None:
            held = [one.lines for one in self._library.passages(info.doc_id, node.span) if one.node_id == wanted]
            yield from held or [tree.own_span(node)]
            return
        pages = _whole_numbers(metadata, "page_start", "page_end")
        lines = _whole_numbers(metadata, "line_start", "line_end")
        if pages is not None and tree.pages:
            yield from _lines_of_pages(tree, *pages)
        elif lines is not None and lines[0] <= len(tree.lines):
            yield LineRange(lines[0], min(lines[1], len(tree.lines)))

    # Checking

    def check(self, output: object, *, question: str = "") -> Checked:
        """Every citation of an answer, checked without a model against the documents and against what was read of them.

        Args:
            output: A text, or an object with texts and citations: see `thumbindex.citations.claims`.
            question: What was asked; its units count for the figures of the answer.
        """
        return check_together([self], output, question=question)

    def sources(self, text: str) -> list[Source]:
        """The documents that were read, and others that the text names, with what was read of them."""
        with self._lock:
            held = dict(self._read)
        infos = self._infos()
        read = {info.doc_id for info in infos if held.get(info.doc_id, ("",))[0] == info.sha256}
        taken = alias_names([(info.doc_id, info.name) for info in infos if info.doc_id in read])
        folded = text.casefold()
        sources = []
        for info in infos:
            aliases = alias_names([(info.doc_id, info.name)])
            is_named = any(alias.casefold() in folded for alias in aliases)
            # Of two documents of one name, the one that was read is meant.
            if info.doc_id in read or (is_named and taken.keys().isdisjoint(aliases)):
                lines = line_ranges(held[info.doc_id][1]) if info.doc_id in read else ()
                sources.append(Source(info.doc_id, info.name, self._library.tree(info.doc_id), lines, info.language))
        return sources


def check_together(read_logs: Iterable[ReadLog], output: object, *, question: str = "") -> Checked:
    """`ReadLog.check` for an answer from several libraries, each with its read log."""
    made = claims(output)
    named = "\n".join(part for claim in made for part in (claim.text, *claim.apart))
    # What was read comes first, where two libraries hold the same document.
    sources = sorted((one for read_log in read_logs for one in read_log.sources(named)), key=lambda one: not one.read)
    names = alias_names([(source.doc_id, source.name) for source in sources])
    citations: list[Citation] = []
    uncited: list[str] = []
    for claim in made:
        checked = _check_text(_with_citations(claim, names), sources, question)
        citations += _supporting(checked.citations, claim.apart) if claim.apart else checked.citations
        uncited += checked.uncited
    return Checked(tuple(citations), tuple(uncited))


def _check_text(text: str, sources: Sequence[Source], question: str) -> Checked:
    citations, uncited = check_answer(text, sources, question=question)
    if not any(citation.holds for citation in citations):
        return Checked(citations, uncited)
    # Once more, with nothing on the pages but what was read.
    as_seen = [replace(source, tree=_only(source.tree, source.read)) for source in sources]
    seen, _ = check_answer(text, as_seen, question=question)
    pairs = zip(citations, seen, strict=True)
    return Checked(tuple(full if not full.holds or part.holds else _unread(full) for full, part in pairs), uncited)


def _with_citations(claim: Claim, names: Mapping[str, str]) -> str:
    """The text with the citations that stand apart put behind each sentence."""
    if not claim.apart:
        return claim.text
    behind = " ".join(claim.apart)
    return "\n".join(f"{sentence.text} {behind}" for sentence in read_sentences(claim.text, names))


def _supporting(citations: Sequence[Citation], apart: Sequence[str]) -> list[Citation]:
    """The citations of a text whose citations stand apart.

    Each sentence that states a figure or a quote needs one of them, and each of them must bear out some sentence.
    """
    held = [citation for citation in citations if citation.holds]
    borne_out = {citation.sentence for citation in held}
    useful = {citation.written for citation in held}
    failed: dict[tuple[str, str], Citation] = {}
    for citation in citations:
        if citation.checked and citation.sentence not in borne_out:
            failed.setdefault(("sentence", citation.sentence), citation)
    named = {citation.written for citation in failed.values()}
    for written in apart:
        if written not in useful | named:
            first = next((citation for citation in citations if citation.written == written), None)
            if first is not None:
                failed[("citation", written)] = first
    return [*held, *failed.values()]


def annotate(text: str, checked: Checked) -> str:
    """The text with a remark behind each citation that does not hold, for readers who should see the answer anyway."""
    remarks: dict[int, str] = {}
    end = 0
    before: Citation | None = None
    for citation in checked.citations:
        # One bracket may hold several places.
        is_same = before is not None and (before.written, before.sentence) == (citation.written, citation.sentence)
        start = text.find(citation.written, max(0, end - len(citation.written)) if is_same else end)
        if start < 0:
            continue
        before, end = citation, start + len(citation.written)
        if not citation.holds:
            remarks[end] = f" (not verified: {citation.status.replace('_', ' ')})"
    for place in sorted(remarks, reverse=True):
        text = text[:place] + remarks[place] + text[place:]
    return text


def repair_request(checked: Checked, *, prefix: str = "") -> str:
    """What to tell a model whose answer does not pass: what is wrong with which citation, and what to do about it.

    Args:
        prefix: Of the names of the tools.
    """
    lines = ["Your answer was checked against the documents, and some of it is not borne out:"]
    for citation in checked.failed:
        written = one_line(citation.written.strip("[]【】()"), 120)
        said = one_line(citation.sentence, 200)
        lines.append(f"- ({written}) at “{said}”: {_ADVICE[citation.status](citation, prefix)}")
    lines += [
        f"- No source at “{one_line(said, 200)}”: cite where you read it, or leave it out." for said in checked.uncited
    ]
    lines.append(
        "Read what is missing with the tools. Then write the whole answer again, with only what you read and a citation for "
        "each fact. If the documents do not say, say so."
    )
    return "\n".join(lines)


def _misplaced(citation: Citation, _prefix: str) -> str:
    return f"it stands elsewhere: {one_line(citation.found_at.strip('[]'), 120)}."


def _not_read(citation: Citation, prefix: str) -> str:
    tools = f"{prefix}get_page_content" if citation.pages else f"{prefix}read_section"
    return f"you have not read that. Call {tools} for it before you cite it."


def _missing(citation: Citation, prefix: str) -> str:
    return f"{one_line(citation.note, 200)} Call {prefix}search_text to find the right place."


def _unsupported(citation: Citation, _prefix: str) -> str:
    near = f" What stands there comes closest: “{one_line(citation.near, 200)}”." if citation.near else ""
    return f"this does not stand there.{near}"


_ADVICE: dict[str, Callable[[Citation, str], str]] = {
    "wrong_place": _misplaced,
    "page_not_read": _not_read,
    "no_such_page": _missing,
    "unsupported": _unsupported,
}


def _only(tree: Tree, read: Sequence[LineRange]) -> Tree:
    """The tree with the text that was read, and blank lines for the rest; units of tables hold beyond their page."""
    seen = {number for lines in read for number in lines}
    kept = tuple(line if n in seen or stated_scales(line) else "" for n, line in enumerate(tree.lines, 1))
    return tree if kept == tree.lines else replace(tree, lines=kept)


def _unread(citation: Citation) -> Citation:
    note = f"{citation.note} What bears it out was not among what was read of it.".strip()
    return replace(citation, status="page_not_read", note=note)


def _places(tree: Tree, match: re.Match[str]) -> Iterator[LineRange]:
    if match["title"]:
        for node in tree.nodes:
            if one_line(node.title) == match["title"]:
                yield node.span
    elif tree.pages:
        first = int(match["first"])
        last = int(match["last"] or first)
        # A passage runs over its pages without a break.
        lines = list(_lines_of_pages(tree, first, last))
        if lines:
            yield LineRange(lines[0].first, lines[-1].last)


def _lines_of_pages(tree: Tree, first: int, last: int) -> Iterator[LineRange]:
    for page in (tree.pages or ())[max(0, first - 1) : last]:
        if page.lines is not None:
            yield page.lines


def _page_lines(tree: Tree, page: int) -> Iterable[int]:
    return [n for lines in _lines_of_pages(tree, page, page) for n in lines]


def _near(tree: Tree, line: int) -> Iterable[int]:
    return range(max(1, line), min(len(tree.lines), line + 2) + 1)


def _counts(tree: Tree, line: int) -> bool:
    return line not in tree.headers_footers and bool(tree.lines[line - 1].strip())


def _whole_numbers(metadata: Mapping[str, object], first: str, last: str) -> tuple[int, int] | None:
    start, end = metadata.get(first), metadata.get(last)
    if isinstance(start, int) and isinstance(end, int) and 1 <= start <= end:
        return start, end
    return None


__all__ = ["Checked", "ReadLog", "annotate", "check_together", "repair_request"]
