"""`thumbindex summarize`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ...library import DocumentInfo, Library
from ...summarize import SummaryCache, by_model
from ..json_output import estimate_json, summaries_json
from ..models import check_base_url, open_model
from ..opening import open_library
from ..options import AsJson, BaseUrl, LibraryPath
from ..progress import StatusLine
from ..render.summaries import print_estimate, print_summaries
from ..terminal import print_json


def summarize(
    library: LibraryPath,
    documents: Annotated[list[str] | None, typer.Argument(help="Ids or names of documents; all if omitted.")] = None,
    model: Annotated[
        str | None,
        typer.Option(help="Model that writes the summaries; without it, key phrases of each section are used."),
    ] = None,
    base_url: BaseUrl = None,
    estimate: Annotated[
        bool,
        typer.Option("--estimate", help="Print the maximum that a model would read and write, and do nothing else."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Summarize each section: outlines shown to models include the summaries, and searching for documents uses them.

    A model's summaries are stored in a file beside the library, so that an interrupted run continues, and unchanged sections cost nothing.
    """
    check_base_url(base_url, model)
    with open_library(library) as opened:
        infos = [opened.get(document) for document in documents] if documents else opened.list()
        if estimate:
            _estimate(opened, infos, as_json=as_json)
            return
        writer = open_model(model, base_url)
        cache = None if writer is None else SummaryCache(_cache_file(library))
        finished = []
        for info in infos:
            with StatusLine(f"Summarizing {info.name}"):
                summaries = opened.summarize(info.doc_id, model=writer, cache=cache)
            finished.append((info, summaries))
            if not as_json:
                print_summaries(info, summaries)
    if as_json:
        print_json([summaries_json(info, summaries) for info, summaries in finished])


def _estimate(library: Library, infos: Sequence[DocumentInfo], *, as_json: bool) -> None:
    estimates = [(info, by_model.estimate(library.tree(info.doc_id))) for info in infos]
    if as_json:
        print_json([estimate_json(info, estimate) for info, estimate in estimates])
        return
    for info, estimate in estimates:
        print_estimate(info, estimate)


def _cache_file(library: Path) -> Path:
    return library.with_name(f"{library.name}.summaries")
