"""The models that the tutorial leaves to the reader: those of the LlamaIndex page, one of which navigates and answers."""

import runpy
from pathlib import Path

_page = runpy.run_path(str(Path(__file__).with_name("docs_llamaindex.py")))
llm, agent_llm = _page["navigator"], _page["agent_llm"]
