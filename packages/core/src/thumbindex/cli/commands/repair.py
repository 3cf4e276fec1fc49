"""`thumbindex repair`."""

from __future__ import annotations

import typer

from ...store.sqlite.repair import repair as repair_file
from ..exit_codes import ExitCode
from ..json_output import repair_json
from ..opening import require_library
from ..options import AsJson, LibraryPath
from ..progress import StatusLine
from ..render.health import print_repair
from ..terminal import print_json


def repair(library: LibraryPath, as_json: AsJson = False) -> None:
    """Copy every readable document of a damaged library to a new file, and keep the damaged file beside it.

    An intact file is not changed. No other program may use the library during a repair.
    """
    require_library(library)
    with StatusLine(f"Repairing {library.name}"):
        outcome = repair_file(library)
    if as_json:
        print_json(repair_json(outcome))
    else:
        print_repair(library, outcome)
    if outcome.lost:
        raise typer.Exit(ExitCode.NOTHING_FOUND)
