"""thumbindex: opens long documents at the right section."""

import typing as _typing

from .async_library import AsyncLibrary
from .budget import Budget
from .errors import ThumbIndexError
from .evidence import Answer, Citation, Evidence, Retrieval
from .ingest.reading import build_tree
from .library import DocumentInfo, Library, Mention, Reading
from .navigation import Lexical, Select, Walk
from .pages import PageRange
from .scope import Scope
from .sources.settings import Limits
from .trail import Step, Trail
from .tree.model import Node, Tree

__all__ = [
    "Answer",
    "AsyncLibrary",
    "Budget",
    "Citation",
    "DocumentInfo",
    "Evidence",
    "Lexical",
    "Library",
    "Limits",
    "Mention",
    "Node",
    "PageRange",
    "Reading",
    "Retrieval",
    "Scope",
    "Select",
    "Step",
    "ThumbIndexError",
    "Trail",
    "Tree",
    "Walk",
    "build_tree",
]

if _typing.TYPE_CHECKING:
    __version__: str
    """Version of the installed package, such as "0.1.0"."""
else:

    def __getattr__(name: str) -> str:
        # Looked up when it is asked for: reading the metadata of packages takes longer than importing most modules here.
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from .version import installed_version

        return installed_version()
