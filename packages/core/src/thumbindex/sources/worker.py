"""The process that reads PDF files and makes pictures of their pages: `python -m thumbindex.sources.worker`.

PDFium crashes on some hostile files and when two threads enter it, so it runs apart. The parent's side is
`thumbindex.sources.pool`. Requests come on standard input, answers go to standard output, both as `wire` messages; the
end of standard input ends the process.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

from ..errors import DamagedSource, SourceError, SourceLimit
from ..pages import Document
from .columns import Columns
from .image import PageImage, View
from .wire import Header, dump_document, error_to_json, receive, send

if sys.platform != "win32":
    import resource

EXIT_MEMORY = 77
"""Exit status of a worker that outgrew its memory limit."""
EXIT_TIME = 78
"""Exit status of a worker that outlived its time limit or its parent."""


def read_guarded(data: bytes | Path, name: str, password: str | None) -> tuple[Document, Columns]:
    """`pdf.read_columns`, with every failure told as one of our errors.

    Raises:
        SourceError: what `read_pdf` raises; SourceLimit where memory ran out; DamagedSource for a failure that
            `read_pdf` did not foresee, since a strange file must never show a foreign traceback.
    """
    # Imported here, so that a parent may load this module without loading PDFium.
    from .pdf import read_columns

    with _guarded(name):
        return read_columns(data, name, password)


def render_guarded(data: bytes | Path, name: str, view: View, password: str | None) -> PageImage:
    """`pdf.render_page`, with every failure told as one of our errors.

    Raises:
        SourceError: as for `read_guarded`.
    """
    from .pdf import render_page

    with _guarded(name):
        return render_page(data, name, view, password)


@contextmanager
def _guarded(name: str) -> Iterator[None]:
    try:
        yield
    except SourceError:
        raise
    except MemoryError as error:
        raise out_of_memory(name) from error
    except Exception as error:
        what = f"the reader failed on this file ({type(error).__name__}: {error})."
        raise DamagedSource(name, what, "Open it in a viewer and save it anew.") from error


def out_of_memory(name: str) -> SourceLimit:
    return SourceLimit(
        name,
        "reading it took more memory than is allowed.",
        "Split it, save it anew in a viewer, or raise Limits(memory=...).",
    )


def held_memory() -> int:
    """Resident memory of this process in bytes; on macOS the most it ever held, and 0 where the system does not say."""
    if sys.platform == "win32":
        return 0
    try:
        # Not ru_maxrss: on Linux a new process begins with the peak of the one that started it.
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class _Watch:
    """Ends the process when the request at hand takes too much, or when the parent is gone.

    PDFium holds no Python lock while it works, so this thread runs beside it. The parent watches the clock too; this
    one also works when the parent was killed.
    """

    def __init__(self) -> None:
        self.deadline = float("inf")
        self.memory = float("inf")
        self._parent = os.getppid()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(0.05)
            if held_memory() > self.memory:
                os._exit(EXIT_MEMORY)
            if time.monotonic() > self.deadline or os.getppid() != self._parent:
                os._exit(EXIT_TIME)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until the stream ends; see `to_request` for what they hold."""
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


def to_request(name: str, password: str | None, view: View | None) -> Header:
    """What is asked of a file, whose path or bytes come beside it: its document, or the view of one of its pages."""
    return {"name": name, "password": password, "view": None if view is None else asdict(view)}


def _answer(request: Header, data: bytes) -> tuple[Header, bytes]:
    name, path, view, password = str(request["name"]), request.get("path"), request["view"], request["password"]
    source = data if path is None else Path(path)
    try:
        if view is not None:
            image = render_guarded(source, name, View(**view), password)
            return {"width": image.width, "height": image.height, "dpi": image.dpi}, image.pixels
        return {}, dump_document(*read_guarded(source, name, password))
    except SourceError as error:
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
