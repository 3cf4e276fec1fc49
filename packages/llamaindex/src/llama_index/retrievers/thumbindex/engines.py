"""Query and chat engines over a retriever, as LlamaIndex's indexes make them over theirs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.chat_engine.types import BaseChatEngine, ChatMode
from llama_index.core.llms import MockLLM
from llama_index.core.llms.llm import LLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import BaseSynthesizer, ResponseMode
from llama_index.core.response_synthesizers.context_only import ContextOnly
from llama_index.core.response_synthesizers.no_text import NoText

NARROWING = ("documents", "filters", "similarity_top_k")

_WITHOUT_MODEL: Mapping[ResponseMode, type[BaseSynthesizer]] = {
    ResponseMode.NO_TEXT: NoText,
    ResponseMode.CONTEXT_ONLY: ContextOnly,
}
"""Modes that give what was found and call no model."""


def split_arguments(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Those that narrow the retriever, and those for the engine; an index takes both in one call."""
    narrow = {name: value for name, value in arguments.items() if name in NARROWING}
    return narrow, {name: value for name, value in arguments.items() if name not in NARROWING}


def query_engine(retriever: BaseRetriever, llm: LLM | None, arguments: Mapping[str, Any]) -> BaseQueryEngine:
    """An engine that answers from what the retriever finds.

    Raises:
        TypeError: an argument that the engine does not take.
    """
    (arguments,) = _for_each(arguments, RetrieverQueryEngine.from_args)
    of_mode = _WITHOUT_MODEL.get(ResponseMode(arguments.get("response_mode", ResponseMode.COMPACT)))
    if of_mode is not None and "response_synthesizer" not in arguments:
        # LlamaIndex resolves `Settings.llm` for these too, which fails without a key, though it never calls it.
        unused = MockLLM()
        arguments["response_synthesizer"] = of_mode(llm=unused)
        llm = llm or unused
    return RetrieverQueryEngine.from_args(retriever, llm=llm, **arguments)


def chat_engine(
    retriever: BaseRetriever, mode: ChatMode, llm: LLM | None, arguments: Mapping[str, Any]
) -> BaseChatEngine:
    """An engine that converses about what the retriever finds.

    Raises:
        TypeError: an argument that the engine does not take.
        ValueError: a mode that LlamaIndex has given up.
    """
    match mode:
        case ChatMode.BEST | ChatMode.CONDENSE_PLUS_CONTEXT:
            make = CondensePlusContextChatEngine.from_defaults
            return make(retriever=retriever, llm=llm, **_for_each(arguments, make)[0])
        case ChatMode.CONTEXT:
            return ContextChatEngine.from_defaults(
                retriever=retriever, llm=llm, **_for_each(arguments, ContextChatEngine.from_defaults)[0]
            )
        case ChatMode.CONDENSE_QUESTION:
            condensing, answering = _for_each(
                arguments, CondenseQuestionChatEngine.from_defaults, RetrieverQueryEngine.from_args
            )
            engine = query_engine(retriever, llm, answering)
            return CondenseQuestionChatEngine.from_defaults(query_engine=engine, llm=llm, **condensing)
        case ChatMode.SIMPLE:
            return SimpleChatEngine.from_defaults(llm=llm, **_for_each(arguments, SimpleChatEngine.from_defaults)[0])
        case _:
            raise ValueError(
                f"The chat mode {mode.value!r} is none of 'condense_plus_context', 'context', 'condense_question' and 'simple'. "
                "For an agent use FunctionAgent with a QueryEngineTool, or with the tools of ThumbIndexToolSpec."
            )


def _for_each(arguments: Mapping[str, Any], *makers: Callable[..., object]) -> list[dict[str, Any]]:
    """The arguments that each maker names.

    Those that none names are refused: LlamaIndex passes over them in silence, and they may have been meant to narrow the search.
    """
    named = [
        {name for name, one in inspect.signature(maker).parameters.items() if one.kind is not one.VAR_KEYWORD}
        for maker in makers
    ]
    if unknown := sorted(arguments.keys() - set().union(*named)):
        raise TypeError(
            f"The engine takes no {', '.join(unknown)}. The search is narrowed by {', '.join(NARROWING)}; other settings of a "
            "retriever are given where it is made."
        )
    return [{name: value for name, value in arguments.items() if name in names} for names in named]
