"""The exit codes of all commands, on which scripts rely."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command line; 2, for wrong usage, comes from Typer."""

    DONE = 0
    """Done; also where the reader of a pipe has read enough."""
    NOTHING_FOUND = 1
    """Nothing was found, or some files failed."""
    UNUSABLE = 3
    """A document, library or model that cannot be used."""
    INTERRUPTED = 130
