"""The command line: `thumbindex tree`, `add`, `search`, `read`, `ask`, `summarize`, `eval` and more.

Exit codes: 0 done; 1 nothing was found, or some files failed; 2 wrong usage; 3 a document, library or model that cannot be used;
130 interrupted.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings


def main() -> None:
    """Entry point of the `thumbindex` command."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a question mark, not a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    warnings.showwarning = _warn
    try:
        # Imported here, so that an interrupt while modules load is as quiet as a later one.
        from .commands import app

        app()
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        sys.exit(130)


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    """Tell a warning as errors are told, without the line of code that it came from."""
    from .terminal import console, harmless, styled

    console(stderr=True).print(styled(("warning: ", "bold yellow"), harmless(str(message))))
