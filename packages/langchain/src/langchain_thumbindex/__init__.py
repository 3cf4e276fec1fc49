"""thumbindex for LangChain: a retriever and tools that open long documents at the right section.

`langchain_thumbindex.agents` needs LangChain's agents: `pip install 'langchain-thumbindex[agents]'`.
"""

from .loader import ThumbIndexLoader, ThumbIndexSplitter
from .models import LangChainChat
from .retriever import ThumbIndexRetriever
from .toolkit import ThumbIndexToolkit

__all__ = ["LangChainChat", "ThumbIndexLoader", "ThumbIndexRetriever", "ThumbIndexSplitter", "ThumbIndexToolkit"]
