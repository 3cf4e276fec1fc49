"""The tool catalogue as function tools with strict schemas, with its instructions and the check of citations."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
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

from thumbindex import Scope
from thumbindex.citations import Checked, ReadLog, check_together
from thumbindex.library_view import LibraryView
from thumbindex.tools import Tool as CatalogueTool
from thumbindex.tools import ToolError, ToolResult, catalogue, instructions

from .guardrail import CitationGuardrail, Mode
from .runs import last_question, outputs, read_log_of

Run: TypeAlias = RunContextWrapper[Any] | RunResult | RunResultStreaming
RunScope: TypeAlias = Callable[[RunContextWrapper[Any]], Scope | Awaitable[Scope]]
"""A function of the run, sync or async, that returns the scope of its user."""

_ARGUMENTS = TypeAdapter(dict[str, object])
_keys = count()


class ThumbIndexTools(list[Tool]):
    """A list of tools, as `Agent(tools=...)` wants it.

    Attributes:
        instructions: Instructions on the tools and on citing, for the agent; put your own before or behind them.
        prefix: Of the tools' names.
    """

    def __init__(
        self,
        library: LibraryView,
        scope: Scope | RunScope | None,
        *,
        max_output_tokens: int,
        prefix: str,
        timeout: float | None,
    ) -> None:
        if not (scope is None or isinstance(scope, Scope) or callable(scope)):
            raise TypeError(
                f"scope takes a Scope, such as Scope([...]), or a function that returns one, not {scope!r}."
            )
        self.library = library.view(scope) if isinstance(scope, Scope) else library
        self.prefix = prefix
        self.instructions = instructions(prefix)
        self._run_scope = scope if callable(scope) else None
        self._max_output_tokens = max_output_tokens
        self._key = str(next(_keys))
        self._results: WeakKeyDictionary[object, ToolResult] = WeakKeyDictionary()
        # Made at once, so that a wrong prefix or limit is an error here and not in a run.
        self._catalogue = self._tools_over(self.library)
        super().__init__(self._function_tool(tool, timeout) for tool in self._catalogue)

    # What a run may see and has read

    async def view(self, context: RunContextWrapper[Any] | None) -> LibraryView:
        """The documents that a run may see; none if the scope depends on the run and there is no run.

        Raises:
            TypeError: the function of the scope returned no scope.
        """
        if self._run_scope is None:
            return self.library
        if context is None:
            return self.library.view(Scope([]))
        if inspect.iscoroutinefunction(self._run_scope):
            scope = await self._run_scope(context)
        else:
            scope = await asyncio.to_thread(self._run_scope, context)
            scope = await scope if inspect.isawaitable(scope) else scope
        if not isinstance(scope, Scope):
            # None must not mean every document of every user.
            raise TypeError(f"The function given as scope must return a Scope, such as Scope([...]), not {scope!r}.")
        # A user's list may name documents that were removed since.
        return await asyncio.to_thread(self.library.view, scope, missing_ok=True)

    async def read_log(self, run: Run) -> ReadLog:
        """The lines that a run has read through these tools: in any of its agents, and in earlier turns of its session."""
        context = run if isinstance(run, RunContextWrapper) else run.context_wrapper
        read_log = ReadLog(await self.view(context))
        await asyncio.to_thread(self._fill, read_log, run, context)
        return read_log

    def _fill(self, read_log: ReadLog, run: Run, context: RunContextWrapper[Any]) -> None:
        read_log.merge(read_log_of(context, self._key, self.library))
        # The items of the run itself are in its result, and not in its context.
        made = [] if isinstance(run, RunContextWrapper) else run.to_input_list()
        for text in dict.fromkeys((*outputs(context.turn_input), *outputs(made))):
            read_log.record_text(text)

    # Checking

    async def check(
        self, output: object, run: Run | None = None, *, together_with: Iterable[ThumbIndexTools] = ()
    ) -> Checked:
        """Checks every citation of an answer against the documents and against what the run has read.

        Args:
            output: A result of the runner, or a text or object.
            run: The run whose read log counts, if `output` is no result; without one, nothing was read.
            together_with: Other bundles that the agent has; an answer may cite the documents of any of them.
        """
        if isinstance(output, RunResult | RunResultStreaming):
            run, output = output, output.final_output
        bundles = (self, *together_with)
        question = ""
        if run is None:
            read_logs = [ReadLog(await bundle.view(None)) for bundle in bundles]
        else:
            read_logs = [await bundle.read_log(run) for bundle in bundles]
            question = last_question(run.turn_input if isinstance(run, RunContextWrapper) else run.input)
        return await asyncio.to_thread(check_together, read_logs, output, question=question)

    def check_sync(
        self, output: object, run: Run | None = None, *, together_with: Iterable[ThumbIndexTools] = ()
    ) -> Checked:
        """`check` for scripts and notebooks, in an event loop of its own."""
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, self.check(output, run, together_with=together_with)).result()

    def citation_guardrail(
        self, mode: Mode = "trip", *, together_with: Iterable[ThumbIndexTools] = ()
    ) -> CitationGuardrail:
        """A guardrail that checks the citations of a final answer against the read log: `Agent(output_guardrails=[...])`.

        Args:
            mode: `trip` ends the run with `OutputGuardrailTripwireTriggered` if a citation fails, or a figure or a quote has
                none; `annotate` lets the answer pass. Both put their findings in the result's `output_guardrail_results`.
            together_with: Other bundles that the agent has; an answer may cite the documents of any of them.
        """
        others = tuple(together_with)

        async def check(output: object, context: RunContextWrapper[Any]) -> Checked:
            return await self.check(output, context, together_with=others)

        return CitationGuardrail(check, mode, name=f"{self.prefix}citations", prefix=self.prefix)

    # Running

    def _tools_over(self, view: LibraryView) -> tuple[CatalogueTool, ...]:
        return catalogue(view, max_output_tokens=self._max_output_tokens, prefix=self.prefix)

    async def _run(self, name: str, context: ToolContext[Any], arguments: dict[str, object]) -> ToolResult:
        tools = self._catalogue if self._run_scope is None else self._tools_over(await self.view(context))
        (tool,) = (tool for tool in tools if tool.name == name)
        result = await asyncio.to_thread(tool.run, **arguments)
        # Not in the thread: the result of a call that timed out is never shown.
        await asyncio.to_thread(read_log_of(context, self._key, self.library).record, result)
        self._results[context] = result
        return result

    def _function_tool(self, tool: CatalogueTool, timeout: float | None) -> FunctionTool:
        async def invoke(context: ToolContext[Any], arguments: str) -> str:
            with custom_span(f"thumbindex.{tool.name}", {}) as span:
                try:
                    result = await self._run(tool.name, context, _ARGUMENTS.validate_json(arguments or "{}"))
                except ValidationError:
                    return _explain(f"The arguments of {tool.name} must be one JSON object. Send them again.")
                except ToolError as error:
                    return _explain(str(error))
                span.span_data.data.update(_as_data(result))
                return result.text

        def timed_out(_context: RunContextWrapper[Any], _error: Exception) -> str:
            return (
                f"{tool.name} took longer than {timeout:g} seconds and was abandoned. "
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
        """The passages of an output, for the program: the SDK puts them on the output's item and shows them to no model."""
        result = self._results.get(called.tool_context)
        return None if result is None else _as_data(result)


