"""`thumbindex export`."""

from __future__ import annotations

from typing import Annotated

import typer

from ...tree.nested import to_nested, to_nodes
from ..opening import open_library
from ..options import LibraryPath
from ..terminal import print_json


def export(
    document: Annotated[str, typer.Argument(help="Id or name of a document.", show_default=False)],
    library: LibraryPath,
    flat: Annotated[
        bool, typer.Option("--flat", help="Print a map from ids to sections, not nested sections.")
    ] = False,
    without_text: Annotated[bool, typer.Option("--no-text", help="Leave out the text.")] = False,
) -> None:
    """Print a document's sections as JSON, nested or flat; pages are physical and 1-based."""
    with open_library(library) as opened:
        found = opened.tree(document)
    print_json((to_nodes if flat else to_nested)(found, text=not without_text))
