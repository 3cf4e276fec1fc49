"""The tool catalogue as function tools with strict schemas, and what belongs to it: instructions and the check of citations."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import count
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from agents import (
    FunctionTool,
    RunContextWrapper,
    RunResult,
    RunResultStreaming,
    SpanError,
    Tool,
    custom_span,
    get_current_span,
)
from agents.tool import FunctionToolCustomDataContext
from agents.tool_context import ToolContext
from pydantic import TypeAdapter, ValidationError

from thumbindex import Library
from thumbindex import tools as catalogue_tools
from thumbindex.citations import Checked, ReadLog, check_together
from thumbindex.errors import DocumentNotFound
from thumbindex.library import find_document

from .guardrail import CitationGuardrail, Mode
from .runs import last_question, outputs, read_log_of

Run: TypeAlias = RunContextWrapper[Any] | RunResult | RunResultStreaming
Scope: TypeAlias = Sequence[str] | Callable[[RunContextWrapper[Any]], Iterable[str] | Awaitable[Iterable[str]]]
"""Documents, by id or name; or a function of the run that says which: the user's own documents."""

_ARGUMENTS = TypeAdapter(dict[str, object])
_keys = count()


class ThumbIndexTools(list[Tool]):
    """A list of tools, as `Agent(tools=...)` wants it.

    Attributes:
        instructions: How to use the tools and to cite, for the agent; put your own before or behind it.
        prefix: Of the tools' names.
    """

    def __init__(
        self,
        library: Library,
        documents: Scope | None,
        *,
        max_output_tokens: int,
        prefix: str,
        timeout: float | None,
    ) -> None:
        self.library, self.prefix = library, prefix
        self.instructions = catalogue_tools.instructions(prefix)
        self._scope = documents
        self._cap = max_output_tokens
        self._key = str(next(_keys))
        self._results: WeakKeyDictionary[object, catalogue_tools.ToolResult] = WeakKeyDictionary()
        # Made at once, so that wrong names and caps are told to who writes them and not to a model.
        named = None if callable(documents) else documents
        self._fixed = catalogue_tools.catalogue(
            library, documents=named, max_output_tokens=max_output_tokens, prefix=prefix
        )
        self._allowed = None if named is None else frozenset(library.get(document).doc_id for document in named)
        super().__init__(self._function_tool(tool, timeout) for tool in self._fixed)

    # What a run may see and has read

    async def allowed(self, context: RunContextWrapper[Any] | None) -> frozenset[str] | None:
        """Ids of the documents that a run may see; None for all. Without a run, a scope that needs one allows none.

        Raises:
            TypeError: the function of the scope returned no list.
        """
        if not callable(self._scope):
            return self._allowed
        if context is None:
            return frozenset()
        scope = self._scope
        if inspect.iscoroutinefunction(scope):
            given = await scope(context)
        else:
            given = await asyncio.to_thread(scope, context)
            given = await given if inspect.isawaitable(given) else given
        if given is None or isinstance(given, str):
            # None must not come to mean every document of every user.
            raise TypeError(f"The function given as documents must return a list of ids or names, not {given!r}.")
        return await asyncio.to_thread(self._ids, list(given))

    def _ids(self, documents: Sequence[str]) -> frozenset[str]:
        infos = self.library.list()
        ids = {info.doc_id for info in infos}
        found = {document for document in documents if document in ids}
        for document in documents:
            if document not in ids:
                # A document that was removed, or a name that several have, is one that this run cannot see.
                try:
                    found.add(find_document(infos, document).doc_id)
                except DocumentNotFound:
                    continue
        return frozenset(found)

    async def read_log(self, run: Run) -> ReadLog:
        """What a run has read through these tools, itself or through other agents, now or in earlier turns of its session."""
        context = run if isinstance(run, RunContextWrapper) else run.context_wrapper
        read_log = ReadLog(self.library, await self.allowed(context))
        await asyncio.to_thread(self._fill, read_log, run, context)
        return read_log

    def _fill(self, read_log: ReadLog, run: Run, context: RunContextWrapper[Any]) -> None:
        read_log.merge(read_log_of(context, self._key, self.library))
        # A result has the items of its own run too, which the context of a run that goes on has not.
        made = [] if isinstance(run, RunContextWrapper) else run.to_input_list()
        for text in dict.fromkeys((*outputs(context.turn_input), *outputs(made))):
            read_log.record_text(text)

    # Checking

    async def acheck(
        self, output: object, run: Run | None = None, *, together_with: Iterable[ThumbIndexTools] = ()
    ) -> Checked:
        """Every citation of an answer, checked against the documents and against what the run has read.

        Args:
            output: A result of the runner, whose final output and reading are checked; or a text or an object.
            run: Whose reading counts, if `output` is no result; without one, nothing was read.
            together_with: Other bundles that the agent has; an answer may cite the documents of any of them.
        """
        if isinstance(output, RunResult | RunResultStreaming):
            run, output = output, output.final_output
        bundles = (self, *together_with)
        question = ""
        if run is None:
            read_logs = [ReadLog(one.library, await one.allowed(None)) for one in bundles]
        else:
            read_logs = [await one.read_log(run) for one in bundles]
            question = last_question(run.turn_input if isinstance(run, RunContextWrapper) else run.input)
        return await asyncio.to_thread(check_together, read_logs, output, question=question)

    def check(
        self, output: object, run: Run | None = None, *, together_with: Iterable[ThumbIndexTools] = ()
    ) -> Checked:
        """`acheck`, for scripts and notebooks."""
        from thumbindex.concurrency.bridge import run_sync

        return run_sync(self.acheck(output, run, together_with=together_with))

    def citation_guardrail(
        self, mode: Mode = "trip", *, together_with: Iterable[ThumbIndexTools] = ()
    ) -> CitationGuardrail:
        """A guardrail that checks the citations of a final answer against what was read: `Agent(output_guardrails=[...])`.

        Args:
            mode: `trip` ends the run with `OutputGuardrailTripwireTriggered` where a citation fails, or a figure or a quote has
                none; `annotate` lets the answer pass. Both leave their findings in the result's `output_guardrail_results`.
            together_with: Other bundles that the agent has; an answer may cite the documents of any of them.
        """
        others = tuple(together_with)

        async def check(output: object, context: RunContextWrapper[Any]) -> Checked:
            return await self.acheck(output, context, together_with=others)

        return CitationGuardrail(check, mode, name=f"{self.prefix}citations", prefix=self.prefix)

    # Running

    async def _run(self, name: str, context: ToolContext[Any], given: dict[str, object]) -> catalogue_tools.ToolResult:
        tools = self._fixed
        if callable(self._scope):
            allowed = sorted(await self.allowed(context) or ())
            tools = await asyncio.to_thread(
                catalogue_tools.catalogue,
                self.library,
                documents=allowed,
                max_output_tokens=self._cap,
                prefix=self.prefix,
            )
        (tool,) = (tool for tool in tools if tool.name == name)
        result = await asyncio.to_thread(tool.run, **given)
        # After the thread: what a call that timed out finds later was never shown.
        await asyncio.to_thread(read_log_of(context, self._key, self.library).record, result)
        self._results[context] = result
        return result

    def _function_tool(self, tool: catalogue_tools.Tool, timeout: float | None) -> FunctionTool:
        async def invoke(context: ToolContext[Any], arguments: str) -> str:
            with custom_span(f"thumbindex.{tool.name}", {}) as span:
                try:
                    given = _ARGUMENTS.validate_json(arguments or "{}")
                    result = await self._run(tool.name, context, given)
                except ValidationError:
                    return _refuse(f"The arguments of {tool.name} must be one JSON object. Send them again.")
                except catalogue_tools.ToolError as error:
                    return _refuse(str(error))
                span.span_data.data.update(_behind(result))
                return result.text

        def timed_out(_context: RunContextWrapper[Any], _error: Exception) -> str:
            return (
                f"{tool.name} took longer than {timeout:g} seconds and was given up. "
                "Ask for less: one document, fewer pages, rarer words."
            )

        return FunctionTool(
            name=tool.name,
            description=tool.description,
            params_json_schema=tool.arguments.model_json_schema(),
            on_invoke_tool=invoke,
            strict_json_schema=True,
            timeout_seconds=timeout,
            timeout_error_function=timed_out,
            custom_data_extractor=self._custom_data,
        )

    def _custom_data(self, called: FunctionToolCustomDataContext) -> dict[str, Any] | None:
        """The passages behind an output, for the program: the SDK keeps them on the output's item, and shows no model."""
        result = self._results.get(called.tool_context)
        return None if result is None else _behind(result)


