"""Language models: what we ask of one, in the `ChatModel` protocol, and clients that fulfil it."""

from ..trail import Usage
from .chat import ChatModel, JsonSchema, Message, Reply, StreamingModel, estimate_usage
from .meter import Meter
from .openai import OpenAIChat
from .prompts import PROMPTS, Prompts

__all__ = [
    "PROMPTS",
    "ChatModel",
    "JsonSchema",
    "Message",
    "Meter",
    "OpenAIChat",
    "Prompts",
    "Reply",
    "StreamingModel",
    "Usage",
    "estimate_usage",
]
