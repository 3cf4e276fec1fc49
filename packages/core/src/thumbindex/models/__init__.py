"""Language models: the `ChatModel` protocol, a client of OpenAI-compatible servers, limits on usage, and prompts."""

from ..trail import Usage
from .chat import ChatModel, JsonSchema, Message, Reply, StreamingModel, estimate_usage, is_for_sync_caller
from .openai import OpenAIChat
from .prompts import PROMPTS, Prompts
from .usage_limiter import UsageLimiter

__all__ = [
    "PROMPTS",
    "ChatModel",
    "JsonSchema",
    "Message",
    "OpenAIChat",
    "Prompts",
    "Reply",
    "StreamingModel",
    "Usage",
    "UsageLimiter",
    "estimate_usage",
    "is_for_sync_caller",
]
