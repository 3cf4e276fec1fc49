"""Query and chat engines over a retriever, with the arguments that LlamaIndex's indexes take."""

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
from llama_index.core.response_synthesizers import ResponseMode
from llama_index.core.response_synthesizers.context_only import ContextOnly
from llama_index.core.response_synthesizers.no_text import NoText

_WITHOUT_LLM = {ResponseMode.NO_TEXT: NoText, ResponseMode.CONTEXT_ONLY: ContextOnly}
_CHAT_ENGINES: Mapping[ChatMode, type[CondensePlusContextChatEngine | ContextChatEngine]] = {
    ChatMode.BEST: CondensePlusContextChatEngine,
    ChatMode.CONDENSE_PLUS_CONTEXT: CondensePlusContextChatEngine,
    ChatMode.CONTEXT: ContextChatEngine,
}


def query_engine(retriever: BaseRetriever, llm: LLM | None, arguments: Mapping[str, Any]) -> BaseQueryEngine:
    """An engine that answers from what the retriever finds.

    Raises:
        TypeError: an argument that the engine does not take.
    """
    _check(arguments, RetrieverQueryEngine.from_args)
    synthesizer = _WITHOUT_LLM.get(ResponseMode(arguments.get("response_mode", ResponseMode.COMPACT)))
    if synthesizer is not None and "response_synthesizer" not in arguments:
        # LlamaIndex resolves `Settings.llm` for these too, which fails without a key, though it never calls it.
        llm = llm or MockLLM()
        arguments = {**arguments, "response_synthesizer": synthesizer(llm=llm)}
    return RetrieverQueryEngine.from_args(retriever, llm=llm, **arguments)


def chat_engine(
    retriever: BaseRetriever, mode: ChatMode, llm: LLM | None, arguments: Mapping[str, Any]
) -> BaseChatEngine:
    """An engine that converses about what the retriever finds.

    Raises:
        TypeError: an argument that the engine does not take.
        ValueError: a mode that LlamaIndex no longer supports.
    """
    if mode in _CHAT_ENGINES:
        make = _CHAT_ENGINES[mode].from_defaults
        _check(arguments, make)
        return make(retriever=retriever, llm=llm, **arguments)
    if mode is ChatMode.SIMPLE:
        _check(arguments, SimpleChatEngine.from_defaults)
        return SimpleChatEngine.from_defaults(llm=llm, **arguments)
    if mode is ChatMode.CONDENSE_QUESTION:
        makers = (RetrieverQueryEngine.from_args, CondenseQuestionChatEngine.from_defaults)
        _check(arguments, *makers)
        answering, condensing = (
            {name: arguments[name] for name in arguments.keys() & _names(maker)} for maker in makers
        )
        engine = query_engine(retriever, llm, answering)
        return CondenseQuestionChatEngine.from_defaults(query_engine=engine, llm=llm, **condensing)
    raise ValueError(
        f"The chat mode {mode.value!r} is none of 'condense_plus_context', 'context', 'condense_question' and 'simple'. "
        "For an agent use FunctionAgent with a QueryEngineTool, or with the tools of ThumbIndexToolSpec."
    )


def _check(arguments: Mapping[str, Any], *makers: Callable[..., object]) -> None:
    """Refuses what none of these takes: LlamaIndex ignores it, and it may have been meant to narrow the search."""
    known = set[str]().union(*map(_names, makers))
    if unknown := sorted(arguments.keys() - known):
        raise TypeError(
            f"The engine takes no {', '.join(unknown)}. The search is narrowed by documents, filters, similarity_top_k; other "
            "settings of a retriever are given where it is made."
        )


def _names(maker: Callable[..., object]) -> set[str]:
    parameters = inspect.signature(maker).parameters.values()
    return {parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD}
