"""The Typer application: all commands, and the exit code for each kind of error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ..errors import ThumbIndexError
from ..version import installed_version
from .commands.add import add
from .commands.ask import ask
from .commands.check import check
from .commands.eval import evaluate
from .commands.export import export
from .commands.import_tree import import_tree
from .commands.list import list_documents
from .commands.mcp import mcp
from .commands.read import read
from .commands.remove import remove
from .commands.repair import repair
from .commands.search import search
from .commands.summarize import summarize
from .commands.tree import tree
from .exit_codes import ExitCode
from .terminal import print_error

COMMANDS: dict[str, Callable[..., None]] = {
    "tree": tree,
    "add": add,
    "list": list_documents,
    "check": check,
    "repair": repair,
    "export": export,
    "import": import_tree,
    "remove": remove,
    "search": search,
    "read": read,
    "ask": ask,
    "summarize": summarize,
    "eval": evaluate,
    "mcp": mcp,
}
"""Every command by its name, in the order of the help."""


class _Group(TyperGroup):
    """Turns errors into one line on standard error and an exit code."""

    def invoke(self, ctx: Any) -> Any:  # a Context of click or of typer, depending on typer's version
        try:
            try:
                return super().invoke(ctx)
            finally:
                # Flushed here, where a closed pipe can still be handled.
                sys.stdout.flush()
        except ThumbIndexError as error:
            print_error(str(error))
            raise typer.Exit(ExitCode.UNUSABLE) from None
        except BrokenPipeError:
            # The rest of the buffer goes to the null device; otherwise flushing it would fail again when Python exits.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(ExitCode.DONE) from None
        except KeyboardInterrupt:
            raise typer.Exit(ExitCode.INTERRUPTED) from None


app = typer.Typer(
    cls=_Group,
    name="thumbindex",
    help="Opens long documents at the right section: a section tree, and passages with section path and pages.",
    epilog="Exit codes: 0 done, 1 nothing found or some files failed, 2 wrong usage, 3 unusable document, library or model.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _main(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        print(f"thumbindex {installed_version()}")
        raise typer.Exit(ExitCode.DONE)


for _name, _command in COMMANDS.items():
    app.command(_name)(_command)
