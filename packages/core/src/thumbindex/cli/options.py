"""Options that several commands share, each defined once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Scans(StrEnum):
    """Treatment of scanned pages."""

    auto = "auto"
    off = "off"


LibraryPath = Annotated[
    Path,
    typer.Option("--library", "-l", envvar="THUMBINDEX_LIBRARY", help="Path of the library file.", show_default=False),
]
OptionalLibraryPath = Annotated[
    Path | None,
    typer.Option("--library", "-l", envvar="THUMBINDEX_LIBRARY", help="Path of a library file, instead of files."),
]
DocumentNames = Annotated[
    list[str] | None,
    typer.Option("--document", "-d", help="Only this document (id or name). May be repeated.", show_default=False),
]
Tenant = Annotated[
    str | None,
    typer.Option(help="Namespace of the documents; names are looked up in it alone.", show_default=False),
]
Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        "-f",
        metavar="KEY=VALUE",
        help="Only documents with this metadata; !=, <, <=, > and >= work too. May be repeated.",
    ),
]
"""Together with `DocumentNames` one scope: see `scopes.parse_scope`."""
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Results = Annotated[int, typer.Option("-k", min=1, max=1000, help="Number of sections.")]
BaseUrl = Annotated[
    str | None,
    typer.Option(help="URL of an OpenAI-compatible server, up to /v1; OpenAI's own by default.", metavar="URL"),
]

# How files are read: `ReadingOptions.parse` turns these into one value.
Password = Annotated[
    str | None, typer.Option(help="Password of an encrypted PDF. Other users can see it in the list of processes.")
]
PasswordStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Read the files again, and store nothing.")]
Ocr = Annotated[
    Scans,
    typer.Option(
        "--ocr", help="Read scanned pages (some seconds each, with the extra `ocr` installed), or leave them out."
    ),
]
LimitSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="NAME=VALUE",
        help="Limits on reading one file: seconds=300, memory=4G, file_size=2G. May be repeated.",
    ),
]
