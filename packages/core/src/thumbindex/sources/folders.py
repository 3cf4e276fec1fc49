"""The documents in folders."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

SUFFIXES = (".pdf", ".md", ".markdown", ".txt", ".html", ".htm", ".xhtml", ".docx", ".pptx", ".epub", ".eml", ".mbox")
"""Which files of a folder are taken; a file named by itself always is, whatever it is called."""


def expand(paths: Iterable[Path]) -> list[Path]:
    """The files as named, and in the place of each folder its documents and those of the folders below, sorted.

    Hidden files and folders are left out, links to folders are not followed, and no file comes twice. A folder that cannot be
    listed stands for itself, so that reading it fails and says so.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found |= dict.fromkeys(_documents_below(path))
        else:
            found[path] = None
    return list(found)


def _documents_below(folder: Path) -> list[Path]:
    documents: list[Path] = []
    walk = os.walk(folder, onerror=lambda error: documents.append(Path(error.filename)))
    for place, folders, files in walk:
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        documents += [
            Path(place, name) for name in sorted(files) if name.lower().endswith(SUFFIXES) and not name.startswith(".")
        ]
    return documents
