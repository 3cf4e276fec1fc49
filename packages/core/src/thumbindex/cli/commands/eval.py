"""`thumbindex eval`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...budget import Budget
from ...concurrency.bridge import run_sync
from ...models import ChatModel
from ...scope import Scope
from ...sources.folders import expand
from ..cache import OpenLibrary
from ..json_output import evaluation_json
from ..models import check_base_url, open_model
from ..opening import report_failures, use_files, use_library
from ..options import AsJson, BaseUrl, DocumentNames, Filters, LimitSettings, NoCache, OptionalLibraryPath
from ..progress import StatusLine
from ..reading import ReadingOptions
from ..scopes import parse_scope
from ..terminal import print_error, print_json

if TYPE_CHECKING:
    from ...evaluate import Price, Question, Record

_DEFAULT_RETRIEVERS = ("lexical", "bm25", "chunks")


def evaluate(
    questions: Annotated[
        Path, typer.Argument(help="JSON lines: question, document, pages, answer.", show_default=False)
    ],
    files: Annotated[
        list[Path] | None, typer.Argument(help="Documents, or folders of documents.", show_default=False)
    ] = None,
    library: OptionalLibraryPath = None,
    documents: DocumentNames = None,
    filters: Filters = None,
    retrievers: Annotated[
        list[str] | None,
        typer.Option(
            "--retriever",
            "-r",
            help="lexical, select, walk, bm25 (pages), chunks, whole, or module:name for your own. May be repeated.  [default: lexical, bm25, chunks]",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Model that answers from what each retriever finds; without it, retrieval alone.")
    ] = None,
    navigation_model: Annotated[
        str | None, typer.Option(help="Model that navigates for select and walk; by default the one that answers.")
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(help="Model that grades answers other than figures; without it, their words are compared."),
    ] = None,
    base_url: BaseUrl = None,
    prices: Annotated[
        Path | None,
        typer.Option(help="TOML or JSON: prices of input, cached and output of each model, per million tokens."),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, max=1000, help="Number of sections, pages or chunks.")] = 10,
    budget: Annotated[int, typer.Option(min=1, help="Maximum number of tokens of evidence.")] = 6000,
    concurrency: Annotated[
        int, typer.Option(min=1, help="Questions in parallel; more than one distorts the seconds.")
    ] = 1,
    as_json: AsJson = False,
    limit: LimitSettings = None,
    no_cache: NoCache = False,
) -> None:
    """Measure retrieval, and the answers made from it, on questions with known answers.

    Every retriever gets the same questions, documents and budget. No model is called unless one is named.
    """
    from ...evaluate import read_prices, read_questions

    check_base_url(base_url, model, navigation_model, judge)
    try:
        asked = read_questions(questions)
        price_table = {} if prices is None else read_prices(prices)
    except OSError as error:
        raise typer.BadParameter(str(error)) from None
    evaluation = _Evaluation(
        scope=parse_scope(documents, filters),
        questions=asked,
        retrievers=tuple(retrievers or _DEFAULT_RETRIEVERS),
        k=k,
        budget=Budget(evidence_tokens=budget),
        model=open_model(model, base_url),
        navigation_model=open_model(navigation_model, base_url),
        judge=open_model(judge, base_url),
        prices=price_table,
        concurrency=concurrency,
        as_json=as_json,
    )
    options = ReadingOptions.parse(limits=limit, no_cache=no_cache)
    if files:
        _, failures = use_files(expand(files), evaluation.run, options)
        report_failures(failures)
    elif library is not None:
        use_library(library, evaluation.run)
    else:
        raise typer.BadParameter("Name documents, or a library with --library.")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evaluation:
    """The retrievers, models and output format of one evaluation."""

    scope: Scope
    questions: Sequence[Question]
    retrievers: Sequence[str]
    k: int
    budget: Budget
    model: ChatModel | None
    navigation_model: ChatModel | None
    judge: ChatModel | None
    prices: Mapping[str, Price]
    concurrency: int
    as_json: bool

    def run(self, opened: OpenLibrary, status: StatusLine) -> None:
        """Puts all questions to all retrievers and prints the figures."""
        from ...evaluate import figures, make_retriever, run

        view = opened.library.view(self.scope)
        guide = self.navigation_model or self.model
        compared = [make_retriever(name, view, model=guide, k=self.k, budget=self.budget) for name in self.retrievers]
        total = len(self.questions) * len(compared)
        done = 0

        def on_record(record: Record) -> None:
            nonlocal done
            done += 1
            status.update(f"{done} of {total}: {record.retriever}, question {record.question}")

        records = run_sync(
            run(
                view,
                self.questions,
                compared,
                model=self.model,
                judge=self.judge,
                concurrency=self.concurrency,
                on_record=on_record,
            )
        )
        status.stop()
        names = (None if guide is None else guide.name, None if self.model is None else self.model.name)
        rows = figures(records, prices=self.prices, models=dict.fromkeys(self.retrievers, names))
        if self.as_json:
            print_json(evaluation_json(rows, records))
            return
        from ..render.figures import print_figures

        print_figures(rows, has_answers=self.model is not None)
        for record in records:
            if record.error:
                print_error(f"{record.retriever}, question {record.question}: {record.error}")
