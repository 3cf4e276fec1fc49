"""Navigators by name, for the edges where a name is all there is: the command line, settings of adapters, evaluation."""

from __future__ import annotations

from typing import Literal, get_args

from ..models import PROMPTS, ChatModel, Prompts
from .lexical import Lexical
from .protocol import Navigator
from .select import Select
from .several import MAX_DOCUMENTS
from .walk import Walk
from .walk_state import WalkLimits

NavigatorName = Literal["lexical", "select", "walk"]
"""`lexical` calls no model, `select` calls it once for each document, `walk` once per step."""

NAVIGATOR_NAMES: tuple[str, ...] = get_args(NavigatorName)


def navigator_named(
    name: str | None,
    model: ChatModel | None = None,
    *,
    max_documents: int = MAX_DOCUMENTS,
    limits: WalkLimits | None = None,
    exact_k: bool = False,
    prompts: Prompts = PROMPTS,
) -> Navigator:
    """The navigator with that name; None stands for `select` with a model and for `lexical` without.

    Args:
        limits: Of a walk.
        exact_k: Of a walk.

    Raises:
        ValueError: there is no such navigator, or it needs a model and there is none.
    """
    name = name or ("lexical" if model is None else "select")
    if name not in NAVIGATOR_NAMES:
        raise ValueError(f"There is no navigator {name!r}; there are {', '.join(NAVIGATOR_NAMES)}.")
    if name == "lexical":
        return Lexical()
    if model is None:
        raise ValueError(f"The navigator {name!r} needs a model: pass model=OpenAIChat(...).")
    if name == "select":
        return Select(model, max_documents=max_documents, prompts=prompts)
    return Walk(model, max_documents=max_documents, limits=limits or WalkLimits(), exact_k=exact_k, prompts=prompts)
