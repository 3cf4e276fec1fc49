"""The navigator protocol: generators that ask for what they need, so that one protocol serves sync and async code.

A navigator is free of I/O. It yields requests (a model call, a lookup in the documents, several flows side by side) and
is sent the replies; `drive.py` carries the requests out. The same idea as httpx's `Auth.auth_flow`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from inspect import iscoroutine
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar, cast, runtime_checkable

from ..budget import Budget
from ..errors import InvalidNavigator
from ..evidence import Retrieval
from ..models import ChatModel, JsonSchema, Message, Reply
from ..trail import Step

if TYPE_CHECKING:
    from .lookups import SearchableDocuments

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Chat:
    """Requests a model's reply to a conversation; the response is a `Reply`.

    Args:
        is_answer: Whether the reply is text for a reader, who may watch it being written.
    """

    model: ChatModel
    messages: Sequence[Message]
    schema: JsonSchema | None = None
    max_tokens: int | None = None
    is_answer: bool = False


class Lookup(Protocol[T_co]):
    """Requests something from the documents: a search, a read. The response is what `look_up` returns."""

    def look_up(self, documents: SearchableDocuments, /) -> T_co:
        """Reads the documents; called in a worker thread, inside one snapshot of the library."""
        ...


@dataclass(frozen=True, slots=True)
class Report:
    """Hands a step of the trail to whoever watches; there is no response."""

    step: Step


@dataclass(frozen=True, slots=True)
class Written:
    """Hands text of an answer that no model wrote to whoever watches it being written; there is no response."""

    text: str


@dataclass(frozen=True, slots=True)
class Together(Generic[T]):
    """Requests several flows to run at the same time; the response is the list of their results.

    The first that fails stops the others, and its error is raised.
    """

    flows: Sequence[Flow[T]]


Request: TypeAlias = "Chat | Report | Written | Together[Any] | Lookup[Any]"
Flow: TypeAlias = Generator["Request", Any, T]
"""A generator that ends with a result: it yields requests and is sent their responses."""


def look_up(request: Lookup[T]) -> Flow[T]:
    """Yields a lookup and returns its response, with its type."""
    # The driver answers each request with the type that its class promises; generators cannot say that.
    return cast(T, (yield request))


def chat(request: Chat) -> Flow[Reply]:
    """Yields a model call and returns the reply, with its type."""
    return cast(Reply, (yield request))


def together(flows: Sequence[Flow[T]]) -> Flow[list[T]]:
    """Runs flows side by side and returns their results in order."""
    return cast(list[T], (yield Together(flows)))


@dataclass(frozen=True, slots=True)
class Task:
    """A question for a navigator, with its limits.

    Args:
        question: As asked.
        k: Sections to return.
        budget: Limits on evidence and on model calls; see `Budget`.
        for_answer: Whether an answer is written from the evidence: long sections then come with their further parts, and
            documents with fewer tokens than half the budget are taken whole.
    """

    question: str
    k: int = 4
    budget: Budget = field(default_factory=Budget)
    for_answer: bool = False

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k is the number of sections to return, at least 1, got {self.k}.")


@runtime_checkable
class Navigator(Protocol):
    """Finds the sections that answer a question. `Lexical`, `Select` and `Walk` are the ones that come with the package."""

    @property
    def name(self) -> str:
        """Name of the navigator in trails, tables and on the command line."""
        ...

    def navigate(self, task: Task) -> Flow[Retrieval]:
        """A generator of requests that returns the retrieval.

        Raises:
            ModelError: a model gave no reply.
        """
        ...


def start(navigator: Navigator, task: Task) -> Flow[Retrieval]:
    """Returns the flow of a navigator, which yields its requests and ends with a retrieval.

    Raises:
        InvalidNavigator: Its `navigate` is no generator function, or it ends without a retrieval.
    """
    flow: object = navigator.navigate(task)
    if not isinstance(flow, Generator):
        if iscoroutine(flow):
            flow.close()
        raise InvalidNavigator(
            f"{type(navigator).__name__}.navigate must be a generator: `yield` its requests and `return` a Retrieval at the "
            f"end. It returned {type(flow).__name__} instead."
        )
    return _checked_end(type(navigator).__name__, flow)


def _checked_end(name: str, flow: Flow[Retrieval]) -> Flow[Retrieval]:
    found: object = yield from flow
    if not isinstance(found, Retrieval):
        raise InvalidNavigator(f"{name}.navigate must end with a Retrieval, but it ended with {type(found).__name__}.")
    return found
