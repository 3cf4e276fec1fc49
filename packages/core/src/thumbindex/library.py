"""The library: documents added once, and opened at the right section for every question."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import threading
from collections import OrderedDict
from collections.abc import (
    AsyncGenerator,
    Callable,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypedDict, Unpack

from .concurrency.bridge import aiterate, iterate, run_sync, threaded, waiting
from .concurrency.queue import run_inline, run_queued, run_queued_async
from .errors import (
    DocumentNotFound,
    EmptySource,
    InvalidTree,
    LibraryError,
    SectionNotFound,
    SectionRevised,
    SourceNotFound,
)
from .evidence import PATH_SEPARATOR, Answer, Evidence, Retrieval
from .ingest.jobs import FileSource, Job, file_job, make_job
from .ingest.passages import split_passages
from .ingest.prepare import prepare, prepare_tree
from .ingest.reading import tree_of
from .models import PROMPTS, ChatModel, Prompts, UsageLimiter
from .navigation.lexical import actions_of
from .navigation.state import State, advance
from .pages import LineRange, MetadataValue, PageRange
from .scope import Scope
from .search.documents import order_documents
from .search.evidence import to_evidence
from .search.mentions import find_mentions
from .search.sections import search_sections
from .search.surroundings import Include
from .search.vectors import Embedding, Vectors
from .sources import read_with
from .sources.folders import expand
from .sources.loaded import LoadedText, by_document
from .sources.settings import LIMITS, Isolation, Limits, ReaderSettings
from .store.records import DocumentInfo, SourceKey
from .store.sqlite.store import SqliteStore
from .text.characters import replace_surrogates, replace_surrogates_in
from .text.page_spec import parse_pages
from .text.tokens import TokenCounter, estimate_tokens
from .trail import Step
from .tree.exchange import to_json, unpack
from .tree.model import Reference, Tree
from .tree.references import resolve

if TYPE_CHECKING:
    # What answers, navigates with a model or adds in bulk is imported where it is used: an import of the package should
    # take a fifth of a second.
    from .citations.check import Source as Cited
    from .ingest.bulk import BulkAdd, FileResult, Progress
    from .navigation.navigate import NavigatorName
    from .navigation.walk import WalkLimits
    from .sources.ocr import OcrChoice
    from .store.sqlite.repair import Damage, Repair
    from .summarize import Estimate, Summaries
    from .tree.check import Health
    from .tree.corrections import Correction

__all__ = ["DocumentInfo", "Library", "Mention", "Reading"]

_MANY_DOCUMENTS = 64
"""From so many on, `find_all` asks the index which documents can hold the words, instead of reading all of them."""
_EMBEDDINGS_KEPT = 2
_TREES_KEPT = 8
"""Trees kept unpacked for reading; a report of 200 pages takes some megabytes."""

_PLACED = frozenset({"pdf", "html", "epub", "docx"})
"""Kinds of documents whose trees say where text stands on a page, or by which name a place in the file is opened."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Text read from a document: a section with its subsections, some pages, or all of it.

    Args:
        node_id: The section, None where pages or the whole document were read.
        pages: Physical pages in the order of reading, empty for formats without pages.
        text: Exact text; pages follow one another, each with its running head.
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
        return f"[{self.document}, p. {join_pages(self.pages)}]"


@dataclass(frozen=True, slots=True)
class Mention:
    """One place that holds a text: where it begins, the line there, and the words around it.

    Args:
        page: Physical page; None without pages.
        line: Line of the document, 1-based.
        text: That line.
        snippet: The mention with some words before and after it, over the ends of lines.
    """

    doc_id: str
    document: str
    node_id: str
    section_path: str
    page: int | None
    line: int
    text: str
    snippet: str = ""


# `Library.list` hides the built-in inside the class.
Documents = list[DocumentInfo]
Mentions = list[Mention]
Cites: TypeAlias = "list[Cited]"
Results: TypeAlias = "list[FileResult]"
Told = Step | str | Answer
"""What a streamed answer is told in: steps and pieces of its text as they come, then the checked answer."""


class AskOptions(TypedDict, total=False):
    """What `ask` takes besides question and model; see `aask` for what each means."""

    navigator: NavigatorName
    navigation_model: ChatModel | None
    k: int
    max_tokens: int
    documents: Sequence[str] | None
    filters: Mapping[str, object] | None
    limits: WalkLimits | None
    max_documents: int
    prompts: Prompts
    max_reply_tokens: int
    token_limit: int | None
    seconds: float | None
    count_tokens: TokenCounter


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """What is asked for beside the question; see `Library.retrieve` for what each means."""

    k: int
    max_tokens: int | None
    documents: Sequence[str] | None
    filters: Mapping[str, object] | None
    limits: WalkLimits | None
    max_documents: int
    prompts: Prompts
    count_tokens: TokenCounter
    on_step: Callable[[Step], None] | None
    exact_k: bool = False
    include: Collection[Include] = ()
    embedding: Embedding | None = None

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k is the number of sections to return, at least 1, got {self.k}.")

    @property
    def is_ours(self) -> bool:
        """Whether a search without a model calls no code but our own."""
        return self.embedding is None and self.count_tokens is estimate_tokens

    def tell(self, found: Retrieval) -> None:
        """Report the steps of a search that has come to its end."""
        if self.on_step is not None:
            for step in found.trail.steps:
                self.on_step(step)


