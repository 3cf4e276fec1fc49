"""Language models: what we ask of one, in the `ChatModel` protocol, and clients that fulfil it."""

from ..trail import Usage
from .chat import ChatModel, JsonSchema, Message, Reply
from .meter import Meter
from .openai import OpenAIChat

__all__ = ["ChatModel", "JsonSchema", "Message", "Meter", "OpenAIChat", "Reply", "Usage"]
