"""The process that parses files and makes pictures of pages: `python -m thumbindex.sources.worker`.

PDFium crashes on some hostile files and when two threads enter it, and every parser can be made to take hours, so they run
apart. The parent's side is `thumbindex.sources.pool`. Requests come on standard input, answers go to standard output, both
as `wire` messages; the end of standard input ends the process.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from ..errors import MissingExtra, SourceError
from ..pages import Document
from .columns import Columns
from .guarded import guarded, out_of_memory
from .image import PageImage, View
from .wire import Header, dump_document, error_to_json, receive, send

if sys.platform != "win32":
    import resource

if TYPE_CHECKING:
    from .dispatch import Parsed

    Kind = Parsed | Literal["pdf"]

EXIT_MEMORY = 77
"""Exit status of a worker that outgrew its memory limit."""
EXIT_TIME = 78
"""Exit status of a worker that outlived its time limit or its parent."""
TICK = 0.05
"""Seconds between two looks at time and memory. What grows by 2 GB a second is 100 MB over its limit by then."""


def read_guarded(data: bytes | Path, kind: Kind, name: str, password: str | None) -> tuple[Document, Columns]:
    """A document without its lines, and its lines; `data` is the file or its path.

    Raises:
        SourceError, MissingExtra: see `guarded`.
    """
    # Parsers are imported here, so that a parent may load this module without loading them.
    with guarded(name):
        if kind == "pdf":
            from .pdf import read_columns

            return read_columns(data, name, password)
        from .dispatch import parse

        document = parse(data.read_bytes() if isinstance(data, Path) else data, kind, name)
        return replace(document, lines=()), Columns.of(document.lines)


def render_guarded(data: bytes | Path, name: str, view: View, password: str | None) -> PageImage:
    """`pdf.render_page`, with every failure told as one of our errors.

    Raises:
        SourceError: as for `read_guarded`.
    """
    from .pdf import render_page

    with guarded(name):
        return render_page(data, name, view, password)


def held_memory(pid: int | None = None) -> int:
    """Resident memory of a process in bytes, of this one by default; 0 where the system does not say.

    On macOS it is known of this process alone, and is the most that it ever held.
    """
    if sys.platform == "win32":
        return 0
    try:
        # Not ru_maxrss: on Linux a new process begins with the peak of the one that started it.
        with open(f"/proc/{pid or 'self'}/statm", "rb") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except (FileNotFoundError, ProcessLookupError):
        return 0 if pid else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class _Watch:
    """Ends the process when the request at hand takes too much, or when the parent is gone.

    PDFium holds no Python lock while it works, so this thread runs beside it. The parent watches too, and also where one
    call of another parser holds the lock; this one also works when the parent was killed, and on macOS.
    """

    def __init__(self) -> None:
        self.deadline = float("inf")
        self.memory = float("inf")
        self._parent = os.getppid()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(TICK)
            if held_memory() > self.memory:
                os._exit(EXIT_MEMORY)
            if time.monotonic() > self.deadline or os.getppid() != self._parent:
                os._exit(EXIT_TIME)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until the stream ends; see `reading` and `rendering` for what they hold."""
    # Loaded before the greeting: a worker that greets can read.
    from . import pdf  # noqa: F401

    watch = _Watch()
    send(answers, {"ready": True, "cpu": time.process_time()})
    while (message := receive(requests)) is not None:
        request, data = message
        watch.memory = request["memory"]
        watch.deadline = time.monotonic() + request["seconds"]
        header, payload = _answer(request, data)
        watch.deadline = float("inf")
        send(answers, {**header, "held": held_memory(), "cpu": time.process_time()}, payload)


def reading(kind: Kind, name: str, password: str | None) -> Header:
    """The request for the document in a file of this kind, whose path or bytes come beside it."""
    return {"kind": kind, "name": name, "password": password}


def rendering(name: str, view: View, password: str | None) -> Header:
    """The request for the picture of a page of a PDF, whose path or bytes come beside it."""
    return {"view": asdict(view), "name": name, "password": password}


def _answer(request: Header, data: bytes) -> tuple[Header, bytes]:
    name, path, view, password = str(request["name"]), request.get("path"), request.get("view"), request["password"]
    source = data if path is None else Path(path)
    try:
        if view is not None:
            image = render_guarded(source, name, View(**view), password)
            return {"width": image.width, "height": image.height, "dpi": image.dpi}, image.pixels
        return {}, dump_document(*read_guarded(source, request["kind"], name, password))
    except (SourceError, MissingExtra) as error:
        return error_to_json(error), b""
    except MemoryError:
        return error_to_json(out_of_memory(name)), b""


def main() -> None:
    """Take over standard input and output, and serve."""
    # Ctrl-C reaches the whole process group; the parent decides what becomes of its worker.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Whatever C code prints must not end up between the answers.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    os.dup2(nowhere, 0)
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        serve(requests, answers)
    except BrokenPipeError:
        pass  # the parent is gone
    except Exception as error:
        # Not started, for example because PDFium's library does not load here.
        send(answers, {"ready": False, "reason": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
