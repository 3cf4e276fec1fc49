"""thumbindex: opens long documents at the right section."""

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