def thumbindex_tools(
    library: LibraryView,
    scope: Scope | RunScope | None = None,
    *,
    max_output_tokens: int = 3000,
    prefix: str = "",
    timeout: float | None = 30.0,
) -> ThumbIndexTools:
    """Tools that let an agent browse, search and read a library's documents; they can only read.

    A model's mistake (an unknown id, a bad argument) comes back to it as text; anything else ends the run.

    Args:
        library: A `thumbindex.Library`, or a view of some of its documents.
        scope: The documents that the tools can see: a `thumbindex.Scope`, or a function, sync or async, that is called with
            the run's context at every call and returns one; None for all.
        max_output_tokens: Limit of each output.
        prefix: Put before each tool's name. The SDK lets tools of the same name hide each other without an error, so
            an agent with several libraries needs one for each.
        timeout: Seconds until a call is abandoned, with a message to the model; None for no limit.

    Raises:
        DocumentNotFound: a document that the scope names is not in the library.
        ValueError: a limit or a prefix that is not allowed.
    """
    return ThumbIndexTools(library, scope, max_output_tokens=max_output_tokens, prefix=prefix, timeout=timeout)


def _as_data(result: ToolResult) -> dict[str, Any]:
    """The passages and lines that an output shows, as plain data."""
    return {
        "evidence": [{"citation": passage.citation, **passage.flat_metadata()} for passage in result.evidence],
        "read": [[shown.doc_id, shown.lines.first, shown.lines.last] for shown in result.shown],
    }


def _explain(message: str) -> str:
    """Returns the message for the model, and marks the span of the call as failed."""
    if span := get_current_span():
        span.set_error(SpanError(message=message, data=None))
    return message
