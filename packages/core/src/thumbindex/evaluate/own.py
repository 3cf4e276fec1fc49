"""The package's own navigators under evaluation."""

from __future__ import annotations

from dataclasses import replace

from ..async_library import AsyncLibraryView
from ..budget import Budget
from ..evidence import Answer, Retrieval
from ..library_view import LibraryView
from ..models import ChatModel, Prompts, Usage, UsageLimiter
from ..navigation import NavigatorName, navigator_named
from .protocol import Found, RetrieverError
from .questions import Question, scope_of


class OwnRetriever:
    """One of the package's navigators, as `Library.ask` uses it: the evidence fits the budget, short documents are read whole.

    Args:
        model: Navigates; None for `lexical`.

    Raises:
        RetrieverError: the navigator needs a model.
    """

    is_ranked = True

    def __init__(
        self, library: LibraryView, name: NavigatorName, k: int, budget: Budget, model: ChatModel | None = None
    ) -> None:
        if name != "lexical" and model is None:
            raise RetrieverError(f"The navigator {name} needs a model: name one.")
        self._library, self._name, self._k, self._budget = library, name, k, budget
        self.model = None if name == "lexical" else model

    @property
    def name(self) -> str:
        """`lexical`, `select` or `walk`."""
        return self._name

    async def retrieve(self, question: Question) -> Found:
        """Finds sections without answering."""
        limiter = None if self.model is None else UsageLimiter(self.model)
        found = await AsyncLibraryView(self._library).retrieve(
            question.question,
            k=self._k,
            navigator=navigator_named(self._name, limiter),
            scope=scope_of(question, self._library),
            budget=self._budget,
        )
        return Found(found, Usage() if limiter is None else limiter.usage)

    async def ask(self, question: Question, model: ChatModel, *, prompts: Prompts) -> tuple[Found, Answer]:
        """Answers a question; returns the retrieval and the answer, each with the usage of its own calls."""
        navigating, answering = UsageLimiter(self.model or model), UsageLimiter(model)
        answer = await AsyncLibraryView(self._library).ask(
            question.question,
            model=answering,
            navigator=navigator_named(self._name, navigating, prompts=prompts),
            k=self._k,
            scope=scope_of(question, self._library),
            budget=self._budget,
            prompts=prompts,
        )
        found = Retrieval(question.question, answer.evidence, answer.trail)
        return Found(found, navigating.usage), replace(answer, usage=answering.usage)
