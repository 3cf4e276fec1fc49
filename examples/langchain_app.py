"""An assistant over long documents, with LangChain: it cites pages, and each citation is checked.

    python examples/langchain_app.py annual-report.pdf "Which rate applies to the term loan?"    # passages, no model
    python examples/langchain_app.py annual-report.pdf --model openai:gpt-5-mini                 # a conversation

Needs `pip install 'langchain-thumbindex[agents]'`, and the package of the model's provider.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.memory import InMemorySaver

from langchain_thumbindex import ThumbIndexRetriever, ThumbIndexToolkit
from langchain_thumbindex.agents import CitationMiddleware
from thumbindex import Budget, Library

SYSTEM = "You answer questions about the documents at hand, briefly. "


def show(documents: Iterable[Document]) -> Iterator[str]:
    """Formats passages: the place, then the text."""
    for document in documents:
        place = document.metadata
        where = f"p. {place['page_start']}" if "page_start" in place else f"line {place['line_start']}"
        yield f"{place['source']}, {where}: {place['section_path']}\n{document.page_content}\n"


class Assistant:
    """An agent with tools over a library and a memory of the conversation."""

    def __init__(self, library: Library, model: BaseChatModel) -> None:
        toolkit = ThumbIndexToolkit(library)
        self._agent: Any = create_agent(
            model,
            tools=toolkit.get_tools(),
            system_prompt=SYSTEM + toolkit.instructions,
            middleware=[CitationMiddleware(library, on_failure="annotate")],
            checkpointer=InMemorySaver(),
        )

    def ask(self, question: str) -> Iterator[str]:
        """Yields what the tools find as they find it, then the answer, then the status of each citation."""
        asked = {"messages": [("user", question)]}
        thread = {"configurable": {"thread_id": "conversation"}}
        state: dict[str, Any] = {}
        for mode, chunk in self._agent.stream(asked, thread, stream_mode=["custom", "values"]):
            if mode == "values":
                state = chunk
            else:
                cited = dict.fromkeys(section["citation"] for section in chunk["sections"])
                yield f"  {chunk['tool']}: {', '.join(cited) or 'no section'}"
        yield state["messages"][-1].text
        for citation in state["citations"]["citations"]:
            yield f"  {citation['written']} {citation['status']}"


def main(arguments: Sequence[str] | None = None, model: BaseChatModel | None = None) -> None:
    """Answers one question, or converses until an empty line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="files, and last the question if there is no conversation")
    parser.add_argument("--model", help="provider:model, as LangChain's init_chat_model takes it")
    parser.add_argument("--library", help="file of the library, so that the next start reads nothing again")
    options = parser.parse_args(arguments)
    *files, last = options.files
    has_question = last.endswith("?")
    library = Library.from_files(files if has_question else options.files, path=options.library)
    model = model or (init_chat_model(options.model) if options.model else None)
    retriever = ThumbIndexRetriever(library=library, k=3, budget=Budget(evidence_tokens=1500))
    assistant = None if model is None else Assistant(library, model)
    questions: Iterable[str] = [last] if has_question else iter(lambda: input("? ").strip(), "")
    for question in questions:
        for line in assistant.ask(question) if assistant else show(retriever.invoke(question)):
            print(line)


if __name__ == "__main__":
    main()
