"""Retrievers by name, as the command line gives them."""

from __future__ import annotations

from typing import cast

from ..budget import Budget
from ..library_view import LibraryView
from ..models import ChatModel
from ..navigation import NAVIGATOR_NAMES, NavigatorName
from .baselines import BASELINE_NAMES, Baseline, BaselineName
from .external import ExternalRetriever, load_target
from .own import OwnRetriever
from .protocol import EVALUATION_BUDGET, Retriever, RetrieverError


def make_retriever(
    spec: str,
    library: LibraryView,
    *,
    model: ChatModel | None = None,
    k: int = 10,
    budget: Budget = EVALUATION_BUDGET,
) -> Retriever:
    """The retriever with that name: a navigator, a baseline, or `module:name` of the user's own.

    Args:
        model: Navigates for `select` and `walk`.
        k: Maximum number of sections, pages or chunks.
        budget: Limits the evidence.

    Raises:
        RetrieverError: there is no such retriever, or it needs a model.
    """
    if spec in NAVIGATOR_NAMES:
        return OwnRetriever(library, cast(NavigatorName, spec), k, budget, model)
    if spec in BASELINE_NAMES:
        return Baseline(library, cast(BaselineName, spec), k, budget)
    module, _, name = spec.partition(":")
    if not (module and name):
        known = ", ".join((*NAVIGATOR_NAMES, *BASELINE_NAMES))
        raise RetrieverError(f"There is no retriever {spec!r}. There are {known}, and module:name for one of your own.")
    return ExternalRetriever(library, spec, load_target(spec), k, budget)
