"""thumbindex for the OpenAI Agents SDK: tools that open long documents at the right section, and checked citations."""

from .repair import repair_input, run_with_repair
from .research import research_agent
from .tools import ThumbIndexTools, thumbindex_tools

__all__ = ["ThumbIndexTools", "repair_input", "research_agent", "run_with_repair", "thumbindex_tools"]
