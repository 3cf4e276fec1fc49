"""Around a parser: every failure told as one of our errors, since a strange file must never show a foreign traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import DamagedSource, MissingExtra, SourceError, SourceLimit


@contextmanager
def guarded(name: str) -> Iterator[None]:
    """Around what reads the file of that name.

    Raises:
        SourceError: as the reader does; SourceLimit where memory ran out; DamagedSource for a failure that it did not
            foresee.
        MissingExtra: as the reader does.
    """
    try:
        yield
    except (SourceError, MissingExtra):
        raise
    except MemoryError as error:
        raise out_of_memory(name) from error
    except Exception as error:
        what = f"the reader failed on this file ({type(error).__name__}: {error})."
        raise DamagedSource(name, what, "Open it in its program and save it anew.") from error


def out_of_memory(name: str) -> SourceLimit:
    return SourceLimit(
        name, "reading it took more memory than is allowed.", "Split it, save it anew, or raise the limit `memory`."
    )


def out_of_time(name: str, seconds: float) -> SourceLimit:
    what = f"reading it took more than {seconds:.0f} seconds and was stopped."
    return SourceLimit(name, what, "Split it, save it anew, or raise the limit `seconds`.")
