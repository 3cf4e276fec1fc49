"""`thumbindex check`."""

from __future__ import annotations

from typing import Annotated

import typer

from ...store.sqlite.repair import inspect as inspect_file
from ..exit_codes import ExitCode
from ..json_output import damaged_file_json, health_json
from ..opening import open_library, require_library
from ..options import AsJson, LibraryPath
from ..progress import StatusLine
from ..render.health import print_damage, print_health
from ..terminal import print_json


def check(
    library: LibraryPath,
    document: Annotated[str | None, typer.Argument(help="Id or name of a document; all if omitted.")] = None,
    as_json: AsJson = False,
) -> None:
    """Check the library file and the health of its documents: suspect headings, pages without text, references that lead
    nowhere, and more. With a document, check that one only.
    """
    if document is None:
        require_library(library)
        with StatusLine(f"Checking {library.name}"):
            damage = inspect_file(library)
        if damage:
            if as_json:
                print_json(damaged_file_json(library, damage))
            else:
                print_damage(library, damage)
            raise typer.Exit(ExitCode.UNUSABLE)
    with open_library(library) as opened:
        infos = opened.list() if document is None else [opened.get(document)]
        checked = [(info, opened.check(info.doc_id)) for info in infos]
    if as_json:
        print_json([health_json(info, health) for info, health in checked])
        return
    for info, health in checked:
        print_health(info, health, details=document is not None)
