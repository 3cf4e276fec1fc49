"""thumbindex for LlamaIndex: a retriever, a node parser and tools that open long documents at the right section."""

from .events import TreeStepEvent, TreeTrailEvent
from .model import LlamaIndexModel
from .node_parser import ThumbIndexNodeParser
from .retriever import ThumbIndexRetriever
from .tool_spec import ThumbIndexToolSpec

__all__ = [
    "LlamaIndexModel",
    "ThumbIndexNodeParser",
    "ThumbIndexRetriever",
    "ThumbIndexToolSpec",
    "TreeStepEvent",
    "TreeTrailEvent",
]
