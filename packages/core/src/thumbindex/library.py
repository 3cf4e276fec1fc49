"""The library: documents added once, and opened at the right section for every question."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeAlias

from .concurrency.bridge import run_sync
from .errors import SourceNotFound
from .ingest.adding import add_document
from .ingest.jobs import FileSource, make_job
from .library_view import Core, Documents, LibraryView
from .models import PROMPTS, ChatModel, Prompts
from .pages import MetadataValue
from .search.find_all import Mention
from .search.reading import Reading
from .sources.folders import expand
from .sources.loaded import LoadedText
from .sources.settings import LIMITS, Isolation, Limits, ReaderSettings
from .store import DocumentInfo, Store
from .store.scoped import ScopedDocuments
from .store.sqlite import SqliteStore
from .tree.model import Tree

if TYPE_CHECKING:
    # What adds in bulk, summarizes or corrects is imported where it is used: an import of the package should take a fifth of
    # a second.
    from .ingest.bulk import BulkAdd, FileResult, Progress
    from .sources.ocr import OcrChoice
    from .summarize import Summaries
    from .tree.corrections import Correction

__all__ = ["DocumentInfo", "Library", "LibraryView", "Mention", "Reading"]

Results: TypeAlias = "list[FileResult]"


class Library(LibraryView):
    """Documents in one SQLite file, or in memory; safe to use from any thread, and after a fork.

    >>> library = Library()
    >>> info = library.add(b"# Guide\\n\\nPress the red knob twice.", name="guide.md")
    >>> library.retrieve("Which knob?").evidence[0].citation
    '[guide.md, § Guide]'

    Args:
        path: The library's file, created if it does not exist; None keeps the library in memory until it is closed.
        isolation: Where files are parsed: see `build_tree`.
        limits: What reading one file may take: time, memory and size.
        ocr: How scanned pages are read, which takes seconds per page: "auto" with the extra `thumbindex[ocr]` where it is
            installed, "off" not at all, or an engine of yours (see `thumbindex.sources.ocr`). What was read is cached beside
            the library's file, under its name and `-ocr`, and recognised by the pixels of the page.
        store: A store of your own in the place of the file.

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
        store: Store | None = None,
    ) -> None:
        if store is not None and path is not None:
            raise ValueError("Library() takes a path or a store, not both.")
        self._store = SqliteStore(path) if store is None else store
        self._core = Core.over(self._store, ReaderSettings(isolation, limits, ocr))
        self._documents = ScopedDocuments(self._store)
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
        tenant: str = "",
    ) -> Self:
        """A library that holds these files; those that it holds already are recognised.

        Raises:
            SourceError: a file cannot be read.
            TypeError: one path instead of several.
        """
        if isinstance(files, str | os.PathLike):
            raise TypeError(f"from_files takes a list of paths, not one path: from_files([{os.fspath(files)!r}]).")
        library = cls(path, isolation=isolation, limits=limits, ocr=ocr)
        for file in files:
            library.add(file, tenant=tenant)
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

    def __reduce__(self) -> tuple[Callable[..., LibraryView], tuple[object, ...]]:
        if self.path is None:
            return super().__reduce__()  # which refuses
        return _reopen, (type(self), os.path.abspath(self.path), self._core.reader)

    def close(self) -> None:
        """Closes the file; the library cannot be used afterwards."""
        self._store.close()

    # Adding

    def add(
        self,
        source: FileSource,
        *,
        name: str | None = None,
        password: str | None = None,
        metadata: Mapping[str, MetadataValue] | None = None,
        tenant: str = "",
    ) -> DocumentInfo:
        """Reads a document and stores it; the same bytes are recognised and nothing is read again.

        A changed file under the same path (bytes: under the same name) becomes a new revision with the same `doc_id`.
        If reading fails, the library stays as it was.

        Args:
            source: A path, the file's bytes, or an open binary file.
            name: What lookups and citations call it; by default the file's name. Needed for bytes.
            metadata: Overrides the file's own metadata. For a document that is known already it replaces its metadata of the
                same names, if it comes from the same path (or name).
            tenant: Namespace that the document is added to: the same name, path or bytes in two tenants are two documents,
                each with its own revisions. `view(Scope(tenant=...))` sees those of one. Nothing in a file can set it.

        Raises:
            SourceError: the document cannot be read; the subclass says why.
        """
        reader = self._reader_for(password)
        job = make_job(source, name=name, password=password, metadata=metadata or {}, reader=reader, tenant=tenant)
        return add_document(self._store, job)

    def add_all(
        self,
        files: Iterable[str | os.PathLike[str]],
        *,
        workers: int | None = None,
        password: str | None = None,
        metadata: Mapping[str, MetadataValue] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        tenant: str = "",
    ) -> Results:
        """Adds many files, and the documents in folders among them: a file that cannot be read does not stop the others.

        Each document is stored as soon as it is read, in the order of the files. What was stored before an interruption is
        recognised when the same call is made again.

        Args:
            workers: Processes that read at once; by default one for each processor, or this one alone for a few short files.
            metadata: For each document; see `add`.
            tenant: See `add`.
            on_progress: Called after each file.
        """
        if isinstance(files, str | os.PathLike):
            raise TypeError(f"add_all takes a list of paths, not one path: add_all([{os.fspath(files)!r}]).")
        bulk_add = self._bulk_add(expand(Path(file) for file in files), workers, on_progress, password, tenant=tenant)
        return bulk_add.run(password, metadata or {})

    def sync(
        self,
        folder: str | os.PathLike[str],
        *,
        workers: int | None = None,
        password: str | None = None,
        metadata: Mapping[str, MetadataValue] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        tenant: str = "",
    ) -> Results:
        """Makes the library agree with a folder and its subfolders: adds files as `add_all` does, removes what is gone.

        A document whose file was renamed keeps its id. One whose file is there but cannot be read stays as it was.
        Documents that came from elsewhere, or belong to another tenant, are left alone.

        Raises:
            SourceNotFound: there is no such folder. An empty folder is no error: it removes its documents.
        """
        place = Path(folder)
        if not place.is_dir():
            raise SourceNotFound(str(folder), "there is no such folder.", "Check the path and the current folder.")
        bulk_add = self._bulk_add(expand([place]), workers, on_progress, password, folder=place, tenant=tenant)
        return bulk_add.run(password, metadata or {})

    def _bulk_add(
        self,
        files: Sequence[Path],
        workers: int | None,
        on_progress: Callable[[Progress], None] | None,
        password: str | None,
        folder: Path | None = None,
        tenant: str = "",
    ) -> BulkAdd:
        from .ingest.bulk import BulkAdd

        reader = self._reader_for(password)
        return BulkAdd(self._store, files, workers, reader, on_progress or (lambda _: None), folder, tenant)

    def _reader_for(self, password: str | None) -> ReaderSettings:
        """The settings for reading, with a cache for what OCR reads; none for the text of an encrypted document."""
        reader = self._core.reader
        if reader.ocr == "off" or self.path is None or password is not None:
            return reader
        from .sources.ocr import with_cache

        return replace(reader, ocr=with_cache(reader.ocr, f"{os.path.abspath(self.path)}-ocr"))

    def add_texts(self, texts: Iterable[LoadedText], *, tenant: str = "") -> Documents:
        """Adds documents whose text another loader has read, page by page or whole.

        Texts with the same source make one document; loading them again is recognised, and a changed text makes a new
        revision. Give whole pages: pieces of pages that overlap would repeat their text.

        Returns:
            The documents, in the order in which their sources first come. One without text is left out, as loaders give an
            empty text for a page that they could not read.

        Raises:
            EmptySource: no text holds anything.
            SourceLimit: a page number that no document reaches.
        """
        from .ingest.texts import add_texts

        return add_texts(self._store, texts, tenant)

    def import_tree(
        self,
        tree: Tree | str | os.PathLike[str],
        *,
        file: str | os.PathLike[str] | None = None,
        source: str | None = None,
        name: str | None = None,
        metadata: Mapping[str, MetadataValue] | None = None,
        tenant: str = "",
    ) -> DocumentInfo:
        """Adds a tree that was built elsewhere: a `Tree` with its text, or the path of JSON that PageIndex wrote.

        A tree of PageIndex comes with the file that it was made of, whose text is read: the document is the one that `add`
        makes of that file, and if it is there the tree becomes a revision of it.

        Args:
            tree: The tree; `thumbindex.tree.from_json` reads what `export` wrote.
            file: Of a PageIndex tree, the file that it was made of.
            source: Where a `Tree` came from; trees with the same source are revisions of one document.
            name: What lookups and citations call a `Tree`; by default its own name.
            metadata: See `add`.
            tenant: See `add`.

        Raises:
            InvalidTree: the JSON is no such tree, or the file has fewer pages than it.
            SourceError: a file cannot be read.
            TypeError: a PageIndex tree without its file, or a `Tree` with one.
        """
        from .ingest.texts import add_pageindex, add_tree

        if isinstance(tree, Tree):
            if file is not None:
                raise TypeError("import_tree takes a file only with JSON from PageIndex: a Tree contains its own text.")
            return add_tree(self._store, tree, source=source, name=name, metadata=metadata or {}, tenant=tenant)
        if file is None:
            raise TypeError(
                "import_tree needs the file from which PageIndex made the tree: import_tree(json, file=pdf)."
            )
        reader = self._reader_for(None)
        return add_pageindex(self._store, tree, file, metadata=metadata or {}, reader=reader, tenant=tenant)

    # Changing

    def remove(self, document: str) -> None:
        """Removes a document.

        Raises:
            DocumentNotFound: see `get`.
        """
        self._store.remove(self.get(document).doc_id)

    def correct(self, document: str, *corrections: Correction) -> DocumentInfo:
        """Corrects a document's sections: `Rename`, `Relevel`, `Move` or `Drop` (see `thumbindex.tree.corrections`).

        The result is a new revision of the document; the corrections are applied again whenever its file is read anew.

        Raises:
            DocumentNotFound: see `get`.
            SectionNotFound: the document has no such section.
            ValueError: a correction cannot be made; nothing is changed.
        """
        from .ingest.corrections import correct_document

        info = self.get(document)
        corrected = correct_document(self._store, info, corrections)
        self._core.trees.forget(info)
        return corrected

    def summarize(
        self,
        document: str,
        *,
        model: ChatModel | None = None,
        summaries: Mapping[str, str] | None = None,
        max_summary_tokens: int = 40,
        concurrency: int = 4,
        prompts: Prompts = PROMPTS,
        cache: MutableMapping[str, str] | None = None,
    ) -> Summaries:
        """Summarizes each section of a document and stores the summaries: outlines that models are shown have them.

        Without a model a summary is made of the phrases that set a section apart. With one, children come first, in the
        model's words; the document's description then goes into its metadata, where browsing and the choice of documents use
        it. When the document is revised, sections whose text is the same keep their summaries, and the others lose them.

        Args:
            summaries: Summaries of your own by section id, stored as they are; an empty text removes one. No others are made.
            max_summary_tokens: Of each summary.
            concurrency: Model calls at once.
            cache: Stores a model's summaries under their text, model and prompt: a dict, or a `SummaryCache` in a file. By
                default this library remembers them until it is closed.

        Raises:
            DocumentNotFound: see `get`.
            SectionNotFound: the document has no such section.
            ModelError: the model gave no reply. What it wrote before is stored.
        """
        return run_sync(self._summarizing(document, model, summaries, max_summary_tokens, concurrency, prompts, cache))

    async def _summarizing(
        self,
        document: str,
        model: ChatModel | None,
        summaries: Mapping[str, str] | None,
        max_summary_tokens: int,
        concurrency: int,
        prompts: Prompts,
        cache: MutableMapping[str, str] | None,
    ) -> Summaries:
        from .ingest.summaries import set_summaries, summarize_document
        from .summarize import Summaries

        info = await asyncio.to_thread(self.get, document)
        if summaries is not None:
            await asyncio.to_thread(set_summaries, self._store, self._core.trees, info, summaries)
            return Summaries(dict(summaries))
        return await summarize_document(
            self._store,
            self._core.trees,
            info,
            model=model,
            max_summary_tokens=max_summary_tokens,
            concurrency=concurrency,
            prompts=prompts,
            cache=self._summaries if cache is None else cache,
        )


def _reopen(cls: type[Library], path: str, reader: ReaderSettings) -> Library:
    """Opens the file of a pickled library again."""
    return cls(path, isolation=reader.isolation, limits=reader.limits, ocr=reader.ocr)
