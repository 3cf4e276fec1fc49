"""`thumbindex remove`."""

from __future__ import annotations

from typing import Annotated

import typer

from ..opening import open_library
from ..options import LibraryPath
from ..render.documents import print_removed


def remove(
    document: Annotated[str, typer.Argument(help="Id or name of a document.", show_default=False)],
    library: LibraryPath,
) -> None:
    """Remove a document from a library."""
    with open_library(library) as opened:
        info = opened.get(document)
        opened.remove(info.doc_id)
    print_removed(info)
