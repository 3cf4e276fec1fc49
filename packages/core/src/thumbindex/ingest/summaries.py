"""Summarizing the sections of a document, with a model or without, and storing given summaries."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, MutableMapping

from ..models import PROMPTS, ChatModel, Prompts
from ..store import DocumentInfo, Store
from ..store.lookup import missing_section
from ..store.trees import TreeCache
from ..summarize import Summaries, by_model, extractive
from ..text.characters import replace_surrogates_in
from ..text.languages import STOP_WORDS


def set_summaries(store: Store, trees: TreeCache, info: DocumentInfo, summaries: Mapping[str, str]) -> None:
    """Stores summaries by section id; an empty text removes one.

    Raises:
        SectionNotFound: The document has no such section.
    """
    tree = trees.get(info)
    for section in summaries:
        if section not in tree:
            raise missing_section(store, info, tree, section)
    store.set_summaries(info.doc_id, replace_surrogates_in(summaries))
    trees.forget(info)


async def summarize_document(
    store: Store,
    trees: TreeCache,
    info: DocumentInfo,
    *,
    model: ChatModel | None,
    max_summary_tokens: int,
    concurrency: int,
    prompts: Prompts = PROMPTS,
    cache: MutableMapping[str, str],
) -> Summaries:
    """Summarizes the sections of a document; see `Library.summarize`."""
    tree = await asyncio.to_thread(trees.get, info)
    function_words = STOP_WORDS.get(info.language, frozenset())
    phrases = await asyncio.to_thread(
        extractive.summarize, tree, max_tokens=max_summary_tokens, function_words=function_words
    )
    if model is None:
        await asyncio.to_thread(set_summaries, store, trees, info, phrases)
        return Summaries(phrases)
    written: dict[str, str] = {}
    try:
        made = await by_model.summarize(
            tree,
            model,
            fallback=phrases,
            cache=cache,
            max_tokens=max_summary_tokens,
            concurrency=concurrency,
            prompts=prompts,
            on_summary=written.__setitem__,
        )
    finally:
        # Summaries that the model wrote before it failed are paid for.
        await asyncio.to_thread(set_summaries, store, trees, info, written)
    if made.description:
        await asyncio.to_thread(store.add_metadata, info.doc_id, {"description": made.description})
    return made
