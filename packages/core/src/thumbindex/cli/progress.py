"""Progress on a terminal, and nothing elsewhere: a status line, and a bar while many files are added."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .terminal import console, printable_line, styled

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from ..ingest.bulk import Progress

_STATUS_LENGTH = 160
"""Characters of a status line; a longer one would wrap on most terminals."""


class StatusLine:
    """A line on standard error that shows the current work until it is stopped."""

    def __init__(self, text: str) -> None:
        err = console(stderr=True)
        self._status = err.status("") if err.is_terminal else None
        self.update(text)

    def __enter__(self) -> StatusLine:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def update(self, text: str) -> None:
        """Shows another text."""
        if self._status is not None:
            self._status.update(styled(f"{printable_line(text)[:_STATUS_LENGTH]} …"))

    def stop(self) -> None:
        """Removes the line, so that others can print."""
        if self._status is not None:
            self._status.stop()


class ProgressBar:
    """A bar over files with pages per second and the time left."""

    def __init__(self, bar: RichProgress | None, task: TaskID | None) -> None:
        self._bar, self._task = bar, task

    def advance(self, progress: Progress) -> None:
        """Shows that another file is done."""
        if self._bar is None or self._task is None:
            return
        left = f"{progress.seconds_left:.0f} s left" if progress.files < progress.total else "done"
        latest = printable_line(progress.latest.source)
        text = f"{progress.pages_per_second:.0f} pages/s, {left}   {latest}"
        self._bar.update(self._task, total=progress.total, completed=progress.files, description=text)

    def update(self, text: str) -> None:
        """Shows a text beside the bar until the next file is done."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=printable_line(text))


@contextmanager
def progress_bar() -> Iterator[ProgressBar]:
    """A progress bar on standard error that disappears at the end."""
    err = console(stderr=True)
    if not err.is_terminal:
        yield ProgressBar(None, None)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        yield ProgressBar(bar, bar.add_task("", total=None))
