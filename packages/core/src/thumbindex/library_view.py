"""The reading side of a library, within a scope: what every surface (adapters, tools, MCP, command line) is given."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from .budget import Budget
from .concurrency.bridge import iterate
from .errors import LibraryError, SectionNotFound
from .evidence import Answer, Evidence, Retrieval
from .ingest.passages import split_passages
from .navigation.drive import Driver
from .navigation.lexical import Lexical
from .navigation.lookups import SearchableDocuments
from .navigation.protocol import Flow, Navigator, Task, start
from .scope import Condition, Scope
from .search.documents import order_documents
from .search.evidence import score_in_order, to_evidence
from .search.find_all import Mention, find_all
from .search.reading import Reading, read
from .search.vectors import VectorCache
from .sources.settings import ReaderSettings
from .store import DocumentInfo, Store
from .store.lookup import find_document
from .store.scoped import ScopedDocuments
from .store.trees import TreeCache
from .text.tokens import estimate_tokens
from .trail import Step
from .tree.exchange import to_json
from .tree.model import Reference, Tree
from .tree.references import resolve

if TYPE_CHECKING:
    # What answers or navigates with a model is imported where it is used: an import of the package should take a fifth of a
    # second.
    from .models import ChatModel, Prompts
    from .pages import LineRange
    from .tree.check import Health

T = TypeVar("T")

ASK_BUDGET = Budget(evidence_tokens=6000)
"""The default budget of `ask`: as much text as small models answer from without losing track."""

Documents = list[DocumentInfo]  # `LibraryView.list` hides the built-in inside the class.
Mentions = list[Mention]
Event = Step | str | Answer
"""What `stream` yields: steps of the trail and pieces of the answer's text as they come, then the checked answer."""


@dataclass(frozen=True, slots=True)
class Core:
    """The parts that a library and its views share."""

    store: Store
    trees: TreeCache
    vectors: VectorCache
    reader: ReaderSettings

    @classmethod
    def over(cls, store: Store, reader: ReaderSettings) -> Core:
        """The shared parts over a store."""
        return cls(store, TreeCache(store), VectorCache(), reader)


@dataclass(frozen=True, slots=True)
class Run(Generic[T]):
    """A question that is ready to be asked, by sync or by async code."""

    driver: Driver[T]
    flow: Flow[T]

    def run(self) -> T:
        """Runs it in this thread, or on the background loop where a model is asked."""
        return self.driver.run(self.flow)

    async def run_async(self) -> T:
        """Runs it on the running loop."""
        return await self.driver.run_async(self.flow)


