"""The models that the page leaves to the reader."""

from itertools import cycle, repeat

from langchain_core.messages import AIMessage

from scripted_langchain import ScriptedChat

model = ScriptedChat(lines=repeat("The note on borrowings states it."))
WALK = [
    {"reason": "", "action": "search", "numbers": [], "text": "term loan rate"},
    {"reason": "its title says so", "action": "read", "numbers": [30], "text": ""},
    {"reason": "", "action": "answer", "numbers": [], "text": ""},
]
navigator_model = ScriptedChat(lines=cycle(WALK))
CALL = {"name": "search_text", "args": {"query": "term loan rate"}, "id": "call-1"}
ANSWER = "The term loan bears a fixed rate of 4.35 per cent [annual-report.pdf, p. 43]."
agent_model = ScriptedChat(lines=cycle([AIMessage("", tool_calls=[CALL]), ANSWER]), has_tools=True)
