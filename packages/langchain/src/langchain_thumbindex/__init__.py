"""thumbindex for LangChain: a retriever and tools that open long documents at the right section."""

from .retriever import ThumbIndexRetriever
from .toolkit import ThumbIndexToolkit

__all__ = ["ThumbIndexRetriever", "ThumbIndexToolkit"]
