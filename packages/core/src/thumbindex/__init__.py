"""thumbindex: opens long documents at the right section."""

from .errors import ThumbIndexError
from .evidence import Answer, Citation, Evidence, Retrieval
from .ingest.reading import build_tree
from .library import DocumentInfo, Library, Mention, Reading
from .pages import PageRange
from .sources.settings import Limits
from .trail import Step, Trail
from .tree.model import Node, Tree

__all__ = [
    "Answer",
    "Citation",
    "DocumentInfo",
    "Evidence",
    "Library",
    "Limits",
    "Mention",
    "Node",
    "PageRange",
    "Reading",
    "Retrieval",
    "Step",
    "ThumbIndexError",
    "Trail",
    "Tree",
    "build_tree",
]
