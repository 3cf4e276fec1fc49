"""`thumbindex search`."""

from __future__ import annotations

from typing import Annotated

import typer

from ..opening import open_library
from ..options import AsJson, DocumentNames, Filters, LibraryPath, Results, Tenant
from ..render.passages import print_passages
from ..retrieval import print_found, retrieve
from ..scopes import parse_scope


def search(
    question: Annotated[str, typer.Argument(help="A question or some words.", show_default=False)],
    library: LibraryPath,
    k: Results = 5,
    documents: DocumentNames = None,
    filters: Filters = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Search a library: the sections that fit best, with path, pages and matching lines."""
    scope = parse_scope(documents, filters, tenant)
    with open_library(library) as opened:
        found = retrieve(opened.view(scope), question, k)
    print_found(found, print_passages, as_json=as_json)
