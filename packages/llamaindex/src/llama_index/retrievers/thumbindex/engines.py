"""Query and chat engines over a retriever, as LlamaIndex's indexes make them over theirs."""

from __future__ import annotations

from collections.abc import Mapping
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

_WITHOUT_MODEL: Mapping[ResponseMode, type[BaseSynthesizer]] = {
    ResponseMode.NO_TEXT: NoText,
    ResponseMode.CONTEXT_ONLY: ContextOnly,
}
"""Modes that give what was found and call no model."""

NARROWING = ("documents", "filters", "similarity_top_k")


def split_arguments(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Those for the retriever, and those for the engine; an index takes both in one call."""
    narrow = {name: value for name, value in arguments.items() if name in NARROWING}
    return narrow, {name: value for name, value in arguments.items() if name not in NARROWING}


def query_engine(retriever: BaseRetriever, llm: LLM | None, arguments: Mapping[str, Any]) -> BaseQueryEngine:
    """An engine that answers from what the retriever finds."""
    of_mode = _WITHOUT_MODEL.get(ResponseMode(arguments.get("response_mode", ResponseMode.COMPACT)))
    if of_mode is not None and "response_synthesizer" not in arguments:
        # LlamaIndex resolves `Settings.llm` for these too, which fails without a key, though it never calls it.
        unused = MockLLM()
        arguments = {**arguments, "response_synthesizer": of_mode(llm=unused)}
        llm = llm or unused
    return RetrieverQueryEngine.from_args(retriever, llm=llm, **arguments)


def chat_engine(
    retriever: BaseRetriever, mode: ChatMode, llm: LLM | None, arguments: Mapping[str, Any]
) -> BaseChatEngine:
    """An engine that converses about what the retriever finds.

    Raises:
        ValueError: a mode that LlamaIndex has given up or that needs an index.
    """
    match mode:
        case ChatMode.BEST | ChatMode.CONDENSE_PLUS_CONTEXT:
            return CondensePlusContextChatEngine.from_defaults(retriever=retriever, llm=llm, **arguments)
        case ChatMode.CONTEXT:
            return ContextChatEngine.from_defaults(retriever=retriever, llm=llm, **arguments)
        case ChatMode.CONDENSE_QUESTION:
            engine = query_engine(retriever, llm, arguments)
            return CondenseQuestionChatEngine.from_defaults(query_engine=engine, llm=llm, **arguments)
        case ChatMode.SIMPLE:
            return SimpleChatEngine.from_defaults(llm=llm, **arguments)
        case _:
            raise ValueError(
                f"The chat mode {mode.value!r} is none of 'condense_plus_context', 'context', 'condense_question' and 'simple'. "
                "For an agent use FunctionAgent with a QueryEngineTool, or with the tools of ThumbIndexToolSpec."
            )
