"""`thumbindex add`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...sources.folders import expand
from ..exit_codes import ExitCode
from ..json_output import added_json
from ..metadata import parse_settings
from ..opening import open_library, require_documents
from ..options import AsJson, LibraryPath, LimitSettings, Ocr, Password, PasswordStdin, Scans, Tenant
from ..progress import progress_bar
from ..reading import ReadingOptions
from ..render.documents import print_added, print_failed
from ..terminal import print_json


def add(
    files: Annotated[list[Path], typer.Argument(help="Files, or folders to search for documents.", show_default=False)],
    library: LibraryPath,
    sync: Annotated[
        bool, typer.Option("--sync", help="Make the library match one folder: remove documents that are gone from it.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of files to read in parallel; one per processor by default.", show_default=False
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Metadata of each document. May be repeated."),
    ] = None,
    tenant: Tenant = None,
    password: Password = None,
    password_stdin: PasswordStdin = False,
    ocr: Ocr = Scans.auto,
    limit: LimitSettings = None,
    as_json: AsJson = False,
) -> None:
    """Add documents to a library, which is created if it does not exist. Known contents are recognised.

    A file that cannot be read does not stop the others. After an interruption, the same command continues.
    """
    options = ReadingOptions.parse(password=password, password_stdin=password_stdin, limits=limit, scans=ocr)
    metadata = parse_settings(settings or [])
    if sync and (len(files) != 1 or not files[0].is_dir()):
        raise typer.BadParameter("--sync takes one folder.")
    if not sync:
        require_documents(expand(files))
    with (
        progress_bar() as bar,
        open_library(
            library, create=True, limits=options.limits, ocr=options.ocr(bar.update, own_cache=False)
        ) as opened,
    ):
        if sync:
            results = opened.sync(
                files[0],
                workers=workers,
                password=options.password,
                metadata=metadata,
                on_progress=bar.advance,
                tenant=tenant or "",
            )
        else:
            results = opened.add_all(
                files,
                workers=workers,
                password=options.password,
                metadata=metadata,
                on_progress=bar.advance,
                tenant=tenant or "",
            )
    # Printed only now, since the bar and these lines may share a terminal.
    if as_json:
        print_json(added_json(results))
    else:
        print_added(results)
    print_failed(results)
    if any(result.error is not None for result in results):
        raise typer.Exit(ExitCode.NOTHING_FOUND)