class LibraryView:
    """The documents of a scope, to be read, searched and asked. Documents outside the scope do not exist for a view.

    Made by `library.view(scope)`; a `Library` is a view of all its documents. Safe to use from any thread.
    """

    _core: Core
    _documents: ScopedDocuments

    @classmethod
    def _over(cls, core: Core, documents: ScopedDocuments) -> LibraryView:
        view = LibraryView.__new__(LibraryView)
        view._core, view._documents = core, documents
        return view

    def view(self, scope: Scope, *, missing_ok: bool = False) -> LibraryView:
        """A view of the documents that are in this view and in a scope. Names in the scope are resolved to documents now.

        Args:
            missing_ok: Leaves out documents that the scope names and this view does not have (or has several of), for
                lists that outlive their documents.

        Raises:
            DocumentNotFound: a document that the scope names is not in this view; the message names none outside it.
        """
        return LibraryView._over(self._core, self._documents.narrowed(scope, missing_ok=missing_ok))

    def __repr__(self) -> str:
        where = "" if self._documents.where is None else f" where {self._documents.where!r}"
        ids = "all documents" if self._documents.ids is None else f"{len(self._documents.ids)} named documents"
        return f"<view of {ids} of {self._core.store.path!r}{where}>"

    def __reduce__(self) -> tuple[Callable[..., LibraryView], tuple[object, ...]]:
        if self._core.store.path is None:
            raise LibraryError(
                "A library in memory cannot be pickled or copied: make it with a path, Library('my.db')."
            )
        path = os.path.abspath(self._core.store.path)
        documents = self._documents
        return _reopen, (path, self._core.reader, documents.ids, documents.where, documents.tenant)

    # Documents

    def list(self, *, scope: Scope | None = None, query: str | None = None) -> Documents:
        """All documents in the order in which they were first added, or those that fit a query, best first.

        Args:
            scope: Narrows the documents.
            query: What the documents should be about: they are ranked by their names, metadata and best sections, and those
                without any of its words are left out.

        Raises:
            DocumentNotFound: a document that the scope names is not in this view.
        """
        if query is None:
            return self._documents.select(scope)
        with self._core.store.snapshot():
            return order_documents(self._core.store, query, self._documents.select(scope))

    def get(self, document: str) -> DocumentInfo:
        """The document with that id, or else the one with that name or source.

        Raises:
            DocumentNotFound: there is none, or several have that name or source; the message lists their ids.
        """
        return find_document(self.list(), document)

    def __contains__(self, document: object) -> bool:
        return any(document in (info.doc_id, info.name, info.source) for info in self.list())

    def __len__(self) -> int:
        return len(self.list())

    def __bool__(self) -> bool:
        # An empty library is still a library: `library or default` must not replace it.
        return True

    # Reading

    def tree(self, document: str) -> Tree:
        """The document's section tree with its text.

        Raises:
            DocumentNotFound: see `get`.
        """
        return self._core.trees.get(self.get(document))

    def export(self, document: str) -> str:
        """The document's tree with its text as JSON; `thumbindex.tree.from_json` makes a `Tree` of it, which `Library.import_tree` takes.

        Raises:
            DocumentNotFound: see `get`.
        """
        return to_json(self.tree(document))

    def read(self, document: str, *, node: str | None = None, pages: str | None = None) -> Reading:
        """A section with its subsections, some pages ("5-7,12", physical), or the whole document.

        Args:
            node: Id of a section, or of a part of a long section (`….2`), which gives that part alone.
            pages: Physical pages.

        Raises:
            DocumentNotFound: see `get`.
            SectionNotFound: the document has no such section.
            InvalidPageSpec: `pages` cannot be read, or the document has no pages.
            PageOutOfRange: a page does not exist.
        """
        info = self.get(document)
        return read(self._core.store, info, self._core.trees.get(info), node=node, pages=pages)

    def sections(self, document: str, *, max_tokens: int | None = None) -> tuple[Evidence, ...]:
        """Each section's own text, in reading order, whole: together they hold every line of the document's text once.

        Args:
            max_tokens: A longer section comes in parts, cut between pages, paragraphs or at least sentences. A part has an id
                that depends on this; the id of a whole section is that of the section.

        Raises:
            DocumentNotFound: see `get`.
            ValueError: `max_tokens` below 1.
        """
        info = self.get(document)
        passages = split_passages(self._core.trees.get(info), max_tokens)
        return tuple(to_evidence(passage, info, score_in_order(rank), "") for rank, passage in enumerate(passages))

    def passages(self, document: str, lines: LineRange) -> tuple[Evidence, ...]:
        """The indexed passages that hold any of these lines, in reading order.

        Raises:
            DocumentNotFound: see `get`.
        """
        info = self.get(document)
        stored = self._core.store.passages(info.doc_id, lines=lines)
        return tuple(to_evidence(row.passage, info, score_in_order(rank), "read") for rank, row in enumerate(stored))

    def find_all(
        self, text: str, *, scope: Scope | None = None, exact: bool = False, start: int = 0, limit: int | None = None
    ) -> Mentions:
        """Every mention of these words, in reading order: see `thumbindex.search.mentions` for what counts as one.

        Case, diacritics, inflection, line ends, broken words and page breaks make no difference; a word that ends in `*`
        may go on. Headers, footers and contents pages are left out.

        Args:
            scope: Narrows the documents.
            exact: Matches the words as they are written, with their punctuation.
            start: How many mentions to skip.
            limit: How many to return at most.

        Raises:
            DocumentNotFound: a document that the scope names is not in this view.
            ValueError: `start` or `limit` below 0.
        """
        return find_all(self._documents, self._core.trees, text, scope=scope, exact=exact, start=start, limit=limit)

    def follow(self, document: str, reference: str) -> Reference:
        """The destination of a reference in a document: "see Appendix G", "Note 14", "page 97" (the printed number).

        Raises:
            DocumentNotFound: see `get`.
            SectionNotFound: the text names no section or page of the document.
        """
        info = self.get(document)
        found = resolve(self._core.trees.get(info), reference)
        if found is None or (found.target is None and found.page is None):
            raise SectionNotFound(
                f"{info.name} has no section or page called {reference!r}. "
                "Give a reference as the text has it, such as 'Note 14', 'Appendix G' or 'page 97'."
            )
        return found

    def referenced(self, evidence: Evidence) -> tuple[Evidence, ...]:
        """The sections that the text of an evidence refers to, in the order of the references, each with its own text.

        Of a long section its first part is given; a section without text of its own gives the first one below it.

        Raises:
            DocumentNotFound: its document is not in this view any more.
        """
        info = self.get(evidence.doc_id)
        tree = self._core.trees.get(info)
        found: dict[str, Evidence] = {}
        for reference in tree.references:
            if reference.line not in evidence.lines or reference.target is None or reference.target in found:
                continue
            stored = self._core.store.passages(info.doc_id, lines=tree.node(reference.target).span)
            if stored and stored[0].passage.node_id != evidence.node_id:
                why = f"referred to as {reference.text}"
                found[reference.target] = to_evidence(stored[0].passage, info, score_in_order(len(found)), why)
        return tuple(found.values())

    def check(self, document: str) -> Health:
        """The health of a document: coverage, suspect headings, pages without text, references that lead nowhere, …

        Raises:
            DocumentNotFound: see `get`.
        """
        from .tree.check import check

        return check(self.tree(document))

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

        It is rendered from the file that the document was added from, in the process that parses files.

        Args:
            page: Physical, 1-based.
            dpi: Pixels per inch; by default 120, and fewer for very large pages.
            evidence: What to mark, as far as it stands on that page.
            password: Of an encrypted PDF; the library does not store it.

        Raises:
            DocumentNotFound: see `get`.
            PageOutOfRange: the document has no such page.
            PageImageUnavailable: its file is gone or has changed, it was not added from a file, or it is no PDF.
            SourceLimit: the image would be too large, or took too long.
        """
        from .ingest.page_images import page_image

        info = self.get(document)
        marked = [evidence] if isinstance(evidence, Evidence) else [*evidence]
        for passage in marked:
            if passage.doc_id != info.doc_id:
                raise ValueError(f"Evidence of {passage.document} cannot be marked in {info.name}.")
        boxes = [box for passage in marked for number, box in passage.boxes if number == page]
        key = self._core.store.sources()[info.doc_id]
        return page_image(info, key, page, boxes, dpi=dpi, password=password, reader=self._core.reader)

    # Questions

    def retrieve(
        self,
        question: str,
        *,
        k: int = 4,
        navigator: Navigator | None = None,
        scope: Scope | None = None,
        budget: Budget | None = None,
        on_step: Callable[[Step], None] | None = None,
    ) -> Retrieval:
        """The sections that fit the question best, with the trail that led there.

        Args:
            k: How many sections; of a long one its best part comes. Fewer come only where fewer hold any word of the question.
                Where a document has no headings, its passages count. A `Walk` returns what it read, unless `exact_k`.
            navigator: Finds them; None for `Lexical()`, which calls no model.
            scope: Narrows the documents.
            budget: Limits the text that is returned, and the model calls; None for no limits.
            on_step: Called with each step of the trail as it happens.

        Raises:
            DocumentNotFound: a document that the scope names is not in this view.
            ModelError: a model gave no reply; `ModelLimit` where a limit is reached.
            ValueError: `k` below 1.
        """
        return self._retrieval(question, k, navigator, scope, budget, on_step).run()

    def ask(
        self,
        question: str,
        *,
        model: ChatModel,
        navigator: Navigator | None = None,
        k: int = 8,
        scope: Scope | None = None,
        budget: Budget = ASK_BUDGET,
        found: Retrieval | None = None,
        prompts: Prompts | None = None,
        on_step: Callable[[Step], None] | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Answer:
        """A model's answer from the documents alone, each citation checked against their text.

        With `Select` that is two model calls for one document, one more for each further document that fits the question, one
        in all for documents so short that they are read whole, and none where nothing is found: that the documents do not say
        is an answer too.

        Args:
            model: Answers.
            navigator: Finds the sections to answer from; None for `Select(model)`.
            k: Sections to answer from, at most, of long ones several parts; a walk takes what it read.
            scope: Narrows the documents.
            budget: Limits evidence, answer and model calls. Documents with less text than half of the evidence are read whole.
            found: Answers from this retrieval instead of navigating, whoever chose or reordered its evidence. Evidence of
                documents that are gone is left out.
            prompts: The rules that the model answers by.
            on_step: Called with each step of the trail as it happens.
            on_text: Called with each piece of the answer while the model writes it, before it is checked; a model that cannot
                stream gives one piece.

        Raises:
            DocumentNotFound: a document that the scope names is not in this view.
            ModelError: a model gave no reply; `ModelLimit` where one of the limits is reached.
        """
        return self._asking(question, model, navigator, k, scope, budget, found, prompts, on_step, on_text).run()

    def stream(
        self,
        question: str,
        *,
        model: ChatModel,
        navigator: Navigator | None = None,
        k: int = 8,
        scope: Scope | None = None,
        budget: Budget = ASK_BUDGET,
        found: Retrieval | None = None,
        prompts: Prompts | None = None,
    ) -> Generator[Event, None, None]:
        """`ask` as it happens: yields each `Step` of the trail, pieces of the text (`str`), and the checked `Answer` last.

        The pieces are not checked yet, and the answer's own text is what counts: see `StreamingModel`. Ending the iteration
        stops the work.
        """
        return iterate(
            lambda report: self._asking(
                question, model, navigator, k, scope, budget, found, prompts, report, report
            ).run_async()
        )

    def _retrieval(
        self,
        question: str,
        k: int,
        navigator: Navigator | None,
        scope: Scope | None,
        budget: Budget | None,
        on_step: Callable[[Step], None] | None,
    ) -> Run[Retrieval]:
        navigator = Lexical() if navigator is None else _checked_navigator(navigator)
        budget = Budget() if budget is None else _checked_budget(budget)
        flow = start(navigator, Task(question, k, budget))
        return Run(self._driver(navigator, scope, budget, on_step, None), flow)

    def _asking(
        self,
        question: str,
        model: ChatModel,
        navigator: Navigator | None,
        k: int,
        scope: Scope | None,
        budget: Budget,
        found: Retrieval | None,
        prompts: Prompts | None,
        on_step: Callable[[Step], None] | None,
        on_text: Callable[[str], None] | None,
    ) -> Run[Answer]:
        from .models import PROMPTS
        from .models.chat import check_model
        from .navigation.answering import answer
        from .navigation.select import Select

        prompts = prompts or PROMPTS
        navigator = Select(model, prompts=prompts) if navigator is None else _checked_navigator(navigator)
        check_model(model)
        task = Task(question, k, _checked_budget(budget), for_answer=True)
        driver: Driver[Answer] = self._driver(navigator, scope, budget, on_step, on_text)

        def flow() -> Flow[Answer]:
            evidence = found if found is not None else (yield from start(navigator, task))
            made = yield from answer(evidence, model, reply_tokens=budget.reply_tokens, prompts=prompts)
            return replace(made, usage=driver.usage)

        return Run(driver, flow())

    def _driver(
        self,
        navigator: Navigator,
        scope: Scope | None,
        budget: Budget,
        on_step: Callable[[Step], None] | None,
        on_text: Callable[[str], None] | None,
    ) -> Driver[T]:
        from .navigation.select import Select
        from .navigation.walk import Walk

        is_own = type(navigator) in (Select, Walk) or (type(navigator) is Lexical and navigator.embedding is None)
        documents = SearchableDocuments(
            self._core.store, lambda: self._documents.select(scope), self._core.trees.get, self._core.vectors.get
        )
        is_own_code = is_own and budget.count_tokens is estimate_tokens
        return Driver(documents, budget, on_step, on_text, is_own_code)


def _checked_navigator(navigator: Navigator) -> Navigator:
    if isinstance(navigator, type) or not isinstance(navigator, Navigator):
        raise TypeError(
            f"navigator takes an object such as Lexical(), Select(model) or Walk(model), not {navigator!r}."
        )
    return navigator


def _checked_budget(budget: Budget) -> Budget:
    if not isinstance(budget, Budget):
        raise TypeError(f"budget takes a Budget, such as Budget(evidence_tokens=2000), not {budget!r}.")
    return budget


def is_same_library(view: LibraryView, other: LibraryView) -> bool:
    """Returns whether two views, or a view and a library, have their documents from one library object."""
    return view._core is other._core


def _reopen(
    path: str, reader: ReaderSettings, ids: frozenset[str] | None, where: Condition | None, tenant: str | None
) -> LibraryView:
    """Opens the file of a pickled view again."""
    from .store.sqlite import SqliteStore

    core = Core.over(SqliteStore(path), reader)
    return LibraryView._over(core, ScopedDocuments(core.store, ids, where, tenant))
