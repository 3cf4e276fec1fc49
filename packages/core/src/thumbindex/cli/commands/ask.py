"""`thumbindex ask`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from ...errors import ThumbIndexError
from ...evidence import Answer
from ...library_view import LibraryView
from ...models import ChatModel
from ...navigation import NavigatorName, navigator_named
from ...sources.folders import expand
from ..cache import OpenLibrary
from ..exit_codes import ExitCode
from ..json_output import answer_json
from ..models import check_base_url, open_model
from ..opening import report_failures, use_files, use_library
from ..options import (
    AsJson,
    BaseUrl,
    DocumentNames,
    Filters,
    LimitSettings,
    NoCache,
    Ocr,
    OptionalLibraryPath,
    Password,
    PasswordStdin,
    Results,
    Scans,
)
from ..progress import StatusLine
from ..reading import ReadingOptions
from ..render.answers import StreamPrinter
from ..render.passages import print_best_passage
from ..retrieval import Found, print_found, retrieve
from ..scopes import parse_scope
from ..terminal import print_json

Result = TypeVar("Result")


def ask(
    arguments: Annotated[
        list[str], typer.Argument(metavar="FILE... QUESTION", help="Files or folders, then the question.")
    ],
    library: OptionalLibraryPath = None,
    k: Results = 4,
    documents: DocumentNames = None,
    filters: Filters = None,
    model: Annotated[
        str | None, typer.Option(help="Let this model answer. Without it no model is called, whatever keys are set.")
    ] = None,
    base_url: BaseUrl = None,
    navigator: Annotated[
        NavigatorName,
        typer.Option(help="How to find sections for the model: by words alone, with one model call, or step by step."),
    ] = "select",
    as_json: AsJson = False,
    password: Password = None,
    password_stdin: PasswordStdin = False,
    ocr: Ocr = Scans.auto,
    limit: LimitSettings = None,
    no_cache: NoCache = False,
) -> None:
    """Answer a question with the passage that fits best: section path, pages, text, and the trail that led there.

    Files are read once: a cache keyed by their contents makes the second question fast. With --model, that model answers
    from the documents alone, and each of its citations is checked; its key is read from OPENAI_API_KEY.
    """
    *names, question = arguments
    if not question.strip():
        raise typer.BadParameter("The question is empty.")
    check_base_url(base_url, model)
    scope = parse_scope(documents, filters)
    options = ReadingOptions.parse(
        password=password, password_stdin=password_stdin, limits=limit, scans=ocr, no_cache=no_cache
    )
    chat = open_model(model, base_url)
    if chat is None:

        def find(opened: OpenLibrary, _: StatusLine) -> Found:
            return _with_paths(retrieve(opened.library.view(scope), question, k), opened)

        found, failures = _use(names, question, library, find, options)
        print_found(found, print_best_passage, as_json=as_json)
        report_failures(failures)
        return

    def answer(opened: OpenLibrary, status: StatusLine) -> Answer:
        return _answer(opened.library.view(scope), question, chat, navigator, k, status, as_json=as_json)

    answered, failures = _use(names, question, library, answer, options)
    report_failures(failures)
    if not answered.found:
        raise typer.Exit(ExitCode.NOTHING_FOUND)


def _use(
    names: Sequence[str],
    question: str,
    library: Path | None,
    use: Callable[[OpenLibrary, StatusLine], Result],
    options: ReadingOptions,
) -> tuple[Result, Sequence[ThumbIndexError]]:
    """Calls `use` with the files that are named, else with the library."""
    # A library named by the environment is a default; files on the command line take precedence.
    if names:
        return use_files(_files(names, question), use, options)
    if library is None:
        raise typer.BadParameter('Name the files, then the question: thumbindex ask report.pdf "Which rate applies?"')
    return use_library(library, use), ()


def _answer(
    view: LibraryView,
    question: str,
    model: ChatModel,
    navigator: NavigatorName,
    k: int,
    status: StatusLine,
    *,
    as_json: bool,
) -> Answer:
    """Lets a model answer, and prints the answer."""
    status.update(f"Asking {model.name}")
    printer = StreamPrinter(status)
    answer = view.ask(
        question,
        model=model,
        navigator=navigator_named(navigator, model),
        # A model reads more than a person, and answers from a choice of sections.
        k=2 * k,
        on_step=printer.step,
        on_text=None if as_json else printer.text,
    )
    if as_json:
        print_json(answer_json(answer))
    else:
        printer.finish(answer)
    return answer


def _with_paths(found: Found, opened: OpenLibrary) -> Found:
    """The evidence with the paths of this command: a cached document has the path under which it was read first."""
    evidence = (
        replace(passage, source=str(opened.paths.get(passage.doc_id, passage.source)))
        for passage in found.retrieval.evidence
    )
    return replace(found, retrieval=replace(found.retrieval, evidence=tuple(evidence)))


def _files(names: Sequence[str], question: str) -> list[Path]:
    """The files and the documents in the folders that are named."""
    if Path(question).exists():
        raise typer.BadParameter(f"The last argument is the question, and {question!r} is a file.")
    missing = [name for name in names if not Path(name).exists()]
    if missing and len(missing) < len(names):
        raise typer.BadParameter(
            f"There is no file {missing[0]!r}. If it belongs to the question, put the question in quotes."
        )
    return expand([Path(name) for name in names])
