"""The library for async code: the same calls under the same names, awaited."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping, MutableMapping
from functools import wraps
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from .budget import Budget
from .concurrency.bridge import aiterate
from .evidence import Answer, Retrieval
from .library import Library
from .library_view import ASK_BUDGET, Event, LibraryView
from .models import PROMPTS, ChatModel, Prompts
from .navigation.protocol import Navigator
from .scope import Scope
from .sources.settings import LIMITS, Isolation, Limits
from .store import Store
from .trail import Step

if TYPE_CHECKING:
    from .sources.ocr import OcrChoice
    from .summarize import Summaries

T = TypeVar("T")
P = ParamSpec("P")


def _in_thread(
    method: Callable[Concatenate[LibraryView, P], T],
) -> Callable[Concatenate[AsyncLibraryView, P], Coroutine[Any, Any, T]]:
    """The method of a view, called in a thread; functions that it is given are called there too."""
    return _of_wrapped(method)


def _in_thread_of_library(
    method: Callable[Concatenate[Library, P], T],
) -> Callable[Concatenate[AsyncLibrary, P], Coroutine[Any, Any, T]]:
    """`_in_thread` for the methods that only a library has."""
    return _of_wrapped(method)


def _of_wrapped(
    method: Callable[Concatenate[Any, P], T],
) -> Callable[Concatenate[AsyncLibraryView, P], Coroutine[Any, Any, T]]:
    """The method of the object that an async view wraps, which is a library where the view is an `AsyncLibrary`."""

    @wraps(method)
    async def call(self: AsyncLibraryView, /, *args: P.args, **kwargs: P.kwargs) -> T:
        # By name: a subclass of the view may have a method of its own.
        bound: Callable[P, T] = getattr(self._view, method.__name__)
        return await asyncio.to_thread(bound, *args, **kwargs)

    return call


class AsyncLibraryView:
    """A `LibraryView` for async code: reading runs in threads, and models are asked on the running loop.

    Args:
        view: The view to read. Both may be used side by side.
    """

    def __init__(self, view: LibraryView) -> None:
        self._view = view

    async def view(self, scope: Scope, *, missing_ok: bool = False) -> AsyncLibraryView:
        """A view of the documents that are in this view and in a scope; see `LibraryView.view`."""
        return AsyncLibraryView(await asyncio.to_thread(self._view.view, scope, missing_ok=missing_ok))

    list = _in_thread(LibraryView.list)
    get = _in_thread(LibraryView.get)
    tree = _in_thread(LibraryView.tree)
    export = _in_thread(LibraryView.export)
    read = _in_thread(LibraryView.read)
    sections = _in_thread(LibraryView.sections)
    passages = _in_thread(LibraryView.passages)
    find_all = _in_thread(LibraryView.find_all)
    follow = _in_thread(LibraryView.follow)
    referenced = _in_thread(LibraryView.referenced)
    check = _in_thread(LibraryView.check)
    page_image = _in_thread(LibraryView.page_image)

    async def retrieve(
        self,
        question: str,
        *,
        k: int = 4,
        navigator: Navigator | None = None,
        scope: Scope | None = None,
        budget: Budget | None = None,
        on_step: Callable[[Step], None] | None = None,
    ) -> Retrieval:
        """The sections that fit the question best; see `LibraryView.retrieve`."""
        return await self._view._retrieval(question, k, navigator, scope, budget, on_step).run_async()

    async def ask(
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
        """A model's answer from the documents alone; see `LibraryView.ask`."""
        asking = self._view._asking(question, model, navigator, k, scope, budget, found, prompts, on_step, on_text)
        return await asking.run_async()

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
    ) -> AsyncGenerator[Event, None]:
        """`ask` as it happens: `async for event in library.stream(...)`; see `LibraryView.stream`."""
        return aiterate(
            lambda report: self._view._asking(
                question, model, navigator, k, scope, budget, found, prompts, report, report
            ).run_async()
        )


class AsyncLibrary(AsyncLibraryView):
    """A `Library` for async code: the same calls under the same names, awaited.

    >>> library = AsyncLibrary("reports.db")  # doctest: +SKIP
    >>> found = await library.retrieve("What rate applies to the term loan?")  # doctest: +SKIP

    Args:
        path: See `Library`; or a `Library` that this one wraps, so that both may be used side by side.
        isolation: See `Library`, as the others.

    Raises:
        LibraryError: the file is no library or cannot be opened.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | Library | None = None,
        *,
        isolation: Isolation = "process",
        limits: Limits = LIMITS,
        ocr: OcrChoice = "auto",
        store: Store | None = None,
    ) -> None:
        if not isinstance(path, Library):
            path = Library(path, isolation=isolation, limits=limits, ocr=ocr, store=store)
        super().__init__(path)
        self._library = path

    @classmethod
    async def from_files(
        cls,
        files: Iterable[str | os.PathLike[str]],
        *,
        path: str | os.PathLike[str] | None = None,
        isolation: Isolation = "process",
        limits: Limits = LIMITS,
        ocr: OcrChoice = "auto",
        tenant: str = "",
    ) -> Self:
        """A library that holds these files; see `Library.from_files`."""
        library = await asyncio.to_thread(
            Library.from_files, files, path=path, isolation=isolation, limits=limits, ocr=ocr, tenant=tenant
        )
        return cls(library)

    @property
    def path(self) -> str | None:
        """The library's file; None in memory."""
        return self._library.path

    def __repr__(self) -> str:
        return f"AsyncLibrary({self.path!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    add = _in_thread_of_library(Library.add)
    add_all = _in_thread_of_library(Library.add_all)
    sync = _in_thread_of_library(Library.sync)
    add_texts = _in_thread_of_library(Library.add_texts)
    import_tree = _in_thread_of_library(Library.import_tree)
    remove = _in_thread_of_library(Library.remove)
    correct = _in_thread_of_library(Library.correct)
    close = _in_thread_of_library(Library.close)

    async def summarize(
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
        """Summarizes each section of a document; see `Library.summarize`."""
        return await self._library._summarizing(
            document, model, summaries, max_summary_tokens, concurrency, prompts, cache
        )