def thumbindex_tools(
    library: Library,
    documents: Scope | None = None,
    *,
    max_output_tokens: int = 3000,
    prefix: str = "",
    timeout: float | None = 30.0,
) -> ThumbIndexTools:
    """Tools that let an agent browse, search and read a library's documents; they can only read.

    What a model did wrong (an unknown id, a bad argument) comes back to it as text; anything else ends the run.

    Args:
        library: A `thumbindex.Library`.
        documents: Ids or names of the documents that the tools may open; a function, sync or async, that is called with the
            run's context at every call and returns them; or None for all.
        max_output_tokens: Cap on each output.
        prefix: Put before each tool's name. The SDK lets tools of the same name hide each other without an error, so
            an agent with several libraries needs one for each.
        timeout: Seconds after which a call is given up and the model is told so; None for no limit.

    Raises:
        DocumentNotFound: one of the documents listed is not in the library.
        ValueError: the cap or a name made with `prefix` will not do.
    """
    return ThumbIndexTools(library, documents, max_output_tokens=max_output_tokens, prefix=prefix, timeout=timeout)


def _behind(result: catalogue_tools.ToolResult) -> dict[str, Any]:
    """The passages behind an output, as plain data."""
    return {
        "evidence": [{"citation": one.citation, **one.flat_metadata()} for one in result.evidence],
        "read": [[one.doc_id, one.lines.first, one.lines.last] for one in result.shown],
    }


def _refuse(message: str) -> str:
    """The message for the model, noted as an error in the trace too."""
    if span := get_current_span():
        span.set_error(SpanError(message=message, data=None))
    return message
