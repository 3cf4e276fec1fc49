"""The command line: `thumbindex tree`, `add`, `search`, `read`, `ask`, `summarize`, `eval` and more.

Needs the extra `thumbindex[cli]`.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from importlib.util import find_spec

from ..errors import MissingExtra
from .exit_codes import ExitCode

_REQUIRED_MODULES = ("typer", "rich")


def main() -> None:
    """Runs the `thumbindex` command."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a question mark, not a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if any(find_spec(module) is None for module in _REQUIRED_MODULES):
        print(f"error: {MissingExtra('cli', 'The command line')}", file=sys.stderr)
        sys.exit(ExitCode.UNUSABLE)
    warnings.showwarning = _show_warning
    try:
        # Imported here, so that an interrupt while modules load is as quiet as a later one.
        from .app import app

        app()
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        sys.exit(ExitCode.INTERRUPTED)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Prints a warning in the form of our errors, without the line of code that raised it."""
    from .terminal import print_warning

    print_warning(str(message))
