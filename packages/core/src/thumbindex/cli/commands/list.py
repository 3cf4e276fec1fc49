"""`thumbindex list`."""

from __future__ import annotations

from ..json_output import document_json
from ..opening import open_library
from ..options import AsJson, DocumentNames, Filters, LibraryPath, Tenant
from ..render.documents import print_documents
from ..scopes import parse_scope
from ..terminal import print_json, print_note


def list_documents(
    library: LibraryPath,
    documents: DocumentNames = None,
    filters: Filters = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """List the documents of a library."""
    scope = parse_scope(documents, filters, tenant)
    with open_library(library) as opened:
        infos = opened.view(scope).list()
    if as_json:
        print_json([document_json(info) for info in infos])
        return
    print_documents(infos)
    if not infos:
        print_note(f"{library} contains no {'such ' if filters else ''}documents.")
