"""The models that the README leaves to the reader."""

from scripted_agents import ScriptedAgentModel
from scripted_llama import ScriptedLLM

llm = ScriptedLLM(lines=["The note on borrowings states it."])
model = ScriptedAgentModel(
    [("search_text", {"query": "term loan rate", "document": None, "mode": "best", "cursor": None})],
    "The note on borrowings states it.",
)
