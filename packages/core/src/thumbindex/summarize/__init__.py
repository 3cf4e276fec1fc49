"""Summaries of sections: their own phrases (`extractive`), or the words of a model (`by_model`)."""

from .by_model import Estimate, Summaries
from .by_model import estimate as estimate_summaries
from .cache import SummaryCache

__all__ = ["Estimate", "Summaries", "SummaryCache", "estimate_summaries"]
