"""Turning every failure of a parser into one of our errors: no file may cause a traceback of another library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import DamagedSource, MissingExtra, SourceError, SourceLimit


@contextmanager
def guarded(name: str) -> Iterator[None]:
    """A block that reads a file.

    Args:
        name: Name of the file in errors.

    Raises:
        SourceError: The reader's own error; SourceLimit where memory ran out or parts are nested too deeply; DamagedSource for any other exception.
        MissingExtra: The reader needs an extra.
    """
    try:
        yield
    except (SourceError, MissingExtra):
        raise
    except MemoryError as error:
        raise out_of_memory(name) from error
    except RecursionError as error:
        what = "its parts are nested too deeply to be read."
        raise SourceLimit(name, what, "Save the innermost parts as files of their own and add these.") from error
    except Exception as error:
        what = f"the reader failed on this file ({type(error).__name__}: {error})."
        raise DamagedSource(name, what, "Open it in its program and save it again.") from error


def out_of_memory(name: str) -> SourceLimit:
    """Returns the error of a file that took too much memory."""
    return SourceLimit(
        name, "reading it took more memory than is allowed.", "Split it, save it again, or raise the limit `memory`."
    )


def out_of_time(name: str, seconds: float) -> SourceLimit:
    """Returns the error of a file that took more than `seconds`."""
    what = f"reading it took more than {seconds:.0f} seconds and was stopped."
    return SourceLimit(name, what, "Split it, save it again, or raise the limit `seconds`.")
