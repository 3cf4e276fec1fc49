"""The commands: each one parses its arguments, calls the library, and prints what came back."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

from ..concurrency.bridge import run_sync
from ..errors import ThumbIndexError
from ..sources.folders import SUFFIXES, expand
from ..sources.settings import LIMITS, Limits
from .terminal import Working, console, harmless, one_line, print_json, print_json_text, styled

if TYPE_CHECKING:
    from ..evaluate import Record
    from ..evidence import Answer, Retrieval
    from ..ingest.bulk import Progress
    from ..library import DocumentInfo, Library, Reading
    from ..models import ChatModel
    from ..pages import MetadataValue
    from ..sources.ocr import OcrChoice
    from ..summarize import SummaryCache
    from .cache import Opened

    Found = tuple[Retrieval, Mapping[str, str]]

Result = TypeVar("Result")

# Everything heavy is imported inside the command that needs it: `thumbindex --help` must be quick.

NOTHING, BAD_INPUT, INTERRUPTED = 1, 3, 130  # and 2, which Typer gives for wrong usage


class Navigator(StrEnum):
    """How sections are found for a model that answers."""

    lexical = "lexical"
    select = "select"
    walk = "walk"


class Scans(StrEnum):
    """Whether scanned pages are read."""

    auto = "auto"
    off = "off"


class _Commands(TyperGroup):
    """Turns what went wrong into one line and an exit code."""

    def invoke(self, ctx: Any) -> Any:  # a click or typer Context, by the version of typer
        try:
            try:
                return super().invoke(ctx)
            finally:
                # Flushed here, where a closed pipe can still be handled.
                sys.stdout.flush()
        except ThumbIndexError as error:
            _complain(str(error))
            raise typer.Exit(BAD_INPUT) from None
        except BrokenPipeError:
            # What is left in the buffer goes nowhere, instead of failing again when Python ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(NOTHING) from None
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=_Commands,
    name="thumbindex",
    help="Opens long documents at the right section: a section tree, and passages with section path and pages.",
    epilog="Exit codes: 0 done, 1 nothing found or some files failed, 2 wrong usage, 3 unusable document, library or model.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

LibraryPath = Annotated[
    Path, typer.Option("--library", "-l", envvar="THUMBINDEX_LIBRARY", help="The library's file.", show_default=False)
]
OptionalLibraryPath = Annotated[
    Path | None,
    typer.Option("--library", "-l", envvar="THUMBINDEX_LIBRARY", help="A library's file, instead of files."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Password = Annotated[
    str | None, typer.Option(help="Opens an encrypted PDF. Other users may see it in the list of processes.")
]
PasswordStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Read the files anew and keep nothing of them.")]
BaseUrl = Annotated[
    str | None, typer.Option(help="Server of the model, up to /v1; by default OpenAI's.", metavar="URL")
]
ScanReading = Annotated[
    Scans,
    typer.Option(
        "--ocr", help="Read scanned pages, some seconds each, where the extra `ocr` is installed; or leave them."
    ),
]
LimitChoice = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="NAME=VALUE",
        help="What reading one file may take: seconds=300, memory=4G, file_size=2G. May be repeated.",
    ),
]
Hits = Annotated[int, typer.Option("-k", min=1, max=1000, help="How many sections.")]


@app.command()
def tree(
    file: Annotated[
        Path,
        typer.Argument(
            help="A PDF, Word, PowerPoint, HTML, EPUB, Markdown or text file, or a mail.", show_default=False
        ),
    ],
    explain: Annotated[bool, typer.Option("--explain", help="Show the rule that found each heading.")] = False,
    references: Annotated[bool, typer.Option("--references", help="Show what each section refers to.")] = False,
    as_json: AsJson = False,
    budget: Annotated[int | None, typer.Option(min=1, help="Tokens at most; the deepest levels go first.")] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Levels at most.", show_default=False)] = None,
    confidence: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="How sure a heading must be; 0 shows every heading found.")
    ] = 0.4,
    password: Password = None,
    password_stdin: PasswordStdin = False,
    ocr: ScanReading = Scans.auto,
    limit: LimitChoice = None,
) -> None:
    """Print the section tree of a document, one line a section.

    With --json, the whole tree with its text, as thumbindex.Tree reads it.
    """
    from ..ingest.reading import build_tree

    given, limits = _password(password, password_stdin), _limits(limit)
    with Working(f"Reading {file.name}") as working:
        scans = _scans(ocr, working.say, kept=given is None)
        built = build_tree(file, password=given, limits=limits, min_confidence=confidence, ocr=scans)
    if as_json:
        from ..tree.exchange import to_json

        print_json_text(to_json(built))
    else:
        console().print(styled(harmless(built.render(budget, explain=explain, references=references, depth=depth))))


@app.command()
def add(
    files: Annotated[list[Path], typer.Argument(help="Files, or folders to search for documents.", show_default=False)],
    library: LibraryPath,
    sync: Annotated[
        bool, typer.Option("--sync", help="Make the library agree with one folder: forget documents gone from there.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Files read at once; by default one a processor.", show_default=False)
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Metadata of each document. May be repeated."),
    ] = None,
    password: Password = None,
    password_stdin: PasswordStdin = False,
    ocr: ScanReading = Scans.auto,
    limit: LimitChoice = None,
    as_json: AsJson = False,
) -> None:
    """Add documents to a library, which is made if it does not exist. The same contents are recognised.

    A file that cannot be read does not stop the others. After an interruption the same command goes on.
    """
    from ..errors import SourceError
    from .report import document_json, document_line

    given, limits = _password(password, password_stdin), _limits(limit)
    metadata = _metadata(settings or [])
    if sync and (len(files) != 1 or not files[0].is_dir()):
        raise typer.BadParameter("--sync takes one folder.")
    if not sync and not expand(files):
        _complain(f"There are no documents in these folders: {', '.join(SUFFIXES)} files are taken.")
        raise typer.Exit(NOTHING)
    with (
        _bulk_progress() as (report, say),
        _library(library, make=True, limits=limits, ocr=_scans(ocr, say)) as store,
    ):
        if sync:
            results = store.sync(files[0], workers=workers, password=given, metadata=metadata, on_progress=report)
        else:
            results = store.add_all(files, workers=workers, password=given, metadata=metadata, on_progress=report)
    failures = [result for result in results if result.error is not None]
    kept = [result for result in results if result.document is not None and result.what != "removed"]
    removed = [result for result in results if result.what == "removed"]
    if as_json:
        failed = [
            {"source": one.source, "error": type(one.error).__name__, "message": str(one.error)} for one in failures
        ]
        added = [document_json(one.document) for one in kept if one.document is not None]
        print_json({"added": added, "removed": [one.source for one in removed], "failed": failed})
    else:
        # Printed now, since the bar and these lines may share a terminal.
        said = {"known": "  already there", "moved": "  moved"}
        for one in kept:
            if one.document is not None:
                line = document_line(one.document)
                console().print(line, styled((said.get(one.what, "") + _reused(one.document, one.what), "dim")), sep="")
        for one in removed:
            console().print(styled("Removed ", (one_line(one.source), "bold")))
    for failure in failures:
        error = failure.error
        # The whole path, since two folders may hold files of one name.
        said_of = f"{error.what} {error.remedy}" if isinstance(error, SourceError) else str(error)
        _complain(f"{failure.source}: {said_of}")
    if failures:
        if len(results) > 1:
            _complain(f"{len(failures)} of {len(results) - len(removed)} files could not be added.")
        raise typer.Exit(NOTHING)


def _reused(info: DocumentInfo, what: str) -> str:
    if what != "revised":
        return ""
    return f"  revision {info.revision}: {info.reused_sections} of {info.section_count} sections as before"


def _metadata(settings: list[str]) -> dict[str, MetadataValue]:
    """`year=2022` is a number, `audited=true` a truth value, all else text."""
    found: dict[str, MetadataValue] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            raise typer.BadParameter(f"--set takes KEY=VALUE, not {setting!r}.")
        try:
            parsed = json.loads(value)
        except ValueError:
            parsed = value
        found[key.strip()] = parsed if isinstance(parsed, bool | int | float) else value
    return found


@app.command("list")
def list_documents(library: LibraryPath, as_json: AsJson = False) -> None:
    """List the documents of a library."""
    from .report import document_json, document_line

    with _library(library) as store:
        infos = store.list()
    if as_json:
        print_json([document_json(info) for info in infos])
        return
    for info in infos:
        console().print(document_line(info))
    if not infos:
        console(stderr=True).print(styled(f"{one_line(str(library))} holds no documents."))


@app.command("check")
def check_documents(
    library: LibraryPath,
    document: Annotated[str | None, typer.Argument(help="A document's id or name; all without.")] = None,
    as_json: AsJson = False,
) -> None:
    """Examine the library's file, and the health of documents: suspect headings, pages without text, references that lead
    nowhere, and more. With a document, that one only.
    """
    from ..library import Library
    from .report import health_json, print_damage, print_health

    if document is None:
        _check_there(library)
        with Working(f"Examining {library.name}"):
            damage = Library.inspect(library)
        if damage:
            if as_json:
                print_json({"file": str(library), "damage": damage})
            else:
                print_damage(library, damage)
            raise typer.Exit(BAD_INPUT)
    with _library(library) as store:
        infos = store.list() if document is None else [store.get(document)]
        healths = [(info, store.check(info.doc_id)) for info in infos]
    if as_json:
        print_json([health_json(info, health) for info, health in healths])
        return
    for info, health in healths:
        print_health(info, health, every=document is not None)


@app.command("repair")
def repair_library(library: LibraryPath, as_json: AsJson = False) -> None:
    """Make a new file of all documents of a damaged library that can be read whole, and keep the damaged file beside it.

    A whole file is not touched. No other program may use the library meanwhile.
    """
    from ..library import Library
    from .report import print_repair

    _check_there(library)
    with Working(f"Repairing {library.name}"):
        outcome = Library.repair(library)
    if as_json:
        print_json({**asdict(outcome), "damaged": outcome.damaged and str(outcome.damaged)})
    else:
        print_repair(library, outcome)
    if outcome.lost:
        raise typer.Exit(NOTHING)


@app.command("export")
def export_tree(
    document: Annotated[str, typer.Argument(help="A document's id or name.", show_default=False)],
    library: LibraryPath,
    flat: Annotated[bool, typer.Option("--flat", help="A map from ids to sections, instead of nested ones.")] = False,
    without_text: Annotated[bool, typer.Option("--no-text", help="Leave the text out.")] = False,
) -> None:
    """Print a document's sections as JSON, nested or flat; pages are physical and begin at 1."""
    from ..tree.nested import to_nested, to_nodes

    with _library(library) as store:
        found = store.tree(document)
    print_json((to_nodes if flat else to_nested)(found, text=not without_text))


