"""The model that the page leaves to the reader: it searches and answers from the report."""

from scripted_agents import ScriptedAgentModel

ANSWER = "The term loan bears interest at a fixed rate of 4.35 per cent a year [annual-report.pdf, p. 43]."
SEARCH = [("search_text", {"query": "Which rate applies to the term loan?"})]
model = ScriptedAgentModel(SEARCH, ANSWER, is_shared=True)
