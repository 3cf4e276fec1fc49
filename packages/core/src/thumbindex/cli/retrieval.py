"""Retrieval without a model, as `search` and `ask` do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import typer

from ..evidence import Retrieval
from ..library_view import LibraryView
from .exit_codes import ExitCode
from .json_output import retrieval_json
from .terminal import print_json, print_note


@dataclass(frozen=True, slots=True)
class Found:
    """A retrieval, and the language of each document by its id."""

    retrieval: Retrieval
    languages: Mapping[str, str]


def retrieve(view: LibraryView, question: str, k: int) -> Found:
    """The `k` sections that fit a question best."""
    return Found(view.retrieve(question, k=k), {info.doc_id: info.language for info in view.list()})


def print_found(found: Found, render: Callable[[Retrieval, Mapping[str, str]], None], *, as_json: bool) -> None:
    """Prints a retrieval as JSON or by `render`; ends the command if it is empty."""
    if as_json:
        print_json(retrieval_json(found.retrieval))
    elif found.retrieval.evidence:
        render(found.retrieval, found.languages)
    if not found.retrieval.evidence:
        print_note("Nothing found: no section contains a word of the question.")
        raise typer.Exit(ExitCode.NOTHING_FOUND)
