"""`thumbindex tree`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...ingest.reading import build_tree
from ...tree.exchange import to_json
from ..options import AsJson, LimitSettings, Ocr, Password, PasswordStdin, Scans
from ..progress import StatusLine
from ..reading import ReadingOptions
from ..terminal import console, print_json_text, printable, styled


def tree(
    file: Annotated[
        Path,
        typer.Argument(help="A PDF, Word, PowerPoint, HTML, EPUB, Markdown, text or mail file.", show_default=False),
    ],
    explain: Annotated[bool, typer.Option("--explain", help="Show the rule that found each heading.")] = False,
    references: Annotated[bool, typer.Option("--references", help="Show what each section refers to.")] = False,
    as_json: AsJson = False,
    budget: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of tokens; the deepest levels are dropped first.")
    ] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Maximum number of levels.", show_default=False)] = None,
    confidence: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Minimum confidence of a heading; 0 shows every heading found.")
    ] = 0.4,
    password: Password = None,
    password_stdin: PasswordStdin = False,
    ocr: Ocr = Scans.auto,
    limit: LimitSettings = None,
) -> None:
    """Print the section tree of a document, one line per section.

    With --json, print the whole tree with its text, in the form that thumbindex.tree.from_json reads.
    """
    options = ReadingOptions.parse(password=password, password_stdin=password_stdin, limits=limit, scans=ocr)
    with StatusLine(f"Reading {file.name}") as status:
        built = build_tree(
            file,
            password=options.password,
            limits=options.limits,
            min_confidence=confidence,
            ocr=options.ocr(status.update),
        )
    if as_json:
        print_json_text(to_json(built))
    else:
        console().print(styled(printable(built.render(budget, explain=explain, references=references, depth=depth))))
