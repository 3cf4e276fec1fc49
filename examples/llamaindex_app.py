"""An assistant for long documents in one file, on LlamaIndex.

    python examples/llamaindex_app.py examples/annual-report.pdf --question "Which rate applies to the term loan?"
    python examples/llamaindex_app.py examples/annual-report.pdf --model gpt-5-mini --navigator select

Without a model it shows the sections that fit, with their pages. With one it answers from them and names its sources; without a
question it converses. Documents stay in the file `--library` and are read again only when they have changed.

Needs `pip install llama-index-retrievers-thumbindex`, and for a model `pip install llama-index-llms-openai-like`; the key is
taken from OPENAI_API_KEY. `--base-url` names any server that speaks OpenAI's protocol.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.llms.llm import LLM
from llama_index.core.schema import NodeWithScore

from llama_index.retrievers.thumbindex import ThumbIndexRetriever, TreeStepEvent
from thumbindex import Library
from thumbindex.errors import ThumbIndexError
from thumbindex.navigation import NAVIGATOR_NAMES


class PrintSteps(BaseEventHandler):
    """Prints each step of a search to the error stream, as it happens."""

    def handle(self, event: BaseEvent, **kwargs: object) -> None:  # noqa: ARG002, LlamaIndex names them
        if isinstance(event, TreeStepEvent):
            print(f"  {event.action} {event.target}".rstrip(), file=sys.stderr)


def main(arguments: Sequence[str] | None = None, llm: LLM | None = None) -> int:
    """Runs the assistant; `llm` replaces the model that the arguments name."""
    options = _options(arguments)
    if options.model and llm is None:
        llm = _model(options)
    if options.navigator != "lexical" and llm is None:
        print(f"--navigator {options.navigator} needs --model.", file=sys.stderr)
        return 2
    get_dispatcher().add_event_handler(PrintSteps())
    try:
        library = Library.from_files(options.files, path=options.library)
        retriever = ThumbIndexRetriever(library, similarity_top_k=4, navigator=options.navigator, llm=llm)
        if options.question:
            answer(retriever, options.question, llm)
        else:
            converse(retriever, llm)
    except ThumbIndexError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def answer(retriever: ThumbIndexRetriever, question: str, llm: LLM | None) -> None:
    """Prints what the documents say about a question."""
    if llm is None:
        for found in retriever.retrieve(question):
            print(f"{source(found)}\n{found.get_content()}\n")
        return
    response = retriever.as_query_engine(llm=llm).query(question)
    print(response)
    print(*(source(found) for found in response.source_nodes), sep="\n")


def converse(retriever: ThumbIndexRetriever, llm: LLM | None) -> None:
    """Answers line by line until an empty one; with a model, later questions may refer to earlier ones."""
    chat = None if llm is None else retriever.as_chat_engine(llm=llm)
    while question := _line():
        if chat is None:
            answer(retriever, question, None)
            continue
        response = chat.stream_chat(question)
        for piece in response.response_gen:
            print(piece, end="", flush=True)
        print()
        print(*(source(found) for found in response.source_nodes), sep="\n")


def source(found: NodeWithScore) -> str:
    """File, page and section of a node, in one line."""
    metadata = found.node.metadata
    page = f", p. {metadata['page_label']}" if "page_label" in metadata else ""
    return f"[{metadata['file_name']}{page}] {metadata['section_path']}"


def _line() -> str:
    try:
        return input("? ").strip()
    except EOFError:
        return ""


def _model(options: argparse.Namespace) -> LLM:
    from llama_index.llms.openai_like import OpenAILike  # type: ignore[import-untyped,import-not-found,unused-ignore]

    model: LLM = OpenAILike(
        model=options.model,
        api_base=options.base_url,
        api_key=os.environ.get("OPENAI_API_KEY", "none"),
        context_window=options.context,
        is_chat_model=True,
    )
    return model


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="+", help="documents: PDF, Markdown and others")
    parser.add_argument("--question", help="asked once; without it questions are read line by line")
    parser.add_argument("--library", help="file of the library; in memory without it")
    parser.add_argument(
        "--model", help="name of the model that answers, and that finds sections unless --navigator is lexical"
    )
    parser.add_argument("--base-url", default="https://api.openai.com/v1", help="server of the model")
    parser.add_argument("--context", type=int, default=16_000, help="context window of the model, in tokens")
    parser.add_argument("--navigator", choices=NAVIGATOR_NAMES, default="lexical", help="how sections are found")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