@app.command("import")
def import_tree(
    tree: Annotated[Path, typer.Argument(help="JSON that PageIndex wrote.", show_default=False)],
    file: Annotated[Path, typer.Argument(help="The document that it was made of.", show_default=False)],
    library: LibraryPath,
    limit: LimitChoice = None,
) -> None:
    """Add a document with the sections and summaries of a tree that PageIndex made of it."""
    from .report import document_line

    with _library(library, make=True, limits=_limits(limit)) as store:
        info = store.add_pageindex(tree, file)
    console().print(document_line(info))


@app.command()
def remove(
    document: Annotated[str, typer.Argument(help="A document's id or name.", show_default=False)], library: LibraryPath
) -> None:
    """Remove a document from a library."""
    with _library(library) as store:
        info = store.get(document)
        store.remove(info.doc_id)
    console().print(styled("Removed ", (one_line(info.name), "bold"), (f"   id {info.doc_id}", "dim")))


@app.command()
def search(
    question: Annotated[str, typer.Argument(help="A question or some words.", show_default=False)],
    library: LibraryPath,
    k: Hits = 5,
    document: Annotated[
        list[str] | None, typer.Option("--document", "-d", help="Only in this document (id or name). May be repeated.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Search a library: the sections that fit best, with path, pages and the lines that fit."""
    with _library(library) as store:
        found, languages = _retrieve(store, question, k, document or None)
    _print_retrieval(found, languages, as_json=as_json, answer=False)


@app.command()
def read(
    document: Annotated[str, typer.Argument(help="A file, or a library's document.", show_default=False)],
    library: OptionalLibraryPath = None,
    node: Annotated[
        str | None, typer.Option(help="A section's id, as `search` and `ask` print it.", show_default=False)
    ] = None,
    pages: Annotated[
        str | None, typer.Option(help="Physical pages, such as 5-7,12.", metavar="PAGES", show_default=False)
    ] = None,
    as_json: AsJson = False,
    password: Password = None,
    password_stdin: PasswordStdin = False,
    ocr: ScanReading = Scans.auto,
    limit: LimitChoice = None,
    no_cache: NoCache = False,
) -> None:
    """Print a section with its subsections, some pages, or a whole document."""
    if node is not None and pages is not None:
        raise typer.BadParameter("--node and --pages cannot be given together.")
    # Printed ids name the document too: `report-1f2e3d4c#a1b2c3`.
    section = node.rpartition("#")[2] if node is not None else None
    if library is not None:
        with _library(library) as store:
            reading = store.read(document, node=section, pages=pages)
    else:

        def use(opened: Opened, _: Working) -> Reading:
            (doc_id,) = opened.paths
            return opened.library.read(doc_id, node=section, pages=pages)

        given = _password(password, password_stdin)
        reading, _ = _with_files([Path(document)], use, given, no_cache=no_cache, limits=_limits(limit), ocr=ocr)
    from .report import print_reading, reading_json

    if as_json:
        print_json(reading_json(reading))
    else:
        print_reading(reading)


@app.command()
def ask(
    arguments: Annotated[
        list[str], typer.Argument(metavar="FILE... QUESTION", help="Files or folders, then the question.")
    ],
    library: OptionalLibraryPath = None,
    k: Hits = 4,
    model: Annotated[
        str | None, typer.Option(help="Let this model answer. Without it no model is used, whatever keys are set.")
    ] = None,
    base_url: BaseUrl = None,
    navigator: Annotated[
        Navigator, typer.Option(help="How the model finds sections: not at all, in one call, or step by step.")
    ] = Navigator.select,
    as_json: AsJson = False,
    password: Password = None,
    password_stdin: PasswordStdin = False,
    ocr: ScanReading = Scans.auto,
    limit: LimitChoice = None,
    no_cache: NoCache = False,
) -> None:
    """Answer a question with the passage that fits best: section path, pages, text, and the trail that led there.

    Files are read once: a cache keyed by their contents makes the second question quick. With --model, that model answers
    from the documents alone, and each of its citations is checked; its key is taken from OPENAI_API_KEY.
    """
    *names, question = arguments
    if not question.strip():
        raise typer.BadParameter("The question is empty.")
    _check_server(model, base_url)
    failures: tuple[ThumbIndexError, ...] = ()
    if model is not None:
        _answer(
            names,
            question,
            library,
            k,
            model,
            base_url,
            navigator,
            as_json,
            _password(password, password_stdin),
            no_cache,
            _limits(limit),
            ocr,
        )
        return
    # A library named by the environment is a default; files on the command line are meant.
    if library is not None and not names:
        with _library(library) as store:
            found, languages = _retrieve(store, question, k)
    elif not names:
        raise typer.BadParameter('Name the files, then the question: thumbindex ask report.pdf "Which rate applies?"')
    else:
        (found, languages), opened = _with_files(
            _files(names, question),
            lambda opened, _: _retrieve(opened.library, question, k),
            _password(password, password_stdin),
            no_cache=no_cache,
            limits=_limits(limit),
            ocr=ocr,
        )
        # A cached document remembers the folder it was read from first.
        evidence = (replace(item, source=str(opened.paths[item.doc_id])) for item in found.evidence)
        found = replace(found, evidence=tuple(evidence))
        failures = opened.failures
    _print_retrieval(found, languages, as_json=as_json, answer=True)
    for failure in failures:
        _complain(str(failure))
    if failures:
        raise typer.Exit(NOTHING)


def _answer(
    names: list[str],
    question: str,
    library: Path | None,
    k: int,
    model: str,
    base_url: str | None,
    navigator: Navigator,
    as_json: bool,
    password: str | None,
    no_cache: bool,
    limits: Limits,
    ocr: Scans,
) -> None:
    from .report import StreamPrinter, answer_json

    chat = _chat(model, base_url)
    failures: tuple[ThumbIndexError, ...] = ()

    def use(store: Library, working: Working) -> Answer:
        working.say(f"Asking {model}")
        printer = StreamPrinter(working)
        # A model reads more than a person: the sections are a choice to answer from.
        answered = store.ask(
            question,
            model=chat,
            navigator=navigator.value,
            k=2 * k,
            on_step=printer.step,
            on_text=None if as_json else printer.text,
        )
        if as_json:
            print_json(answer_json(answered))
        else:
            printer.end(answered)
        return answered

    if library is not None and not names:
        with _library(library) as store, Working(f"Opening {library}") as working:
            answered = use(store, working)
    elif not names:
        raise typer.BadParameter('Name the files, then the question: thumbindex ask report.pdf "Which rate applies?"')
    else:
        answered, opened = _with_files(
            _files(names, question),
            lambda opened, working: use(opened.library, working),
            password,
            no_cache=no_cache,
            limits=limits,
            ocr=ocr,
        )
        failures = opened.failures
    for failure in failures:
        _complain(str(failure))
    if failures or not answered.found:
        raise typer.Exit(NOTHING)


@app.command()
def summarize(
    library: LibraryPath,
    documents: Annotated[list[str] | None, typer.Argument(help="Ids or names; all documents without.")] = None,
    model: Annotated[
        str | None, typer.Option(help="Write them with this model; without it, phrases of the sections' own.")
    ] = None,
    base_url: BaseUrl = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what a model would read and write at most, and do nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say what each section is about: outlines that models are shown carry it, and searching documents uses it.

    A model's summaries are kept in a file beside the library, so that what broke off goes on, and unchanged sections cost nothing.
    """
    from .report import print_summaries, summaries_json

    _check_server(model, base_url)
    with _library(library) as store:
        infos = [store.get(document) for document in documents] if documents else store.list()
        if estimate:
            found = [(info, store.estimate_summaries(info.doc_id)) for info in infos]
            if as_json:
                print_json([{"doc_id": info.doc_id, "name": info.name, **asdict(one)} for info, one in found])
            for info, one in found if not as_json else ():
                console().print(
                    styled(
                        (one_line(info.name), "bold"),
                        f"  {one.sections} sections, {one.calls} calls, at most {one.tokens_in} tokens read, {one.tokens_out} written",
                    )
                )
            return
        writer = _chat(model, base_url) if model is not None else None
        cache = _summary_cache(library) if model is not None else None
        made = []
        for info in infos:
            with Working(f"Summarizing {info.name}"):
                made.append((info, store.summarize(info.doc_id, model=writer, cache=cache)))
            if not as_json:
                print_summaries(*made[-1])
    if as_json:
        print_json([summaries_json(info, one) for info, one in made])


@app.command("eval")
def evaluate(
    questions: Annotated[
        Path, typer.Argument(help="JSON lines: question, document, pages, answer.", show_default=False)
    ],
    files: Annotated[
        list[Path] | None, typer.Argument(help="Documents, or folders of them.", show_default=False)
    ] = None,
    library: OptionalLibraryPath = None,
    retrievers: Annotated[
        list[str] | None,
        typer.Option(
            "--retriever",
            "-r",
            help="lexical, select, walk, bm25 (pages), chunks, whole, or module:name of yours. May be repeated.  [default: lexical, bm25, chunks]",
            show_default=False,
        ),
    ] = None,
    model: Annotated[str | None, typer.Option(help="Answers from what each finds; without it retrieval alone.")] = None,
    navigation_model: Annotated[
        str | None, typer.Option(help="Navigates for select and walk; by default the model that answers.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Grades answers that are no figures; without it by their words.")
    ] = None,
    base_url: BaseUrl = None,
    prices: Annotated[
        Path | None, typer.Option(help="TOML or JSON: input, cached and output of each model, for a million tokens.")
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, max=1000, help="How many sections, pages or chunks.")] = 10,
    budget: Annotated[int, typer.Option(min=1, help="Tokens of text handed over.")] = 6000,
    concurrency: Annotated[int, typer.Option(min=1, help="Questions at a time; more disturb the seconds.")] = 1,
    as_json: AsJson = False,
    limit: LimitChoice = None,
    no_cache: NoCache = False,
) -> None:
    """Measure retrieval, and answers apart from it, on questions whose answers are known.

    Each retriever gets the same questions, the same documents and the same budget. No model is called unless one is named.
    """
    from ..evaluate import Budget, figures, make_retriever, read_prices, read_questions, run
    from .report import evaluation_json, print_figures

    _check_server(model or navigation_model or judge, base_url)
    try:
        asked = read_questions(questions)
        table = {} if prices is None else read_prices(prices)
    except OSError as error:
        raise typer.BadParameter(str(error)) from None
    names = retrievers or ["lexical", "bm25", "chunks"]
    answerer, guide, grader = (
        None if one is None else _chat(one, base_url) for one in (model, navigation_model, judge)
    )

    def use(store: Library, working: Working) -> None:
        compared = [make_retriever(name, store, model=guide or answerer, budget=Budget(k, budget)) for name in names]
        done = 0

        def on_record(record: Record) -> None:
            nonlocal done
            done += 1
            working.say(f"{done} of {len(asked) * len(names)}: {record.retriever}, question {record.question}")

        records = run_sync(
            run(store, asked, compared, model=answerer, judge=grader, concurrency=concurrency, on_record=on_record)
        )
        working.stop()
        found = figures(records, prices=table, models=dict.fromkeys(names, (navigation_model or model, model)))
        if as_json:
            print_json(evaluation_json(found, records))
        else:
            print_figures(found, has_answers=answerer is not None)
            for record in records:
                if record.error:
                    _complain(f"{record.retriever}, question {record.question}: {record.error}")

    if files:
        failures = _with_files(
            expand(files),
            lambda opened, working: use(opened.library, working),
            None,
            no_cache=no_cache,
            limits=_limits(limit),
        )[1].failures
        for failure in failures:
            _complain(str(failure))
        if failures:
            raise typer.Exit(NOTHING)
    elif library is not None:
        with _library(library) as store, Working(f"Opening {library}") as working:
            use(store, working)
    else:
        raise typer.BadParameter("Name documents, or a library with --library.")


def _check_server(model: str | None, base_url: str | None) -> None:
    if base_url is not None and model is None:
        raise typer.BadParameter("--base-url names the server of a model: give --model too.")


def _chat(model: str, base_url: str | None) -> ChatModel:
    from ..models import OpenAIChat

    return OpenAIChat(model, base_url)


def _summary_cache(library: Path) -> SummaryCache:
    from ..summarize import SummaryCache

    return SummaryCache(library.with_name(f"{library.name}.summaries"))


def _retrieve(store: Library, question: str, k: int, documents: list[str] | None = None) -> Found:
    found = store.retrieve(question, k=k, documents=documents)
    return found, {info.doc_id: info.language for info in store.list()}


def _print_retrieval(found: Retrieval, languages: Mapping[str, str], *, as_json: bool, answer: bool) -> None:
    from .report import print_answer, print_hits, retrieval_json

    if as_json:
        print_json(retrieval_json(found))
    elif found.evidence:
        (print_answer if answer else print_hits)(found, languages)
    if not found.evidence:
        console(stderr=True).print(styled("Nothing found: no section holds a word of the question."))
        raise typer.Exit(NOTHING)


def _files(names: list[str], question: str) -> list[Path]:
    paths = [Path(name) for name in names]
    if Path(question).exists():
        raise typer.BadParameter(f"The last argument is the question, and {question!r} is a file.")
    missing = [name for name in names if not Path(name).exists()]
    if missing and len(missing) < len(names):
        raise typer.BadParameter(
            f"There is no file {missing[0]!r}. If it belongs to the question, put the question in quotes."
        )
    return expand(paths)


@app.command()
def mcp(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Documents, or folders of them, to serve.", show_default=False)
    ] = None,
    library: OptionalLibraryPath = None,
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP, at /mcp, instead of standard input.")] = False,
    host: Annotated[
        str, typer.Option(help="Address to listen on; others than this machine's own need a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8000,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="THUMBINDEX_MCP_TOKEN", help="What HTTP clients must send as bearer token.", show_default=False
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Another name under which HTTP clients call this machine. May be repeated.")
    ] = None,
    allow_add: Annotated[
        list[Path] | None,
        typer.Option(help="Let clients add documents from this folder and those below it. May be repeated."),
    ] = None,
    document: Annotated[
        list[str] | None, typer.Option(help="Show clients only this document, by id or name. May be repeated.")
    ] = None,
    limit: LimitChoice = None,
    max_output_tokens: Annotated[int, typer.Option(min=400, help="Cap on each output.")] = 3000,
) -> None:
    """Serve documents to clients of the Model Context Protocol: Claude, Cursor and agent frameworks.

    Clients can only read, unless --allow-add names a folder. Over standard input, one client; over HTTP, any number.
    """
    from .serving import Serving

    serving = Serving(
        (host, port) if http else None, token, document or [], allow_add or [], allow_host or [], max_output_tokens
    )
    try:
        serving.check()
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    limits = _limits(limit)
    if files:
        if allow_add:
            raise typer.BadParameter("Documents are added to a library: name one with --library, and no files.")
        chosen = expand(files)
        # Once for the cache and once to serve from it: what is killed while it serves leaves no draft.
        _, opened = _with_files(chosen, lambda _opened, _working: None, None, no_cache=False, limits=limits)
        for failure in opened.failures:
            _complain(str(failure))

        def use(opened: Opened, working: Working) -> None:
            working.stop()
            serving.serve(opened.library)

        _with_files(chosen, use, None, no_cache=False, limits=limits)
    elif library is not None:
        with _library(library, make=bool(allow_add), limits=limits) as store:
            serving.serve(store)
    else:
        raise typer.BadParameter("Name the files to serve, or a library: thumbindex mcp report.pdf")


def _with_files(
    files: list[Path],
    use: Callable[[Opened, Working], Result],
    password: str | None,
    *,
    no_cache: bool,
    limits: Limits,
    ocr: Scans = Scans.auto,
) -> tuple[Result, Opened]:
    """What `use` makes of these files, and what was opened for it."""
    from .cache import with_files

    if not files:
        _complain(f"There are no documents in these folders: {', '.join(SUFFIXES)} files are taken.")
        raise typer.Exit(NOTHING)
    what = files[0].name if len(files) == 1 else f"{len(files)} files"
    with Working(f"Reading {what}") as working:
        kept = password is None and not no_cache
        return with_files(
            files,
            lambda opened: (use(opened, working), opened),
            password=password,
            cached=not no_cache,
            limits=limits,
            ocr=_scans(ocr, working.say, kept=kept),
        )


@contextmanager
def _library(path: Path, *, make: bool = False, limits: Limits = LIMITS, ocr: OcrChoice = "auto") -> Iterator[Library]:
    from ..library import Library

    if not make:
        _check_there(path)
    with Library(path, limits=limits, ocr=ocr) as library:
        yield library


def _check_there(path: Path) -> None:
    from ..errors import LibraryError

    if not path.exists():
        raise LibraryError(f"There is no library {path}. Make one: thumbindex add FILES --library {path}")


def _limits(settings: list[str] | None) -> Limits:
    from .limits import parse_limits

    try:
        return parse_limits(settings or ())
    except ValueError as error:
        raise typer.BadParameter(f"--limit: {error}") from None


def _scans(choice: Scans, say: Callable[[str], None], *, kept: bool = False) -> OcrChoice:
    """How scanned pages are read; `say` is told of each. What is `kept` goes to the user's cache, for all files alike."""
    if choice is Scans.off:
        return "off"
    from ..sources.ocr import Ocr, OcrProgress, RecognitionCache
    from .cache import ocr_file

    def on_page(progress: OcrProgress) -> None:
        name = Path(progress.document).name
        say(f"Reading {name}: page {progress.page} by OCR, {progress.done} of {progress.total}")

    return Ocr(cache=RecognitionCache(ocr_file()) if kept else None, on_page=on_page)


def _password(given: str | None, from_stdin: bool) -> str | None:
    if not from_stdin:
        return given
    if given is not None:
        raise typer.BadParameter("--password and --password-stdin cannot be given together.")
    return sys.stdin.readline().rstrip("\r\n")


def _complain(message: str) -> None:
    console(stderr=True).print(styled(("error: ", "bold red"), harmless(message)))


@contextmanager
def _bulk_progress() -> Iterator[tuple[Callable[[Progress], None] | None, Callable[[str], None]]]:
    """On a terminal a bar with pages a second and the time left; and what else to say beside it, until the next file."""
    err = console(stderr=True)
    if not err.is_terminal:
        yield None, lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Bar(*columns, console=err, transient=True) as bar:
        task = bar.add_task("", total=None)

        def report(progress: Progress) -> None:
            left = f"{progress.seconds_left:.0f} s left" if progress.files < progress.total else "done"
            said = f"{progress.pages_per_second:.0f} pages/s, {left}   {one_line(progress.latest.source)}"
            bar.update(task, total=progress.total, completed=progress.files, description=said)

        yield report, lambda said: bar.update(task, description=one_line(said))
