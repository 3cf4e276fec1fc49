"""What is compared: our navigators, baselines, and any retriever of the user's, each a way from a question to evidence."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol, get_args

from ..async_library import AsyncLibraryView
from ..budget import Budget as QuestionBudget
from ..errors import DocumentNotFound, ThumbIndexError
from ..evidence import Answer, Evidence, Retrieval
from ..library import DocumentInfo
from ..library_view import LibraryView
from ..models import ChatModel, Prompts, Usage, UsageLimiter
from ..navigation import NAVIGATOR_NAMES as NAVIGATORS
from ..navigation import NavigatorName, navigator_named
from ..pages import LineRange, PageRange
from ..text.tokens import estimate_tokens
from ..trail import Step, Trail
from ..tree.model import Tree
from . import baselines
from .questions import Question, documents_of, named, scope_of

BaselineName = Literal["bm25", "chunks", "whole"]
BASELINES: tuple[str, ...] = get_args(BaselineName)


class RetrieverError(ThumbIndexError, ValueError):
    """A retriever that cannot be loaded, or that gave something unknown; the message says what is expected."""


@dataclass(frozen=True, slots=True)
class Found:
    """What came of one question; `usage` is that of the model that navigated, none for others."""

    retrieval: Retrieval
    usage: Usage = field(default_factory=Usage)


class Retriever(Protocol):
    """One way of retrieval."""

    @property
    def name(self) -> str:
        """What it is called in tables."""
        ...

    @property
    def is_ranked(self) -> bool:
        """Whether the order of its evidence says what fits best: a whole document says nothing."""
        ...

    async def retrieve(self, question: Question) -> Found:
        """What it finds for a question."""
        ...


@dataclass(frozen=True, slots=True)
class Budget:
    """What a retriever may hand over: `k` sections (pieces, pages), and tokens of text by our estimate."""

    k: int = 10
    tokens: int = 6000


class OwnRetriever:
    """One of the package's navigators, as `Library.ask` uses it: what fits the budget is taken, short documents whole.

    Args:
        model: Navigates; None for `lexical`.

    Raises:
        RetrieverError: the navigator needs a model.
    """

    is_ranked = True

    def __init__(
        self, library: LibraryView, name: NavigatorName, budget: Budget, model: ChatModel | None = None
    ) -> None:
        if name != "lexical" and model is None:
            raise RetrieverError(f"The navigator {name} needs a model: name one.")
        self._library, self._name, self._budget = library, name, budget
        self.model = None if name == "lexical" else model

    @property
    def name(self) -> str:
        """`lexical`, `select` or `walk`."""
        return self._name

    async def retrieve(self, question: Question) -> Found:
        """The sections that it finds."""
        limiter = None if self.model is None else UsageLimiter(self.model)
        found = await AsyncLibraryView(self._library).retrieve(
            question.question,
            k=self._budget.k,
            navigator=navigator_named(self._name, limiter),
            scope=scope_of(question, self._library),
            budget=QuestionBudget(evidence_tokens=self._budget.tokens),
        )
        return Found(found, Usage() if limiter is None else limiter.usage)

    async def ask(self, question: Question, model: ChatModel, *, prompts: Prompts) -> tuple[Found, Answer]:
        """The answer to a question, and the retrieval it was made from; each has the usage of its own calls."""
        guide, answering = UsageLimiter(self.model or model), UsageLimiter(model)
        answer = await AsyncLibraryView(self._library).ask(
            question.question,
            model=answering,
            navigator=navigator_named(self._name, guide, prompts=prompts),
            k=self._budget.k,
            scope=scope_of(question, self._library),
            budget=QuestionBudget(evidence_tokens=self._budget.tokens),
            prompts=prompts,
        )
        found = Retrieval(question.question, answer.evidence, answer.trail)
        return Found(found, guide.usage), replace(answer, usage=answering.usage)


class Baseline:
    """Pages or chunks by BM25, or the document as a whole, whatever its length."""

    def __init__(self, library: LibraryView, name: BaselineName, budget: Budget) -> None:
        self._library, self._name, self._budget = library, name, budget
        self._rankings: dict[tuple[str, ...], baselines.Ranking] = {}

    @property
    def name(self) -> str:
        """`bm25`, `chunks` or `whole`."""
        return self._name

    @property
    def is_ranked(self) -> bool:
        """False for `whole`."""
        return self._name != "whole"

    async def retrieve(self, question: Question) -> Found:
        """Its pieces within the budget."""
        return await asyncio.to_thread(self._retrieve, question)

    def prepare(self, question: Question) -> None:
        """Index the documents of a question, so that time is measured without it, as it is for libraries."""
        if self._name != "whole":
            self._ranking(documents_of(question, self._library.list()))

    def _retrieve(self, question: Question) -> Found:
        infos = documents_of(question, self._library.list())
        if self._name == "whole":
            pieces = [piece for info in infos for piece in baselines.whole(info, self._library.tree(info.doc_id))]
            evidence = [piece.evidence(1.0 / (1 + place)) for place, piece in enumerate(pieces)]
            return Found(_retrieval(question, evidence, self._name))
        ranked = self._ranking(infos).rank(question.question, self._budget.k)
        return Found(_retrieval(question, _within(ranked, self._budget.tokens), self._name))

    def _ranking(self, infos: Sequence[DocumentInfo]) -> baselines.Ranking:
        key = tuple(info.doc_id for info in infos)
        if key not in self._rankings:
            cut = baselines.pages if self._name == "bm25" else baselines.chunks
            self._rankings[key] = baselines.Ranking(
                [piece for info in infos for piece in cut(info, self._library.tree(info.doc_id))]
            )
        return self._rankings[key]


class Foreign:
    """A retriever of the user's: a function from a question to passages, or an object of LangChain or LlamaIndex.

    A passage is a mapping with `document`, `pages` (a number or several, physical, 1-based) and `text`, best first; or a
    document of LangChain's loaders (`page_content`, metadata with `source` and `page`, which they count from 0), or a node
    of LlamaIndex (metadata with `file_name` and `page_label`); or our own `Evidence`.
    """

    is_ranked = True

    def __init__(self, library: LibraryView, name: str, target: object, budget: Budget) -> None:
        self._library, self.name, self._budget = library, name, budget
        self._call, self._is_given_documents = _entry(target, name)

    async def retrieve(self, question: Question) -> Found:
        """Its passages within the budget; those of documents that the library does not hold count for nothing but tokens."""
        infos = documents_of(question, self._library.list())
        if self._is_given_documents:
            given = await _called(self._call, question.question, documents=[info.name for info in infos])
        else:
            given = await _called(self._call, question.question)
        if not isinstance(given, Iterable) or isinstance(given, str | Mapping):
            raise RetrieverError(f"{self.name} gave {type(given).__name__}; it should give a list of passages.")
        passages = [self._evidence(one, place) for place, one in enumerate(given)]
        return Found(_retrieval(question, _within(passages[: self._budget.k], self._budget.tokens), self.name))

    def _evidence(self, passage: object, place: int) -> Evidence:
        if isinstance(passage, Evidence):
            return passage
        document, first, last, text = _read_passage(passage, self.name)
        score = 1.0 / (1 + place)
        try:
            info = named(document, self._library.list())
        except DocumentNotFound:
            return Evidence("", str(place), "", None, None, text, score, LineRange(1, 1), document, document, {})
        tree = self._library.tree(info.doc_id)
        pages = PageRange(first, last) if first and last and last <= tree.page_count else None
        lines = _lines_of(tree, pages)
        return Evidence(
            info.doc_id,
            f"passage-{place}",
            f"pages {pages}" if pages else "",
            pages,
            None,
            text,
            score,
            lines,
            info.name,
            info.source,
            info.metadata,
            page_count=tree.page_count,
        )


def make_retriever(
    spec: str, library: LibraryView, *, model: ChatModel | None = None, budget: Budget | None = None
) -> Retriever:
    """A retriever by its name: a navigator, a baseline, or `module:name` of the user's own.

    Raises:
        RetrieverError: there is none of that name, or it needs a model.
    """
    budget = budget or Budget()
    match spec:
        case "lexical" | "select" | "walk":
            return OwnRetriever(library, spec, budget, model)
        case "bm25" | "chunks" | "whole":
            return Baseline(library, spec, budget)
    module, colon, attribute = spec.partition(":")
    if not (module and colon and attribute):
        raise RetrieverError(
            f"There is no retriever {spec!r}. There are {', '.join((*NAVIGATORS, *BASELINES))}, and module:name for one of your own."
        )
    # A script's folder is on the path; that of a command is not.
    sys.path.insert(0, str(Path.cwd()))
    try:
        target = importlib.import_module(module)
        for name in attribute.split("."):
            target = getattr(target, name)
    except (ImportError, AttributeError) as error:
        raise RetrieverError(f"{spec} cannot be loaded ({error}).") from error
    finally:
        sys.path.remove(str(Path.cwd()))
    return Foreign(library, spec, target, budget)


def _entry(target: object, name: str) -> tuple[Callable[..., object], bool]:
    """What to call with a question, and whether it wants to know the documents."""
    # LangChain's retrievers are called with `ainvoke`, LlamaIndex's with `aretrieve`; functions as they are.
    for method in ("ainvoke", "aretrieve", "invoke", "retrieve"):
        found = getattr(target, method, None)
        if callable(found):
            return found, False
    if not callable(target):
        raise RetrieverError(f"{name} is no function from a question to passages, and no retriever.")
    return target, "documents" in inspect.signature(target).parameters


async def _called(call: Callable[..., object], *arguments: object, **named_ones: object) -> object:
    if inspect.iscoroutinefunction(call):
        return await call(*arguments, **named_ones)
    given = await asyncio.to_thread(call, *arguments, **named_ones)
    return await given if isinstance(given, Awaitable) else given


def _read_passage(passage: object, name: str) -> tuple[str, int | None, int | None, str]:
    """Document, first and last page, and text of a passage, in whatever form it comes."""
    if isinstance(passage, Mapping):
        pages = passage.get("pages", passage.get("page"))
        numbers = [pages] if isinstance(pages, int) else [one for one in pages or () if isinstance(one, int)]
        document, text = passage.get("document", ""), passage.get("text", "")
        return str(document), min(numbers, default=None), max(numbers, default=None), str(text)
    metadata = getattr(passage, "metadata", None)
    if not isinstance(metadata, Mapping):
        raise RetrieverError(
            f"{name} gave {type(passage).__name__}; a passage is a mapping with document, pages and text."
        )
    content = getattr(passage, "page_content", None)
    start, end = metadata.get("page_start"), metadata.get("page_end")
    if isinstance(content, str):
        if isinstance(start, int) and isinstance(end, int):
            return str(metadata.get("source", "")), start, end, content
        page = metadata.get("page")
        at = page + 1 if isinstance(page, int) else None
        return str(metadata.get("source", "")), at, at, content
    get_content = getattr(passage, "get_content", None)
    text = str(get_content()) if callable(get_content) else ""
    document = str(metadata.get("file_name", metadata.get("file_path", metadata.get("source", ""))))
    if isinstance(start, int) and isinstance(end, int):
        return document, start, end, text
    label = str(metadata.get("page_label", ""))
    at = int(label) if label.isdigit() else None
    return document, at, at, text


def _lines_of(tree: Tree, pages: PageRange | None) -> LineRange:
    held = [lines for page in pages or () if (lines := tree.page(page).lines) is not None]
    return LineRange(held[0].first, held[-1].last) if held else LineRange(1, max(1, len(tree.lines)))


def _within(evidence: Sequence[Evidence], budget: int) -> list[Evidence]:
    """What fits, whole pieces from the beginning, the best in any case."""
    kept: list[Evidence] = []
    used = 0
    for one in evidence:
        used += estimate_tokens(one.text)
        if kept and used > budget:
            break
        kept.append(one)
    return kept


def _retrieval(question: Question, evidence: Sequence[Evidence], name: str) -> Retrieval:
    outcome = f"{len(evidence)} passage{'' if len(evidence) == 1 else 's'}"
    return Retrieval(question.question, tuple(evidence), Trail((Step("retrieve", name, "", outcome),)), not evidence)
