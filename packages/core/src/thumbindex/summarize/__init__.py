"""What sections are about: by phrases of their own (`extractive`), or in a model's words (`by_model`)."""

from .by_model import Estimate, Summaries
from .cache import SummaryCache

__all__ = ["Estimate", "Summaries", "SummaryCache"]
