"""The model that the page leaves to the reader."""

from scripted_llama import ScriptedLLM

llm = ScriptedLLM(lines=["The note on borrowings states it."])
