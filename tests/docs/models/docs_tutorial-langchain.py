"""The model that the tutorial leaves to the reader: it answers, searches, cites a wrong page, and corrects that."""

from itertools import chain, repeat

from langchain_core.messages import AIMessage

from scripted_langchain import ScriptedChat

TURNS = [
    "It is fixed at 4.35 per cent [annual-report.pdf, p. 43].",
    AIMessage("", tool_calls=[{"name": "search_text", "args": {"query": "term loan rate"}, "id": "call-1"}]),
    "The term loan bears a fixed rate of 4.35 per cent [annual-report.pdf, p. 12].",
    "The term loan bears a fixed rate of 4.35 per cent [annual-report.pdf, p. 43].",
    "It was drawn in June 2024 for seven years [annual-report.pdf, p. 43].",
]
chat_model = ScriptedChat(lines=chain(TURNS, repeat('{"sections": []}')), has_tools=True)
