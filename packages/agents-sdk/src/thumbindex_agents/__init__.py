"""thumbindex for the OpenAI Agents SDK: tools that open long documents at the right section."""

from .tools import ThumbIndexTools, thumbindex_tools

__all__ = ["ThumbIndexTools", "thumbindex_tools"]
