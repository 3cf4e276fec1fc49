"""`thumbindex read`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...evidence import PassageId
from ...library import Reading
from ..cache import OpenLibrary
from ..json_output import reading_json
from ..opening import open_library, use_files
from ..options import AsJson, LimitSettings, NoCache, Ocr, OptionalLibraryPath, Password, PasswordStdin, Scans
from ..progress import StatusLine
from ..reading import ReadingOptions
from ..render.passages import print_reading
from ..terminal import print_json


def read(
    document: Annotated[str, typer.Argument(help="A file, or a document of the library.", show_default=False)],
    library: OptionalLibraryPath = None,
    node: Annotated[
        str | None, typer.Option(help="Id of a section, as `search` and `ask` print it.", show_default=False)
    ] = None,
    pages: Annotated[
        str | None, typer.Option(help="Physical pages, such as 5-7,12.", metavar="PAGES", show_default=False)
    ] = None,
    as_json: AsJson = False,
    password: Password = None,
    password_stdin: PasswordStdin = False,
    ocr: Ocr = Scans.auto,
    limit: LimitSettings = None,
    no_cache: NoCache = False,
) -> None:
    """Print a section with its subsections, some pages, or a whole document."""
    if node is not None and pages is not None:
        raise typer.BadParameter("--node and --pages cannot be given together.")
    # Printed ids name the document too: `report-1f2e3d4c#a1b2c3`.
    section = None if node is None else str(PassageId.parse(node))
    if library is not None:
        with open_library(library) as opened:
            reading = opened.read(document, node=section, pages=pages)
    else:
        options = ReadingOptions.parse(
            password=password, password_stdin=password_stdin, limits=limit, scans=ocr, no_cache=no_cache
        )

        def use(opened: OpenLibrary, _: StatusLine) -> Reading:
            (doc_id,) = opened.paths
            return opened.library.read(doc_id, node=section, pages=pages)

        reading, _ = use_files([Path(document)], use, options)
    if as_json:
        print_json(reading_json(reading))
    else:
        print_reading(reading)
