"""The model that the page leaves to the reader."""

from langchain_core.language_models.fake_chat_models import FakeListChatModel

model = FakeListChatModel(responses=["The note on borrowings states it."])
