"""`thumbindex import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..opening import open_library
from ..options import LibraryPath, LimitSettings
from ..reading import ReadingOptions
from ..render.documents import print_documents


def import_tree(
    tree: Annotated[Path, typer.Argument(help="JSON written by PageIndex.", show_default=False)],
    file: Annotated[Path, typer.Argument(help="The document that it describes.", show_default=False)],
    library: LibraryPath,
    limit: LimitSettings = None,
) -> None:
    """Add a document with the sections and summaries of a tree that PageIndex made."""
    options = ReadingOptions.parse(limits=limit)
    with open_library(library, create=True, limits=options.limits) as opened:
        info = opened.import_tree(tree, file=file)
    print_documents([info])
