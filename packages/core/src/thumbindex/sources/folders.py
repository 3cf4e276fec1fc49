"""Finding the documents in folders."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

SUFFIXES = (".pdf", ".md", ".markdown", ".txt", ".html", ".htm", ".xhtml", ".docx", ".pptx", ".epub", ".eml", ".mbox")
"""Suffixes of the files of a folder that are documents; a file that is named itself always is one."""


def expand(paths: Iterable[Path]) -> list[Path]:
    """Returns paths with each folder replaced by the documents in it and in its subfolders, sorted.

    Hidden files and folders are left out, links to folders and links that lead out of the folder are not followed, and no file is
    returned twice. A folder that
    cannot be listed is returned itself, so that reading it raises an error.
    """
    expanded: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            expanded |= dict.fromkeys(_documents_below(path))
        else:
            expanded[path] = None
    return list(expanded)


def _documents_below(folder: Path) -> list[Path]:
    documents: list[Path] = []
    real = folder.resolve()
    walk = os.walk(folder, onerror=lambda error: documents.append(Path(error.filename)))
    for parent, folders, files in walk:
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        documents += [
            path
            for name in sorted(files)
            if name.lower().endswith(SUFFIXES)
            and not name.startswith(".")
            and (not (path := Path(parent, name)).is_symlink() or path.resolve().is_relative_to(real))
        ]
    return documents