class Library:
    """Documents in one SQLite file, or in memory; safe to use from any thread, and after a fork.

    >>> library = Library()
    >>> info = library.add(b"# Guide\\n\\nPress the red knob twice.", name="guide.md")
    >>> library.retrieve("Which knob?").evidence[0].citation
    '[guide.md, § Guide]'

    Args:
        path: The library's file, made if it does not exist; None keeps the library in memory until it is closed.
        isolation: Where files are parsed: see `build_tree`.
        limits: What reading one file may take: time, memory and size.
        ocr: How scanned pages are read, which takes seconds a page: "auto" with the extra `thumbindex[ocr]` where it is
            installed, "off" not at all, or an engine of yours (see `thumbindex.sources.ocr`). What was read is kept beside
            the library's file, under its name and `-ocr`, and recognised by the pixels of the page.

    Raises:
        LibraryError: the file is no library or cannot be opened.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        isolation: Isolation = "process",
        limits: Limits = LIMITS,
        ocr: OcrChoice = "auto",
    ) -> None:
        self._reader = ReaderSettings(isolation, limits, ocr)
        self._store = SqliteStore(path)
        self._trees: OrderedDict[tuple[str, str, int], Tree] = OrderedDict()
        self._trees_lock = threading.Lock()
        self._vectors: OrderedDict[int, tuple[Embedding, Vectors]] = OrderedDict()
        self._summaries: dict[str, str] = {}

    @classmethod
    def from_files(
        cls,
        files: Iterable[str | os.PathLike[str]],
        *,
        path: str | os.PathLike[str] | None = None,
        isolation: Isolation = "process",
        limits: Limits = LIMITS,
        ocr: OcrChoice = "auto",
    ) -> Self:
        """A library that holds these files; those that it holds already are recognised."""
        if isinstance(files, str | os.PathLike):
            raise TypeError(f"from_files takes a list of paths, not one path: from_files([{os.fspath(files)!r}]).")
        library = cls(path, isolation=isolation, limits=limits, ocr=ocr)
        for file in files:
            library.add(file)
        return library

    @property
    def path(self) -> str | None:
        """The library's file; None in memory."""
        return self._store.path

    def __repr__(self) -> str:
        return f"Library({self.path!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        if self.path is None:
            raise LibraryError(
                "A library in memory cannot be pickled or copied: make it with a path, Library('my.db')."
            )
        return {"path": os.path.abspath(self.path), "reader": self._reader}

    def __setstate__(self, state: dict[str, Any]) -> None:
        reader: ReaderSettings = state["reader"]
        self.__init__(  # type: ignore[misc]
            state["path"], isolation=reader.isolation, limits=reader.limits, ocr=reader.ocr
        )

    def close(self) -> None:
        """Close the file; the library cannot be used afterwards."""
        self._store.close()

    # Documents

    def add(
        self,
        source: FileSource,
        *,
        name: str | None = None,
        password: str | None = None,
        metadata: Mapping[str, MetadataValue] | None = None,
    ) -> DocumentInfo:
        """Read a document and keep it; the same bytes are recognised and nothing is read again.

        A changed file under the same path (bytes: under the same name) becomes a new revision with the same `doc_id`.
        If reading fails, the library stays as it was.

        Args:
            name: What lookups and citations call it; by default the file's name. Needed for bytes.
            metadata: Added to what the file says of itself, and stronger. For a document that is known already they
                replace its metadata of the same names, if it comes from the same path (or name).

        Raises:
            SourceError: the document cannot be read; the subclass says why. SourceLimit: it has more bytes than
                `limits.file_size`, of which no more are read from an open file.
        """
        from .ingest.bulk import keep, known

        reader = self._reader_for(password)
        job = make_job(source, name=name, password=password, metadata=metadata, reader=reader)
        return known(self._store, job) or keep(self._store, job, prepare)

    def add_all(
        self,
        files: Iterable[str | os.PathLike[str]],
        *,
        workers: int | None = None,
        password: str | None = None,
        metadata: Mapping[str, MetadataValue] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Results:
        """Add many files, and the documents in folders among them: a file that cannot be read does not stop the others.

        Each document is kept as soon as it is read, in the order of the files. What was kept before an interruption is
        recognised when the same call is made again.

        Args:
            workers: Processes that read at once; by default one for each processor, or this one alone for a few short files.
            metadata: For each document; see `add`.
            on_progress: Called after each file.
        """
        if isinstance(files, str | os.PathLike):
            raise TypeError(f"add_all takes a list of paths, not one path: add_all([{os.fspath(files)!r}]).")
        run = self._run(expand(Path(file) for file in files), workers, on_progress, password)
        return run.go(password, metadata or {})

    def sync(
        self,
        folder: str | os.PathLike[str],
        *,
        workers: int | None = None,
        password: str | None = None,
        metadata: Mapping[str, MetadataValue] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Results:
        """Make the library agree with a folder and those below it, as `add_all` does, and forget what is gone from there.

        A document whose file was renamed keeps its id. One whose file is there but cannot be read stays as it was.
        Documents that came from elsewhere are left alone.

        Raises:
            SourceNotFound: there is no such folder. An empty one is taken at its word.
        """
        place = Path(folder)
        if not place.is_dir():
            raise SourceNotFound(str(folder), "there is no such folder.", "Check the path and the current folder.")
        run = self._run(expand([place]), workers, on_progress, password, folder=place)
        return run.go(password, metadata or {})

    def _run(
        self,
        files: Sequence[Path],
        workers: int | None,
        on_progress: Callable[[Progress], None] | None,
        password: str | None,
        folder: Path | None = None,
    ) -> BulkAdd:
        from .ingest.bulk import BulkAdd

        reader = self._reader_for(password)
        return BulkAdd(self._store, files, workers, reader, on_progress or (lambda _: None), folder)

    def _reader_for(self, password: str | None) -> ReaderSettings:
        """How files are read, with a place for what OCR reads; none for the text of an encrypted document."""
        reader = self._reader
        if reader.ocr == "off" or self.path is None or password is not None:
            return reader
        from .sources.ocr import kept_in

        return replace(reader, ocr=kept_in(reader.ocr, f"{os.path.abspath(self.path)}-ocr"))

    def add_tree(
        self,
        tree: Tree,
        *,
        source: str | None = None,
        name: str | None = None,
        metadata: Mapping[str, MetadataValue] | None = None,
    ) -> DocumentInfo:
        """Keep a tree that was built elsewhere; `source` says where the document came from and tells revisions."""
        source = source or tree.name
        sha256 = hashlib.sha256(to_json(tree).encode()).hexdigest()
        job = Job(b"", name or tree.name, source, SourceKey("tree", source), sha256, metadata=metadata or {})
        from .ingest.bulk import keep, known

        return known(self._store, job) or keep(self._store, job, lambda job: prepare_tree(tree, job))

    def add_loaded(self, texts: Iterable[LoadedText]) -> Documents:
        """Keep documents whose text another loader has read, page by page or whole.

        Texts with the same source make one document; loading them again is recognised, and a changed text makes a new
        revision. Give whole pages: pieces of pages that overlap would say things twice.

        Returns:
            The documents, in the order in which their sources first come. One without text is left out, as loaders give an
            empty text for a page that they could not read.

        Raises:
            EmptySource: no text holds anything.
            SourceLimit: a page number that no document reaches.
        """
        from .ingest.bulk import keep, known

        kept: Documents = []
        documents = by_document(texts)
        empty: EmptySource | None = None
        for document in documents:
            source = document.source or document.name
            job = Job(
                b"", document.name, source, SourceKey("loaded", source), document.sha256, metadata=document.metadata
            )
            info = known(self._store, job)
            if info is None:
                try:
                    tree = tree_of(document.read())
                except EmptySource as error:
                    empty = error
                    continue
                info = keep(self._store, job, partial(prepare_tree, tree))
            kept.append(info)
        if empty is not None and not kept:
            raise empty
        return kept

    def add_pageindex(
        self,
        tree: str | os.PathLike[str],
        file: str | os.PathLike[str],
        *,
        metadata: Mapping[str, MetadataValue] | None = None,
    ) -> DocumentInfo:
        """Keep the sections and summaries of a tree that PageIndex wrote as JSON, over the text of the file it was made of.

        It is the document that `add` makes of that file: if it is there, the tree becomes a revision of it.

        Raises:
            InvalidTree: the JSON is no such tree, or the file has fewer pages than it.
            SourceError: a file cannot be read.
        """
        path = Path(tree)
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise SourceNotFound(str(tree), f"it cannot be read ({error.strerror}).", "Check the path.") from error
        except ValueError as error:
            raise InvalidTree(f"{tree} is no JSON: {error}. Give the file that PageIndex wrote.") from None
        from .ingest.bulk import keep_import
        from .tree.nested import from_pageindex

        reader = self._reader_for(None)
        job = file_job(file, metadata=metadata or {}, reader=reader)
        imported = from_pageindex(value, read_with(reader, file))
        return keep_import(self._store, job, imported)

    def list(self, *, documents: Sequence[str] | None = None, filters: Mapping[str, object] | None = None) -> Documents:
        """All documents, or those of a scope as `retrieve` takes it, in the order in which they were first added.

        Raises:
            DocumentNotFound: one of `documents` is not in the library.
        """
        return self._scope(documents, filters)

    def get(self, document: str) -> DocumentInfo:
        """The document with that id, name or source.

        Raises:
            DocumentNotFound: there is none, or several have that name; the message lists their ids.
        """
        return find_document(self.list(), document)

    def __contains__(self, document: object) -> bool:
        return any(document in (info.doc_id, info.name, info.source) for info in self.list())

    def __len__(self) -> int:
        return len(self.list())

    def __bool__(self) -> bool:
        # An empty library is still a library: `library or default` must not replace it.
        return True

    def remove(self, document: str) -> None:
        """Forget a document.

        Raises:
            DocumentNotFound: see `get`.
        """
        self._store.remove(self.get(document).doc_id)

    def tree(self, document: str) -> Tree:
        """The document's section tree with its text.

        Raises:
            DocumentNotFound: see `get`.
        """
        return self._tree(self.get(document))

    def _tree(self, info: DocumentInfo) -> Tree:
        key = (info.doc_id, info.sha256, info.revision)
        with self._trees_lock:
            if key in self._trees:
                self._trees.move_to_end(key)
                return self._trees[key]
        tree = self._store.tree(info.doc_id)
        if tree is None:
            raise DocumentNotFound(f"{info.name} was removed meanwhile.")
        with self._trees_lock:
            self._trees[key] = tree
            while len(self._trees) > _TREES_KEPT:
                self._trees.popitem(last=False)
        return tree

    # Reading

    def read(self, document: str, *, node: str | None = None, pages: str | None = None) -> Reading:
        """A section with its subsections, some pages ("5-7,12", physical), or the whole document.

        `node` is a section's id, or that of a part of a long section (`….2`), which gives that part alone.

        Raises:
            DocumentNotFound: see `get`.
            SectionNotFound: the document has no such section.
            InvalidPageSpec: `pages` cannot be read, or the document has no pages.
            PageOutOfRange: a page does not exist.
        """
        if node is not None and pages is not None:
            raise ValueError("read() takes a node or pages, not both.")
        info = self.get(document)
        tree = self._tree(info)
        if pages is not None:
            numbers = parse_pages(pages, tree.page_count)
            text = "\n\n".join(tree.page_text(number) for number in numbers)
            return Reading(info.doc_id, info.name, None, "", numbers, text)
        if node is None:
            every = PageRange(1, tree.page_count) if tree.page_count else ()
            return Reading(info.doc_id, info.name, None, "", tuple(every), "\n".join(tree.lines))
        node = replace_surrogates(node)  # no id has others
        if (part := tree.merged(node)) is not None:
            pages_held = tuple(part.pages or ())
            return Reading(info.doc_id, info.name, node, part.title, pages_held, tree.text(part.span))
        if node in tree:
            section = tree.node(node)
            held = tuple(section.pages or ())
            return Reading(info.doc_id, info.name, node, tree.path(section), held, tree.section_text(section))
        stored = self._store.load(info.doc_id, [node]).get(node)
        if stored is None:
            raise self._missing(info, tree, node)
        passage = stored.passage
        return Reading(info.doc_id, info.name, node, passage.path, tuple(passage.pages or ()), passage.text)

    def _missing(self, info: DocumentInfo, tree: Tree, node: str) -> SectionNotFound:
        """What to say of an id that the document has not, or has no more."""
        whole = node.rpartition(".")[0]
        nearest = next((one for one in (node, whole) if one in tree), None)
        nearest = nearest or self._store.nearest(info.doc_id, node) or self._store.nearest(info.doc_id, whole)
        if nearest is None or nearest not in tree:
            return SectionNotFound(
                f"{info.name} has no section {node!r}. Use an id that its outline or a search printed."
            )
        path = tree.path(tree.node(nearest))
        return SectionRevised(
            f"{info.name} was revised and has no section {node!r} any more; the nearest section is {nearest!r}, {path}.",
            nearest,
        )

    def correct(self, document: str, *corrections: Correction) -> DocumentInfo:
        """Correct a document's sections: `Rename`, `Relevel`, `Move` or `Drop` (see `thumbindex.tree.corrections`).

        That is a new revision of the document; the corrections are made again whenever its file is read anew.

        Raises:
            DocumentNotFound: see `get`.
            SectionNotFound: the document has no such section.
            ValueError: a correction cannot be made; nothing is changed.
        """
        from .tree.corrections import correct

        info = self.get(document)
        key = self._store.sources()[info.doc_id]
        while True:
            before = self._store.previous_revision(key)
            if before is None:
                raise DocumentNotFound(f"{info.name} was removed meanwhile.")
            tree = unpack(before.tree)
            made = tuple(self._anchored(info, tree, one) for one in corrections)
            failed = correct(tree, made)[1]
            if failed:
                raise ValueError(
                    f"This cannot be corrected in {info.name}: {failed[0]}. It would pass another heading."
                )
            metadata = {name: value for name, value in info.metadata.items() if name not in before.given}
            job = Job(b"", info.name, info.source, key, info.sha256, metadata={}, previous=before, corrections=made)
            prepared = prepare_tree(replace(tree, metadata={**metadata, **tree.metadata}), job)
            kept = self._store.put(prepared)
            if kept is not None:
                with self._trees_lock:
                    self._trees.pop((info.doc_id, info.sha256, info.revision), None)
                return kept

    def _anchored(self, info: DocumentInfo, tree: Tree, correction: Correction) -> Correction:
        from .tree.corrections import Move

        if correction.section not in tree:
            raise self._missing(info, tree, correction.section)
        if isinstance(correction, Move) and 1 <= correction.line <= len(tree.lines):
            return replace(correction, text=tree.lines[correction.line - 1])
        return correction

    def set_summaries(self, document: str, summaries: Mapping[str, str]) -> None:
        """Keep what sections are about, by their ids: `tree` gives it back with the sections.

        When the document is revised, sections whose text is the same keep theirs, and the others lose them. An empty text
        forgets a summary.

        Raises:
            DocumentNotFound: see `get`.
            SectionNotFound: the document has no such section.
        """
        info = self.get(document)
        tree = self._tree(info)
        for node in summaries:
            if node not in tree:
                raise self._missing(info, tree, node)
        self._store.set_summaries(info.doc_id, replace_surrogates_in(summaries))
        with self._trees_lock:
            self._trees.pop((info.doc_id, info.sha256, info.revision), None)

    async def asummarize(
        self,
        document: str,
        *,
        model: ChatModel | None = None,
        max_summary_tokens: int = 40,
        concurrency: int = 4,
        prompts: Prompts = PROMPTS,
        cache: MutableMapping[str, str] | None = None,
    ) -> Summaries:
        """Say what each section of a document is about, and keep it: outlines that models are shown have it.

        Without a model, by the phrases that set a section apart. With one, children first, in its words; the document's
        description is then kept in its metadata, where browsing and the choice of documents use it.

        Args:
            cache: Where a model's summaries are kept under their text, model and prompt: a dict, or a `SummaryCache` in a
                file. By default this library remembers them until it is closed.

        Raises:
            DocumentNotFound: see `get`.
            ModelError: the model gave no reply. What it wrote before is kept.
        """
        from .summarize import Summaries, by_model, extractive
        from .text.languages import STOP_WORDS

        info = await asyncio.to_thread(self.get, document)
        tree = await asyncio.to_thread(self._tree, info)
        small = STOP_WORDS.get(info.language, frozenset())
        phrases = await asyncio.to_thread(
            extractive.summarize, tree, max_tokens=max_summary_tokens, function_words=small
        )
        if model is None:
            await asyncio.to_thread(self.set_summaries, info.doc_id, phrases)
            return Summaries(phrases)
        written: dict[str, str] = {}
        try:
            made = await by_model.summarize(
                tree,
                model,
                fallback=phrases,
                cache=self._summaries if cache is None else cache,
                max_tokens=max_summary_tokens,
                concurrency=concurrency,
                prompts=prompts,
                on_summary=written.__setitem__,
            )
        finally:
            await asyncio.to_thread(self.set_summaries, info.doc_id, written)
        if made.description:
            await asyncio.to_thread(self._store.add_metadata, info.doc_id, {"description": made.description})
        return made

    summarize = waiting(asummarize)

    def estimate_summaries(
        self, document: str, *, max_summary_tokens: int = 40, prompts: Prompts = PROMPTS
    ) -> Estimate:
        """What `summarize` with a model would cost at most, before it does.

        Raises:
            DocumentNotFound: see `get`.
        """
        from .summarize import by_model

        return by_model.estimate(self._tree(self.get(document)), max_tokens=max_summary_tokens, prompts=prompts)

    def follow(self, document: str, reference: str) -> Reference:
        """Where a reference in a document leads: "see Appendix G", "Note 14", "page 97" (the number that is printed).

        Raises:
            DocumentNotFound: see `get`.
            SectionNotFound: the text names no section or page of the document.
        """
        info = self.get(document)
        return self._follow(info, reference)

    def _follow(self, info: DocumentInfo, reference: str) -> Reference:
        found = resolve(self._tree(info), reference)
        if found is None or (found.target is None and found.page is None):
            raise SectionNotFound(
                f"{info.name} has no section or page called {reference!r}. "
                "Give a reference as the text has it, such as 'Note 14', 'Appendix G' or 'page 97'."
            )
        return found

    def check(self, document: str) -> Health:
        """The health of a document: coverage, suspect headings, pages without text, references that lead nowhere, …

        Raises:
            DocumentNotFound: see `get`.
        """
        from .tree.check import check

        return check(self.tree(document))

    @staticmethod
    def inspect(path: str | os.PathLike[str]) -> tuple[Damage, ...]:
        """What is wrong with a library's file: pages, trees, and parts of the index that disagree; nothing if it is whole.

        Takes about as long as making the index anew, and writes nothing.

        Raises:
            LibraryError: there is no file, or it is the database of another program.
        """
        from .store.sqlite.repair import inspect

        return inspect(path)

    @staticmethod
    def repair(path: str | os.PathLike[str]) -> Repair:
        """Replace a damaged file by a new one with every document that can be read whole; a whole file is not touched.

        The damaged file is kept beside it. Close the library first, in all programs: what they write meanwhile is lost.

        Raises:
            LibraryError: as for `inspect`; or no document can be read, and the file was left as it is.
        """
        from .store.sqlite.repair import repair

        return repair(path)

    def referenced(self, evidence: Evidence) -> tuple[Evidence, ...]:
        """The sections that the text of an evidence refers to, in the order of the references, each with its own text.

        Of a long section its first part is given; a section without text of its own gives the first one below it.

        Raises:
            DocumentNotFound: its document is not in the library any more.
        """
        info = self.get(evidence.doc_id)
        tree = self._tree(info)
        found: dict[str, Evidence] = {}
        for reference in tree.references:
            if reference.line not in evidence.lines or reference.target is None or reference.target in found:
                continue
            stored = self._store.passages(info.doc_id, lines=tree.node(reference.target).span)
            if stored and stored[0].passage.node_id != evidence.node_id:
                why = f"referred to as {reference.text}"
                found[reference.target] = to_evidence(stored[0].passage, info, (1 - 1e-6) ** len(found), why)
        return tuple(_with_places(one, tree) for one in found.values())

    def passages(self, document: str, lines: LineRange) -> tuple[Evidence, ...]:
        """The passages that hold these lines, in reading order, as evidence for what was read there."""
        info = self.get(document)
        tree = self._tree(info)
        return tuple(
            _with_places(to_evidence(one.passage, info, score=(1 - 1e-6) ** number, why="read"), tree)
            for number, one in enumerate(self._store.passages(info.doc_id, lines=lines))
        )

    def sections(self, document: str, *, max_tokens: int | None = None) -> tuple[Evidence, ...]:
        """Each section's own text, in reading order, whole: together they hold every line of the document's text once.

        Args:
            max_tokens: A longer one comes in parts, cut between pages, paragraphs or at least sentences. A part has an id that
                depends on this; the id of a whole section is that of the section.

        Raises:
            DocumentNotFound: see `get`.
        """
        info = self.get(document)
        tree = self._tree(info)
        return tuple(
            _with_places(to_evidence(passage, info, score=(1 - 1e-6) ** number, why=""), tree)
            for number, passage in enumerate(split_passages(tree, max_tokens))
        )

    def page_image(
        self,
        document: str,
        page: int,
        *,
        dpi: float | None = None,
        evidence: Evidence | Iterable[Evidence] = (),
        password: str | None = None,
    ) -> bytes:
        """A page of a PDF as PNG, with the text of some evidence marked: for people, and for models that see.

        It is made from the file that the document was added from, in the process that parses files.

        Args:
            page: Physical, 1-based.
            dpi: Pixels in an inch; by default 120, and fewer for very large pages.
            evidence: What to mark, as far as it stands on that page.
            password: Of an encrypted PDF, which the library does not keep.

        Raises:
            DocumentNotFound: see `get`.
            PageOutOfRange: the document has no such page.
            PageImageUnavailable: its file is gone or has changed, it was not added from a file, or it is no PDF.
            SourceLimit: the picture would be too large, or took too long.
        """
        from .ingest.page_images import page_image

        info = self.get(document)
        marked = [evidence] if isinstance(evidence, Evidence) else list(evidence)
        for one in marked:
            if one.doc_id != info.doc_id:
                raise ValueError(f"Evidence of {one.document} cannot be marked in {info.name}.")
        boxes = [box for one in marked for number, box in one.boxes if number == page]
        key = self._store.sources()[info.doc_id]
        return page_image(info, key, page, boxes, dpi=dpi, password=password, reader=self._reader)

    def select(
        self,
        query: str,
        *,
        documents: Sequence[str] | None = None,
        filters: Mapping[str, object] | None = None,
    ) -> Documents:
        """Documents that fit a query, best first, by their names, metadata and best sections; others are left out."""
        with self._store.snapshot():
            scope = self._scope(documents, filters)
            return order_documents(self._store, query, scope)

    def find_all(
        self,
        text: str,
        *,
        documents: Sequence[str] | None = None,
        filters: Mapping[str, object] | None = None,
        exact: bool = False,
        start: int = 0,
        limit: int | None = None,
    ) -> Mentions:
        """Every mention of these words, in reading order: see `thumbindex.search.mentions` for what counts as one.

        Case, diacritics, inflection, line ends, broken words and page breaks make no difference; a word that ends in `*`
        may go on. Running heads and contents pages are left out.

        Args:
            exact: Take the words as they are written, with their punctuation.
            start: How many mentions to leave out, and `limit` how many to give at most, for reading them page by page.

        Raises:
            DocumentNotFound: one of `documents` is not in the library.
        """
        with self._store.snapshot():
            scope = self._scope(documents, filters)
            if len(scope) > _MANY_DOCUMENTS:
                scope = self._store.holding_all(text, scope)
        every = (mention for info in scope for mention in self._mentions(info, text, exact))
        return list(islice(every, start, None if limit is None else start + limit))

    def _mentions(self, info: DocumentInfo, text: str, exact: bool) -> Iterator[Mention]:
        tree = self._tree(info)
        for found in find_mentions(tree, text, info.language, exact=exact):
            node = tree.deepest_at(found.line)
            if node is not None:
                line = tree.lines[found.line - 1].strip()
                page = tree.page_of_line(found.line)
                path = tree.path(node)
                yield Mention(info.doc_id, info.name, node.id, path, page, found.line, line, found.snippet)

    # Retrieval

    def retrieve(
        self,
        question: str,
        *,
        k: int = 4,
        max_tokens: int | None = None,
        documents: Sequence[str] | None = None,
        filters: Mapping[str, object] | None = None,
        model: ChatModel | None = None,
        navigator: NavigatorName | None = None,
        include: Collection[Include] = (),
        embedding: Embedding | None = None,
        limits: WalkLimits | None = None,
        max_documents: int = 3,
        exact_k: bool = False,
        prompts: Prompts = PROMPTS,
        count_tokens: TokenCounter = estimate_tokens,
        on_step: Callable[[Step], None] | None = None,
    ) -> Retrieval:
        """The sections that fit the question best, with the trail that led there. Without `model` none is called.

        Args:
            k: How many sections; of a long one its best part comes. Fewer come only where fewer hold any word of the question.
                Where a document has no headings, its passages count. A walk returns what it read, unless `exact_k`.
            model: Navigates: it is shown outlines, and text where it walks.
            navigator: `lexical`, `select` (one call) or `walk` (one call a step); by default `select` if there is a model.
            include: What comes along with the sections, beyond `k` and within `max_tokens`: `parts` (further parts of long
                sections, where they fit the question better than the next section), `subsections` (all of their parts and what
                is under them), `references` (what their text refers to). For the lexical navigator.
            embedding: Joins the ranking by words, for the lexical navigator: a function from a list of texts to vectors,
                LangChain's `Embeddings` or LlamaIndex's `BaseEmbedding`. Vectors of sections (of their summaries, where there
                are any) are made at first use and kept in memory.
            limits: Of a walk.
            max_documents: Documents that a model navigates: those that fit best, at the same time, each in calls of its own.
            exact_k: Return `k` passages within `max_tokens` after a walk too: the best of what it read, or what it read and then
                what fits by its words.
            prompts: The rules that the model is told.
            max_tokens: Budget for the texts together; whole passages are dropped from the end, never the best one.
            documents: Ids or names of the documents to search; None for all.
            filters: Values that a document's metadata must have; a list means any of its values.
            on_step: Called with each step of the trail as it happens.

        Raises:
            DocumentNotFound: one of `documents` is not in the library.
            ModelError: the model gave no reply.
        """
        search = _Search(
            k=k,
            max_tokens=max_tokens,
            documents=documents,
            filters=filters,
            limits=limits,
            max_documents=max_documents,
            prompts=prompts,
            count_tokens=count_tokens,
            on_step=on_step,
            exact_k=exact_k,
            include=include,
            embedding=embedding,
        )
        if (guide := _guide(model, navigator)) is not None:
            return run_sync(self._navigate(question, *guide, search))
        work = partial(self._look_up, question, search)
        found = run_queued(work) if search.is_ours else run_inline(work)
        # The steps are reported after the store is free again: a callback may use this library from another thread.
        search.tell(found)
        return found

    def _look_up(self, question: str, search: _Search) -> Retrieval:
        """What the words of a question find."""
        with self._store.snapshot():
            found = search_sections(
                self._store,
                question,
                self._scope(search.documents, search.filters),
                k=search.k,
                max_tokens=search.max_tokens,
                count=search.count_tokens,
                include=search.include,
                vectors=None if search.embedding is None else self._vectors_of(search.embedding),
                tree_of=self._tree,
            )
        state = State(question)
        for action in actions_of(found):
            state = advance(state, action)
        return self._placed(state.retrieval())

    async def _alook_up(self, question: str, search: _Search) -> Retrieval:
        work = partial(self._look_up, question, search)
        found = await (run_queued_async(work) if search.is_ours else asyncio.to_thread(run_inline, work))
        if search.on_step is not None:
            await asyncio.to_thread(search.tell, found)
        return found

    async def aask(
        self,
        question: str,
        *,
        model: ChatModel,
        navigator: NavigatorName = "select",
        navigation_model: ChatModel | None = None,
        k: int = 8,
        max_tokens: int = 6000,
        documents: Sequence[str] | None = None,
        filters: Mapping[str, object] | None = None,
        limits: WalkLimits | None = None,
        max_documents: int = 3,
        prompts: Prompts = PROMPTS,
        max_reply_tokens: int = 1000,
        token_limit: int | None = None,
        seconds: float | None = None,
        count_tokens: TokenCounter = estimate_tokens,
        on_step: Callable[[Step], None] | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Answer:
        """A model's answer from the documents alone, each citation checked against their text.

        With `select` that is two calls for one document, one more for each further document that fits the question, one in all
        for documents so short that they are shown whole, and none where nothing is found: that the documents do not say is an
        answer too.

        Args:
            model: Answers, and navigates if `navigation_model` does not.
            navigator: See `retrieve`.
            k: Sections to answer from, at most, of long ones several parts; a walk takes what it read.
            max_tokens: Of evidence, by `count_tokens`. Documents with less text than half of that are shown whole.
            max_reply_tokens: Of the answer.
            prompts: The rules that models are told.
            token_limit: Tokens that all calls together may read and write.
            seconds: Wall time for all calls together.
            on_step: Called with each step of the trail as it happens.
            on_text: Called with each piece of the answer while the model writes it, before it is checked; a model that cannot
                stream gives one piece.

        Raises:
            DocumentNotFound: one of `documents` is not in the library.
            ModelError: a model gave no reply; `ModelLimit` where one of the limits is reached.
        """
        # One limiter for both models: the limits hold for the question.
        limiter = UsageLimiter(model, max_tokens=token_limit, seconds=seconds)
        guide = limiter if navigation_model is None else limiter.sharing(navigation_model)
        search = _Search(
            k=k,
            max_tokens=max_tokens,
            documents=documents,
            filters=filters,
            limits=limits,
            max_documents=max_documents,
            prompts=prompts,
            count_tokens=count_tokens,
            on_step=on_step,
            include=["parts"],
        )
        if navigator == "lexical":
            found = await self._alook_up(question, search)
        else:
            found = await self._navigate(question, guide, navigator, search, whole_below=max_tokens // 2)
        made = await self.aanswer(
            found, model=limiter, max_reply_tokens=max_reply_tokens, prompts=prompts, on_step=on_step, on_text=on_text
        )
        return replace(made, usage=limiter.usage)

    ask = waiting(aask)

    async def aanswer(
        self,
        found: Retrieval,
        *,
        model: ChatModel,
        max_reply_tokens: int = 1000,
        prompts: Prompts = PROMPTS,
        on_step: Callable[[Step], None] | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Answer:
        """The second half of `aask`: an answer from what was retrieved before, whoever chose among it or put it in order.

        Evidence of documents that the library does not hold any more is left out.

        Raises:
            ModelError: the model gave no reply.
        """
        from .navigation.answering import answer

        sources = await asyncio.to_thread(self._cited, found)
        return await answer(
            found,
            sources,
            model,
            max_reply_tokens=max_reply_tokens,
            prompts=prompts,
            on_step=on_step,
            on_text=on_text,
        )

    answer = waiting(aanswer)

    def stream_ask(
        self, question: str, *, model: ChatModel, **options: Unpack[AskOptions]
    ) -> Generator[Told, None, None]:
        """`ask`, told while it happens: each `Step` of the trail, pieces of the text (`str`), and the checked `Answer` last.

        The pieces are not checked yet, and the answer's own text is what counts: see `StreamingModel`. Who stops iterating stops
        the work.
        """
        return iterate(lambda tell: self.aask(question, model=model, on_step=tell, on_text=tell, **options))

    def astream_ask(
        self, question: str, *, model: ChatModel, **options: Unpack[AskOptions]
    ) -> AsyncGenerator[Told, None]:
        """`stream_ask` for async code: `async for told in library.astream_ask(...)`."""
        return aiterate(lambda tell: self.aask(question, model=model, on_step=tell, on_text=tell, **options))

    async def _navigate(
        self,
        question: str,
        model: ChatModel,
        navigator: Literal["select", "walk"],
        search: _Search,
        *,
        whole_below: int | None = None,
    ) -> Retrieval:
        """What a model finds. With `whole_below` chosen sections come with all of their parts, and documents with fewer
        tokens than that are chosen whole."""
        from .navigation.navigate import navigate

        if search.max_documents < 1:
            what = "max_documents is the number of documents to navigate, at least 1"
            raise ValueError(f"{what}, got {search.max_documents}.")
        scope = await asyncio.to_thread(self._scope, search.documents, search.filters)
        state = await navigate(
            self._store,
            self._tree,
            question,
            scope,
            model,
            navigator,
            k=search.k,
            max_tokens=search.max_tokens,
            whole=whole_below is not None,
            whole_below=whole_below or 0,
            walk_limits=search.limits,
            books=search.max_documents,
            exact_k=search.exact_k,
            prompts=search.prompts,
            count=search.count_tokens,
            on_step=search.on_step,
        )
        return await asyncio.to_thread(self._placed, state.retrieval())

    def _placed(self, found: Retrieval) -> Retrieval:
        """The retrieval with the places of its evidence: on their pages, or by their names in the file."""
        ids = {one.doc_id for one in found.evidence}
        infos = {info.doc_id: info for info in self.list() if info.kind in _PLACED and info.doc_id in ids}
        placed: list[Evidence] = []
        for one in found.evidence:
            info = infos.get(one.doc_id)
            with suppress(DocumentNotFound):  # removed meanwhile
                one = one if info is None else _with_places(one, self._tree(info))
            placed.append(one)
        return replace(found, evidence=tuple(placed))

    def _cited(self, found: Retrieval) -> Cites:
        """The documents of some evidence, as the check of citations wants them."""
        from .citations.check import Source as Cited

        ids = dict.fromkeys(one.doc_id for one in found.evidence)
        infos = {info.doc_id: info for info in self.list() if info.doc_id in ids}
        return [
            Cited(
                info.doc_id,
                info.name,
                self._tree(info),
                tuple(one.lines for one in found.evidence if one.doc_id == doc_id),
                info.language,
            )
            for doc_id in ids
            if (info := infos.get(doc_id))
        ]

    def _vectors_of(self, embedding: Embedding) -> Vectors:
        """The vectors made by this embedding so far."""
        with self._trees_lock:
            kept = self._vectors.get(id(embedding))
            # An id may be used again when its object is gone, so the object is kept with it.
            if kept is None or kept[0] is not embedding:
                kept = self._vectors[id(embedding)] = (embedding, Vectors(embedding))
            self._vectors.move_to_end(id(embedding))
            while len(self._vectors) > _EMBEDDINGS_KEPT:
                self._vectors.popitem(last=False)
            return kept[1]

    def _scope(self, documents: Sequence[str] | None, filters: Mapping[str, object] | None) -> Documents:
        if isinstance(documents, str):
            raise TypeError("documents takes a list of ids or names, not one str.")
        where = Scope(where=filters).where
        infos = self._store.documents(where=where)
        if documents is None:
            return infos
        # Names are looked up among all documents: one that the filters drop is no mistake, an unknown one is.
        everything = infos if where is None else self._store.documents()
        # Thousands may be given by their ids; only other names are searched for.
        ids = {info.doc_id for info in everything}
        wanted = {one if one in ids else find_document(everything, one).doc_id for one in documents}
        return [info for info in infos if info.doc_id in wanted]

    # Twins for async code: reading and searching are work of this process, so a thread does it.

    aadd = threaded(add)
    aadd_all = threaded(add_all)
    async_ = threaded(sync)
    """`sync` in a thread. The underscore tells it from Python's keyword."""
    aadd_tree = threaded(add_tree)
    aadd_loaded = threaded(add_loaded)
    aadd_pageindex = threaded(add_pageindex)
    acorrect = threaded(correct)
    aset_summaries = threaded(set_summaries)
    alist = threaded(list)
    aget = threaded(get)
    aremove = threaded(remove)
    atree = threaded(tree)
    aread = threaded(read)
    apage_image = threaded(page_image)
    afollow = threaded(follow)
    acheck = threaded(check)
    areferenced = threaded(referenced)
    apassages = threaded(passages)
    aselect = threaded(select)
    afind_all = threaded(find_all)

    @staticmethod
    async def ainspect(path: str | os.PathLike[str]) -> tuple[Damage, ...]:
        """`inspect` in a thread."""
        return await asyncio.to_thread(Library.inspect, path)

    @staticmethod
    async def arepair(path: str | os.PathLike[str]) -> Repair:
        """`repair` in a thread."""
        return await asyncio.to_thread(Library.repair, path)

    async def aretrieve(
        self,
        question: str,
        *,
        k: int = 4,
        max_tokens: int | None = None,
        documents: Sequence[str] | None = None,
        filters: Mapping[str, object] | None = None,
        model: ChatModel | None = None,
        navigator: NavigatorName | None = None,
        include: Collection[Include] = (),
        embedding: Embedding | None = None,
        limits: WalkLimits | None = None,
        max_documents: int = 3,
        exact_k: bool = False,
        prompts: Prompts = PROMPTS,
        count_tokens: TokenCounter = estimate_tokens,
        on_step: Callable[[Step], None] | None = None,
    ) -> Retrieval:
        """`retrieve`: with a model on the running loop, else in a thread; `on_step` is called there."""
        search = _Search(
            k=k,
            max_tokens=max_tokens,
            documents=documents,
            filters=filters,
            limits=limits,
            max_documents=max_documents,
            prompts=prompts,
            count_tokens=count_tokens,
            on_step=on_step,
            exact_k=exact_k,
            include=include,
            embedding=embedding,
        )
        if (guide := _guide(model, navigator)) is not None:
            return await self._navigate(question, *guide, search)
        return await self._alook_up(question, search)


def _guide(
    model: ChatModel | None, navigator: NavigatorName | None
) -> tuple[ChatModel, Literal["select", "walk"]] | None:
    """The model and the way in which it navigates; None where words are looked up.

    Raises:
        ValueError: a way that needs a model, and none.
    """
    if model is not None and navigator != "lexical":
        return model, navigator or "select"
    if navigator not in (None, "lexical"):
        raise ValueError(f"The navigator {navigator!r} needs a model: pass model=OpenAIChat(...).")
    return None


def _with_places(evidence: Evidence, tree: Tree) -> Evidence:
    """The evidence with its place, unless the document was revised since the evidence was found."""
    first = evidence.lines.first
    if first > len(tree.lines) or tree.lines[first - 1] not in evidence.text:
        return evidence
    boxes, anchor = tree.boxes_of(evidence.lines), tree.anchor_of(evidence.lines)
    return replace(evidence, boxes=boxes, anchor=anchor) if boxes or anchor else evidence


def find_document(infos: Sequence[DocumentInfo], document: str) -> DocumentInfo:
    """The one of these documents with that id, name or source.

    Raises:
        DocumentNotFound: there is none, or several; the message names no other documents than these.
    """
    document = replace_surrogates(document)  # as names are kept
    for found in (
        [info for info in infos if info.doc_id == document],
        [info for info in infos if info.name == document],
        [info for info in infos if info.source == document],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(info.doc_id for info in found)
            raise DocumentNotFound(f"{len(found)} documents are called {document!r}. Use an id: {ids}.")
    names = ", ".join(info.name for info in infos[:5]) + (", …" if len(infos) > 5 else "")
    raise DocumentNotFound(
        f"There is no document {document!r} in the library. "
        + (f"It has {names}." if infos else "It is empty: add one.")
    )


def join_pages(pages: Sequence[int]) -> str:
    """Page numbers as citations write them: `3-5, 9`."""
    runs: list[tuple[int, int]] = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], page)
        else:
            runs.append((page, page))
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
