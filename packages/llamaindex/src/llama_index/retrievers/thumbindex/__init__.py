"""thumbindex for LlamaIndex: a retriever and tools that open long documents at the right section."""

from .retriever import ThumbIndexRetriever, TreeStepEvent
from .tool_spec import ThumbIndexToolSpec

__all__ = ["ThumbIndexRetriever", "ThumbIndexToolSpec", "TreeStepEvent"]
