"""The model that the page leaves to the reader."""

from __future__ import annotations

import runpy
from pathlib import Path

model = runpy.run_path(str(Path(__file__).with_name("docs_openai-agents.py")))["model"]
