"""`thumbindex search`."""

from __future__ import annotations

from typing import Annotated

import typer

from ..opening import open_library
from ..options import AsJson, LibraryPath, Results
from ..render.passages import print_passages
from ..retrieval import print_found, retrieve


def search(
    question: Annotated[str, typer.Argument(help="A question or some words.", show_default=False)],
    library: LibraryPath,
    k: Results = 5,
    document: Annotated[
        list[str] | None,
        typer.Option("--document", "-d", help="Search only this document (id or name). May be repeated."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Search a library: the sections that fit best, with path, pages and matching lines."""
    with open_library(library) as opened:
        found = retrieve(opened, question, k, document or None)
    print_found(found, print_passages, as_json=as_json)
