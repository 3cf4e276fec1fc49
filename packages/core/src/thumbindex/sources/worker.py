"""The process that parses files and renders pages.

PDFium crashes on some hostile files and when two threads enter it, and every parser can be made to take hours, so they run
in processes of their own. The parent's side is `thumbindex.sources.pool`.
"""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from ..concurrency.child import SelfWatch, held_memory, run
from ..concurrency.messages import Header, receive, send
from ..errors import MissingExtra, SourceError
from ..pages import Document
from .columns import Columns
from .guarded import guarded, out_of_memory
from .image import PageImage, View
from .wire import dump_document, error_to_json

if TYPE_CHECKING:
    from .dispatch import Parsed

    Kind = Parsed | Literal["pdf"]


def read_guarded(data: bytes | Path, kind: Kind, name: str, password: str | None) -> tuple[Document, Columns]:
    """Returns a document without its lines, and its lines; `data` is the file or its path.

    Raises:
        SourceError, MissingExtra: See `guarded`.
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
    """Returns `pdf.render_page`, with every failure as one of our errors.

    Raises:
        SourceError: See `guarded`.
    """
    from .pdf import render_page

    with guarded(name):
        return render_page(data, name, view, password)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answers requests until the stream ends; see `reading` and `rendering` for their contents."""
    try:
        # Loaded before the greeting: a worker that greets can read.
        from . import pdf  # noqa: F401
    except Exception as error:
        # For example because PDFium's library does not load here.
        send(answers, {"ready": False, "reason": f"{type(error).__name__}: {error}"})
        return
    watch = SelfWatch()
    send(answers, {"ready": True, "cpu": time.process_time()})
    while (message := receive(requests)) is not None:
        request, data = message
        watch.memory = request["memory"]
        watch.deadline = time.monotonic() + request["seconds"]
        header, payload = _answer(request, data)
        watch.deadline = float("inf")
        send(answers, {**header, "held": held_memory(), "cpu": time.process_time()}, payload)


def reading(kind: Kind, name: str, password: str | None) -> Header:
    """Returns the request for the document in a file of this kind; its path or bytes are sent with it."""
    return {"kind": kind, "name": name, "password": password}


def rendering(name: str, view: View, password: str | None) -> Header:
    """Returns the request for the image of a page of a PDF, whose path or bytes are sent with it."""
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
    """Serves until the parent closes the stream of requests; see `concurrency.child.run`."""
    run(serve)
