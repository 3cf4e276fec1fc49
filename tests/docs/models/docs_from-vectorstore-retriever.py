"""The model that the page leaves to the reader."""

from itertools import repeat

from scripted_langchain import ScriptedChat

model = ScriptedChat(lines=repeat("The note on borrowings states it."))
