"""Middleware for LangChain's agents that checks the citations of a final answer: `langchain-thumbindex[agents]`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
    from langchain.agents.middleware.types import PrivateStateAttr
    from langgraph.runtime import Runtime
except ImportError as missing:
    raise ImportError(
        "langchain_thumbindex.agents needs LangChain's agents: pip install 'langchain-thumbindex[agents]'"
    ) from missing

from pydantic import TypeAdapter

from thumbindex.citations import Checked, ReadLog, annotate, repair_request
from thumbindex.errors import ThumbIndexError
from thumbindex.evidence import Citation
from thumbindex.library_view import LibraryView

from .filters import Filters, to_scope
from .toolkit import ThumbIndexToolkit, artifact_documents

__all__ = ["CitationMiddleware", "CitationState", "CitationsFailed"]

if TYPE_CHECKING:
    _Middleware = AgentMiddleware[Any, Any, Any]
else:
    _Middleware = AgentMiddleware  # which had two parameters in langchain 1.0

_CITATIONS = TypeAdapter(tuple[Citation, ...])
REQUEST_NAME = "citation_check"
"""Name of the message that asks the model for a repair."""


class CitationsFailed(ThumbIndexError):
    """The citations of an answer failed, after all repairs; `checked` has each citation with its status."""

    def __init__(self, checked: Checked) -> None:
        super().__init__(repair_request(checked))
        self.checked = checked


class CitationState(AgentState[Any]):
    """The agent's state with the check of its answer in `citations`.

    `citations` is plain data: whether the answer `passes`, its `citations`, each with its `status`, the `uncited` sentences that
    contain a figure or a quote, and the number of `repairs`.
    """

    citations: NotRequired[dict[str, Any]]
    documents_read: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]
    citation_repairs: NotRequired[Annotated[int, PrivateStateAttr]]


class CitationMiddleware(_Middleware):
    """Checks that an agent has read the passages that its final answer cites, and that they support it. Calls no model.

    The read log is filled from the run's tool messages: from messages of our tools with exactly the lines that they show, from
    those of a retriever tool with the documents whose whole text is in the message. It is part of the agent's state, so that
    checkpoints include it and a summary of the conversation does not lose it; put this middleware before one that removes
    messages.

    Args:
        library: The toolkit whose tools the agent has: its documents are compared, and no others. Or their library, or a view,
            which has to show no more documents than the tools do: the check says where else a sentence stands.
        documents: Ids or names of the documents that the run may see; None for all.
        filters: Conditions on a document's metadata; see `Filters`.
        repairs: Number of times that a run may be asked to repair an answer that does not pass.
        on_failure: Treatment of an answer that does not pass in the end: "report" leaves it and reports in the state's
            `citations`; "annotate" adds a remark behind each citation that fails; "raise" ends the run with `CitationsFailed`.
        prefix: The toolkit's `prefix`; None takes that of the toolkit that is given.

    Raises:
        DocumentNotFound: one of `documents` is not in the library.
        ValueError: filters or a value of `on_failure` that is not allowed.
    """

    state_schema = CitationState

    def __init__(
        self,
        library: LibraryView | ThumbIndexToolkit,
        *,
        documents: Sequence[str] | None = None,
        filters: Filters | None = None,
        repairs: int = 1,
        on_failure: Literal["report", "annotate", "raise"] = "report",
        prefix: str | None = None,
    ) -> None:
        super().__init__()
        if isinstance(library, ThumbIndexToolkit):
            prefix = library.prefix if prefix is None else prefix
            library = library.library
        if on_failure not in ("report", "annotate", "raise"):
            raise ValueError(f"on_failure is 'report', 'annotate' or 'raise', not {on_failure!r}.")
        self.tools = []
        self._view = library.view(to_scope(documents, filters))
        self._repairs, self._on_failure, self._prefix = repairs, on_failure, prefix or ""

    def before_agent(self, state: CitationState, runtime: Runtime[Any]) -> dict[str, Any]:  # noqa: ARG002
        """Starts a new question, with its own repairs."""
        return {"citation_repairs": 0, "citations": {}}

    def before_model(self, state: CitationState, runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002
        """Records what was read since the last model call."""
        saved = state.get("documents_read")
        messages = state["messages"] if saved is None else _latest(state["messages"])
        read_log = self._read_log(saved, messages)
        return None if read_log.to_json() == saved else {"documents_read": read_log.to_json()}

    async def abefore_model(self, state: CitationState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """`before_model` in a thread: it reads the library."""
        return await asyncio.to_thread(self.before_model, state, runtime)

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: CitationState, runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002
        """Checks a final answer, and asks for a repair if it does not pass."""
        message = state["messages"][-1]
        structured = state.get("structured_response")
        if structured is None and (not isinstance(message, AIMessage) or message.tool_calls):
            return None
        question = next((message.text for message in reversed(state["messages"]) if _is_question(message)), "")
        read_log = self._read_log(state.get("documents_read"), [])
        checked = read_log.check(message.text if structured is None else structured, question=question)
        repairs = state.get("citation_repairs", 0)
        if not checked.passes and repairs < self._repairs:
            request = HumanMessage(repair_request(checked, prefix=self._prefix), name=REQUEST_NAME)
            return {"messages": [request], "citation_repairs": repairs + 1, "jump_to": "model"} | (
                {} if structured is None else {"structured_response": None}
            )
        if not checked.passes and self._on_failure == "raise":
            raise CitationsFailed(checked)
        update: dict[str, Any] = {
            "citations": {
                "passes": checked.passes,
                "citations": _CITATIONS.dump_python(checked.citations, mode="json"),
                "uncited": list(checked.uncited),
                "repairs": repairs,
            }
        }
        if not checked.passes and self._on_failure == "annotate" and structured is None:
            # A message with the same id replaces the one in the state.
            update["messages"] = [message.model_copy(update={"content": annotate(message.text, checked)})]
        return update

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: CitationState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """`after_model` in a thread: it reads the library."""
        return await asyncio.to_thread(self.after_model, state, runtime)

    def _read_log(self, saved: object, messages: Iterable[AnyMessage]) -> ReadLog:
        """The saved read log with the text of further messages."""
        read_log = ReadLog.from_json(self._view, saved or {})
        for message in messages:
            if isinstance(message, ToolMessage) and message.status != "error":
                read_log.record_text(message.text)
                for document in artifact_documents(message):
                    if document.page_content in message.text:
                        read_log.record_artifact(document.metadata)
        return read_log


def _latest(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """The messages since the model's last reply."""
    return list(takewhile(lambda message: not isinstance(message, AIMessage), reversed(messages)))


def _is_question(message: AnyMessage) -> bool:
    return isinstance(message, HumanMessage) and message.name != REQUEST_NAME
